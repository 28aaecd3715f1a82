"""The summary of a comparison as a short document: verdicts, figures, test conditions, breakdowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import ComparedEngine, ComparedLatency, Comparison, FindingChange
from trexreport.analyzer.analysis.waterfall import Waterfall
from trexreport.numbers import MISSING, TIMES, format_ms, format_number, middle_ellipsis
from trexreport.renderer.comparison.executions import execution_views
from trexreport.renderer.comparison.figures import FIGURES_WITH_COMPUTE, figure_rows, stated_figures
from trexreport.renderer.comparison.figures import Cell as FigureCell
from trexreport.renderer.comparison.row_columns import row_heading
from trexreport.renderer.comparison.speedup_summary import speedup_blocks, speedup_section
from trexreport.renderer.comparison.verdicts import VerdictView, candidates, verdict_views
from trexreport.renderer.engine_summary import contradictions_block, input_warnings
from trexreport.renderer.short_document.document import (
    MAX_MESSAGE,
    MAX_NAME,
    Block,
    Cell,
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
    severity_mark,
)
from trexreport.wording import comparison as wording
from trexreport.wording.conditions import condition_title, conditions_sentence, severity_text
from trexreport.wording.contradictions import not_among
from trexreport.wording.row_changes import change_phrases
from trexreport.wording.verdict import reasons_below_contradictions, verdict_text

_MAX_CONDITIONS, _MAX_TITLE_NAME = 12, 60
_MAX_STEPS, _MAX_ROWS = 12, 20
_WATERFALLS = {"cause": "Cause", "type": "Layer type", "module": "Module", "source line": "Source line"}
#: How many figures a table has room for on a phone.
_FIGURES_PER_TABLE = 4
_DIFFERENCES = (
    Column(row_heading("diff"), wording.signed_ms, is_summed=True),
    Column("Baseline", format_ms, is_summed=True),
    Column("Candidate", format_ms, is_summed=True),
)


def comparison_summary(
    comparison: Comparison,
    *,
    max_rows: int = _MAX_ROWS,
    max_breakdowns: int | None = None,
    closing: Sequence[str] = (),
) -> ShortDocument:
    """Return the summary of a comparison.

    Args:
        comparison: The comparison.
        max_rows: How many rows of layers, and findings, are listed for each candidate.
        max_breakdowns: For how many candidates the difference is broken down; None for all.
        closing: The last sentences.
    """
    notes = [
        replace(note, message=f"{middle_ellipsis(engine.name, _MAX_TITLE_NAME)}: {note.message}")
        for engine in comparison.engines
        for note in not_among(engine.contradictions, engine.notes)
    ]
    remarks = (wording.synthetic(comparison), wording.ranking(comparison))
    changed = candidates(comparison)
    return ShortDocument(
        title=_title(comparison),
        facts=tuple(wording.alike_facts(comparison)),
        summary=f"Verdict: {comparison_result(comparison)}.",
        blocks=(
            *(
                block
                for engine in comparison.engines
                for block in contradictions_block(engine.contradictions, engine.name)
            ),
            *(Paragraph(remark) for remark in remarks if remark),
            _verdicts(comparison),
            *_figures(comparison),
            *(Paragraph(f"{_short(each.name)}: {each.sentence}") for each in execution_views(comparison)),
        ),
        sections=(
            *_conditions(comparison),
            *(_breakdown(comparison, index, engine, max_rows) for index, engine in changed[:max_breakdowns]),
            *(speedup_section(each) for each in (comparison.speedup_steps if max_breakdowns is None else ())),
            *input_warnings(notes),
        ),
        closing=tuple(closing),
        hidden_sections=len(changed) - len(changed[:max_breakdowns]),
    )


def _title(comparison: Comparison) -> str:
    engines = [replace(each, name=_short(each.name)) for each in comparison.engines]
    others = [replace(each, name=_short(each.name)) for each in comparison.external_latencies]
    return wording.headline(replace(comparison, engines=engines, external_latencies=others))


def _short(name: str) -> str:
    return middle_ellipsis(name, _MAX_TITLE_NAME)


def comparison_result(comparison: Comparison) -> str:
    """Return the verdict in a few words; of several, how many there are of each."""
    verdicts = verdict_views(comparison)
    if len(verdicts) == 1:
        return _verdict_text(verdicts[0])
    words = [verdict.word for verdict in verdicts] or [
        verdict_text(each) for other in comparison.external_latencies for each in other.verdicts
    ]
    if len(words) == 1:
        return words[0]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def _verdict_text(verdict: VerdictView) -> str:
    change = f", {verdict.change}" if verdict.change and verdict.kind != "no-change" else ""
    return f"{verdict.word}{change}{f' in {verdict.of}' if verdict.of else ''}"


def _verdicts(comparison: Comparison) -> Block:
    """Return the reasons of the only verdict, or a list of the verdicts with theirs."""
    verdicts = verdict_views(comparison)
    if len(verdicts) == 1 and not comparison.external_latencies:
        return Paragraph(_reasons(verdicts[0]))
    items = [_verdict_item(each.name, _verdict_text(each), _reasons(each)) for each in verdicts]
    for other in comparison.external_latencies:
        items += (_external(other, index, engine) for index, engine in enumerate(comparison.engines))
    return Items(tuple(items), noun="verdict", is_essential=True)


def _reasons(verdict: VerdictView) -> str:
    sentences = (*verdict.reasons, verdict.why, verdict.different_conditions)
    return " ".join(filter(None, sentences))


def _external(other: ComparedLatency, index: int, engine: ComparedEngine) -> Item:
    verdict, metric, speedup = other.verdicts[index], other.verdict_metrics[index], other.speedups[index]
    times = [format_ms(each.median_ms) for each in (verdict.candidate, verdict.baseline)]
    figures = f"{TIMES}{format_number(speedup)} as fast ({times[0]} vs. {times[1]})." if speedup else ""
    result = f"{verdict_text(verdict)}{f' in {metric}' if metric else ''}"
    return _verdict_item(
        f"{engine.name} vs. {other.name}",
        result,
        " ".join(filter(None, (figures, *reasons_below_contradictions(verdict)))),
    )


def _verdict_item(name: str, result: str, reasons: str) -> Item:
    return Item((Span(f"{middle_ellipsis(name, MAX_NAME)}: {result}.", "strong"), f" {reasons}"))


def _figures(comparison: Comparison) -> list[Block]:
    """Return the figures of a single candidate with their changes, or tables of the figures of all."""
    columns = stated_figures(comparison, FIGURES_WITH_COMPUTE)
    titles = [column.title for column in columns]
    found = figure_rows(comparison, columns)
    changed = candidates(comparison)
    if len(changed) == 1 and not comparison.external_latencies:
        baseline, candidate = found[comparison.baseline][1], found[changed[0][0]][1]
        figures = zip(titles, baseline, candidate, strict=True)
        notes = ((title, now.text, _beside(was, now)) for title, was, now in figures)
        return [Figures(tuple(Figure(*each) for each in notes))]
    rows = [
        (_marked(comparison, index), [cell.text for cell in cells]) for index, (_, cells) in enumerate(found)
    ]
    for other in comparison.external_latencies:
        known = [format_ms(other.times.median_ms), format_ms(other.times.p99_ms)]
        rows.append((other.name, known + [MISSING] * (len(titles) - len(known))))
    used = [at for at in range(len(titles)) if any(texts[at] != MISSING for _, texts in rows)]
    return [
        Table(
            (Column("Engine"), *(Column(titles[at], is_number=True) for at in part)),
            tuple((name, *(texts[at] for at in part)) for name, texts in rows),
            noun="engine",
        )
        for part in _equal_parts(used, _FIGURES_PER_TABLE)
    ]


def _beside(before: FigureCell, now: FigureCell) -> str:
    """Return the note beside a figure of the only candidate."""
    of_baseline = f"{before.text} ({before.change})" if before.change else before.text
    return ", ".join(filter(None, (f"baseline {of_baseline}", now.change)))


def _equal_parts(items: Sequence[int], most: int) -> list[Sequence[int]]:
    """Divide items into as few parts as hold `most` each, of about equal lengths."""
    count = max(1, -(-len(items) // most))
    ends = [len(items) * number // count for number in range(count + 1)]
    return [items[begin:end] for begin, end in pairwise(ends) if begin < end]


def _marked(comparison: Comparison, index: int) -> str:
    is_baseline = index == comparison.baseline and len(comparison.engines) > 1
    return f"{comparison.engines[index].name}{' (baseline)' if is_baseline else ''}"


def _conditions(comparison: Comparison) -> list[Section]:
    """Return the test conditions that differ and matter, with the baseline's value first."""
    if len(comparison.engines) < 2:
        return []
    order = [comparison.baseline, *(index for index, _ in candidates(comparison))]
    differing = [each for each in comparison.conditions if each.differs and each.severity != "harmless"]
    blocks: list[Block] = [Paragraph(conditions_sentence(comparison))]
    if differing:
        rows = tuple(
            (condition_title(each), _values([each.values[at] for at in order]), severity_text(each))
            for each in differing
        )
        columns = (Column("Condition"), Column("Values", max_chars=MAX_MESSAGE), Column("Effect"))
        blocks.append(Table(columns, rows, noun="condition", max_shown=_MAX_CONDITIONS))
    return [Section("Test conditions", tuple(blocks), priority=2)]


