"""The drawings of findings: their layers as they are, and as they are once the finding is fixed."""

from __future__ import annotations

from functools import lru_cache

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
        return _narrow(*self.patterns)

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
            drawn[view.id] = _drawn(*map(_fixed, found))
    return drawn


def _fixed(pattern: Pattern) -> Pattern:
    """Return a pattern that can be remembered."""
    return Pattern(tuple(pattern.boxes), tuple(pattern.arrows))


@lru_cache(maxsize=256)
def _drawn(before: Pattern, after: Pattern) -> FindingDrawing:
    """Draw what several pages of one process have: a site has many captures of one model."""
    return FindingDrawing(
        draw_pattern(before, _BEFORE), draw_pattern(after, _AFTER, with_links=False), (before, after)
    )


@lru_cache(maxsize=256)
def _narrow(before: Pattern, after: Pattern) -> tuple[str, str]:
    return draw_pattern_down(before, _BEFORE), draw_pattern_down(after, _AFTER, with_links=False)
