"""How much of the engine layers take, by the times of their chosen tactics.

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

#: At least this part of the layers has a known time, or of the GPU compute time is known.
_MIN_KNOWN, _MIN_COVERED = 0.75, 0.6
#: In milliseconds: a shorter engine may be timed before the clock has risen.
_MIN_SUM_MS = 1.0
#: The most by which times of layers of equal work and precision differ.
_MAX_RATIO = 3.0
#: Tactics of these say nothing of what they compute.
_OPAQUE = ("Myelin", "ForeignNode", "Plugin")


def times_in_build(
    timed: Sequence[LayerTactics], layers: Sequence[LayerFacts], gpu_ms: float | None
) -> list[float | None]:
    """Return of each layer the time of its chosen tactic; none of any where few are known or do not agree.

    The builder times layers of equal type, tactic and tensors once: all of them have that time.

    Args:
        timed: What the builder timed.
        layers: Those of the engine.
        gpu_ms: GPU compute time of queries of the shapes that the builder timed; None if it is not known.
    """
    stated = {each.layer: each.chosen_ms for each in timed if each.layer is not None and each.chosen_ms}
    compute = [layer for layer in layers if not layer.structural]
    known = [layer for layer in compute if layer.index in stated]
    if not known:
        return []
    alike = group_by(
        (each for each in known if each.work), lambda each: (each.work and each.work.macs, each.precision)
    )
    for group in alike.values():
        found = [stated[layer.index] for layer in group]
        if max(found) > _MAX_RATIO * min(found):
            return []
    by_form = {form: stated[layer.index] for layer in known if (form := _form(layer)) is not None}
    times = {
        layer.index: time_ms
        for layer in compute
        if (time_ms := stated.get(layer.index) or by_form.get(_form(layer) or ())) is not None
    }
    sum_ms = math.fsum(times.values())
    is_most = len(times) >= _MIN_KNOWN * len(compute) or _covers(sum_ms, gpu_ms)
    return [times.get(layer.index) for layer in layers] if is_most and sum_ms >= _MIN_SUM_MS else []


def compared_ms(times: Sequence[float | None], gpu_ms: float | None) -> float | None:
    """Return what shares of times in the build are of; None without times.

    It is the GPU compute time if they come close to it, else their sum.
    """
    if not times:
        return None
    sum_ms = math.fsum(each for each in times if each is not None)
    return gpu_ms if gpu_ms is not None and _covers(sum_ms, gpu_ms) else sum_ms


def _covers(sum_ms: float, gpu_ms: float | None) -> bool:
    """Return whether times are most of the GPU compute time; a longer one shows nothing of other layers."""
    return gpu_ms is not None and _MIN_COVERED * gpu_ms <= sum_ms <= gpu_ms


def _form(layer: LayerFacts) -> tuple[object, ...] | None:
    """Return what the builder's timing depends on; None if not all of it is known.

    An unknown batch size is that of all layers, but other unknown extents may be different ones.
    """
    tensors = [(use.format, tuple(use.dimensions or ())) for use in (*layer.inputs, *layer.outputs)]
    if layer.type.startswith(_OPAQUE) or any(not extents or -1 in extents[1:] for _, extents in tensors):
        return None
    stated = (str(layer.attributes.get(key)) for key in ("TacticValue", "Kernel", "Groups"))
    return layer.type, *stated, len(layer.inputs), *tensors