def _values(values: Sequence[str]) -> str:
    """Return the baseline's value and the candidate's; of more engines, how many have each value."""
    short = [_short(value) or MISSING for value in values]
    if len(short) == 2:
        return " → ".join(short)
    return ", ".join(f"{value} ({short.count(value)})" for value in dict.fromkeys(short))


def _breakdown(comparison: Comparison, index: int, engine: ComparedEngine, max_rows: int) -> Section:
    missing = wording.no_waterfalls(engine) or wording.alike(engine)
    blocks: list[Block] = [Paragraph(missing)] if missing else []
    if not missing:
        found = {waterfall.by: waterfall for waterfall in engine.waterfalls}
        blocks += [_steps(title, found[by]) for by, title in _WATERFALLS.items() if by in found]
    blocks += speedup_blocks(engine.speedup)
    rows = [row for row in comparison.rows if row.sides[index].difference_ms]
    rows.sort(key=lambda row: -abs(row.sides[index].difference_ms or 0.0))
    if rows:
        columns = (Column(row_heading("name")), Column(row_heading("changes")), *_DIFFERENCES)
        cells = tuple(_row(row, comparison.baseline, index) for row in rows)
        blocks.append(Table(columns, cells, max_shown=max_rows))
    blocks += _findings("New findings", engine.new_findings, max_rows)
    blocks += _findings("Resolved findings", engine.resolved_findings, max_rows)
    return Section(f"Breakdown of {middle_ellipsis(engine.name, MAX_NAME)}", tuple(blocks), priority=1)


