"""The letter of one engine: what to do, where the time goes, the slowest layers."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, Finding, Note
from trexreport.numbers import counted, format_count, format_ms, format_number, format_percent, with_unit
from trexreport.renderer.findings.run import gain
from trexreport.renderer.mail.letter import NAME_CHARACTERS, Figure, Letter, Row, Section, closing, shown
from trexreport.visible import one_line
from trexreport.wording.identity import input_shapes
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentence

_WORD_CHARACTERS = 30


def report_letter(
    analysis: Analysis, *, subject: str = "", attached: Sequence[str] = (), left_out: str = "", rows: int = 10
) -> Letter:
    """Return the letter of one engine.

    Args:
        analysis: What it is about.
        subject: Instead of one made of the engine's name and latency.
        attached: Names of the files that go with it.
        left_out: What was left out of those, in one sentence.
        rows: How many rows each table has at most.
    """
    identity, whole = analysis.identity, analysis.latency.end_to_end
    name = shown(identity.name, NAME_CHARACTERS)
    latency = f": {one_line(format_ms(whole.median_ms))} median" if whole else ""
    version = identity.tensorrt_version and f"TensorRT {identity.tensorrt_version}"
    facts = [each for each in (identity.gpu, version, identity.precisions, input_shapes(identity)) if each]
    if identity.synthetic:
        facts.append("This capture is synthetic: no GPU measured it.")
    return Letter(
        subject=subject or f"TensorRT engine {name}{latency}",
        title=name,
        facts=tuple(map(shown, facts)),
        figures=_figures(analysis),
        sections=(_findings(analysis, rows), *_time(analysis, rows), *notes_section(analysis.notes, rows)),
        closing=closing(attached, left_out),
    )


def _figures(analysis: Analysis) -> tuple[Figure, ...]:
    latency, whole = analysis.latency, analysis.latency.end_to_end
    tail = ""
    if whole:
        p99 = whole.p99_ms
        tail = f"99% within {format_ms(p99)}" if p99 is not None else f"at most {format_ms(whole.max_ms)}"
    batch = analysis.identity.batch
    qps = latency.throughput_qps
    items = f"{format_number(qps * batch)} items/s at batch {batch}" if qps and batch and batch > 1 else ""
    figures = [
        Figure("Latency, median", format_ms(whole.median_ms if whole else None), tail or "not measured"),
        Figure(
            "Throughput",
            with_unit(format_number(qps, 4), "queries/s"),
            items or ("" if qps else "not stated"),
        ),
        Figure(
            "Sum of the layers",
            format_ms(latency.layer_sum_ms),
            f"{counted(latency.profiled_layers, 'layer')} timed"
            if latency.layer_sum_ms is not None
            else "no profile",
        ),
    ]
    if analysis.tensors:
        amounts = memory_amounts(analysis.memory)
        figures.append(Figure("Live tensors", amounts["peak"], f"weights: {amounts['weights']}"))
    return tuple(Figure(*map(shown, (each.label, each.value, each.note))) for each in figures)


def _findings(analysis: Analysis, most: int) -> Section:
    found = analysis.lint.findings
    rows = tuple(Row(_finding(analysis, each)) for each in found[:most])
    return Section(
        "What to do",
        shown(section_sentence(analysis, "findings")),
        ("finding", "gain", "rule", "severity"),
        rows,
        left_out=len(found) - len(rows),
    )


def _finding(analysis: Analysis, finding: Finding) -> tuple[str, ...]:
    bound = gain(finding)
    # The sentence names no layer; where it is of a single one, that is told.
    layers = finding.layers if len(finding.layers) == 1 else []
    where = "".join(f"{shown(analysis.layers[index].name, NAME_CHARACTERS)}: " for index in layers)
    return where + shown(finding.message), f"gain: {bound}" if bound else "", finding.code, finding.severity


def _time(analysis: Analysis, most: int) -> list[Section]:
    told = [section_sentence(analysis, key) for key in ("latency", "gap", "timing")]
    sentence = " ".join(shown(each) for each in told if each)
    if analysis.latency.layer_sum_ms is None:
        return [Section("Where the time goes", sentence)]
    return [_types(analysis, sentence, most), _slowest(analysis, most)]


def _types(analysis: Analysis, sentence: str, most: int) -> Section:
    groups = analysis.by_type
    rows = tuple(
        Row(
            (
                shown(each.name, NAME_CHARACTERS),
                format_count(each.count),
                format_ms(each.time_ms),
                _share(each.share_percent),
            ),
            each.share_percent,
        )
        for each in groups[:most]
    )
    return Section(
        "Where the time goes",
        sentence,
        ("type", "layers", "time", "share"),
        rows,
        numbers=3,
        left_out=len(groups) - len(rows),
    )


def _slowest(analysis: Analysis, most: int) -> Section:
    timed = [layer for layer in analysis.layers if layer.avg_ms]
    timed.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    rows = tuple(
        Row(
            (
                shown(each.name, NAME_CHARACTERS) or "(no name)",
                shown(each.type, _WORD_CHARACTERS),
                format_ms(each.avg_ms),
                _share(each.share_percent),
            ),
            each.share_percent,
        )
        for each in timed[:most]
    )
    return Section(
        "Slowest layers",
        "",
        ("layer", "type", "time", "share"),
        rows,
        numbers=2,
        left_out=len(timed) - len(rows),
    )


def _share(percent: float | None) -> str:
    return format_percent(None if percent is None else percent / 100)


def notes_section(notes: Sequence[Note], most: int) -> list[Section]:
    """Return what was missing or repaired; nothing where nothing was."""
    grave = [note for note in notes if note.severity != "info"]
    if not grave:
        return []
    rows = tuple(Row((shown(f"{note.message} {note.hint}".strip()),)) for note in grave[:most])
    title = "What was missing or repaired"
    return [Section(title, "", ("note",), rows, left_out=len(grave) - len(rows))]
