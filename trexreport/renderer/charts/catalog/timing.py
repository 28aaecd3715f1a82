"""Times of the queries and the state of the GPU during the measurement."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.numbers import counted
from trexreport.renderer.charts.catalog.shared import MS
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.wording.sections import section_sentence


def queries(analysis: Analysis) -> Chart | None:
    """Show the GPU compute time of each query."""
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("GPU compute time", x=tuple(stability.positions), y=tuple(stability.times_ms))
    found = stability.percentiles
    lines = [ReferenceLine(found.median_ms, "median")]
    if found.p99_ms is not None:
        lines.append(ReferenceLine(found.p99_ms, "p99"))
    return Chart(
        "queries",
        "points",
        "GPU compute time per query",
        section_sentence(analysis, "timing"),
        (series,),
        x=Axis("Query"),
        y=MS,
        reference_lines=tuple(lines),
    )


def distribution(analysis: Analysis) -> Chart | None:
    """Show the distribution of the queries' times."""
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("Queries", x=tuple(stability.histogram_edges_ms), y=tuple(stability.histogram_counts))
    beyond = (
        f" The last bin includes {counted(stability.outliers, 'slower query', 'slower queries')}."
        if stability.outliers
        else ""
    )
    return Chart(
        "distribution",
        "histogram",
        "Distribution of GPU compute time",
        f"Number of queries by GPU compute time.{beyond}",
        (series,),
        x=MS,
        y=Axis("Queries"),
        reference_lines=(ReferenceLine(stability.percentiles.median_ms, "median", axis="x"),),
    )


def gpu_clocks(analysis: Analysis) -> Chart | None:
    """Show the clocks of the GPU over the measurement."""
    watch = analysis.gpu_watch
    if watch is None:
        return None
    lines = [_run_line(watch, index) for index in range(len(watch.runs))]
    if watch.max_sm_clock_mhz:
        lines.append(ReferenceLine(watch.max_sm_clock_mhz, "max SM clock"))
    columns = (
        ("SM clock", "accent", watch.sm_clock_mhz),
        ("Memory clock", "other", watch.memory_clock_mhz),
    )
    return _over_time(watch, "GPU clocks", "MHz", columns, lines)


def gpu_power(analysis: Analysis) -> Chart | None:
    """Show the power of the board over the measurement."""
    watch = analysis.gpu_watch
    if watch is None:
        return None
    limit = [ReferenceLine(watch.power_limit_w, "power limit")] if watch.power_limit_w else []
    return _over_time(watch, "GPU power", "W", (("Power", "accent", watch.power_w),), limit)


def gpu_temperature(analysis: Analysis) -> Chart | None:
    """Show the temperature of the GPU over the measurement."""
    watch = analysis.gpu_watch
    if watch is None:
        return None
    columns = (("Temperature", "accent", watch.temperature_c),)
    return _over_time(watch, "GPU temperature", "°C", columns, [])


def gpu_utilization(analysis: Analysis) -> Chart | None:
    """Show the part of the time in which a kernel ran."""
    watch = analysis.gpu_watch
    if watch is None:
        return None
    columns = (("Utilization", "accent", watch.utilization_percent),)
    return _over_time(watch, "GPU utilization", "%", columns, [])


def _run_line(watch: GpuWatch, index: int) -> ReferenceLine:
    return ReferenceLine(watch.begins_s[index], watch.runs[index].name, axis="x")


def _over_time(
    watch: GpuWatch,
    title: str,
    unit: str,
    columns: tuple[tuple[str, str, Sequence[float | None]], ...],
    lines: list[ReferenceLine],
) -> Chart | None:
    """Return a chart of what NVML measured, None without values; the key of "GPU power" is "gpu-power"."""
    series = tuple(
        Series(name, role, x=tuple(watch.time_s), y=tuple(column))
        for name, role, column in columns
        if any(value is not None for value in column)
    )
    if not series:
        return None
    runs = ", ".join(
        f"{run.name} from {begin:.3g} s" for run, begin in zip(watch.runs, watch.begins_s, strict=True)
    )
    return Chart(
        title.lower().replace(" ", "-"),
        "line",
        title,
        f"{title} over the measurement: {runs}.",
        series,
        x=Axis("Time", "s"),
        y=Axis(columns[0][0] if len(series) == 1 else "Clock", unit),
        reference_lines=tuple(lines),
    )
