"""What axe-core finds on a page that would keep a reader out, and how faint texts are."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

_TOO_FAINT = Path(__file__).with_name("page_colors.js").read_text("utf-8")
#: axe 4.14 joins the texts of a drawing without spaces, and counts its title, which is not seen.
IN_DRAWINGS = ["label-content-name-mismatch"]


def axe_source():
    """Return the source of axe-core: the file that AXE_CORE names, else as its package carries it."""
    if os.environ.get("AXE_CORE"):
        return Path(os.environ["AXE_CORE"]).read_text("utf-8")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def too_faint(page, within="body"):
    """Return how many texts a part of a page shows, and which of them are too faint."""
    return page.evaluate(_TOO_FAINT, within)


def look(page, within="body", without=(), *, contrast=False):
    """Return what the axe-core that was put into a page finds within a part of it.

    Args:
        page: The page.
        within: The part.
        without: Rules that are left out.
        contrast: Whether axe-core measures the contrast, which takes two thirds of its time; else our own
            measure does in a tenth of that.
    """
    left_out = [*without, *([] if contrast else ["color-contrast"])]
    found = page.evaluate(
        "([within, rules]) => axe.run(within, {resultTypes: ['violations'], rules})",
        [within if within != "body" else "html", {rule: {"enabled": False} for rule in left_out}],
    )
    assert found["passes"] or found["incomplete"]
    problems = [
        f"{each['id']}: {json.dumps([node['html'][:200] for node in each['nodes'][:3]])}"
        for each in found["violations"]
    ]
    if not contrast:
        count, faint = too_faint(page, within)
        assert count
        problems += faint
    return problems
