"""The letter of a comparison: the verdict first, then what stands in its way and where the difference is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import Note
from trexreport.analyzer.analysis.comparison import (
    ComparedEngine,
    ComparedLatency,
    Comparison,
)
from trexreport.numbers import TIMES, format_number
from trexreport.renderer.comparison.figures import FIGURE_TITLES, figure_rows
from trexreport.renderer.comparison.verdicts import VerdictView, candidates, verdict_views
from trexreport.renderer.mail.differences import differences
from trexreport.renderer.mail.letter import (
    SHORT_NAME_CHARACTERS,
    Figure,
    Letter,
    Row,
    Section,
    closing,
    shown,
)
from trexreport.wording import comparison as wording
from trexreport.wording.comparison import alike_facts
from trexreport.wording.conditions import (
    condition_title,
    conditions_sentence,
    severity_text,
)
from trexreport.wording.verdict import outcome_text, reason_sentences

_MOST_VERDICTS = 25
#: The figures that stand in large type, and those that a table of many engines has.
_LARGE, _FEW = (
    ("Latency, median", "Throughput, qps", "Total layer time"),
    ("Latency, median", "Total layer time"),
)


def comparison_letter(
    comparison: Comparison,
    *,
    subject: str = "",
    attached: Sequence[str] = (),
    left_out: str = "",
    rows: int = 10,
) -> Letter:
    """Return the letter of several engines, or of one against what is none.

    Args:
        comparison: What it is about.
        subject: Instead of one made of the names and the verdict.
        attached: Names of the files that go with it.
        left_out: What was left out of those, in one sentence.
        rows: How many rows each table has at most.
    """
    verdicts = verdict_views(comparison)
    title = _title(comparison)
    facts = (*alike_facts(comparison), wording.synthetic(comparison))
    return Letter(
        subject=subject or f"{title}: {_result(comparison, verdicts)}",
        title=title,
        facts=tuple(shown(each) for each in facts if each),
        figures=_figures(comparison, verdicts[0]) if len(verdicts) == 1 else (),
        sections=(
            *_verdicts(comparison, verdicts),
            *_others(comparison, rows),
            *_figure_table(comparison, rows),
            *_conditions(comparison, rows),
            *differences(comparison, rows if len(verdicts) < 2 else rows // 2),
            *_notes(comparison, rows),
        ),
        closing=closing(attached, left_out),
    )


def _title(comparison: Comparison) -> str:
    others = [_short(other.name) for other in comparison.external_latencies]
    if len(comparison.engines) == 1:
        return f"{_short(comparison.engines[0].name)} vs. {_few(others)}"
    short = [replace(engine, name=_short(engine.name)) for engine in comparison.engines]
    return wording.headline(replace(comparison, engines=short))


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 3 else f"{len(names)} others"


def _result(comparison: Comparison, verdicts: Sequence[VerdictView]) -> str:
    """Return the verdict for the mail's head; of several, how many there are of each."""
    if len(verdicts) == 1:
        (verdict,) = verdicts
        change = f", {verdict.change} in {verdict.of}" if _has_change(verdict) else ""
        return f"{verdict.word}{change}"
    words = [verdict.word for verdict in verdicts]
    if not words:
        words = [
            outcome_text(each.verdict) for other in comparison.external_latencies for each in other.verdicts
        ]
    if len(words) == 1:
        return words[0]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def _has_change(verdict: VerdictView) -> bool:
    return bool(verdict.change) and verdict.kind != "no-change"


def _figures(comparison: Comparison, verdict: VerdictView) -> tuple[Figure, ...]:
    """Return the verdict and the main figures of the only candidate."""
    change = f"{verdict.change} in {verdict.of}" if _has_change(verdict) else verdict.of
    found = [Figure("Verdict", verdict.word, change)]
    (index, _), rows = candidates(comparison)[0], figure_rows(comparison)
    before, after = (
        dict(zip(FIGURE_TITLES, rows[at][1], strict=True)) for at in (comparison.baseline, index)
    )
    for title in _LARGE:
        known = f"was {before[title].text}" if after[title].change else ""
        found.append(Figure(title, after[title].text, ", ".join(filter(None, (known, after[title].change)))))
    return tuple(found)


def _verdicts(comparison: Comparison, verdicts: Sequence[VerdictView]) -> list[Section]:
    if not verdicts:
        return []
    if len(verdicts) == 1:
        (verdict,) = verdicts
        told = (*verdict.reasons, verdict.why, verdict.different_conditions)
        return [Section("Why", " ".join(shown(each) for each in told if each))]
    rows = tuple(map(_verdict_row, verdicts[:_MOST_VERDICTS]))
    return [
        Section(
            "Verdicts",
            shown(wording.ranking(comparison), 1000),
            ("engine", "time", "reason", "conditions", "verdict"),
            rows,
            numbers=1,
            left_out=len(verdicts) - len(rows),
        )
    ]


