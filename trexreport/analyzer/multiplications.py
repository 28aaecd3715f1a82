"""Add up the convolutions and matrix products of an engine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.layers import Multiplications
from trexreport.analyzer.grouping import sum_known
from trexreport.analyzer.operations import may_multiply


def sum_multiplications(layers: Sequence[LayerFacts]) -> Multiplications:
    """Return the work of all layers that multiply, and the share of those whose work is unknown."""
    working = [(layer, layer.work) for layer in layers if layer.work]
    unknown = [layer for layer in layers if not layer.work and may_multiply(layer)]
    timed = [(layer.avg_ms or 0.0, work.macs) for layer, work in working if work.tflops]
    seconds = math.fsum(avg_ms for avg_ms, _ in timed) / 1e3
    return Multiplications(
        layers=len(working) + len(unknown),
        counted=len(working),
        macs=sum(work.macs for _, work in working),
        tflops=2 * sum(macs for _, macs in timed) / seconds / 1e12 if seconds else None,
        uncounted_percent=sum_known(layer.share_percent for layer in unknown),
    )
