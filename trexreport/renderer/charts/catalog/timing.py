"""How steady the single queries are."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.charts.catalog.shared import MS
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series


def queries(analysis: Analysis) -> Chart | None:
    """Show the GPU time of each query."""
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("GPU time", x=tuple(stability.positions), y=tuple(stability.times_ms))
    found = stability.percentiles
    lines = [ReferenceLine(found.median_ms, "median")]
    if found.p99_ms is not None:
        lines.append(ReferenceLine(found.p99_ms, "99 %"))
    return Chart(
        "queries",
        "points",
        "GPU time of each query",
        analysis.sentences["timing"],
        (series,),
        x=Axis("Query"),
        y=MS,
        reference_lines=tuple(lines),
    )


def distribution(analysis: Analysis) -> Chart | None:
    """Show how many queries took how long."""
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("Queries", x=tuple(stability.histogram_edges_ms), y=tuple(stability.histogram_counts))
    beyond = f" The last bin also holds {stability.outliers} slower ones." if stability.outliers else ""
    return Chart(
        "distribution",
        "histogram",
        "Distribution of GPU time",
        f"How many queries took how long.{beyond}",
        (series,),
        x=MS,
        y=Axis("Queries"),
        reference_lines=(ReferenceLine(stability.percentiles.median_ms, "median", axis="x"),),
    )
