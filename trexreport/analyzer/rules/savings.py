"""Estimate what a fix saves, and whether that is worth a finding."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import wraps

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Check, Hit

_FLOAT_BYTES = {"FP32": 4, "FP16": 2, "BF16": 2}


def worthwhile(check: Check) -> Check:
    """Make a rule with the threshold `min_gain` report its hits only if they are worthwhile together."""

    @wraps(check)
    def checked(context: Context, *, gain_percent: float, **thresholds: float) -> list[Hit]:
        return if_worthwhile(context, check(context, **thresholds), gain_percent)

    return checked


def if_worthwhile(context: Context, hits: Iterable[Hit], gain_percent: float) -> list[Hit]:
    """Return the hits if their estimated savings together reach a share of layer time, else none.

    A hit without an estimate counts with the time of its layers. Where nothing was measured all hits are
    information.
    """
    found = list(hits)
    if not context.total_ms:
        return [dataclasses.replace(hit, severity="info") for hit in found]
    gains = (context.time_ms(hit.layers) if hit.gain is None else hit.gain.high_ms for hit in found)
    return found if context.share_percent(math.fsum(gains)) >= gain_percent else []


def saved_by_fusing(layers: Iterable[LayerFacts]) -> float:
    """Return what one kernel in place of several saves, in ms: all their time except the slowest's."""
    once = {layer.index: layer.avg_ms or 0.0 for layer in layers}
    return math.fsum(once.values()) - max(once.values(), default=0.0)


def saved_by_narrowing(context: Context, layer: LayerFacts, uses: Iterable[TensorUse]) -> float:
    """Return the time in ms that a layer saves if its FP32 and FP16 tensors have one byte per element.

    The layer is assumed to be memory-bound; tensors of other types or of unknown size save nothing.
    """
    if not (layer.avg_ms and layer.moved_bytes):
        return 0.0
    saved = math.fsum(
        (use.size_bytes or 0) * (1 - 1 / _FLOAT_BYTES[context.tensor(use.tensor).data_type])
        for use in uses
        if context.tensor(use.tensor).data_type in _FLOAT_BYTES
    )
    return layer.avg_ms * min(saved / layer.moved_bytes, 1.0)
