"""The sentence about the precisions that the layers read."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import counted
from trexreport.wording.layers import NAMES_ONLY
from trexreport.wording.shares import percent

_MAX_GROUPS = 4


def precision_sentence(analysis: Analysis) -> str:
    """Return the share of layer time and the number of layers of each precision."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    groups = [group for group in analysis.by_precision if group.count][:_MAX_GROUPS]
    if not groups:
        return "No layer states the type of its input."
    parts = []
    for group in groups:
        layers = counted(group.count, "layer")
        share = "" if group.share_percent is None else f"{percent(group.share_percent)} of layer time in "
        parts.append(f"{group.name}: {share}{layers}")
    return f"By precision of the first input, {'; '.join(parts)}."
