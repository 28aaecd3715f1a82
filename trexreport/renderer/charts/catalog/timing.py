"""Times of the queries and the state of the GPU during the measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.numbers import counted, format_number
from trexreport.renderer.charts.catalog.shared import MS
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.wording.sections import section_sentence

Column = Callable[[GpuWatch], Sequence[float | None]]


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
    summary = "Number of queries by GPU compute time."
    if stability.outliers:
        slower = counted(stability.outliers, "slower query", "slower queries")
        summary += f" The last bin includes {slower}."
    return Chart(
        "distribution",
        "histogram",
        "Distribution of GPU compute time",
        summary,
        (series,),
        x=MS,
        y=Axis("Queries"),
        reference_lines=(ReferenceLine(stability.percentiles.median_ms, "median", axis="x"),),
    )


def gpu_clocks(analysis: Analysis) -> Chart | None:
    """Show the clocks of the GPU over the measurement."""
    columns: dict[str, Column] = {
        "SM clock": lambda watch: watch.sm_clock_mhz,
        "Memory clock": lambda watch: watch.memory_clock_mhz,
    }
    return _over_time(analysis.gpu_watch, "GPU clocks", "MHz", columns, _runs_and_max_clock)


def gpu_power(analysis: Analysis) -> Chart | None:
    """Show the power of the board over the measurement."""
    columns: dict[str, Column] = {"Power": lambda watch: watch.power_w}
    return _over_time(analysis.gpu_watch, "GPU power", "W", columns, _power_limit)


def gpu_temperature(analysis: Analysis) -> Chart | None:
    """Show the temperature of the GPU over the measurement."""
    columns: dict[str, Column] = {"Temperature": lambda watch: watch.temperature_c}
    return _over_time(analysis.gpu_watch, "GPU temperature", "°C", columns)


def gpu_utilization(analysis: Analysis) -> Chart | None:
    """Show the part of the time in which a kernel ran."""
    columns: dict[str, Column] = {"Utilization": lambda watch: watch.utilization_percent}
    return _over_time(analysis.gpu_watch, "GPU utilization", "%", columns)


def _runs_and_max_clock(watch: GpuWatch) -> list[ReferenceLine]:
    begins = zip(watch.begins_s, watch.runs, strict=False)
    lines = [ReferenceLine(begin, run.name, axis="x") for begin, run in begins]
    if watch.max_sm_clock_mhz:
        lines.append(ReferenceLine(watch.max_sm_clock_mhz, "max SM clock"))
    return lines


def _power_limit(watch: GpuWatch) -> list[ReferenceLine]:
    return [ReferenceLine(watch.power_limit_w, "power limit")] if watch.power_limit_w else []


def _over_time(
    watch: GpuWatch | None,
    title: str,
    unit: str,
    columns: dict[str, Column],
    lines: Callable[[GpuWatch], list[ReferenceLine]] = lambda _: [],
) -> Chart | None:
    """Return a chart of what NVML measured, None without values; the key of "GPU power" is "gpu-power"."""
    if watch is None:
        return None
    series = tuple(
        Series(name, role, x=tuple(watch.time_s), y=tuple(column(watch)))
        for (name, column), role in zip(columns.items(), ("accent", "other"), strict=False)
        if any(value is not None for value in column(watch))
    )
    if not series:
        return None
    runs = ", ".join(
        f"{run.name} from {format_number(begin)} s"
        for run, begin in zip(watch.runs, watch.begins_s, strict=True)
    )
    return Chart(
        title.lower().replace(" ", "-"),
        "line",
        title,
        f"{title} over the measurement: {runs}.",
        series,
        x=Axis("Time", "s"),
        y=Axis(next(iter(columns)) if len(series) == 1 else "Clock", unit),
        reference_lines=tuple(lines(watch)),
    )
