"""Render an analysis as a PDF: a summary on its cover, every section, the graph, all layers, the inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis import slowest_first
from trexreport.garbage import collection_paused
from trexreport.model import Source
from trexreport.numbers import counted, format_count
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.finding_drawings import FindingDrawing, draw_findings
from trexreport.renderer.findings_page import FindingsPage
from trexreport.renderer.icicle_drawing import draw_icicle
from trexreport.renderer.layer_column import shown_rows
from trexreport.renderer.page import environment, joined_styles
from trexreport.renderer.pdf.attachments import attached_inputs
from trexreport.renderer.pdf.graph_pages import graph_pages
from trexreport.renderer.pdf.lines import layer_pages
from trexreport.renderer.pdf.writer import Drawings, check_pdf_tools, write_pdf
from trexreport.renderer.sections import WIDE_CHARTS, MaxRows, section_values
from trexreport.renderer.timeline.drawing import draw_timeline
from trexreport.renderer.timeline.kernel_drawing import draw_kernel_timeline

#: Widths of charts in pixels, over the whole page and of two side by side; the page is 680 wide.
WIDE, HALF = 800, 392
#: How wide the page shows these.
SHOWN_WIDE, SHOWN_HALF = 680.0, 332.6
#: Layers in the table of the slowest, and rows of others: a row of a table takes longer than ten lines do.
_MAX_ROWS = 40
_TABLE_ROWS = MaxRows(work=40, reformats=30, bindings=60, tactics=20, kernels=40)

#: The most severe first.
_SEVERITIES = ("error", "degraded", "repaired", "info")


@collection_paused()
def render_pdf(analysis: Analysis, sources: Sequence[Source], shown: frozenset[str] = frozenset()) -> bytes:
    """Return the report as PDF/A-3b that carries its inputs; the same inputs give the same bytes.

    Args:
        analysis: The analysis.
        sources: The inputs.
        shown: What the graph does not leave out: "constants", "noops", "shape".

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    check_pdf_tools()
    drawings = Drawings()
    page = report_page(analysis, drawings, shown, carries_inputs=bool(sources))
    return write_pdf(page, drawings, attached_inputs(analysis, sources))


def report_page(
    analysis: Analysis, drawings: Drawings, shown: frozenset[str], *, carries_inputs: bool
) -> str:
    """Return the report as HTML for paper."""
    values = section_values(analysis)
    sentences = {
        "build": build_sentence(analysis),
        "notes": notes_sentence(analysis),
        "provenance": files_sentence(len(analysis.sources), are_attached=carries_inputs),
    }
    pages = layer_pages(analysis, values["findings"].of_layer)
    templates = environment()
    templates.filters.update(
        layer_link=lambda index: f"#lines-{pages.page_of(index)}", filter_link=lambda _: "#all-lines"
    )
    slowest = slowest_first(layer for layer in analysis.layers if layer.avg_ms)
    return templates.get_template("pdf/report.html.j2").render(
        **{**values, "max_rows": _TABLE_ROWS},
        style=joined_styles(("pdf.css",)),
        chart_svgs={key: _chart(key, chart, drawings) for key, chart in values["charts"].items()},
        icicle_svgs={
            key: drawings.add(
                draw_icicle(each, analysis.layers, WIDE), f"{each.title}. {each.summary}", SHOWN_WIDE
            )
            for key, each in values["icicles"].items()
        },
        timeline_svg=drawings.add(
            draw_timeline(analysis, values["schedule"], WIDE),
            " ".join(("Timeline.", *values["timeline_notes"])),
            SHOWN_WIDE,
        )
        if values["schedule"]
        else "",
        kernel_timeline_svg=drawings.add(
            kernel_timeline, f"Timeline of kernels. {values['kernel_timeline_note']}", SHOWN_WIDE
        )
        if (kernel_timeline := draw_kernel_timeline(analysis, WIDE))
        else "",
        on_paper=True,
        patterns=_patterns(analysis, values["findings"], drawings),
        breakdown_svg=next(
            (
                drawings.add(to_svg(chart, WIDE), f"{chart.title}. {chart.summary}", SHOWN_WIDE)
                for chart in values["breakdowns"].values()
            ),
            "",
        ),
        **graph_pages(analysis, drawings, shown),
        slowest=shown_rows(slowest[:_MAX_ROWS], analysis, values["static_columns"]),
        timed=len(slowest),
        line_pages=pages,
        section_summaries={**sentences, **values["sentences"]},
        inputs=carries_inputs,
        plotly=None,
        own_ending="pdf",
    )


def _chart(key: str, chart: Chart, drawings: Drawings) -> str:
    width, shown = (WIDE, SHOWN_WIDE) if key in WIDE_CHARTS else (HALF, SHOWN_HALF)
    return drawings.add(to_svg(chart, width), f"{chart.title}. {chart.summary}", shown)


def _patterns(analysis: Analysis, findings: FindingsPage, drawings: Drawings) -> dict[str, FindingDrawing]:
    """Return the drawings of findings for paper, no wider than the page."""
    found = {}
    for id_, each in draw_findings(findings, analysis).items():
        before, after = (min(SHOWN_WIDE, width) for width in each.widths)
        found[id_] = FindingDrawing(
            drawings.add(each.before, "The layers as they are.", before),
            drawings.add(each.after, "The layers as recommended.", after),
            each.patterns,
        )
    return found


def build_sentence(analysis: Analysis) -> str:
    """Return the number of I/O tensors, and which settings are known."""
    modes = Counter(binding.mode for binding in analysis.bindings)
    parts = [counted(modes[mode], mode) for mode in ("input", "output") if modes[mode]]
    bindings = " and ".join(parts) or "I/O tensors unknown"
    settings = ", ".join(title.lower() for title in analysis.settings)
    unknown = "only the command line known" if analysis.commands else "device and build options unknown"
    return f"{bindings}; {settings or unknown}."


def notes_sentence(analysis: Analysis) -> str:
    """Return the number of input warnings by severity."""
    counts = Counter(note.severity for note in analysis.notes)
    order = sorted(counts, key=lambda each: (_SEVERITIES.index(each) if each in _SEVERITIES else -1, each))
    text = ", ".join(f"{format_count(counts[severity])} {severity}" for severity in order)
    return f"{text}." if text else "Every file was read without repair."


def files_sentence(count: int, *, are_attached: bool) -> str:
    """Return how many files there are, and whether the document carries them."""
    files = counted(count, "file")
    return f"{files}, attached to this PDF." if are_attached and count else f"{files}."
