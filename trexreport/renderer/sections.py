"""What the templates of a report's sections need, on a screen and on paper alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.charts.catalog import report_charts
from trexreport.renderer.findings_page import findings_page
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.selection import collapse
from trexreport.renderer.graph.series import series_lines
from trexreport.wording.gpu_watch import gpu_watch_warnings
from trexreport.wording.identity import input_shapes
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentences
from trexreport.wording.timing import measurement_warnings

#: Charts as wide as the column; of the others two stand side by side.
WIDE_CHARTS = frozenset({"strip", "by-layer", "treemap", "samples", "live-memory", "roofline", "reformats"})
_DEEPEST = 4
_MAX_WARNINGS = 20


@dataclass(frozen=True)
class MostRows:
    """How many rows the tables of some sections have at most."""

    work: int = 200
    reformats: int = 100
    bindings: int = 500


def section_values(analysis: Analysis) -> dict[str, Any]:
    """Return what the templates are given of an analysis, by the names that they use."""
    return {
        "analysis": analysis,
        "version": __version__,
        "charts": report_charts(analysis),
        "wide_charts": WIDE_CHARTS,
        "graph_series": series_lines(analysis),
        "ranks": _ranks(analysis),
        "amounts": memory_amounts(analysis.memory),
        "sentences": section_sentences(analysis),
        "input_shapes": input_shapes(analysis.identity),
        "warnings": _warnings(analysis),
        "findings": findings_page(analysis),
        "most_rows": MostRows(),
    }


def as_blocks(analysis: Analysis, most: int) -> DrawOptions:
    """Return how an engine is drawn as blocks: as many as can be taken in, by levels."""
    depths = [collapse(analysis, depth) for depth in range(1, _DEEPEST + 1)]
    few = (each for each in depths if len(each) <= most)
    return DrawOptions(part=Choice(collapsed=max(few, key=len, default=depths[0])))


def _warnings(analysis: Analysis) -> list[str]:
    """Return what speaks against the measurement, trtexec's own warnings first."""
    watch = analysis.gpu_watch
    return measurement_warnings(analysis)[:_MAX_WARNINGS] + (gpu_watch_warnings(watch) if watch else [])


def _ranks(analysis: Analysis) -> list[str]:
    """Return every percentage of which some distribution has the percentile, in ascending order."""
    latency, stability = analysis.latency, analysis.stability
    shown = [latency.end_to_end, latency.gpu_compute, latency.enqueue, latency.h2d, latency.d2h]
    shown.append(stability.percentiles if stability else None)
    return sorted({rank for each in shown if each for rank in each.percentiles}, key=float)
