"""Suggested limits as a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from trexreport import __version__
from trexreport.analyzer.analysis.budget import SuggestedLimit
from trexreport.renderer.budget.wording import short
from trexreport.visible import one_line


def render_suggestion(suggestions: Sequence[SuggestedLimit], engine: str) -> str:
    """Return limits as TOML; what is not known is a comment that says why.

    Args:
        suggestions: Those of one table next to each other.
        engine: Name of the engine that they are from.
    """
    # Other words than those by which our own results are known: this is to be edited, and not written over.
    lines = [f"# Suggested by trexreport {__version__} from what {short(engine)} has today."]
    for table, limits in groupby(suggestions, key=lambda each: each.table):
        lines += ["", f"[{table}]"]
        lines += [
            f"# {each.key}: {one_line(each.missing)}"
            if each.value is None
            else f"{each.key} = {each.value!r}"
            for each in limits
        ]
    return "\n".join(lines) + "\n"
