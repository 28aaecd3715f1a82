"""What is more than in the baseline: times by the verdict of the comparison, sizes and counts as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trexreport.analyzer.analysis.budget import LimitReason, MetricReason, VerdictReason
from trexreport.analyzer.analysis.comparison import Comparison, LayerScaling
from trexreport.analyzer.analysis.contradictions import ALL_GROUPS
from trexreport.analyzer.analysis.verdict import Ratio, TimesUsed, Verdict
from trexreport.analyzer.budget.figures import FIGURES, Checked
from trexreport.analyzer.budget.limits import REGRESSION_OF_PART, Budget, Limit, Limited, MetricValue
from trexreport.analyzer.comparison.compare_conditions import MODEL
from trexreport.lazy_dataclass import dataclass

#: What is known of a change where there is no baseline.
NO_BASELINE = MetricValue(None, (MetricReason("no-baseline"),))

#: The limit that is also the smallest difference that the verdict counts.
TIME, TIME_P99, NEW_FINDINGS = "time-percent", "time-p99-percent", "new-findings"
_OF_TIMES = (TIME, TIME_P99, REGRESSION_OF_PART)
#: Why nothing can be measured against a baseline: limited to 0 unless a budget says otherwise, as a gate that
#: stays open for it is none.
_CONDITIONS = "different-conditions"
FAULTS = ("baseline-failed-runs", "baseline-contradictions", _CONDITIONS)
#: A new finding that is mere information is not a regression.
_COUNTED_SEVERITIES = ("error", "warning")


@dataclass(frozen=True, kw_only=True)
class RegressionMetric(Limited):
    """A figure that is compared with the baseline's; relative if its unit is "%".

    Attributes:
        figure: One of `FIGURES`; empty for what the comparison itself says.
    """

    figure: str = ""


#: Faults of the baseline itself, by the figure of `FIGURES` that counts them.
_FAULTS_OF_BASELINE: Mapping[str, str] = {
    "baseline-failed-runs": "failed-runs",
    "baseline-contradictions": "contradictions",
}


def _relative(figure: str) -> RegressionMetric:
    return RegressionMetric("%", most=1000, figure=figure, rests_on=FIGURES[figure].rests_on)


def _of_times() -> RegressionMetric:
    # A verdict compares the times of queries, else those of layers, of engines that do the same work.
    return RegressionMetric("%", most=1000, rests_on=ALL_GROUPS)


def _counted(figure: str) -> RegressionMetric:
    return RegressionMetric(figure=figure, rests_on=FIGURES[figure].rests_on)


#: What the verdict says of a measurement that is compared with itself.
_IDENTICAL = Ratio(1.0, 1.0, 1.0)

#: By name in the configuration, in the order of the outcomes.
REGRESSION_METRICS: Mapping[str, RegressionMetric] = {
    **{fault: RegressionMetric() for fault in FAULTS},
    TIME: _of_times(),
    TIME_P99: _of_times(),
    "engine-size-percent": _relative("engine-size-mib"),
    "weights-percent": _relative("weights-mib"),
    "peak-activations-percent": _relative("peak-activations-mib"),
    "layers": _counted("layers"),
    "reformats": _counted("reformats"),
    "fp32-layers": _counted("fp32-layers"),
    NEW_FINDINGS: RegressionMetric(rests_on=ALL_GROUPS),
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
        return NO_BASELINE
    if limit.key in FAULTS:
        return _fault(limit.key, baseline, comparison)
    if limit.key == NEW_FINDINGS:
        return _new_findings(comparison)
    if limit.key in (TIME, TIME_P99):
        candidate, obstacles = comparison.engines[1], obstacles_of(comparison)
        if candidate.verdict is None or obstacles:
            return MetricValue(None, obstacles)
        if limit.key == TIME:
            return _time(limit, candidate.verdict, candidate.verdict_metric, candidate.scaling)
        return _time_p99(limit, candidate.verdict, candidate.verdict_metric)
    metric = REGRESSION_METRICS[limit.key]
    before, after = (FIGURES[metric.figure].known(each) for each in (baseline, checked))
    missing = after.missing
    if before.missing:
        missing = (MetricReason("not-known-of-baseline", of=before.missing),)
    if missing or before.value is None or after.value is None:
        return MetricValue(None, missing)
    if not metric.unit:
        return MetricValue(after.value - before.value)
    if not before.value:
        return MetricValue(None, [MetricReason("none-in-baseline")]) if after.value else MetricValue(0.0)
    return MetricValue(100 * (after.value - before.value) / before.value)


def _fault(key: str, baseline: Checked, comparison: Comparison) -> MetricValue:
    """Return how many reasons of a kind there are not to measure against the baseline."""
    if key in _FAULTS_OF_BASELINE:
        return FIGURES[_FAULTS_OF_BASELINE[key]].known(baseline)
    return MetricValue(len(comparison.engines[1].blocking_conditions), remarks=obstacles_of(comparison))


def faults_of_baseline(
    budget: Budget, baseline: Checked | None, comparison: Comparison | None
) -> Iterator[Limit]:
    """Yield limits on those of `FAULTS` that a baseline has, as strict as what is measured against it."""
    for key in FAULTS:
        if baseline is None or comparison is None or not _fault(key, baseline, comparison).value:
            continue
        # Counts and sizes of one model can be compared across GPUs and shapes.
        any_limit = key != _CONDITIONS or MODEL in comparison.engines[1].blocking_conditions
        levels = {each.level for each in budget.against_baseline if any_limit or each.key in _OF_TIMES}
        if levels:
            yield Limit(key, 0, "error" if "error" in levels else "warn")


def obstacles_of(comparison: Comparison) -> list[LimitReason]:
    """Return what makes the times of the two no measure of the engines; nothing if nothing is known to."""
    conditions = comparison.engines[1].blocking_conditions
    return [MetricReason("different-conditions", names=conditions)] if conditions else []


def _time(limit: Limit, verdict: Verdict, metric: str, scaling: LayerScaling | None) -> MetricValue:
    """Return the change of the median time, which breaks a limit only where the verdict is "slower"."""
    value = _change(verdict.median_ratio, verdict.baseline, verdict.candidate)
    if value is None or verdict.verdict == "inconclusive":
        return MetricValue(None, [VerdictReason("inconclusive", verdict, metric)])
    if value > limit.value and verdict.verdict != "slower":
        return MetricValue(None, [VerdictReason("not-slower", verdict, metric)])
    return MetricValue(value, remarks=[VerdictReason("median", verdict, metric, scaling)])


def _time_p99(limit: Limit, verdict: Verdict, metric: str) -> MetricValue:
    """Return the change of the 99th percentile, which breaks a limit only if its interval has no zero."""
    ratio = verdict.p99_ratio
    if ratio is None and verdict.median_ratio != _IDENTICAL:
        return MetricValue(None, [MetricReason("no-p99-of-both")])
    value = 0.0 if ratio is None else 100 * (ratio.value - 1)
    if ratio is not None and value > limit.value and ratio.low <= 1:
        return MetricValue(None, [VerdictReason("p99-inconclusive", verdict, metric)])
    return MetricValue(value, remarks=[VerdictReason("p99", verdict, metric)])


def _change(ratio: Ratio | None, before: TimesUsed, after: TimesUsed) -> float | None:
    if ratio is not None:
        return 100 * (ratio.value - 1)
    if not before.median_ms or after.median_ms is None:
        return None
    return 100 * (after.median_ms - before.median_ms) / before.median_ms


def _new_findings(comparison: Comparison) -> MetricValue:
    appeared = [each for each in comparison.engines[1].new_findings if each.severity in _COUNTED_SEVERITIES]
    sure = [each.code for each in appeared if each.checked]
    unsure = [each.code for each in appeared if not each.checked]
    return MetricValue(
        len(sure),
        [MetricReason("rules-not-run-on-baseline", names=unsure)] if unsure else [],
        [MetricReason("newly-found-by", names=sure)] if sure else [],
    )
