"""Limits on figures of the whole model, such as top1, and on how much they are worse than the baseline's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.budget import LimitGroup, LimitOutcome, LimitTable, LimitTitle, MetricReason
from trexreport.analyzer.budget.accuracy import of_another_model
from trexreport.analyzer.budget.figures import Checked
from trexreport.analyzer.budget.limits import MetricLimit, MetricLimitKind, MetricValue, Subject, judge
from trexreport.analyzer.budget.regression import NO_BASELINE

_TABLES: Mapping[MetricLimitKind, LimitTable] = {
    "min": "metrics",
    "max": "metrics",
    "max-drop": "metric-drop",
    "max-rise": "metric-rise",
}


def judge_metrics(
    limits: Sequence[MetricLimit], engine: Checked, baseline: Checked | None
) -> Iterator[LimitOutcome]:
    """Yield what comes of each limit."""
    for limit in limits:
        known = _figure(engine[1], limit.key)
        if limit.needs_baseline:
            known = NO_BASELINE if baseline is None else _worse(limit, known, _figure(baseline[1], limit.key))
        group: LimitGroup = "regression" if limit.needs_baseline else "engine"
        title = LimitTitle(_TABLES[limit.kind], limit.key)
        name = f"metrics.{limit.key}.{limit.kind}"
        yield judge(limit, known, Subject(name, group, title, "", "min" if limit.kind == "min" else "max"))


def joined_metrics(shared: Sequence[MetricLimit], own: Sequence[MetricLimit]) -> tuple[MetricLimit, ...]:
    """Return the limits of both, of which the own ones count where both have one."""
    found = {(limit.key, limit.kind): limit for limit in (*shared, *own)}
    return tuple(found.values())


def _figure(analysis: Analysis, name: str) -> MetricValue:
    metrics = analysis.accuracy.metrics if analysis.accuracy else {}
    value = metrics.get(name)
    if value is not None and (other := of_another_model(analysis)):
        return other
    return MetricValue(value, [] if value is not None else [MetricReason("no-metric", names=sorted(metrics))])


def _worse(limit: MetricLimit, after: MetricValue, before: MetricValue) -> MetricValue:
    """Return by how much a figure is less, or more, than that of the baseline; below 0 it is better."""
    if after.value is None:
        return after
    if before.value is None:
        return MetricValue(None, [MetricReason("not-known-of-baseline", of=before.missing)])
    # As decimal numbers: 69.43 − 69.21 is 0.22 and no more.
    change = float(Decimal(repr(after.value)) - Decimal(repr(before.value)))
    return MetricValue(-change if limit.kind == "max-drop" else change)
