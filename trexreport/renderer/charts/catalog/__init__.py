"""The charts of a report, as neutral descriptions of an analysis; one module per section."""

from __future__ import annotations

from collections.abc import Callable

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.charts.catalog import (
    accuracy,
    each_layer,
    latency,
    memory,
    precision,
    roofline,
    timing,
)
from trexreport.renderer.charts.chart import Chart


def report_charts(analysis: Analysis, *, with_treemap: bool = True) -> dict[str, Chart]:
    """Return the charts that this analysis has data for, by key; the treemap may be left out."""
    makers: tuple[Callable[[Analysis], Chart | None], ...] = (
        each_layer.by_layer,
        each_layer.by_layer_precision,
        each_layer.layer_times,
        latency.by_type,
        latency.by_operation,
        latency.by_precision,
        latency.by_tactic,
        latency.cumulative,
        *((latency.treemap,) if with_treemap else ()),
        accuracy.errors,
        accuracy.trials,
        precision.type_and_precision,
        precision.precision_in_and_out,
        memory.live_memory,
        memory.footprint,
        memory.largest_tensors,
        roofline.roofline,
        precision.reformat_conversions,
        timing.queries,
        timing.distribution,
        timing.gpu_clocks,
        timing.gpu_power,
        timing.gpu_temperature,
        timing.gpu_utilization,
        latency.samples,
    )
    made = (make(analysis) for make in makers)
    return {chart.key: chart for chart in made if chart is not None}