def _steps(title: str, waterfall: Waterfall) -> Table:
    return Table(
        (Column(title), *_DIFFERENCES),
        tuple(
            (step.name, step.difference_ms, step.baseline_ms, step.candidate_ms)
            for step in waterfall.steps
            if step.difference_ms
        ),
        total=("Total", waterfall.difference_ms, waterfall.baseline_ms, waterfall.candidate_ms),
        noun="step",
        max_shown=_MAX_STEPS,
    )


def _row(row: ComparedRow, baseline: int, index: int) -> tuple[Cell, ...]:
    before, after = row.sides[baseline], row.sides[index]
    name = named(row.label) + (f" and {row.more_layers} more" if row.more_layers else "")
    changes = ", ".join(dict.fromkeys(filter(None, (after.status, *change_phrases(after, before)))))
    return name, changes, after.difference_ms, before.time_ms, after.time_ms


def _findings(title: str, changes: Sequence[FindingChange], max_shown: int) -> list[Block]:
    rows = tuple(
        (wording.about(each), severity_mark(each.severity), each.code) for each in changes if each.checked
    )
    if not rows:
        return []
    columns = (Column(title, max_chars=MAX_MESSAGE, has_sentences=True), Column("Severity"), Column("Rule"))
    return [Table(columns, rows, noun="finding", max_shown=max_shown)]
