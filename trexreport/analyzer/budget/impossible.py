"""Leave figures undecided that values which nothing can have may have changed."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.budget import LimitBound, MetricReason
from trexreport.analyzer.budget.limits import MetricValue
from trexreport.model import IMPOSSIBLE, PROFILE_SUMS


def uncertain(known: MetricValue, analysis: Analysis, section: str, bound: LimitBound = "max") -> MetricValue:
    """Return what is known of a figure: a part of it at most if its section has impossible values or sums.

    Args:
        known: The figure as computed, without these values.
        analysis: The engine.
        section: The section of the report that the figure is from, as `InputWarning.affects` names it.
        bound: What has to be at least something is known in whole or not at all.
    """
    if any(note.slug == PROFILE_SUMS and section in note.affects for note in analysis.notes):
        # A sum over several runs is not part of the time of one.
        return known._replace(value=None, missing=[MetricReason("times-are-sums"), *known.missing])
    notes = [note for note in analysis.notes if note.slug == IMPOSSIBLE and section in note.affects]
    layers = [layer for layer in analysis.layers if layer.excess == "impossible"]
    if not notes and not (layers and section == "latency"):
        return known
    names = list(dict.fromkeys([*(note.source for note in notes if note.source), *_names(layers)]))
    reason = MetricReason("impossible-values", len(names), names=names)
    return known._replace(value=None if bound == "min" else known.value, missing=[reason, *known.missing])


def _names(layers: list[LayerFacts], most: int = 3) -> list[str]:
    return [layer.name for layer in layers[:most]]
