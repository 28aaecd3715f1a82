"""Weigh what rules find: what it could save, and whether it is worth telling."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold

_FLOAT_BYTES = {"FP32": 4, "FP16": 2, "BF16": 2}


def least_gain(default: float) -> Threshold:
    """Return the threshold that `worthwhile` is used with."""
    meaning = "Tell of it where all places together could gain at least this share of the time, in percent."
    return Threshold("gain_percent", default, 0, 100, meaning)


def worthwhile(context: Context, hits: Iterable[Hit], gain_percent: float) -> list[Hit]:
    """Return the hits if together they could gain a share of the time, else none.

    A hit without a bound counts with the time of its layers. Where nothing was measured all are information.
    """
    found = list(hits)
    if not context.total_ms:
        return [dataclasses.replace(hit, severity="info") for hit in found]
    gains = (context.time_ms(hit.layers) if hit.gain_ms is None else hit.gain_ms for hit in found)
    return found if context.share_percent(math.fsum(gains)) >= gain_percent else []


def saved_by_fusing(layers: Iterable[LayerFacts]) -> float:
    """Return what one kernel for several could save: all their time but that of the slowest."""
    once = {layer.index: layer.avg_ms or 0.0 for layer in layers}
    return math.fsum(once.values()) - max(once.values(), default=0.0)


def saved_by_narrowing(context: Context, layer: LayerFacts, uses: Iterable[TensorUse]) -> float:
    """Return the time that a layer would save if float tensors it reads or writes had one byte an element.

    The layer is taken to be bound by memory; tensors of other types or of unknown size save nothing.
    """
    if not (layer.avg_ms and layer.moved_bytes):
        return 0.0
    saved = math.fsum(
        (use.size_bytes or 0) * (1 - 1 / _FLOAT_BYTES[context.facts(use.tensor).data_type])
        for use in uses
        if context.facts(use.tensor).data_type in _FLOAT_BYTES
    )
    return layer.avg_ms * min(saved / layer.moved_bytes, 1.0)
