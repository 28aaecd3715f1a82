"""What a mail says, before it is HTML or text: a title, figures, and sections with short tables.

A letter knows nothing of engines, so that other documents, such as a comparison, can become letters too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trexreport.analyzer.analysis import Analysis, Finding
from trexreport.numbers import (
    format_count,
    format_ms,
    format_number,
    format_percent,
    middle_ellipsis,
    with_unit,
)
from trexreport.renderer.findings.run import gain
from trexreport.visible import one_line

#: Longer texts are cut in their middle, so that none makes a letter long.
_MOST_CHARACTERS = 400
_NAME_CHARACTERS = 90
_WORD_CHARACTERS = 30


@dataclass(frozen=True)
class Figure:
    """A figure with its label and a remark, each a text."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        cells: Texts, as many as the table has columns.
        share_percent: Length of the bar beside the first cell, 0 to 100; None for no bar.
    """

    cells: tuple[str, ...]
    share_percent: float | None = None


@dataclass(frozen=True)
class Section:
    """A heading, a sentence and a table, of which each may be missing but the heading.

    Attributes:
        columns: Headings of the table.
        numbers: How many columns at the end hold numbers.
        left_out: How many rows there are beside those of the table.
    """

    title: str
    sentence: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    numbers: int = 0
    left_out: int = 0

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Headings of the columns of numbers."""
        return self.columns[len(self.columns) - self.numbers :]

    def texts(self, row: Row) -> list[str]:
        """Return the cells of a row that are texts, of those after the first what is not empty."""
        first, *others = row.cells[: len(row.cells) - self.numbers]
        return [first, *filter(None, others)]

    def figures(self, row: Row) -> tuple[str, ...]:
        """Return the cells of a row that are numbers."""
        return row.cells[len(row.cells) - self.numbers :]


@dataclass(frozen=True)
class Letter:
    """A mail's content.

    Attributes:
        subject: For the mail's head.
        facts: What it is about, one text each.
        closing: Last sentences, such as on what is attached.
    """

    subject: str
    title: str
    facts: tuple[str, ...]
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    closing: tuple[str, ...] = ()

    def shortened(self) -> Letter:
        """Return the letter with half the rows in each table."""
        return replace(
            self,
            sections=tuple(
                replace(
                    each,
                    rows=each.rows[: len(each.rows) // 2],
                    left_out=each.left_out + len(each.rows) - len(each.rows) // 2,
                )
                for each in self.sections
            ),
        )


def report_letter(
    analysis: Analysis, *, subject: str = "", attached: Sequence[str] = (), rows: int = 10
) -> Letter:
    """Return the letter of one engine.

    Args:
        analysis: What it is about.
        subject: Instead of one made of the engine's name and latency.
        attached: Names of the files that go with it.
        rows: How many rows each table has at most.
    """
    identity, whole = analysis.identity, analysis.latency.end_to_end
    name = _shown(identity.name, _NAME_CHARACTERS)
    latency = f": {one_line(format_ms(whole.median_ms))} median" if whole else ""
    version = identity.tensorrt_version and f"TensorRT {identity.tensorrt_version}"
    facts = [each for each in (identity.gpu, version, identity.precisions, identity.shapes) if each]
    if identity.synthetic:
        facts.append("This capture is synthetic: no GPU measured it.")
    files = [f"Attached: {', '.join(attached)}."] if attached else []
    return Letter(
        subject=subject or f"TensorRT engine {name}{latency}",
        title=name,
        facts=tuple(map(_shown, facts)),
        figures=_figures(analysis),
        sections=(_findings(analysis, rows), *_time(analysis, rows), *_notes(analysis, rows)),
        closing=tuple(files),
    )


def _figures(analysis: Analysis) -> tuple[Figure, ...]:
    latency, whole = analysis.latency, analysis.latency.end_to_end
    tail = ""
    if whole:
        p99 = whole.p99_ms
        tail = f"99 % within {format_ms(p99)}" if p99 is not None else f"at most {format_ms(whole.max_ms)}"
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
            f"{format_count(latency.profiled_layers)} layers timed"
            if latency.layer_sum_ms is not None
            else "no profile",
        ),
    ]
    if analysis.tensors:
        figures.append(
            Figure("Live tensors", analysis.amounts["peak"], f"weights: {analysis.amounts['weights']}")
        )
    return tuple(Figure(*map(_shown, (each.label, each.value, each.note))) for each in figures)


def _findings(analysis: Analysis, most: int) -> Section:
    found = analysis.lint.findings
    rows = tuple(Row(_finding(analysis, each)) for each in found[:most])
    return Section(
        "What to do",
        _shown(analysis.sentences.get("findings", "")),
        ("finding", "gain", "rule", "severity"),
        rows,
        left_out=len(found) - len(rows),
    )


def _finding(analysis: Analysis, finding: Finding) -> tuple[str, ...]:
    bound = gain(finding)
    # The sentence names no layer; where it is of a single one, that is told.
    layers = finding.layers if len(finding.layers) == 1 else []
    where = "".join(f"{_shown(analysis.layers[index].name, _NAME_CHARACTERS)}: " for index in layers)
    return where + _shown(finding.message), f"gain: {bound}" if bound else "", finding.code, finding.severity


def _time(analysis: Analysis, most: int) -> list[Section]:
    told = [analysis.sentences.get(key, "") for key in ("latency", "gap", "timing")]
    sentence = " ".join(_shown(each) for each in told if each)
    if analysis.latency.layer_sum_ms is None:
        return [Section("Where the time goes", sentence)]
    groups = analysis.by_type
    of_types = tuple(
        Row(
            (
                _shown(each.name, _NAME_CHARACTERS),
                format_count(each.count),
                format_ms(each.time_ms),
                _share(each.share_percent),
            ),
            each.share_percent,
        )
        for each in groups[:most]
    )
    timed = [layer for layer in analysis.layers if layer.time_ms]
    timed.sort(key=lambda layer: (-(layer.time_ms or 0.0), layer.index))
    slowest = tuple(
        Row(
            (
                _shown(each.name, _NAME_CHARACTERS) or "(no name)",
                _shown(each.type, _WORD_CHARACTERS),
                format_ms(each.time_ms),
                _share(each.share_percent),
            ),
            each.share_percent,
        )
        for each in timed[:most]
    )
    return [
        Section(
            "Where the time goes",
            sentence,
            ("type", "layers", "time", "share"),
            of_types,
            numbers=3,
            left_out=len(groups) - len(of_types),
        ),
        Section(
            "Slowest layers",
            "",
            ("layer", "type", "time", "share"),
            slowest,
            numbers=2,
            left_out=len(timed) - len(slowest),
        ),
    ]


def _notes(analysis: Analysis, most: int) -> list[Section]:
    grave = [note for note in analysis.notes if note.severity != "info"]
    if not grave:
        return []
    rows = tuple(Row((_shown(f"{note.message} {note.hint}".strip()),)) for note in grave[:most])
    title = "What was missing or repaired"
    return [Section(title, "", ("note",), rows, left_out=len(grave) - len(rows))]


def _share(percent: float | None) -> str:
    return format_percent(None if percent is None else percent / 100)


def _shown(text: str, most: int = _MOST_CHARACTERS) -> str:
    return middle_ellipsis(one_line(text), most)
