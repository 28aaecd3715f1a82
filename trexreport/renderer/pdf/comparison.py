"""Render a comparison as a PDF: the verdicts on its cover, every section, the graph, all rows, the inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.compared_rows import ComparedRow, Share
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.garbage import collection_paused
from trexreport.model import ExternalLatency, Source
from trexreport.numbers import counted, format_count
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.comparison import sections
from trexreport.renderer.comparison.differences import DifferenceView, difference_view
from trexreport.renderer.comparison.figures import FIGURES, figure_rows
from trexreport.renderer.comparison.intervals import draw_intervals
from trexreport.renderer.comparison.speedups import SpeedupView, speedup_views
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.renderer.page import joined_styles
from trexreport.renderer.pdf.attachments import attached_inputs_of_all
from trexreport.renderer.pdf.graph_pages import graph_pages
from trexreport.renderer.pdf.lines import row_pages
from trexreport.renderer.pdf.report import HALF, SHOWN_WIDE, WIDE, files_sentence
from trexreport.renderer.pdf.writer import Drawings, check_pdf_tools, write_pdf
from trexreport.wording import comparison as wording
from trexreport.wording.speedup import speedup_sentences

#: Tables have a column for up to this many engines; others are in those with a row for each.
MAX_COLUMNS = 5
#: Up to this many candidates have every waterfall; of more, the focus has all, and the others that by cause.
_MAX_IN_FULL = 3
_MAX_ROWS = 40
#: How wide the page shows a chart of those in pairs, in pixels.
_SHOWN_CHART = 325.0
#: What the contents say of the engines as a whole.
_CONTENTS_FIGURES = ("Layers", "Reformats", "Weights")


@collection_paused()
def render_comparison_pdf(
    comparison: Comparison,
    analyses: Sequence[Analysis],
    sources: Sequence[Sequence[Source]],
    focus: int | None = None,
    others: Sequence[ExternalLatency] = (),
) -> bytes:
    """Return the comparison as PDF/A-3b that carries the inputs of all engines; always the same bytes.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order; that of the focus with blocks.
        sources: The inputs of each engine.
        focus: Index of the candidate whose graph is shown; the first one if not given.
        others: What is not an engine; the files of their times are carried too.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    check_pdf_tools()
    drawings = Drawings()
    attached = attached_inputs_of_all(comparison, sources, others)
    # The list of the files is one of them.
    page = comparison_page(comparison, analyses, drawings, focus, files=len(attached) - 1)
    return write_pdf(page, drawings, attached)


def comparison_page(
    comparison: Comparison,
    analyses: Sequence[Analysis],
    drawings: Drawings,
    focus: int | None = None,
    *,
    files: int = 0,
) -> str:
    """Return the comparison as HTML for paper, given the number of attached files."""
    focus = sections.default_focus(comparison) if focus is None else focus
    whole = sections.whole_values(comparison, analyses)
    chosen = _columns(comparison, focus)
    few, few_focus = _narrowed(comparison, chosen), chosen.index(focus)
    columns = sections.column_values(few, few_focus)
    pages, place_of = row_pages(few, few_focus)
    templates = sections.comparison_environment()
    templates.filters["row_link"] = lambda index: f"#lines-{pages.page_of(place_of[index])}"
    ratios, effect = sections.intervals(comparison), comparison.settings.minimum_effect_percent
    shown = analyses[focus]
    colors = sections.change_colors(comparison, focus) if focus != comparison.baseline else None
    weights = _weights(comparison, focus)
    graph = graph_pages(shown, drawings, given=colors, weights=weights)
    sentences = _sentences(few, few_focus, columns)
    is_drawn = bool(graph["sheets"].sheets) and not shown.identity.names_only
    sentences["graph"] = (
        _graph_sentence(comparison, focus, with_blocks=bool(graph["overview"])) if is_drawn else ""
    )
    count = max(sum(len(each.sources) for each in analyses), files)
    sentences["provenance"] = files_sentence(count, are_attached=files > 0)
    return templates.get_template("pdf/comparison.html.j2").render(
        **{**whole, **columns, "comparison": few, "whole": comparison},
        # Of rows that do not differ there may be pages.
        differing_rows=[row for row in columns["static_rows"] if row.is_different][:_MAX_ROWS],
        style=joined_styles(("pdf.css", "pdf_comparison.css")),
        intervals=[
            drawings.add(
                draw_intervals(ratios, effect, WIDE), "Ratio of the times to the baseline’s", SHOWN_WIDE
            ),
            "",
        ],
        differences=_differences(comparison, focus, drawings),
        speedups=_speedups(few, few_focus, drawings),
        chart_svgs={
            key: drawings.add(to_svg(chart, HALF), f"{chart.title}. {chart.summary}", _SHOWN_CHART)
            for key, chart in whole["charts"].items()
        },
        **graph,
        identity=shown.identity,
        latency=shown.latency,
        graph_series=[],
        sentences=sentences,
        row_pages=pages,
        inputs=files > 0,
        by_change=weights is not None,
    )


def _columns(comparison: Comparison, focus: int) -> list[int]:
    """Return the engines that have columns: the baseline, the focus, and the first of the others."""
    count = len(comparison.engines)
    first = dict.fromkeys((comparison.baseline, focus, *range(count)))
    return sorted(list(first)[:MAX_COLUMNS])


