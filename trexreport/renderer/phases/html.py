"""Render phases as one page: an overview, and the report of each phase as a tab.

Style, plotly.js and each kind of script are in the page once. The report of a phase is packed as the body of
a page of its own, which the script puts in place of the overview when `?phase=NAME` is in the address: so
each report has all parts, links and state that it has alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.model import Source
from trexreport.reader.input_packing import pack_input
from trexreport.renderer.comparison import html as comparison_html
from trexreport.renderer.comparison.html import comparison_script, render_comparison_html
from trexreport.renderer.comparison.summary import comparison_result
from trexreport.renderer.comparison.verdicts import verdict_views
from trexreport.renderer.html import STYLES, render_html, report_script
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.packing import pack_for_script
from trexreport.renderer.page import json_text, packed_json, page_bytes, page_template, style_and_script
from trexreport.renderer.phases.manifest import phases_manifest
from trexreport.renderer.phases.overview import phase_overview
from trexreport.renderer.phases.summary import total_change
from trexreport.renderer.plotly_bundle import plotly_bundle
from trexreport.renderer.scripts import page_script
from trexreport.wording.phases import comparison_sentence, comparison_title, measure_title, phases_sentence

_BODY, _BODY_END = b"<body>", b"</body>"


def render_phases_html(
    report: PhasesReport, sources: Sequence[Sequence[Source]], options: HtmlOptions | None = None
) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Args:
        report: With analyses that have blocks.
        sources: The input files of each phase.
        options: Of the reports.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
    """
    options = options or HtmlOptions()
    facts, analyses = report.together, report.analyses
    bundle = plotly_bundle() if options.interactive_charts else None
    kinds = list(dict.fromkeys(report_script(each) for each in analyses))
    scripts = {kind: page_script(kind) for kind in kinds}
    embedded = [tuple(each) if options.embed_inputs else () for each in sources]
    return page_bytes(
        page_template("phases.html.j2"),
        version=__version__,
        home=options.home,
        title=report.title,
        facts=facts,
        sentence=phases_sentence(facts),
        measure=measure_title(facts.measure) if facts.measure else "",
        phases=[phase_overview(analysis) for analysis in analyses],
        **style_and_script(
            [*STYLES, "phases.css"],
            "phases",
            also=[*scripts.values(), *([bundle.script] if bundle else [])],
            styles_also=[""] if bundle else [],
        ),
        plotly=bundle,
        scripts={kind: pack_for_script(script.encode()) for kind, script in scripts.items()},
        data=packed_json(
            [
                {"name": phase.name, "script": report_script(analysis)}
                for phase, analysis in zip(facts.phases, analyses, strict=True)
            ]
        ),
        bodies=[_body(analysis, options) for analysis in analyses],
        inputs_manifest=json_text(phases_manifest(report, embedded)),
        inputs=[pack_input(source.data) for files in embedded for source in files],
    )


def _body(analysis: Analysis, options: HtmlOptions) -> str:
    """Return the packed body of a phase's report, without what the page has once."""
    return page_body(render_html(analysis, (), replace(options, embed_inputs=False, is_part=True)))


def page_body(page: bytes) -> str:
    """Return the packed body of a page that is a part of another one."""
    return pack_for_script(page[page.index(_BODY) + len(_BODY) : page.rindex(_BODY_END)])


def render_phase_comparison_html(
    comparison: PhasesComparison, analyses: Sequence[Sequence[Analysis]], shown: int, *, home: str = ""
) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Args:
        comparison: Of the sets.
        analyses: For each compared phase, one for each set; that of the shown set with blocks.
        shown: Index of the set of which the graphs are shown.
        home: Address of the site's index; empty outside of a site.
    """
    facts = comparison.together[comparison.baseline]
    kinds = [comparison_script(each[shown], each[comparison.baseline]) for each in analyses]
    scripts = {kind: page_script(kind) for kind in dict.fromkeys(kinds)}
    bodies = [
        page_body(render_comparison_html(of_phase, each, shown, is_part=True, home=home))
        for of_phase, each in zip(comparison.comparisons, analyses, strict=True)
    ]
    return page_bytes(
        page_template("phase_comparison.html.j2"),
        version=__version__,
        home=home,
        title=comparison_title(comparison),
        comparison=comparison,
        facts=facts,
        sentence=comparison_sentence(comparison),
        results=[comparison_result(each) for each in comparison.comparisons],
        verdicts=[verdict_views(each) for each in comparison.comparisons],
        total_change=total_change(comparison),
        **style_and_script([*comparison_html.STYLES, "phases.css"], "phases", also=list(scripts.values())),
        plotly=None,
        scripts={kind: pack_for_script(script.encode()) for kind, script in scripts.items()},
        data=packed_json(
            [{"name": phase.name, "script": kind} for phase, kind in zip(facts.phases, kinds, strict=True)]
        ),
        bodies=bodies,
        inputs_manifest="",
        inputs=[],
    )
