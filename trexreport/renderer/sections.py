"""The values that the templates of a report's sections use, on screen and on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.blocks import Series
from trexreport.analyzer.analysis.failures import has_no_engine
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_count, format_ms, middle_ellipsis
from trexreport.renderer.accuracy_section import accuracy_values
from trexreport.renderer.charts.catalog import report_charts
from trexreport.renderer.findings_page import findings_page
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.selection import collapse
from trexreport.renderer.icicle import icicles
from trexreport.renderer.kernel_section import kernel_values
from trexreport.renderer.layer_columns import filter_terms, static_columns
from trexreport.renderer.links import layer_link
from trexreport.renderer.model_section import model_values
from trexreport.renderer.overview import overview_values
from trexreport.renderer.summary_blocks import alike_values, logs_values
from trexreport.renderer.tactics_section import tactics_values
from trexreport.renderer.timeline.schedule import Schedule, schedule_of
from trexreport.wording.blocks import block_difference
from trexreport.wording.contradictions import contradicted_figures, contradiction_notices
from trexreport.wording.execution import execution_remarks
from trexreport.wording.glossary import GLOSSARY
from trexreport.wording.gpu_watch import gpu_watch_warnings
from trexreport.wording.identity import input_shapes, model_name, precisions_text
from trexreport.wording.latency import averages_note, stated_run, throughput_note
from trexreport.wording.layers import missing_sections_sentence
from trexreport.wording.memory import memory_amounts, memory_headline, weights_figure
from trexreport.wording.sections import section_sentences
from trexreport.wording.timeline import reconstruction, timeline_summary
from trexreport.wording.timing import measurement_warnings

#: Charts as wide as the column; the others are two side by side.
WIDE_CHARTS = frozenset(
    {
        "by-layer",
        "by-layer-precision",
        "treemap",
        "by-tactic",
        "samples",
        "live-memory",
        "roofline",
        "reformats",
        "accuracy",
    }
)
_DEEPEST = 4
#: Sections about the layers besides that of their table.
_OF_LAYERS = ("graph", "latency", "precision", "memory", "roofline", "reformats")
_MAX_WARNINGS = 20
_MAX_SERIES = 3
_MAX_ODD = 4
_LABEL_CHARACTERS = 60


@dataclass(frozen=True)
class MaxRows:
    """The largest number of rows of some sections' tables."""

    work: int = 200
    reformats: int = 100
    bindings: int = 500
    executed: int = 200
    model: int = 30
    tactics: int = 300
    kernels: int = 300


def section_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values of an analysis that the templates use, by name."""
    findings = findings_page(analysis)
    found = icicles(analysis)
    # The icicle of modules shows what the treemap does: what takes how much of the time.
    charts = report_charts(analysis, with_treemap="module" not in found)
    return {
        "analysis": analysis,
        "version": __version__,
        "charts": charts,
        "icicles": found,
        "schedule": (schedule := schedule_of(analysis)),
        "timeline_notes": timeline_notes(schedule) if schedule else (),
        "wide_charts": WIDE_CHARTS,
        "roofline_layers": roofline_layers(analysis),
        "graph_series": _series_lines(analysis),
        "ranks": _ranks(analysis),
        "amounts": memory_amounts(analysis.memory),
        "weights": weights_figure(analysis.memory),
        "memory_headline": memory_headline(analysis),
        **overview_values(analysis),
        **logs_values(analysis),
        **alike_values(analysis, findings.of_layer),
        "glossary": GLOSSARY,
        "sentences": _page_sentences(analysis),
        "empty_sections": (empty := empty_sections(analysis)),
        "empty_sentence": missing_sections_sentence(empty) if empty else "",
        "execution_remarks": execution_remarks(analysis.execution) if analysis.execution else [],
        "averages_note": averages_note(analysis.latency),
        "throughput_note": throughput_note(analysis),
        "stated_run": stated_run(analysis),
        "input_shapes": input_shapes(analysis.identity),
        "model_name": model_name(analysis.identity),
        "precisions": precisions_text(analysis),
        "model_nodes": executed_model_nodes(analysis),
        "warnings": _warnings(analysis),
        "contradictions": contradiction_notices([("", analysis.contradictions)]),
        "contradicted": contradicted_figures(analysis.contradictions),
        "findings": findings,
        "filter_terms": filter_terms(),
        "static_columns": static_columns(analysis, has_findings=bool(findings.of_layer)),
        "max_rows": MaxRows(),
        **model_values(analysis.onnx),
        **accuracy_values(analysis),
        **tactics_values(analysis.tactics),
        **kernel_values(analysis.kernels, MaxRows.kernels),
    }


def empty_sections(analysis: Analysis) -> tuple[str, ...]:
    """Return the keys of sections that could only state, as that of the layers does, that there are none.

    Of a run that left no engine, it would be no news that there are no layers and no queries.
    """
    if analysis.layers:
        return ()
    latency, memory = analysis.latency, analysis.memory
    shown = {
        "latency": latency.end_to_end is not None or latency.layer_sum_ms is not None,
        "memory": bool(analysis.tensors or memory.stated),
    }
    empty = tuple(section for section in _OF_LAYERS if not shown.get(section))
    if not has_no_engine(analysis):
        return empty
    is_timed = analysis.stability or analysis.gpu_watch or analysis.logs or _warnings(analysis)
    return (*empty, "layers") if is_timed else (*empty, "layers", "timing")


def _page_sentences(analysis: Analysis) -> dict[str, str]:
    """Return the sentences of the sections; one alone states that there are no layers."""
    sentences = section_sentences(analysis)
    return sentences if analysis.layers else sentences | dict.fromkeys(_OF_LAYERS, "")


def as_blocks(analysis: Analysis, max_blocks: int) -> DrawOptions:
    """Return how to draw an engine as blocks: the deepest level with at most `max_blocks`."""
    depths = [collapse(analysis, depth) for depth in range(1, _DEEPEST + 1)]
    few = (each for each in depths if len(each) <= max_blocks)
    return DrawOptions(part=Choice(collapsed=max(few, key=len, default=depths[0])))


def _warnings(analysis: Analysis) -> list[str]:
    """Return what speaks against the measurement, trtexec's own warnings first."""
    watch = analysis.gpu_watch
    return measurement_warnings(analysis)[:_MAX_WARNINGS] + (gpu_watch_warnings(watch) if watch else [])


