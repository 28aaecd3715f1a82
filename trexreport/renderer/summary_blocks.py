"""The parts of the summary of an engine: layers alike, accuracy, execution, kernels, ONNX model and logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayersAlike
from trexreport.analyzer.analysis.kernels import KernelTraceFacts
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import MISSING, format_count, format_number, format_rate
from trexreport.renderer.findings_page import OfLayer
from trexreport.renderer.kernel_section import launch_count
from trexreport.renderer.links import term
from trexreport.renderer.model_section import main_modules, share_range
from trexreport.renderer.short_document.document import (
    Block,
    Column,
    Paragraph,
    Section,
    Table,
    named,
    without_empty_columns,
)
from trexreport.wording.accuracy import STATES, error_text, plan_sentence
from trexreport.wording.coverage import codes_by_layer, coverage_sentence
from trexreport.wording.kernels import ALL_WORK, IDLE_CAUSES, trace_sentence
from trexreport.wording.sections import section_sentence
from trexreport.wording.shares import percent

#: Rows of a table of groups, providers, nodes or tensors.
MAX_GROUPS = 8
SHARE = Column("Time (%)", percent, is_summed=True, has_bar=True)

_MAX_CAUSES = 5

#: The columns, of which those are shown that any log has a value of.
_COLUMNS: tuple[tuple[str, Callable[[MeasuredLog], str]], ...] = (
    ("Precision", lambda log: "+".join(log.types) or MISSING),
    ("Batch", lambda log: format_count(log.batch) if log.batch else MISSING),
    ("Throughput (qps)", lambda log: format_rate(log.throughput_qps)),
    ("Items/s", lambda log: format_rate(log.items_per_s)),
    ("Median latency (ms)", lambda log: format_number(log.latency_ms)),
    ("Min (ms)", lambda log: format_number(log.latency_min_ms)),
    ("p99 (ms)", lambda log: format_number(log.latency_p99_ms)),
    ("Max (ms)", lambda log: format_number(log.latency_max_ms)),
    ("GPU compute time (ms)", lambda log: format_number(log.compute_ms)),
    ("Transfers (ms)", lambda log: format_number(_transfers_ms(log))),
    ("GPU busy (%)", lambda log: format_number(log.gpu_busy_percent)),
)
#: Columns of what logs may have in common, which are shown where they differ.
_DIFFERING: tuple[tuple[str, Callable[[MeasuredLog], str]], ...] = (
    ("GPU", lambda log: log.gpu or MISSING),
    ("Options", lambda log: ", ".join(log.options) or "default"),
)
_TEXTS = frozenset({"Precision", *(heading for heading, _ in _DIFFERING)})
_MAX_LOGS = 24
#: Smaller groups of layers, in percent, and engines in which nothing repeats as often, are not listed.
_MIN_PERCENT, _MIN_ALIKE = 2.0, 4


def layers_alike(analysis: Analysis) -> list[Block]:
    """Return the largest groups of layers alike with the findings on them; nothing where none repeat."""
    largest = _large_groups(analysis)
    if not largest:
        return []
    codes = codes_by_layer(analysis)
    columns = (
        Column("Layers alike"),
        Column("Layers", format_count),
        SHARE,
        Column("Time (ms)", format_number),
        Column("% of roofline", percent),
        Column("Findings"),
    )
    rows = tuple(
        (
            named(each.name),
            len(each.layers),
            each.share_percent,
            each.time_ms,
            each.reached_percent,
            ", ".join(dict.fromkeys(code for layer in each.layers for code in codes.get(layer, ()))),
        )
        for each in largest[:MAX_GROUPS]
    )
    table = without_empty_columns(Table(columns, rows, noun="group"))
    sentence = coverage_sentence(analysis)
    return [table, *([Paragraph(sentence)] if sentence else ())]


def _large_groups(analysis: Analysis) -> list[LayersAlike]:
    """Return the largest groups of layers alike; nothing where none repeat."""
    largest = [each for each in analysis.alike if (each.share_percent or 0.0) >= _MIN_PERCENT]
    repeat = len(largest) > 1 and any(len(each.layers) >= _MIN_ALIKE for each in largest)
    return largest if repeat else []


def alike_values(analysis: Analysis, of_layer: OfLayer) -> dict[str, Any]:
    """Return the values of the report's table of layers alike: each group with its query and its findings.

    Args:
        analysis: The analysis.
        of_layer: The findings of each layer.
    """
    codes, names = codes_by_layer(analysis), Counter(each.name for each in analysis.alike)
    rows = []
    for each in _large_groups(analysis):
        if len(each.layers) < 2:
            continue
        # Groups of one name differ in the type.
        also = [term("type", analysis.layers[each.layers[0]].type)] if names[each.name] > 1 else []
        views = {
            view.id: view
            for layer in each.layers
            for view in of_layer.get(layer, ())
            if view.finding.code in codes.get(layer, ())
        }
        query = " ".join([term("alike", each.name), *also])
        rows.append((each, query, list(views.values())))
    coverage = coverage_sentence(analysis) if rows else ""
    return {"alike_rows": rows, "min_alike_percent": _MIN_PERCENT, "coverage": coverage}


def accuracy_summary(analysis: Analysis) -> list[Section]:
    """Return how accurate the engine is, and the layers that cause errors."""
    found = analysis.accuracy
    if found is None:
        return []
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "accuracy"))]
    columns = (Column("Layer"), Column("Increase"), Column("Error"), Column("Tensor"))
    rows = tuple(
        (
            named(analysis.layers[each.layers[-1]].name if each.layers else MISSING),
            error_text(each.increase, found.measure),
            error_text(each.error, found.measure) if each.error is not None else STATES[each.state],
            named(each.figures.name),
        )
        for each in found.tensors
        if each.increase or each.begins_non_finite
    )
    if rows:
        blocks.append(Table(columns, rows, noun="tensor", max_shown=MAX_GROUPS))
    plan = plan_sentence(analysis)
    return [Section("Accuracy", (*blocks, Paragraph(plan)) if plan else tuple(blocks))]


def execution_summary(analysis: Analysis) -> list[Section]:
    """Return what each execution provider runs, and the slowest nodes outside of TensorRT."""
    execution = analysis.execution
    if execution is None:
        return []
    is_timed = execution.nodes_ms is not None
    has_operators = any(each.operators is not None for each in execution.providers)
    count = Column("Operators" if has_operators else "Nodes", format_count)
    times = (SHARE, Column("Time (ms)", format_number)) if is_timed else ()
    providers = (
        (named(each.name or "not stated"), each.operators if has_operators else each.nodes)
        + ((each.share_percent, each.time_ms) if is_timed else ())
        for each in execution.providers
    )
    nodes = (
        (named(each.name or each.operator), named(each.operator), named(each.provider))
        + ((each.share_percent, each.time_ms) if is_timed else ())
        for each in execution.fallbacks
    )
    blocks: list[Block] = [
        Paragraph(section_sentence(analysis, "execution")),
        Table((Column("Provider"), count, *times), tuple(providers), noun="provider", max_shown=MAX_GROUPS),
    ]
    if execution.fallbacks:
        columns = (Column("Node outside of TensorRT"), Column("Operator"), Column("Provider"), *times)
        blocks.append(Table(columns, tuple(nodes), noun="node", max_shown=MAX_GROUPS))
    return [Section("Execution providers", tuple(blocks))]


def kernels_summary(analysis: Analysis) -> list[Section]:
    """Return the kernels of a query, and why the GPU was idle."""
    found = analysis.kernels
    if found is None:
        return []
    columns = (Column("Waits for"), Column("Time (%)", format_number), Column("Gaps", format_count))
    rows = tuple((IDLE_CAUSES[each.cause][0], each.percent, each.gaps) for each in found.idle)
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "kernels")), Paragraph(trace_sentence(found))]
    if rows:
        blocks.append(Table(columns, rows, noun="cause", max_shown=_MAX_CAUSES))
    if not analysis.layers and found.kernel_ms:
        blocks.append(_slowest_kernels(found))
    return [Section("Kernels", tuple(blocks))]


def _slowest_kernels(found: KernelTraceFacts) -> Table:
    columns = (Column("Kernel"), Column("Launches", launch_count), SHARE, Column("Time (ms)", format_number))
    rows = (
        (named(each.full_name or ALL_WORK), each.launches, 100 * each.time_ms / found.kernel_ms, each.time_ms)
        for each in sorted(found.kernels, key=lambda each: -each.time_ms)
    )
    return Table(columns, tuple(rows), noun="kernel", max_shown=MAX_GROUPS)


def model_summary(analysis: Analysis) -> list[Section]:
    """Return how the ONNX model is in the engine, and the modules that take the most time."""
    model = analysis.onnx
    if model is None:
        return []
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "model"))]
    sources = model.by_source if model.total_ms else ()
    for title, groups in (("Module", main_modules(model)), ("Source line", sources)):
        columns = (
            Column(title),
            Column("Nodes", format_count),
            Column("Time (%)"),
            Column("Alone (ms)", format_number),
            Column("Shared (ms)", format_number),
        )
        cells = (
            (
                named(each.name),
                each.nodes,
                share_range(each, model.total_ms, "%"),
                each.alone_ms,
                each.shared_ms,
            )
            for each in groups
        )
        if groups:
            blocks.append(Table(columns, tuple(cells), noun=title.lower(), max_shown=MAX_GROUPS))
    return [Section("ONNX model", tuple(blocks))]


def logs_summary(analysis: Analysis) -> list[Section]:
    """Return a table of what each log measured; nothing for one measurement."""
    columns, rows = _table(analysis)
    if not rows:
        return []
    hint = "TRX817 of `trexreport lint -v` lists all"
    return [Section("Logs", (Table(columns, rows, noun="log", hint=hint, max_shown=_MAX_LOGS),), priority=1)]


def logs_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values of the report's table of logs and of its head, by name."""
    logs = analysis.logs
    columns, rows = _table(analysis)
    return {
        "log_columns": columns,
        "log_rows": rows,
        "shown_log": next((log.file for log in logs if log.is_shown), ""),
    }


def _table(analysis: Analysis) -> tuple[tuple[Column, ...], tuple[tuple[str, ...], ...]]:
    logs = analysis.logs
    filled = [(heading, [show(log) for log in logs]) for heading, show in (*_DIFFERING, *_COLUMNS)]
    common = {heading for heading, cells in filled[: len(_DIFFERING)] if len(set(cells)) == 1}
    known = [
        (heading, cells)
        for heading, cells in filled
        if heading not in common and any(cell != MISSING for cell in cells)
    ]
    columns = tuple(Column(heading, is_number=heading not in _TEXTS) for heading, _ in known)
    files = [log.file for log in logs]
    return (Column("Log"), *columns), tuple(zip(files, *(cells for _, cells in known), strict=True))


def _transfers_ms(log: MeasuredLog) -> float | None:
    """Return what both transfers take; None where neither is stated."""
    known = [each for each in (log.h2d_ms, log.d2h_ms) if each is not None]
    return sum(known) if known else None


def tactics_summary(analysis: Analysis) -> list[Section]:
    """Return what the builder timed, if a log states it."""
    if analysis.tactics is None:
        return []
    return [Section("Tactics", (Paragraph(section_sentence(analysis, "tactics")),))]
