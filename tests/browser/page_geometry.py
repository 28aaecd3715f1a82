"""Where texts are on a page, and which are cut, overlapped or lost."""

from __future__ import annotations

from pathlib import Path

from page_helpers import wait_for_frames

_MISPLACED = Path(__file__).with_name("page_geometry.js").read_text("utf-8")

UNFOLD = "document.querySelectorAll('details').forEach((each) => (each.open = true))"


def fragment_of(kind, path, selected):
    """Return the end of the address at which a page shows most: what is selected, or both of a pair."""
    if kind != "pair":
        return selected
    first, second = sorted(each.stem for each in (path.parent / "engines").glob("*.html"))[:2]
    return f"#a={first}&b={second}"


def misplaced(page):
    """Return what is cut, over something else or beyond the page; there must be something to look at."""
    count, problems = page.evaluate(_MISPLACED)
    assert count > 20
    return problems


def misplaced_at(page, widths):
    """Return what is misplaced in windows of some widths, by those widths where something is."""
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": page.viewport_size["height"]})
        # What follows the window, such as the columns of a graph, is laid out again.
        wait_for_frames(page)
        found[width] = misplaced(page)
    return {width: problems for width, problems in found.items() if problems}