def _ranks(analysis: Analysis) -> list[str]:
    """Return every percentile that some distribution has, in ascending order."""
    latency, stability = analysis.latency, analysis.stability
    shown = [latency.end_to_end, latency.gpu_compute, latency.enqueue, latency.h2d, latency.d2h]
    shown.append(stability.percentiles if stability else None)
    return sorted({rank for each in shown if each for rank in each.percentiles}, key=float)


def timeline_notes(schedule: Schedule) -> tuple[str, str]:
    """Return what a timeline shows, and what it is made of."""
    return (
        timeline_summary(len(schedule.streams), schedule.total_ms, schedule.layer_sum_ms),
        reconstruction(schedule.untimed),
    )


def executed_model_nodes(analysis: Analysis) -> dict[str, int]:
    """Return the indices of the nodes of the ONNX model that are executed, by names that only one has."""
    if analysis.execution is None or analysis.onnx is None:
        return {}
    executed = {node.name for node in analysis.execution.nodes if node.name}
    counts = Counter(node.name for node in analysis.onnx.nodes)
    return {
        node.name: node.index
        for node in analysis.onnx.nodes
        if node.name in executed and counts[node.name] == 1
    }


@dataclass(frozen=True)
class _SeriesLine:
    """A line about blocks that repeat.

    Attributes:
        text: The repeated block and its time.
        odd: Link and label of those that differ.
        more: The end of the line.
    """

    text: str
    odd: tuple[tuple[str, str], ...]
    more: str


def _series_lines(analysis: Analysis) -> list[_SeriesLine]:
    """Return a line for each of the slowest series."""
    series = [each for each in analysis.blocks.series if len(each.members) > 1]
    series.sort(key=lambda each: -(each.median_ms or 0.0) * len(each.members))
    labels = Counter(each.label for each in series)
    return [_line(analysis, each, _name(analysis, each, labels)) for each in series[:_MAX_SERIES]]


def _name(analysis: Analysis, series: Series, labels: Mapping[str, int]) -> str:
    """Return the name of a series, with its module where several series have the same name."""
    around = analysis.blocks.items[series.parent]
    inside = around.path or around.label
    return series.label if labels[series.label] == 1 or not inside else f"{inside}/{series.label}"


def _line(analysis: Analysis, series: Series, name: str) -> _SeriesLine:
    text = f"{format_count(len(series.members))} × {middle_ellipsis(name, _LABEL_CHARACTERS)}"
    if series.median_ms is not None:
        text += f", {format_ms(series.median_ms)} each"
    if not series.odd:
        return _SeriesLine(f"{text}, all identical.", (), "")
    blocks = [analysis.blocks.items[block] for block in series.odd]
    shown = tuple(
        (
            layer_link(block.ranges[0][0]),
            f"{middle_ellipsis(block.label, _LABEL_CHARACTERS)} ({block_difference(block.differs[0])})",
        )
        for block in blocks[:_MAX_ODD]
    )
    rest = len(blocks) - len(shown)
    more = f", {format_count(rest)} more." if rest else "."
    return _SeriesLine(f"{text}; differing: ", shown, more)


class _RooflineLayers(NamedTuple):
    """The layers that the section lists.

    Attributes:
        held: Those above their roofline time, the one with the most headroom first.
        working: Convolutions and matrix products, the one with the most operations first.
        has_batches: One of these is a product of several matrices.
        has_hidden_weights: One of these has weights whose bytes no file states.
    """

    held: Sequence[LayerFacts]
    working: Sequence[LayerFacts]
    has_batches: bool
    has_hidden_weights: bool


def roofline_layers(analysis: Analysis) -> _RooflineLayers:
    """Return the layers that the section lists; equal ones are in execution order."""
    works = [layer.work for layer in analysis.layers if layer.work]
    held = [layer for layer in analysis.layers if layer.roof and layer.roof.headroom_ms]
    working = [layer for layer in analysis.layers if layer.work]
    held.sort(key=lambda layer: (layer.roof and layer.roof.headroom_ms) or 0.0, reverse=True)
    working.sort(key=lambda layer: layer.work.macs if layer.work else 0, reverse=True)
    return _RooflineLayers(
        held=held,
        working=working,
        has_batches=any(work.batch > 1 for work in works),
        has_hidden_weights=any(work.hidden_weights_bytes for work in works),
    )
