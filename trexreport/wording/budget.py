"""What the limits of a budget are on, why a figure is not known, and what to bear in mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis import budget as facts
from trexreport.analyzer.analysis.verdict import Ratio, Verdict
from trexreport.numbers import counted, format_count, format_percent, list_names
from trexreport.wording.comparison import scaling_sentence
from trexreport.wording.conditions import different_conditions
from trexreport.wording.texts import TEXTS
from trexreport.wording.verdict import reason_sentences, verdict_text

_MAX_NAMED = 5
_REMARKS: Mapping[facts.CheckRemark, str] = {
    "unused-baseline": "No limit needs the baseline: there is none on regression."
}
#: By table and key of the configuration.
_TITLES: Mapping[str, Mapping[str, str]] = TEXTS["budget"]["titles"]


#: What follows the name of a figure of the whole model.
_METRIC_TITLES: Mapping[str, str] = {
    "metrics": "",
    "metric-drop": ", drop against the baseline",
    "metric-rise": ", rise against the baseline",
}


def limit_title(outcome: facts.LimitOutcome) -> str:
    """Return what a limit is on: "p99 latency"."""
    title = outcome.title
    if title.table in ("findings", "places"):
        return _findings_title(title)
    if title.table in _METRIC_TITLES:
        return f"{title.key}{_METRIC_TITLES[title.table]}"
    text = _TITLES[title.table][title.key]
    return f"{title.part}: {text}" if title.table == "part" else text


def limit_reason(outcome: facts.LimitOutcome) -> str:
    """Return why the value of a limit is not known, and what to bear in mind."""
    return reasons_text(outcome.reason)


def check_remarks(check: facts.BudgetCheck) -> list[str]:
    """Return what to bear in mind of a check itself, one sentence each."""
    return [_REMARKS[remark] for remark in check.remarks]


def reasons_text(reasons: Sequence[facts.LimitReason]) -> str:
    """Return the sentences of reasons on one line; nothing if there are none."""
    return " ".join(filter(None, map(_sentence, reasons)))


def _findings_title(title: facts.LimitTitle) -> str:
    what = "Findings" if title.table == "findings" else "Places"
    if title.key in SEVERITIES:
        return f"{what} of severity {title.key}"
    counted_from = "" if title.severity == SEVERITIES[-1] else f", {title.severity} or more severe"
    return f"{what} of {title.key}{counted_from}"


def _sentence(reason: facts.LimitReason) -> str:
    if isinstance(reason, facts.VerdictReason):
        of_verdict = _VERDICT_SENTENCES[reason.code](reason.verdict, reason.metric)
        return f"{of_verdict} {scaling_sentence(reason.scaling)}".rstrip()
    sentence = _SENTENCES[reason.code]
    return sentence if isinstance(sentence, str) else sentence(reason)


def _names_known(names: Sequence[str]) -> str:
    return f" The files state {list_names(names, 6)}." if names else ""


def _not_known_in_full(noun: str) -> Callable[[facts.MetricReason], str]:
    return lambda reason: (
        f"Not fully known for {format_count(reason.count)} of {counted(reason.total, noun)}: "
        f"{reasons_text(reason.of)}"
    )


_SENTENCES: Mapping[facts.MetricReasonCode, str | Callable[[facts.MetricReason], str]] = {
    "no-latency": "No file states it; trtexec --exportTimes or the log of trtexec does.",
    "no-percentile": (
        "trtexec's figures leave this percentile out; --exportTimes or --percentile=99 gives it."
    ),
    "no-throughput": "No file states it; the log of trtexec does.",
    "no-size": "No file states it; the log of the build or of a run does, or `trexreport collect`.",
    "no-accuracy": "No file states it; `--accuracy` gives one.",
    "no-metric": lambda reason: (
        f"No file states it; `--metric NAME=NUMBER` does.{_names_known(reason.names)}"
    ),
    "no-relative-error": (
        "The accuracy files state no relative error of it; Polygraphy's `--compare snr` writes them."
    ),
    "accuracy-of-other-model": lambda reason: (
        f"The accuracy files may be of another model: {reason.count:,} of "
        f"{counted(reason.total, 'tensor')} {_are(reason.count)} known in the engine or its model."
    ),
    "accuracy-of-other-sizes": (
        "The accuracy files are of another model: their tensors have other sizes than those of the engine."
    ),
    "not-finite": "A tensor has NaN or infinity, where the reference has none.",
    "no-profile": "The layers were not measured; trtexec --exportProfile does that.",
    "names-only": "The layer information has names only; build with --profilingVerbosity=detailed.",
    "no-layers": "There is no layer information; trtexec --exportLayerInfo writes it.",
    "weights-of-unknown-size": lambda reason: (
        f"{counted(reason.count, 'part')} of the weights {_are(reason.count)} of unknown size."
    ),
    "weights-not-reported": lambda reason: (
        f"{counted(reason.count, 'layer')} may own weights that no file states; engine-size-mib covers them."
    ),
    "tensors-of-unknown-size": lambda reason: (
        f"{counted(reason.count, 'tensor')} {_are(reason.count)} of unknown size."
    ),
    "precisions-not-stated": lambda reason: (
        f"The precision of {counted(reason.count, 'layer')} is not stated."
    ),
    "layers-not-measured": lambda reason: f"The profile lacks {counted(reason.count, 'layer')}.",
    "impossible-values": lambda reason: f"Impossible values were left out of: {', '.join(reason.names)}.",
    "no-tensors": "The layers have no tensors, or all of these are empty.",
    "rule-not-run": lambda reason: (
        f"{counted(reason.count, 'rule')} could not run: {': '.join(reason.names)}"
    ),
    "rules-not-run": lambda reason: (
        f"{counted(reason.count, 'rule')} could not run: {list_names(reason.names, _MAX_NAMED)}. "
        "`trexreport lint --verbose` says why."
    ),
    "rules-left-out": lambda reason: f"The configuration leaves out {list_names(reason.names, _MAX_NAMED)}.",
    "rules-not-run-on-baseline": lambda reason: (
        f"On the baseline these rules could not run: {', '.join(reason.names)}."
    ),
    "times-are-sums": "The profile has sums over an unknown number of runs.",
    "contradictory-files": lambda reason: f"Files contradict each other. {' '.join(reason.names)}",
    "failed-runs": lambda reason: " ".join(reason.names),
    "nothing-fits": "Nothing fits the pattern.",
    "rows-not-measured": "The aligned layers were not fully measured, here or in the baseline.",
    "layers-not-known-in-full": _not_known_in_full("layer"),
    "blocks-not-known-in-full": _not_known_in_full("block"),
    "no-baseline": "There is no baseline; --baseline names one.",
    "no-p99-of-both": "Both need more iterations for a 99th percentile.",
    "none-in-baseline": "The baseline has none.",
    "no-time-in-baseline": "The baseline has no time for this part.",
    "not-known-of-baseline": lambda reason: f"Baseline: {reasons_text(reason.of)}",
    "no-phase-in-baseline": "The baseline has no phase of this name.",
    "no-count-of-phases": lambda reason: (
        f"How often {list_names(reason.names, _MAX_NAMED)} {_runs(reason.names)} is not stated "
        "(--times NAME=N)."
    ),
    "no-time-of-all-phases": "Not every phase has a time.",
    "phases-left-out": lambda reason: f"Not checked: {list_names(reason.names, _MAX_NAMED)}.",
    "other-phases-in-baseline": lambda reason: (
        f"Only one of the sets has {list_names(reason.names, _MAX_NAMED)}."
    ),
    "totals-alone": "The totals are compared without a test of significance.",
    "different-conditions": lambda reason: different_conditions(reason.names),
    "mean-of-runs": lambda reason: f"Geometric mean of {reason.count} runs.",
    "size-from-run-log": "The log of a run states it in whole MiB.",
    "most-of-layers": lambda reason: f"The maximum of {counted(reason.count, 'layer')}.",
    "most-of-blocks": lambda reason: f"The maximum of {counted(reason.count, 'block')}.",
    "found-by": lambda reason: f"Found by {list_names(reason.names, _MAX_NAMED)}.",
    "newly-found-by": lambda reason: f"Found by {', '.join(reason.names)}.",
    "rules-without-rare-inputs": lambda reason: (
        f"{counted(reason.count, 'rule')} lacked inputs that few captures have."
    ),
}
_VERDICT_SENTENCES: Mapping[facts.VerdictReasonCode, Callable[[Verdict, str], str]] = {
    "median": lambda verdict, metric: _evidence(verdict, verdict.median_ratio, metric),
    "p99": lambda verdict, metric: _evidence(verdict, verdict.p99_ratio, metric),
    "inconclusive": lambda verdict, _: " ".join(
        ["The result is inconclusive.", *reason_sentences(verdict)[:2]]
    ),
    "p99-inconclusive": lambda verdict, metric: (
        f"The result is inconclusive. {_evidence(verdict, verdict.p99_ratio, metric)}"
    ),
    "not-slower": lambda verdict, metric: (
        f"The verdict is “{verdict_text(verdict)}”. {_evidence(verdict, verdict.median_ratio, metric)}"
    ),
}


def _evidence(verdict: Verdict, ratio: Ratio | None, metric: str) -> str:
    """Return which times were compared, and the interval or the verdict's own reason."""
    if ratio is None:
        return " ".join(reason_sentences(verdict)[:1])
    low, high = (_signed(bound - 1) for bound in (ratio.low, ratio.high))
    confidence = f"{verdict.settings.confidence * 100:g}% confidence"
    basis = " Provisional: one run of a side." if verdict.provisional else ""
    return f"{metric[:1].upper()}{metric[1:]}: {low} to {high} with {confidence}.{basis}"


def _signed(fraction: float) -> str:
    return f"{'+' if fraction > 0 else ''}{format_percent(fraction)}"


def _runs(names: Sequence[str]) -> str:
    return "runs" if len(names) == 1 else "run"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