def _verdict_row(verdict: VerdictView) -> Row:
    of = f"{verdict.of}: {verdict.way}" if verdict.of and verdict.way else verdict.of
    reason = verdict.reasons[0] if verdict.reasons else ""
    word = f"{verdict.word} {verdict.change}" if _has_change(verdict) else verdict.word
    return Row((*map(shown, (_short(verdict.name), of, reason, verdict.different_conditions)), word))


def _others(comparison: Comparison, most: int) -> list[Section]:
    """Return the verdicts against what is no engine."""
    rows = [
        _other_row(other, index, engine)
        for other in comparison.external_latencies
        for index, engine in enumerate(comparison.engines)
    ]
    if not rows:
        return []
    return [
        Section(
            "Against what is no TensorRT engine",
            "",
            ("engine", "verdict", "reason", "as fast"),
            tuple(rows[:most]),
            numbers=1,
            left_out=max(0, len(rows) - most),
        )
    ]


def _other_row(other: ComparedLatency, index: int, engine: ComparedEngine) -> Row:
    verdict, of, speedup = other.verdicts[index], other.verdict_metrics[index], other.speedups[index]
    word = outcome_text(verdict.verdict)
    return Row(
        (
            f"{_short(engine.name)} against {_short(other.name)}",
            f"{word} in {of}" if of else word,
            shown(reason_sentences(verdict)[0]),
            f"{TIMES}{format_number(speedup)}" if speedup else "–",
        )
    )


def _conditions(comparison: Comparison, most: int) -> list[Section]:
    if len(comparison.engines) < 2:
        return []
    order = [comparison.baseline, *(index for index, _ in candidates(comparison))]
    told = [each for each in comparison.conditions if each.differs and each.severity != "harmless"]
    rows = tuple(
        Row(
            (
                shown(condition_title(each)),
                _values([each.values[at] for at in order]),
                severity_text(each),
            )
        )
        for each in told[:most]
    )
    return [
        Section(
            "Build and measurement",
            shown(conditions_sentence(comparison)),
            ("what differs", "values", "it"),
            rows,
            left_out=len(told) - len(rows),
        )
    ]


def _values(values: Sequence[str]) -> str:
    """Return the way from the baseline's value to the other; of more engines, how many have each."""
    told = [shown(value, SHORT_NAME_CHARACTERS) or "–" for value in values]
    if len(told) == 2:
        return " → ".join(told)
    return shown(", ".join(f"{value} ({told.count(value)})" for value in dict.fromkeys(told)))


def _figure_table(comparison: Comparison, most: int) -> list[Section]:
    """Return what figures of two engines do not stand in large type, or the main ones of more."""
    found = figure_rows(comparison)
    others = [cells for engine, cells in found if engine is not comparison.engines[comparison.baseline]]
    if not others:
        return []
    if len(others) == 1:
        before = found[comparison.baseline][1]
        pairs = zip(FIGURE_TITLES, before, others[0], strict=True)
        changes = tuple(
            Row((title, f"{was.text} → {now.text}", now.change or "–"))
            for title, was, now in pairs
            if title not in _LARGE
        )
        return [Section("Other figures", "", ("figure", "before and after", "change"), changes, numbers=1)]
    chosen = [FIGURE_TITLES.index(title) for title in _FEW]
    of_engines = tuple(
        Row(
            (
                _short(engine.name),
                "baseline" if index == comparison.baseline else "",
                *(cells[at].text for at in chosen),
            )
        )
        for index, (engine, cells) in enumerate(found[:most])
    )
    return [
        Section(
            "Figures",
            "",
            ("engine", "", *_FEW),
            of_engines,
            numbers=len(_FEW),
            left_out=len(found) - len(of_engines),
        )
    ]


def _notes(comparison: Comparison, most: int) -> list[Section]:
    told = [
        replace(note, message=f"{_short(engine.name)}: {note.message}")
        for engine in comparison.engines
        for note in engine.notes
    ]
    return _notes_section(told, most)


def _short(name: str) -> str:
    return shown(name, SHORT_NAME_CHARACTERS)


def _notes_section(notes: Sequence[Note], most: int) -> list[Section]:
    """Return what was missing or repaired; nothing where nothing was."""
    grave = [note for note in notes if note.severity != "info"]
    if not grave:
        return []
    rows = tuple(Row((shown(f"{note.message} {note.hint}".strip()),)) for note in grave[:most])
    title = "What was missing or repaired"
    return [Section(title, "", ("note",), rows, left_out=len(grave) - len(rows))]
