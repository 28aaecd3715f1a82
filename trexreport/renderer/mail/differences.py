"""Where candidates differ, as sections of a letter: causes, layers, findings that came or went."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.comparison import (
    ComparedEngine,
    ComparedRow,
    Comparison,
    FindingChange,
    Step,
)
from trexreport.numbers import format_ms
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.renderer.mail.letter import NAME_CHARACTERS, SHORT_NAME_CHARACTERS, Row, Section, shown
from trexreport.wording import comparison as wording

#: Of so many candidates it is told where they differ.
_MOST_DIFFERENCES = 3


def differences(comparison: Comparison, most: int) -> list[Section]:
    """Return where the candidates differ; of many, the first."""
    told = candidates(comparison)
    sections: list[Section] = []
    for index, engine in told[:_MOST_DIFFERENCES]:
        of = f" in {shown(engine.name, SHORT_NAME_CHARACTERS)}" if len(told) > 1 else ""
        sections += _difference(comparison, index, engine, of, most)
    left_out = len(told) - _MOST_DIFFERENCES
    if left_out > 0:
        sections.append(Section("Where others differ", f"Of {left_out} more it is told in the comparison."))
    return sections


def _difference(
    comparison: Comparison, index: int, engine: ComparedEngine, of: str, most: int
) -> list[Section]:
    missing = wording.no_waterfalls(engine) or wording.alike(engine)
    title = f"Where the difference is{of}"
    if missing:
        sections = [Section(title, shown(missing))]
    else:
        steps = [
            step
            for each in engine.waterfalls
            if each.by == "cause"
            for step in each.steps
            if step.difference_ms
        ]
        rows = [row for row in comparison.rows if row.sides[index].difference_ms]
        rows.sort(key=lambda row: -abs(row.sides[index].difference_ms or 0.0))
        sections = [
            Section(
                title,
                "",
                ("cause", "time", "difference"),
                tuple(map(_step, steps[:most])),
                numbers=1,
                left_out=max(0, len(steps) - most),
            ),
            Section(
                f"Layers that differ most{of}",
                "",
                ("layers", "time", "what changed", "difference"),
                tuple(_row(row, comparison.baseline, index) for row in rows[:most]),
                numbers=1,
                left_out=max(0, len(rows) - most),
            ),
        ]
    return [
        *sections,
        *_findings(f"Findings that appeared{of}", engine.new_findings, most),
        *_findings(f"Findings that vanished{of}", engine.resolved_findings, most),
    ]


def _step(step: Step) -> Row:
    way = f"{format_ms(step.baseline_ms)} → {format_ms(step.candidate_ms)}"
    return Row((shown(step.name), way, wording.signed_ms(step.difference_ms)))


def _row(row: ComparedRow, baseline: int, index: int) -> Row:
    before, after = row.sides[baseline], row.sides[index]
    name = shown(row.label, NAME_CHARACTERS) + (f" and {row.more_layers} more" if row.more_layers else "")
    changes = ", ".join(dict.fromkeys(filter(None, (after.status, *after.changes))))
    way = f"{format_ms(before.time_ms)} → {format_ms(after.time_ms)}"
    return Row((name or "(no name)", way, shown(changes), wording.signed_ms(after.difference_ms)))


def _findings(title: str, changes: Sequence[FindingChange], most: int) -> list[Section]:
    known = [change for change in changes if change.checked]
    if not known:
        return []
    rows = tuple(Row((shown(wording.about(each)), each.code, each.severity)) for each in known[:most])
    return [
        Section(title, "", ("finding", "rule", "severity"), rows, left_out=len(known) - len(rows)),
    ]
