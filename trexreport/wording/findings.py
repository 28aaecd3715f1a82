"""The sentence about what the rules found, and the labels of a rule's texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Finding, Lint, RuleFacts
from trexreport.analyzer.analysis.failures import has_no_engine
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.thresholds import BUSY_PERCENT, OVERLAP_PERCENT, STEADY_PERCENT, release_numbers
from trexreport.numbers import counted, format_count, format_ms, format_number, join_names, middle_ellipsis
from trexreport.wording.gains import savings, savings_shared, savings_whole
from trexreport.wording.latency import by_operation
from trexreport.wording.shares import percent
from trexreport.wording.timing import lacks_one_query, may_include_waits, uses_dla, waits_for_transfers

#: Title of each group of findings, and what it is.
GROUP_TEXTS: dict[str, tuple[str, str]] = {
    "failed": ("Failed run", "Why there is no engine, or no measurement of it."),
    "opportunities": (
        "Opportunities",
        "What can make the engine faster, by savings; those of an info count a third.",
    ),
    "information": (
        "Information",
        "Good to know about the engine; as far as known, fixing these saves little or nothing.",
    ),
    "measurement": ("Measurement", "These findings concern the run and its files, not the engine."),
}
#: Part of layer time in layers with a roofline, from which on theirs is that of the engine.
_NEARLY_ALL = 0.8
#: Batches of one rarely fill a GPU with more.
_MANY_SMS = 60
#: A type of a rate that is higher by less saves little.
_FASTER = 1.2
#: TensorRT's first version with convolutions in FP8 on Ada (release notes of 10.3.0).
_FP8_SINCE = (10, 3)
#: Of the code of a rule, which may be of another package.
_MAX_CODE = 40


def findings_sentence(analysis: Analysis) -> str:
    """Return how many findings there are of each severity, and which has the largest savings."""
    lint = analysis.lint
    others, clean = _unchecked(analysis), clean_sentence(analysis)
    if not lint.findings:
        checked = f"{counted(lint.checked, 'rule')} checked{others}"
        found = f"{checked}; no findings." if lint.checked else f"No rule was checked{others}."
    else:
        found = f"{_counts(lint)}; {counted(lint.checked, 'rule')} checked{others}.{_largest(analysis)}"
    return f"{clean} {found}".lstrip()


def no_top_findings(findings: Iterable[Finding]) -> str:
    """Return the text in place of top findings where there are none; others may be on the run."""
    about = {each.about for each in findings}
    if "engine" in about:
        return "No large findings."
    return "No findings on the engine." if about else "No findings."


def clean_sentence(analysis: Analysis) -> str:
    """Return that nothing on the engine is worth changing, and what takes its time; or what hides problems.

    Empty if a finding concerns the engine, a file contradicts another one, or no rule was checked. Beside a
    log alone, a finding that only informs does not count.
    """
    lint = analysis.lint
    about = (
        each.severity == "error" or (each.about == "engine" and (analysis.layers or each.severity != "info"))
        for each in lint.findings
    )
    if not lint.checked or any(about) or analysis.contradictions:
        return ""
    if not analysis.layers:
        return _clean_log(analysis)
    missing = "layer times" if analysis.latency.layer_sum_ms is None else ""
    if analysis.identity.names_only:
        missing = "layer information" if not missing else "layer information and layer times"
    if missing:
        named = by_operation(analysis, " of layer time") if analysis.identity.names_only else ""
        return f"Nothing was found on the engine; without {missing} few problems show.{named}"
    parts = [text for text in (_by_type(analysis), _by_precision(analysis), _at_roofline(analysis)) if text]
    return f"Nothing worth changing was found on the engine: {', '.join(parts)}." if parts else ""


def _clean_log(analysis: Analysis) -> str:
    """Return that a log alone shows a GPU that computes all the time; empty where it does not."""
    latency, busy = analysis.latency, analysis.latency.gpu_busy_percent
    if busy is None or busy >= OVERLAP_PERCENT or may_include_waits(analysis):
        return ""
    has_dla = uses_dla(analysis)
    if busy >= BUSY_PERCENT:
        computes = "they compute" if has_dla else "it computes"
        reason = f"{computes} {percent(min(busy, 100.0))} of the run's wall time"
    elif not (reason := _steady_and_alone(latency)):
        return ""
    shown = [log.file for log in analysis.logs if log.is_shown] if len(analysis.logs) > 1 else []
    only = f"In {shown[0]} only" if shown else "Only"
    limits = "GPU and DLA limit" if has_dla else "the GPU limits"
    return (
        f"{only} {limits} the throughput: {reason}."
        f" A profile shows which layers take it{_larger_batch(analysis)}.{_narrower_types(analysis)}"
    )


def _steady_and_alone(latency: Latency) -> str:
    """Return that one more query fills the wall time of few ones, whose times are steady and copies small."""
    compute, whole = latency.gpu_compute, latency.end_to_end
    if compute is None or whole is None or not lacks_one_query(latency):
        return ""
    if not (compute.median_ms and whole.median_ms):
        return ""
    part = 100 * compute.median_ms / whole.median_ms
    spread = 100 * (compute.max_ms - compute.min_ms) / compute.median_ms
    if part < BUSY_PERCENT or spread > STEADY_PERCENT:
        return ""
    return (
        f"GPU compute time varies by {percent(spread)} and is {percent(min(part, 100.0))} of latency, and "
        "the rest of the wall time is as long as one query, likely one of the warm-up"
    )


def _larger_batch(analysis: Analysis) -> str:
    """Return that only a larger batch shows whether one item fills a GPU of many SMs."""
    gpu, batches = analysis.roofline.gpu, {each.batch for each in analysis.logs}
    if analysis.identity.batch != 1 or batches - {1} or gpu is None or (gpu.sms or 0) < _MANY_SMS:
        return ""
    return f", and a larger batch whether batch 1 fills {gpu.sms} SMs"


def _narrower_types(analysis: Analysis) -> str:
    """Return in which types the GPU multiplies faster that a build in FP16 was not allowed; empty if none."""
    gpu, identity = analysis.roofline.gpu, analysis.identity
    words = (identity.precisions or identity.named_precisions).upper().split("+")
    tried = {*words, *(each for log in analysis.logs for each in log.types)}
    if analysis.stability is not None and not analysis.stability.is_steady:
        return ""  # What makes the times change comes first.
    if gpu is None or "FP16" not in words or not tried <= {"FP32", "TF32", "FP16", "BF16"}:
        return ""
    peaks = gpu.tensor_tflops
    half = max(peaks.get("FP16", 0.0), peaks.get("FP16/FP16", 0.0))
    has_fp8 = release_numbers(identity.tensorrt_version, 2) >= _FP8_SINCE
    rates = {each: peaks.get(each, 0.0) for each in ("INT8", *(("FP8",) if has_fp8 else ()))}
    faster = {each: rate / half for each, rate in rates.items() if half and rate >= _FASTER * half}
    if not faster:
        return ""
    types, by_name = (
        join_names(list(faster), "or"),
        f"By its name the engine is of {identity.named_precisions}",
    )
    known = (
        f"The builder was not allowed {types}" if identity.precisions else f"{by_name}, and not of {types}"
    )
    return (
        f" {known}, which the GPU multiplies at up to {format_number(max(faster.values()), 2)} times the "
        "rate of FP16: where the accuracy allows it, compare such a build."
    )


def _by_type(analysis: Analysis) -> str:
    first = analysis.by_type[0] if analysis.by_type else None
    if first is None or first.share_percent is None:
        return ""
    take = "takes" if first.count == 1 else "take"
    return (
        f"{counted(first.count, f'{first.name} layer')} {take} {percent(first.share_percent)} of layer time"
    )


def _by_precision(analysis: Analysis) -> str:
    first = analysis.by_precision[0] if analysis.by_precision else None
    if first is None or not first.share_percent:
        return ""
    return f"layers that read {first.name} take {percent(first.share_percent)}"


def _at_roofline(analysis: Analysis) -> str:
    total = analysis.roofline.total
    if total is None or not total.roof_ms or not total.time_ms:
        return ""
    if total.time_ms < _NEARLY_ALL * (analysis.latency.layer_sum_ms or 0.0):
        return ""  # It says little of layers whose operations are not known.
    return f"and the layers reach {percent(100 * total.roof_ms / total.time_ms)} of the roofline"


def _unchecked(analysis: Analysis) -> str:
    """Return how many rules were not checked, in parentheses; empty if all were."""
    missing = "there is no engine" if has_no_engine(analysis) else "input missing"
    parts = [
        f"{counted(count, 'rule')} {verb}"
        for verb, why in ((f"skipped: {missing}", "skipped"), ("failed", "broken"))
        if (count := sum(each.why == why for each in analysis.lint.unchecked))
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _counts(lint: Lint) -> str:
    counts = Counter(finding.severity for finding in lint.findings if finding.about == "engine")
    kinds = [counted(counts[severity], severity) for severity in SEVERITIES[:2] if counts[severity]]
    apart = [finding for finding in lint.findings if finding.about == "measurement"]
    errors = sum(finding.severity == "error" for finding in apart)
    measured = f"on the measurement ({counted(errors, 'error')})" if errors else "on the measurement"
    others = {"for information": counts["info"], measured: len(apart)}
    for kind, count in others.items():
        if count:
            kinds.append(f"{format_count(count) if kinds else counted(count, 'finding')} {kind}")
    return ", ".join(kinds)


def _largest(analysis: Analysis) -> str:
    """Return which finding saves most, and what its percentage is a share of.

    Savings of the run count only where none on the engine are known: they are of other times.
    """
    known = [each for each in analysis.lint.findings if each.gain and each.gain.high_ms]
    on_engine = [each for each in known if each.about == "engine"]
    if not known:
        return ""
    largest = max(on_engine or known, key=lambda each: each.gain.high_ms if each.gain else 0.0)
    which = "Largest savings" if on_engine else "Largest savings, of the run"
    text = f" {which}: {middle_ellipsis(largest.code, _MAX_CODE)}, {savings(largest.gain)}."
    waits = on_engine and waits_for_transfers(analysis.latency)
    limit = (
        " While transfers limit the throughput, what layers save shortens the latency alone." if waits else ""
    )
    return f"{text} {savings_whole_of(analysis)}{limit}".rstrip()


def savings_whole_of(analysis: Analysis) -> str:
    """Return what the percentages of savings are a share of, and which do not add up; empty without any."""
    gains = [(each.code, each.gain) for each in analysis.lint.findings]
    whole = savings_whole(gains, analysis.latency, analysis.contradictions)
    return f"{whole} {savings_shared(gains)}".strip()


def on_measurement(findings: Iterable[Finding]) -> str:
    """Return what the findings on the measurement have in common; empty if there are none."""
    count = sum(finding.about == "measurement" for finding in findings)
    return f"{counted(count, 'finding')} on the run and its files, not on the engine." if count else ""


def consequence_lines(finding: Finding) -> list[str]:
    """Return what fixing a finding also resolves: code, message and time of each consequence."""
    return [f"{which_part(each)}: {each.message.rstrip('.')}{_time(each)}." for each in finding.consequences]


def which_part(consequence: Consequence) -> str:
    """Return the code of a consequence, and whether a part of it is left to other findings."""
    return f"{consequence.code}{' (in part)' if consequence.in_part else ''}"


def _time(consequence: Consequence) -> str:
    # The message of a single place states the time itself.
    if len(consequence.places) == 1 or not consequence.time_ms:
        return ""
    text = format_ms(consequence.time_ms)
    return "" if text in consequence.message else f" ({text})"


def rule_texts(rule: RuleFacts | Finding) -> dict[str, str]:
    """Return label to text, for each text of a rule's documentation that is not empty."""
    texts = {
        "Cost": rule.cost,
        "Recommendation": rule.recommendation,
        "False alarm": rule.false_alarm,
        "Est. savings": rule.savings,
    }
    return {label: text for label, text in texts.items() if text}
