"""Each document in variants, of which each leaves out more than the one before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.engine import Note
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.lazy_dataclass import dataclass
from trexreport.model import ExternalLatency, Source
from trexreport.renderer.html_options import HtmlOptions

#: What a report can do without, in the order in which it is left out. Documented in docs/reading-a-report.md.
CHARTS, ATTRIBUTES, INPUTS = "interactive charts", "all attributes of the layers", "the input files"


@dataclass(frozen=True)
class Variant:
    """One way to render a document.

    Attributes:
        left_out: What the variant before it still has, in words; empty for the first.
        render: Returns the document, given a sentence that says what was left out.
    """

    left_out: str
    render: Callable[[str], bytes]


def report_variants(
    kind: str,
    analysis: Analysis,
    sources: Sequence[Source],
    options: HtmlOptions,
    max_summary_bytes: int | None = None,
) -> tuple[Variant, ...]:
    """Return the variants of one engine's report; what a kind does not need is not imported.

    Args:
        kind: "html", "pdf", "md" or "json".
        analysis: Of the engine.
        sources: The input files.
        options: Of the page; the PDF takes what its graph shows.
        max_summary_bytes: Of the Markdown summary; the usual limit by default.
    """

    def noted(left_out: str) -> Analysis:
        return _with_note(analysis, left_out)

    if kind == "html":
        return _pages(sources, options, noted)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_pdf

        whole = Variant("", lambda left_out: render_pdf(noted(left_out), sources, options.shown))
        bare = Variant(INPUTS, lambda left_out: render_pdf(noted(left_out), (), options.shown))
        return (whole, bare) if sources else (whole,)
    if kind == "md":
        from trexreport.renderer.engine_summary import engine_summary
        from trexreport.renderer.short_document.markdown import MAX_BYTES, render_markdown

        size = min(max_summary_bytes or MAX_BYTES, MAX_BYTES)
        return (Variant("", lambda _: render_markdown(engine_summary(analysis), size)),)
    from trexreport.renderer.json_document import render_json

    return (Variant("", lambda _: render_json(analysis)),)


def _pages(
    sources: Sequence[Source], options: HtmlOptions, noted: Callable[[str], Analysis]
) -> tuple[Variant, ...]:
    from trexreport.renderer.html import render_html

    def page(way: HtmlOptions) -> Callable[[str], bytes]:
        return lambda left_out: render_html(noted(left_out), sources, way)

    return tuple(Variant(left_out, page(way)) for left_out, way in _ways(bool(sources), options))


def _ways(has_sources: bool, options: HtmlOptions) -> list[tuple[str, HtmlOptions]]:
    """Return the options of each variant of a page, with what it leaves out."""
    ways = [("", options)]
    if options.interactive_charts:
        ways.append((CHARTS, replace(options, interactive_charts=False)))
    ways.append((ATTRIBUTES, replace(ways[-1][1], raw_attributes=False)))
    if has_sources and options.embed_inputs:
        ways.append((INPUTS, replace(ways[-1][1], embed_inputs=False)))
    return ways


def _with_note(analysis: Analysis, left_out: str) -> Analysis:
    """Return an analysis whose notes say what a document of it leaves out."""
    note = Note("info", "left-out", left_out, "", [], "")
    return replace(analysis, notes=[*analysis.notes, note]) if left_out else analysis


def phases_variants(
    kind: str,
    report: PhasesReport,
    sources: Sequence[Sequence[Source]],
    options: HtmlOptions,
    max_summary_bytes: int | None = None,
) -> tuple[Variant, ...]:
    """Return the variants of a report of several phases.

    Args:
        kind: "html", "pdf", "md" or "json".
        report: What is reported.
        sources: The input files of each.
        options: Of the page.
        max_summary_bytes: Of the Markdown summary; the usual limit by default.
    """

    def noted(left_out: str) -> PhasesReport:
        return replace(report, analyses=[_with_note(each, left_out) for each in report.analyses])

    if kind == "html":
        from trexreport.renderer.phases.html import render_phases_html

        def page(way: HtmlOptions) -> Callable[[str], bytes]:
            return lambda left_out: render_phases_html(noted(left_out), sources, way)

        return tuple(Variant(left_out, page(way)) for left_out, way in _ways(any(sources), options))
    if kind == "pdf":
        from trexreport.renderer.pdf import render_phases_pdf

        none: list[tuple[Source, ...]] = [()] * len(sources)
        return (
            Variant("", lambda _: render_phases_pdf(report, sources, options.shown)),
            Variant(INPUTS, lambda left_out: render_phases_pdf(noted(left_out), none, options.shown)),
        )
    if kind == "md":
        from trexreport.renderer.phases.summary import phases_summary
        from trexreport.renderer.short_document.markdown import MAX_BYTES, render_markdown

        size = min(max_summary_bytes or MAX_BYTES, MAX_BYTES)
        return (Variant("", lambda _: render_markdown(phases_summary(report), size)),)
    from trexreport.renderer.json_document import render_json

    return (Variant("", lambda _: render_json(report)),)


def comparison_variants(
    kind: str,
    comparison: Comparison,
    analyses: Sequence[Analysis],
    sources: Sequence[Sequence[Source]],
    shown: int | None,
    *,
    others: Sequence[ExternalLatency] = (),
    home: str = "",
) -> tuple[Variant, ...]:
    """Return the variants of a comparison; what a kind does not need is not imported.

    Args:
        kind: "html", "pdf", "md", "xlsx" or "json".
        comparison: Of the engines.
        analyses: One for each engine.
        sources: The input files of each engine.
        shown: Index of the engine of which the graph is shown.
        others: What is not an engine, with its files.
        home: Address of the site's index; empty outside of a site.
    """
    if kind == "html":
        from trexreport.renderer.comparison.html import render_comparison_html

        return (Variant("", lambda _: render_comparison_html(comparison, analyses, shown, home=home)),)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_comparison_pdf

        none: list[tuple[Source, ...]] = [()] * len(sources)
        return (
            Variant("", lambda _: render_comparison_pdf(comparison, analyses, sources, shown, others)),
            Variant(INPUTS, lambda _: render_comparison_pdf(comparison, analyses, none, shown)),
        )
    if kind == "md":
        from trexreport.renderer.comparison.summary import comparison_summary
        from trexreport.renderer.short_document.markdown import render_markdown

        return (Variant("", lambda _: render_markdown(comparison_summary(comparison))),)
    if kind == "xlsx":
        from trexreport.renderer.workbook import comparison_workbook

        return (Variant("", lambda _: comparison_workbook(comparison)),)
    from trexreport.renderer.json_document import render_json

    return (Variant("", lambda _: render_json(comparison)),)


def phase_comparison_variants(
    kind: str,
    comparison: PhasesComparison,
    analyses: Sequence[Sequence[Analysis]],
    sources: Sequence[Sequence[Sequence[Source]]],
    shown: int,
    *,
    home: str = "",
) -> tuple[Variant, ...]:
    """Return the variants of a comparison of sets; what a kind does not need is not imported.

    Args:
        kind: "html", "pdf", "md" or "json".
        comparison: Of the sets.
        analyses: For each compared phase, one for each set.
        sources: For each compared phase, the files of each set; a PDF carries them.
        shown: Index of the set of which the graphs are shown.
        home: Address of the site's index; empty outside of a site.
    """
    if kind == "html":
        from trexreport.renderer.phases.html import render_phase_comparison_html

        return (Variant("", lambda _: render_phase_comparison_html(comparison, analyses, shown, home=home)),)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_phase_comparison_pdf

        none: list[list[Sequence[Source]]] = [[() for _ in each] for each in sources]
        return (
            Variant("", lambda _: render_phase_comparison_pdf(comparison, analyses, sources, shown)),
            Variant(INPUTS, lambda _: render_phase_comparison_pdf(comparison, analyses, none, shown)),
        )
    if kind == "md":
        from trexreport.renderer.phases.comparison_summary import phase_comparison_summary
        from trexreport.renderer.short_document.markdown import render_markdown

        return (Variant("", lambda _: render_markdown(phase_comparison_summary(comparison))),)
    from trexreport.renderer.json_document import render_json

    return (Variant("", lambda _: render_json(comparison)),)
