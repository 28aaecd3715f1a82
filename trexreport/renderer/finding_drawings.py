"""The drawings of findings: their layers as they are, and as they are once the finding is fixed."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.finding_pattern import Pattern, finding_pattern
from trexreport.renderer.findings_page import FindingsPage
from trexreport.renderer.pattern_column import draw_pattern_down
from trexreport.renderer.pattern_drawing import draw_pattern

#: Findings with a drawing, the top findings first: each adds some 5 kB to a page.
_MAX_DRAWN = 15
_BEFORE, _AFTER = "As it is", "As recommended"
_WIDTH = regex(r'viewBox="0 0 ([\d.]+) ')


@dataclass(frozen=True)
class FindingDrawing:
    """The two drawings of a finding.

    Attributes:
        before: The layers as they are, as SVG.
        after: As they are once it is fixed.
        patterns: What the two draw.
    """

    before: str
    after: str
    patterns: tuple[Pattern, Pattern]

    def narrow(self) -> tuple[str, str]:
        """Return both from top to bottom as SVG, for a window with no room for them as they are."""
        before, after = self.patterns
        return draw_pattern_down(before, _BEFORE), draw_pattern_down(after, _AFTER, with_links=False)

    @property
    def widths(self) -> tuple[float, float]:
        """Return how wide they are, in pixels."""
        before, after = (_WIDTH.search(each) for each in (self.before, self.after))
        return (float(before[1]) if before else 0.0, float(after[1]) if after else 0.0)


def draw_findings(findings: FindingsPage, analysis: Analysis) -> dict[str, FindingDrawing]:
    """Return the drawings by the id of the finding, of those that concern layers in a pattern."""
    drawn: dict[str, FindingDrawing] = {}
    for view in {view.id: view for view in (*findings.first, *findings.views)}.values():
        if len(drawn) == _MAX_DRAWN:
            break
        found = finding_pattern(analysis, view.finding)
        if found:
            drawn[view.id] = FindingDrawing(
                draw_pattern(found[0], _BEFORE),
                draw_pattern(found[1], _AFTER, with_links=False),
                found,
            )
    return drawn