def _narrowed(comparison: Comparison, chosen: Sequence[int]) -> Comparison:
    """Return the comparison of some of its engines; what only others have is left out."""
    if len(chosen) == len(comparison.engines):
        return comparison

    def some(items: Sequence[Any]) -> list[Any]:
        return [items[index] for index in chosen]

    def shares(found: Sequence[Share]) -> list[Share]:
        return [
            replace(each, layers=some(each.layers), times_ms=some(each.times_ms))
            for each in found
            if any(some(each.layers))
        ]

    kept: list[ComparedRow] = []
    place_of: dict[int, int] = {}
    for index, row in enumerate(comparison.rows):
        if any(row.sides[engine].members for engine in chosen):
            place_of[index] = len(kept)
            kept.append(replace(row, sides=some(row.sides)))
    return replace(
        comparison,
        baseline=chosen.index(comparison.baseline),
        engines=some(comparison.engines),
        conditions=[replace(each, values=some(each.values)) for each in comparison.conditions],
        rows=kept,
        row_of=[[place_of[row] for row in rows] for rows in some(comparison.row_of)],
        by_operator=shares(comparison.by_operator),
        by_module=shares(comparison.by_module),
        by_source=shares(comparison.by_source),
        speedup_steps=[
            each
            for each in comparison.speedup_steps
            if {each.engine, each.reference} <= {comparison.engines[index].name for index in chosen}
        ],
        external_latencies=[
            replace(
                each,
                verdicts=some(each.verdicts),
                verdict_metrics=some(each.verdict_metrics),
                speedups=some(each.speedups),
            )
            for each in comparison.external_latencies
        ],
    )


def _differences(comparison: Comparison, focus: int, drawings: Drawings) -> list[DifferenceView]:
    """Return where each candidate differs, the focus first; with many of them only it in full."""
    compared = sorted(index for index, _ in candidates(comparison))
    found = []
    for index in sorted(compared, key=lambda each: each != focus):
        view = difference_view(comparison, index, is_focus=index == focus, width=WIDE)
        in_full = index == focus or len(compared) <= _MAX_IN_FULL
        found.append(
            replace(
                view,
                waterfalls=[
                    replace(each, svg=drawings.add(each.svg, each.sentence, SHOWN_WIDE), narrow_svg="")
                    for each in view.waterfalls[: None if in_full else 1]
                ],
            )
        )
    return found


def _speedups(comparison: Comparison, focus: int, drawings: Drawings) -> list[SpeedupView]:
    return [
        replace(
            each, svg=drawings.add(each.svg, each.sentences[0], SHOWN_WIDE) if each.svg else "", narrow_svg=""
        )
        for each in speedup_views(comparison, focus, WIDE)
    ]


def _sentences(comparison: Comparison, focus: int, columns: dict[str, Any]) -> dict[str, str]:
    """Return what the sections say of the focus, for the contents."""
    engine = comparison.engines[focus]
    marks = [row.sides[focus].status for row in comparison.rows]
    rows = counted(len(marks), "row")
    operators, modules = _named(comparison.by_operator), _named(comparison.by_module)
    model = f"{counted(operators, 'group')} of operators, {format_count(modules)} of modules."
    conditions = columns["conditions_sentence"]
    if focus == comparison.baseline:
        return {"rows": f"{rows}.", "model": model, "conditions": conditions}
    counts = {mark: marks.count(mark) for mark in ("slower", "faster", "candidate only", "baseline only")}
    status_counts = ", ".join(f"{format_count(count)} {mark}" for mark, count in counts.items() if count)
    appeared, vanished = (
        sum(each.checked for each in changes) for changes in (engine.new_findings, engine.resolved_findings)
    )
    before, after = (figure_rows(comparison)[at][1] for at in (comparison.baseline, focus))
    figures = [
        f"{column.title} {old.text} → {new.text}"
        for column, old, new in zip(FIGURES, before, after, strict=True)
        if column.title in _CONTENTS_FIGURES
    ]
    return {
        "breakdown": wording.why(comparison, focus) or wording.no_waterfalls(engine),
        "speedup": speedup_sentences(engine.speedup)[0] if engine.speedup else "",
        "rows": f"{rows}: {status_counts}." if status_counts else f"{rows}.",
        "figures": f"{'; '.join(figures)}.",
        "model": model,
        "precision": (
            f"{counted(columns['precision_count'], 'row')} with different precisions, "
            f"{format_count(columns['tactic_count'])} with different tactics."
        ),
        "findings": f"{format_count(appeared)} new, {format_count(vanished)} resolved.",
        "conditions": conditions,
    }


def _graph_sentence(comparison: Comparison, focus: int, *, with_blocks: bool) -> str:
    """Return what the graph shows; an engine of few layers has no drawing of its blocks."""
    name = comparison.engines[focus].name
    blocks = f"The blocks of {name}." if with_blocks else ""
    if focus == comparison.baseline:
        return blocks
    baseline = comparison.engines[comparison.baseline].name
    whose = "its layers" if with_blocks else f"the layers of {name}"
    return f"{blocks} The appendix colors {whose} by their change from {baseline}.".lstrip()


def _weights(comparison: Comparison, focus: int) -> dict[int, float] | None:
    """Return of each layer its part of the difference of its row; None where nothing is known to differ."""
    if focus == comparison.baseline:
        return None
    rows = comparison.row_of[focus]
    counts = Counter(rows)
    parts = [abs(row.sides[focus].difference_ms or 0.0) for row in comparison.rows]
    return {layer: parts[row] / counts[row] for layer, row in enumerate(rows)} if any(parts) else None


def _named(shares: Sequence[Share]) -> int:
    """Return how many shares are of layers with names of the model."""
    return sum(bool(share.names) for share in shares)
