"""Render compared sets of phases as one page: an overview, and the comparison of each phase as a tab."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.renderer.comparison.html import STYLES, comparison_script, render_comparison_html
from trexreport.renderer.comparison.summary import comparison_result
from trexreport.renderer.comparison.verdicts import verdict_views
from trexreport.renderer.packing import pack_for_script
from trexreport.renderer.page import packed_json, page_bytes, page_template, style_and_script
from trexreport.renderer.phases.html import page_body
from trexreport.renderer.phases.totals import total_change
from trexreport.renderer.scripts import page_script
from trexreport.wording.phases import comparison_sentence, comparison_title


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
        **style_and_script([*STYLES, "phases.css"], "phases", also=list(scripts.values())),
        plotly=None,
        scripts={kind: pack_for_script(script.encode()) for kind, script in scripts.items()},
        data=packed_json(
            [{"name": phase.name, "script": kind} for phase, kind in zip(facts.phases, kinds, strict=True)]
        ),
        bodies=bodies,
        inputs_manifest="",
        inputs=[],
    )
