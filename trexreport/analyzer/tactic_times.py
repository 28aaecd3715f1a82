"""Whether the times of chosen tactics show which layers take how much of the engine.

The builder times one layer after the other. Where the clock is not locked, the first ones may be timed at a
fraction of the clock of the later ones: then layers of equal work differ by a multiple. Where tactics take
milliseconds, timing dozens of them takes longer than the clock needs to rise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.layers import LayerFacts
from trexreport.analyzer.analysis.tactics import LayerTactics
from trexreport.analyzer.grouping import group_by

#: At least this part of the layers has a known time.
_MIN_KNOWN = 0.75
#: In milliseconds: a shorter engine may be timed before the clock has risen.
_MIN_SUM_MS = 1.0
#: The most by which times of layers of equal work and precision differ.
_MAX_RATIO = 3.0


def comparable_sum(timed: Sequence[LayerTactics], layers: Sequence[LayerFacts]) -> float | None:
    """Return the sum of the times of chosen tactics; None where they are few or do not agree."""
    times = {each.layer: each.chosen_ms for each in timed if each.layer is not None and each.chosen_ms}
    compute = [layer for layer in layers if not layer.structural]
    known = [layer for layer in compute if layer.index in times]
    if not known or len(known) < _MIN_KNOWN * len(compute):
        return None
    alike = group_by(
        (each for each in known if each.work), lambda each: (each.work and each.work.macs, each.precision)
    )
    for group in alike.values():
        found = [times[layer.index] for layer in group]
        if max(found) > _MAX_RATIO * min(found):
            return None
    total = math.fsum(times[layer.index] for layer in known)
    return total if total >= _MIN_SUM_MS else None
