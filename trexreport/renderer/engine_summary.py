"""The summary of one engine as a short document: figures, top findings, time by type, slowest layers."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, Finding, Group, LayerFacts, slowest_first
from trexreport.analyzer.analysis.contradictions import FigureGroup
from trexreport.analyzer.analysis.engine import Note
from trexreport.analyzer.analysis.failures import by_error, failures
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.model import Contradiction
from trexreport.numbers import (
    MISSING,
    counted,
    format_bytes,
    format_count,
    format_ms,
    format_number,
    format_rate,
    join_names,
    middle_ellipsis,
    with_unit,
)
from trexreport.renderer.findings.document import FINDING_COLUMNS, finding_row
from trexreport.renderer.findings.run import sentence
from trexreport.renderer.short_document.document import (
    MAX_MESSAGE,
    MAX_NAME,
    Block,
    Column,
    Figure,
    Figures,
    Item,
    Items,
    Paragraph,
    Section,
    ShortDocument,
    Span,
    Table,
    named,
    without_empty_columns,
)
from trexreport.renderer.short_document.shortened import shortened
from trexreport.renderer.summary_blocks import (
    MAX_GROUPS,
    SHARE,
    accuracy_summary,
    execution_summary,
    kernels_summary,
    layers_alike,
    logs_summary,
    model_summary,
    tactics_summary,
)
from trexreport.renderer.top_findings import count_top_findings, table_of_findings
from trexreport.wording.contradictions import contradicted_figures, contradiction_sentences, not_among
from trexreport.wording.findings import on_measurement, which_part
from trexreport.wording.identity import gpu_name, known_shapes, model_name, precisions_text
from trexreport.wording.latency import (
    averages_note,
    leaves_out_transfers,
    levels_note,
    stalls_sentence,
    stated_run,
    throughput_note,
)
from trexreport.wording.memory import beside_bindings, memory_amounts, stated_by_log
from trexreport.wording.onnx import source_lines
from trexreport.wording.roofline import bounds_sentence
from trexreport.wording.sections import section_sentence

SYNTHETIC = "This capture is synthetic: it was generated, not measured on a GPU."
_MAX_FINDINGS, _MAX_NOTES, _MAX_ON_MEASUREMENT, _MAX_FAILURE = 15, 8, 3, 600
#: As many findings are shown although they are not among the top findings of the page.
_FEW_FINDINGS = 3


def engine_summary(
    analysis: Analysis,
    *,
    max_layers: int = 10,
    max_findings: int | None = _MAX_FINDINGS,
    closing: Sequence[str] = (),
) -> ShortDocument:
    """Return the summary of one engine.

    Args:
        analysis: The engine.
        max_layers: How many of the slowest layers are listed.
        max_findings: How many findings are listed; None for the top findings of the page.
        closing: The last sentences.
    """
    identity = analysis.identity
    version = identity.tensorrt_version and f"TensorRT {identity.tensorrt_version}"
    model = model_name(identity), known_shapes(analysis)
    facts = (gpu_name(identity), version, precisions_text(analysis), *model)
    return ShortDocument(
        title=identity.name,
        facts=tuple(filter(None, facts)),
        blocks=(
            *_failures(analysis),
            *contradictions_block(analysis.contradictions),
            *((Paragraph(SYNTHETIC, is_essential=True),) if identity.synthetic else ()),
            Figures(tuple(_figures(analysis))),
        ),
        sections=(
            _findings(analysis, max_findings),
            *logs_summary(analysis),
            *_time(analysis, max_layers),
            *execution_summary(analysis),
            *kernels_summary(analysis),
            *model_summary(analysis),
            *accuracy_summary(analysis),
            *tactics_summary(analysis),
            *input_warnings(_not_above(analysis)),
        ),
        closing=tuple(closing),
    )


def _failures(analysis: Analysis) -> list[Block]:
    """Return that trtexec failed: no figure below means much then."""
    notes = [each[0] for each in by_error(failures(analysis))]
    # Of the error the ends say most; what to do is not cut.
    sentences = (f"{middle_ellipsis(note.message, _MAX_FAILURE)} {note.hint}".strip() for note in notes)
    return [Paragraph((Span(sentence, "error"),), is_essential=True) for sentence in sentences]


def _not_above(analysis: Analysis) -> list[Note]:
    """Return the notes without those that the head of the document states in full."""
    above = [note for note in failures(analysis) if len(note.message) <= _MAX_FAILURE]
    return [note for note in not_among(analysis.contradictions, analysis.notes) if note not in above]


def contradictions_block(contradictions: Sequence[Contradiction], name: str = "") -> list[Block]:
    """Return what files contradict each other in, for the head of a document; nothing without any.

    Args:
        contradictions: Of one engine.
        name: The engine's, where a document has several.
    """
    sentences = contradiction_sentences(contradictions)
    if not sentences:
        return []
    before = f"{middle_ellipsis(name, MAX_NAME)}: " if name else ""
    items = tuple(Item((sentence,)) for sentence in sentences[1:])
    return [
        Paragraph((Span(f"{before}{sentences[0]}", "error"),), is_essential=True),
        Items(items, noun="contradiction", is_essential=True),
    ]


def _figures(analysis: Analysis) -> list[Figure]:
    latency, layers = analysis.latency, sum(not layer.structural for layer in analysis.layers)
    structural = len(analysis.layers) - layers
    others = f"plus {format_count(structural)} structural" if structural else ""
    whole, compute, qps = latency.end_to_end, latency.gpu_compute, latency.throughput_qps
    tail = "not measured"
    if whole:
        tail = (
            f"p99 {format_ms(whole.p99_ms)}" if whole.p99_ms is not None else f"max {format_ms(whole.max_ms)}"
        )
        tail = averages_note(latency) or tail
        if leaves_out_transfers(analysis):
            tail += ", without data transfers"
    timed = "no profile"
    if latency.layer_sum_ms is not None:
        timed = f"{counted(latency.profiled_layers, 'layer')} profiled"
    doubts = contradicted_figures(analysis.contradictions)

    def figure(group: FigureGroup, label: str, value: str, note: str = "") -> Figure:
        return Figure(label, value, doubts[group] or note)

    median = figure("query-times", "Median latency", format_ms(whole.median_ms if whole else None), tail)
    if run := stated_run(analysis):
        median = Figure(*run)
    figures = [
        median,
        figure(
            "query-times",
            "Median GPU compute time",
            format_ms(compute.median_ms if compute else None),
            levels_note(analysis),
        ),
        figure("query-times", "Throughput", with_unit(format_rate(qps), "qps"), throughput_note(analysis)),
        figure("layer-times", "Total layer time", format_ms(latency.layer_sum_ms), timed),
        figure("layers", "Layers", format_count(layers) if analysis.layers else MISSING, others),
    ]
    if analysis.tensors:
        amounts = memory_amounts(analysis.memory)
        figures += [
            figure("layers", "Weights", amounts["weights"]),
            figure("layers", "Peak of live tensors", amounts["peak"], beside_bindings(analysis.memory)),
        ]
    stated = analysis.memory.stated_activation_bytes
    if stated and (not analysis.tensors or analysis.memory.activations_unknown):
        figures.append(Figure("Activation memory", format_bytes(stated), stated_by_log(analysis.memory)))
    return figures


def _findings(analysis: Analysis, max_shown: int | None) -> Section:
    ranked, apart, of_run = table_of_findings(analysis.lint.findings)
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "findings"))]
    rows = tuple(_finding_row(each, analysis.onnx) for each in ranked)
    hint = "`trexreport lint` lists all"
    if rows:
        # A few smaller ones do not have to be looked for elsewhere.
        few = max(of_run + count_top_findings(ranked), _FEW_FINDINGS)
        max_shown = few if max_shown is None else max_shown
        blocks.append(Table(FINDING_COLUMNS, rows, noun="finding", hint=hint, max_shown=max_shown))
    others = tuple(Item(f"{each.code}: {sentence(each)}") for each in apart)
    if others:
        blocks.append(Paragraph(on_measurement(apart)))
        blocks.append(Items(others, noun="finding", hint=hint, max_shown=_MAX_ON_MEASUREMENT))
    return Section("Top findings", tuple(blocks), priority=0)


def _finding_row(finding: Finding, model: OnnxFacts | None) -> tuple[str | Span, ...]:
    _, *others = finding_row(finding)
    # The first layer of a place is what it is about.
    layers = [layer for place in finding.places for layer in place.layers[:1]]
    lines = source_lines(model, layers) if model else ""
    codes = dict.fromkeys(map(which_part, finding.consequences))
    after = f" Source: {lines}." if lines else ""
    after += f" Also resolves {join_names(list(codes))}." if codes else ""
    room = max(MAX_MESSAGE - len(after), MAX_MESSAGE // 2)
    return shortened(finding.message, room) + after, *others


def _time(analysis: Analysis, max_layers: int) -> list[Section]:
    first, *others = (section_sentence(analysis, key) for key in ("latency", "gap", "timing"))
    sentences = first, bounds_sentence(analysis.roofline, analysis.latency.layer_sum_ms), *others
    blocks: list[Block] = [Paragraph(" ".join(filter(None, sentences)))]
    if analysis.latency.layer_sum_ms is None:
        return [Section("Where the time goes", tuple(blocks), priority=1)]
    if analysis.identity.names_only:
        blocks.append(_groups("Operation in the name", analysis.by_operation))
    else:
        blocks += [_groups("Type", analysis.by_type), _groups("Input precision", analysis.by_precision)]
    if analysis.blocks.sections:
        by_name = analysis.blocks.basis == "names"
        blocks.append(_groups("Module" if by_name else "Layers in order", analysis.blocks.sections))
    blocks += layers_alike(analysis)
    sections = [Section("Where the time goes", tuple(blocks), priority=1)]
    timed = [layer for layer in analysis.layers if layer.avg_ms is not None]
    if any(layer.avg_ms for layer in timed) and max_layers:
        sections.append(Section("Slowest layers", tuple(_slowest(timed, max_layers)), priority=2))
    return sections


def _groups(title: str, groups: Sequence[Group]) -> Table:
    return Table(
        (
            Column(title),
            Column("Layers", format_count, is_summed=True),
            SHARE,
            Column("Time (ms)", format_number, is_summed=True),
        ),
        tuple((named(each.name), each.count, each.share_percent, each.time_ms) for each in groups),
        noun="group",
        max_shown=MAX_GROUPS,
    )


def _slowest(timed: list[LayerFacts], max_shown: int) -> list[Block]:
    """Return the slowest layers by their means, with the medians where these differ much."""
    layers = slowest_first(timed)
    columns = [
        Column("Layer"),
        Column("Type"),
        Column("Precision"),
        SHARE,
        Column("Avg. time (ms)", format_number, is_summed=True),
    ]
    note = stalls_sentence(layers[:max_shown], timed)
    if note:
        columns.append(Column("Median (ms)", format_number, is_summed=True))
    rows = tuple(
        (named(layer.name), layer.type, layer.precision, layer.share_percent, layer.avg_ms, layer.median_ms)[
            : len(columns)
        ]
        for layer in layers
    )
    table = Table(tuple(columns), rows, noun="layer", max_shown=max_shown)
    return [*([Paragraph(note)] if note else ()), without_empty_columns(table)]


def input_warnings(notes: Sequence[Note]) -> list[Section]:
    """Return what was missing in the inputs or was repaired; nothing where nothing was."""
    items = tuple(Item(f"{note.message} {note.hint}".strip()) for note in notes if note.severity != "info")
    if not items:
        return []
    return [Section("Input warnings", (Items(items, noun="warning", max_shown=_MAX_NOTES),), priority=3)]
