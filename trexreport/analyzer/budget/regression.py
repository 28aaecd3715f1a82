"""What is more than in the baseline: times by the verdict of the comparison, sizes and counts as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.verdict import Ratio, TimesUsed, Verdict
from trexreport.analyzer.budget.figures import FIGURES, Checked
from trexreport.analyzer.budget.limits import Limit, Limited, MetricValue
from trexreport.numbers import format_percent
from trexreport.wording.conditions import different_conditions
from trexreport.wording.verdict import outcome_text, reason_sentences

NO_BASELINE = "There is no baseline; --baseline names one."
NO_P99 = "Too few iterations are known of both for a 99th percentile."
NOTHING_BEFORE = "The baseline has none."

#: The limit that is also the smallest difference that the verdict counts.
TIME, TIME_P99, NEW_FINDINGS = "time-percent", "time-p99-percent", "new-findings"
#: A new finding that is mere information is no regression.
_COUNTED_SEVERITIES = ("error", "warning")


@dataclass(frozen=True, kw_only=True)
class RegressionMetric(Limited):
    """A figure that is compared with the baseline's; relative if its unit is "%".

    Attributes:
        figure: One of `FIGURES`; empty for what the comparison itself says.
    """

    figure: str = ""


def _relative(title: str, figure: str = "") -> RegressionMetric:
    return RegressionMetric(f"{title} against the baseline", "%", most=1000, figure=figure)


#: What the verdict says of a measurement that is compared with itself.
_IDENTICAL = Ratio(1.0, 1.0, 1.0)

#: By name in the configuration, in the order of the outcomes.
REGRESSION_METRICS: Mapping[str, RegressionMetric] = {
    TIME: _relative("Time"),
    TIME_P99: _relative("p99 time"),
    "engine-size-percent": _relative("Engine size", "engine-size-mib"),
    "weights-percent": _relative("Weights", "weights-mib"),
    "peak-activations-percent": _relative("Peak of live tensors", "peak-activations-mib"),
    "layers": RegressionMetric("Layers more than the baseline", figure="layers"),
    "reformats": RegressionMetric("Reformats more than the baseline", figure="reformats"),
    "fp32-layers": RegressionMetric("FP32 layers more than the baseline", figure="fp32-layers"),
    NEW_FINDINGS: RegressionMetric("Rules that find something new"),
}


def measure_regression(
    limit: Limit, checked: Checked, baseline: Checked | None, comparison: Comparison | None
) -> MetricValue:
    """Return by how much a figure is more than in the baseline; negative is less.

    Args:
        limit: Its key is one of `REGRESSION_METRICS`.
        checked: The engine.
        baseline: The other.
        comparison: Of the two, the baseline first.
    """
    if baseline is None or comparison is None:
        return MetricValue(None, NO_BASELINE)
    if limit.key == NEW_FINDINGS:
        return _new_findings(comparison)
    if limit.key in (TIME, TIME_P99):
        candidate, missing = comparison.engines[1], obstacles_of(comparison)
        if candidate.verdict is None or missing:
            return MetricValue(None, missing)
        compared = _time if limit.key == TIME else _time_p99
        return compared(limit, candidate.verdict, candidate.verdict_metric)
    metric = REGRESSION_METRICS[limit.key]
    before, after = (FIGURES[metric.figure].known(each) for each in (baseline, checked))
    missing = f"Of the baseline: {before.missing}" if before.missing else after.missing
    if missing or before.value is None or after.value is None:
        return MetricValue(None, missing)
    if not metric.unit:
        return MetricValue(after.value - before.value)
    if not before.value:
        return MetricValue(None, NOTHING_BEFORE) if after.value else MetricValue(0.0)
    return MetricValue(100 * (after.value - before.value) / before.value)


def obstacles_of(comparison: Comparison) -> str:
    """Say what makes the times of the two no measure of the engines; nothing if nothing is known to."""
    return different_conditions(comparison.engines[1].blocking_conditions)


def _time(limit: Limit, verdict: Verdict, metric: str) -> MetricValue:
    """Return the change of the median time, which breaks a limit only where the verdict is "slower"."""
    value = _change(verdict.median_ratio, verdict.baseline, verdict.candidate)
    remark = _remark(verdict, verdict.median_ratio, metric)
    if value is None or verdict.verdict == "inconclusive":
        return MetricValue(None, " ".join(["The result is inconclusive.", *reason_sentences(verdict)[:2]]))
    if value > limit.value and verdict.verdict != "slower":
        return MetricValue(None, f"The verdict is “{outcome_text(verdict.verdict)}”. {remark}")
    return MetricValue(value, remark=remark)


def _time_p99(limit: Limit, verdict: Verdict, metric: str) -> MetricValue:
    """Return the change of the 99th percentile, which breaks a limit only if its interval has no zero."""
    ratio = verdict.p99_ratio
    if ratio is None and verdict.median_ratio == _IDENTICAL:
        return MetricValue(0.0, remark=_remark(verdict, None, metric))
    if ratio is None:
        return MetricValue(None, NO_P99)
    value = 100 * (ratio.value - 1)
    remark = _remark(verdict, ratio, metric)
    if value > limit.value and ratio.low <= 1:
        return MetricValue(None, f"The result is inconclusive. {remark}")
    return MetricValue(value, remark=remark)


def _change(ratio: Ratio | None, before: TimesUsed, after: TimesUsed) -> float | None:
    if ratio is not None:
        return 100 * (ratio.value - 1)
    if not before.median_ms or after.median_ms is None:
        return None
    return 100 * (after.median_ms - before.median_ms) / before.median_ms


def _remark(verdict: Verdict, ratio: Ratio | None, metric: str) -> str:
    """Return which times were compared, and the interval or the verdict's own reason."""
    if ratio is None:
        return " ".join(reason_sentences(verdict)[:1])
    low, high = (_signed(bound - 1) for bound in (ratio.low, ratio.high))
    confidence = f"{verdict.settings.confidence * 100:g}% confidence"
    return f"{metric[:1].upper()}{metric[1:]}: {low} to {high} with {confidence}."


def _signed(fraction: float) -> str:
    return f"{'+' if fraction > 0 else ''}{format_percent(fraction)}"


def _new_findings(comparison: Comparison) -> MetricValue:
    appeared = [each for each in comparison.engines[1].new_findings if each.severity in _COUNTED_SEVERITIES]
    sure = [each.code for each in appeared if each.checked]
    unsure = [each.code for each in appeared if not each.checked]
    missing = f"On the baseline these rules could not run: {', '.join(unsure)}." if unsure else ""
    return MetricValue(len(sure), missing, f"Found by {', '.join(sure)}." if sure else "")
