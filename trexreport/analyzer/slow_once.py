"""The layer whose average one slow iteration lengthened, in a profile without medians."""

from __future__ import annotations

import heapq
import math
import statistics
from collections.abc import Iterable
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.timing import Latency
from trexreport.regex import regex

#: How many times as long as others of its name it takes, how many these are, by which part of GPU compute
#: time total layer time without the excess may differ from it, and the least excess that shows anything.
_TIMES_LONGER, _MIN_ALIKE, _NEAR, _MIN_EXCESS = 8.0, 3, 0.05, 0.1
#: Without others of its name: how many times as long as the next layer it takes, by which part of GPU compute
#: time the other layers may differ from it, and the excess by layer that no time stamps cost.
_TIMES_NEXT, _NEARER, _MIN_EXCESS_MS = 3.0, 0.02, 0.03
_DIGITS = regex(r"\d+")


class SlowOnce(NamedTuple):
    """A layer that was slow once.

    Attributes:
        layer: It.
        usual_ms: The most that others of its name take, or what GPU compute time leaves for it.
        has_siblings: There are others of its name.
    """

    layer: LayerFacts
    usual_ms: float
    has_siblings: bool


def slow_once(layers: Iterable[LayerFacts], latency: Latency) -> SlowOnce | None:
    """Return the layer whose average one slow iteration lengthened, with what it usually takes at most.

    Profiles up to TensorRT 8.2 have no medians. There it shows where total layer time is above GPU compute
    time by just what the layer takes beyond others of its name but for numbers, or where the other layers
    alone take GPU compute time.

    Args:
        layers: All layers of an engine.
        latency: With the GPU compute time, if it is known.
    """
    gpu_ms = latency.gpu_compute.median_ms if latency.gpu_compute is not None else 0.0
    measured = [layer for layer in layers if layer.avg_ms]
    if not gpu_ms or len(measured) < _MIN_ALIKE or any(layer.median_ms is not None for layer in measured):
        return None
    longest, following = heapq.nlargest(2, measured, key=lambda layer: layer.avg_ms or 0.0)
    longest_ms = longest.avg_ms or 0.0
    others_ms = math.fsum(layer.avg_ms or 0.0 for layer in measured) - longest_ms
    name = _DIGITS.sub("#", longest.name)
    alike = [
        each.avg_ms or 0.0 for each in measured if _DIGITS.sub("#", each.name) == name and each is not longest
    ]
    if len(alike) >= _MIN_ALIKE:
        found = SlowOnce(longest, max(alike), has_siblings=True)
        is_longer, near = longest_ms >= _TIMES_LONGER * found.usual_ms, _NEAR
    else:
        usual_ms = max(gpu_ms - others_ms, statistics.median([layer.avg_ms or 0.0 for layer in measured]))
        found, near = SlowOnce(longest, usual_ms, has_siblings=False), _NEARER
        is_longer = longest_ms >= _TIMES_NEXT * (following.avg_ms or 0.0) and (
            longest_ms - usual_ms >= _MIN_EXCESS_MS * len(measured)
        )
    is_near = abs(others_ms + found.usual_ms * found.has_siblings - gpu_ms) <= near * gpu_ms
    return found if is_longer and is_near and longest_ms - found.usual_ms >= _MIN_EXCESS * gpu_ms else None
