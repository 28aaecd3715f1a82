"""Render phases as one PDF: what they take on its cover, then the report of each, then the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.garbage import collection_paused
from trexreport.model import Source
from trexreport.regex import regex
from trexreport.renderer.comparison.summary import comparison_result
from trexreport.renderer.page import environment, joined_styles
from trexreport.renderer.pdf.attachments import attached_inputs_of_phases, attached_inputs_of_sets
from trexreport.renderer.pdf.comparison import comparison_page
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings, check_pdf_tools, write_pdf
from trexreport.renderer.phases.overview import phase_overview
from trexreport.renderer.phases.summary import total_change
from trexreport.wording.phases import comparison_sentence, comparison_title, measure_title, phases_sentence

#: What names an element, or refers to one: texts of files have no quotes of their own in the page.
_NAMING = regex(r'(\s(?:id|aria-labelledby|aria-describedby|aria-controls|for|headers)=")([^"]+)"')
_LINK = regex(r'(\shref="#)([^"]+)"')
#: Sections that the style sheet names.
_STYLED = ("findings", "overview")


@collection_paused()
def render_phases_pdf(
    report: PhasesReport, sources: Sequence[Sequence[Source]], shown: frozenset[str] = frozenset()
) -> bytes:
    """Return the report as PDF/A-3b that carries all inputs; the same inputs give the same bytes.

    Args:
        report: With analyses that have blocks.
        sources: The input files of each phase.
        shown: What the graphs do not leave out: "constants", "noops", "shape".

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    check_pdf_tools()
    drawings = Drawings()
    carries = any(sources)
    bodies = [
        _prefixed(_body(report_page(analysis, drawings, shown, carries_inputs=carries)), f"p{at}-")
        for at, analysis in enumerate(report.analyses)
    ]
    facts = report.together
    page = (
        environment()
        .get_template("pdf/phases.html.j2")
        .render(
            version=__version__,
            title=report.title,
            facts=facts,
            sentence=phases_sentence(facts),
            measure=measure_title(facts.measure) if facts.measure else "",
            phases=[phase_overview(analysis) for analysis in report.analyses],
            style=_style(len(bodies)),
            bodies=bodies,
        )
    )
    return write_pdf(page, drawings, attached_inputs_of_phases(report, sources) if carries else ())


@collection_paused()
def render_phase_comparison_pdf(
    comparison: PhasesComparison,
    analyses: Sequence[Sequence[Analysis]],
    sources: Sequence[Sequence[Sequence[Source]]],
    shown: int,
) -> bytes:
    """Return the comparison of sets as PDF/A-3b that carries all inputs; the same inputs give the same bytes.

    Args:
        comparison: Of the sets.
        analyses: For each compared phase, one for each set; that of the shown set with blocks.
        sources: For each compared phase, the files of each set.
        shown: Index of the set of which the graphs are shown.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    check_pdf_tools()
    drawings = Drawings()
    bodies = [
        _prefixed(
            _body(comparison_page(of_phase, each, drawings, shown, files=len([*chain(*files)]))), f"p{at}-"
        )
        for at, (of_phase, each, files) in enumerate(
            zip(comparison.comparisons, analyses, sources, strict=True)
        )
    ]
    page = (
        environment()
        .get_template("pdf/phase_comparison.html.j2")
        .render(
            version=__version__,
            title=comparison_title(comparison),
            comparison=comparison,
            facts=comparison.together[comparison.baseline],
            sentence=comparison_sentence(comparison),
            results=[comparison_result(each) for each in comparison.comparisons],
            total_change=total_change(comparison),
            style=_style(len(bodies), ("pdf.css", "pdf_comparison.css")),
            bodies=bodies,
        )
    )
    return write_pdf(page, drawings, attached_inputs_of_sets(comparison, sources))


def _body(page: str) -> str:
    return page[page.index("<body>") + len("<body>") : page.rindex("</body>")]


def _prefixed(body: str, prefix: str) -> str:
    """Return a body whose names are distinct from those of the other phases."""
    named = _NAMING.sub(
        lambda match: match[1] + " ".join(prefix + name for name in match[2].split()) + '"', body
    )
    return _LINK.sub(lambda match: f'{match[1]}{prefix}{match[2]}"', named)


def _style(count: int, sheets: tuple[str, ...] = ("pdf.css",)) -> str:
    """Return style sheets for sections of that many phases."""
    style = joined_styles(sheets)
    for name in _STYLED:
        names = ",".join(f"#p{at}-{name}" for at in range(count))
        style = style.replace(f"#{name}", f":is({names})")
    return style
