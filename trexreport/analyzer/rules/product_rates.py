"""How near products come to the roofline, also where shapes of the run alone state their extents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Gpu, LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.operations import is_fused_product
from trexreport.analyzer.roofline.peaks import product_peak, product_types
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.expected import TYPICAL_SHARES, floor_ms
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.model.data_format import BITS
from trexreport.model.stated_shapes import Shapes

#: Extents of the tensors that are lists of tokens: a batch of them, or one.
_MAX_TOKEN_RANK = 2


class Product(NamedTuple):
    """A product whose roofline time is known.

    Attributes:
        layer: The product.
        roof_ms: The time that the GPU needs for it at least.
        is_most: The time is that of as many rows as the tokens of the run: it may have fewer.
    """

    layer: LayerFacts
    roof_ms: float
    is_most: bool


def products_of_run(context: Context, shapes: Shapes) -> list[Product]:
    """Return the timed products longer than a launch whose roofline time is known.

    Args:
        context: The engine.
        shapes: Those of the inputs in the run.
    """
    return list(_found(context, shapes))


def reached_share(products: Sequence[Product]) -> float:
    """Return the roofline time of products as a share of their time; 0 without any."""
    time_ms = math.fsum(each.layer.avg_ms or 0.0 for each in products)
    return math.fsum(each.roof_ms for each in products) / time_ms if time_ms else 0.0


def at_usual_shares(context: Context, products: Sequence[Product], *, may_stay: bool) -> Gain:
    """Return what products save that come as near to the roofline as kernels usually do.

    Args:
        context: The engine.
        products: Those that become faster.
        may_stay: Whether they may have to stay as they are.
    """
    floor, (usual, most) = context.cached(floor_ms), TYPICAL_SHARES
    least = 0.0 if may_stay else usual
    ranges = []
    for layer, roof_ms, _ in products:
        above = max((layer.avg_ms or 0.0) - floor, 0.0)
        low = max(above - roof_ms / least, 0.0) if least else 0.0
        ranges.append((layer, low, max(above - roof_ms / most, 0.0)))
    return of_layers("estimate", ranges, GainBasis("roof", least, most))


def _found(context: Context, shapes: Shapes) -> Iterator[Product]:
    gpu = context.analysis.roofline.gpu
    for layer in context.products:
        if not layer.avg_ms or is_mostly_launch(context, layer):
            continue
        if layer.roof is not None and layer.work is not None:
            yield Product(layer, layer.roof.roof_ms, is_most=False)
            continue
        roof_ms = _roof_ms(context, layer, shapes, gpu) if gpu and layer.work is None else None
        if roof_ms is not None and roof_ms <= layer.avg_ms:
            yield Product(layer, roof_ms, is_most=True)


def _roof_ms(context: Context, layer: LayerFacts, shapes: Shapes, gpu: Gpu) -> float | None:
    """Return the roofline time of a product by weights with unknown rows, if the tokens of the run bound it.

    Its rows are those of its input; another operand is only known where it is added to the result.
    """
    flowing = [use for use in layer.inputs if context.tensor(use.tensor).role != "constant"]
    if not flowing or len(layer.outputs) != 1 or not (context.is_matmul(layer) or is_fused_product(layer)):
        return None
    source, result = flowing[0].dimensions, layer.outputs[0].dimensions
    added = (list(each.dimensions) == list(result) for each in flowing[1:])
    if len(source) != len(result) or list(source[:-1]) != list(result[:-1]) or not all(added):
        return None
    rows = _most_rows(source[:-1], shapes)
    inner, outer = source[-1], result[-1]
    _, peak = product_peak(gpu, product_types(layer.tactic, layer.precision))
    if not rows or not peak or min(inner, outer) <= 0:
        return None
    size = BITS.get(layer.precision, 16) / 8
    moved = size * (rows * (inner + outer) + inner * outer)
    return max(2 * rows * inner * outer / (peak * 1e9), moved / (gpu.bandwidth_gbs * 1e6))


def _most_rows(leading: Sequence[int], shapes: Shapes) -> int:
    """Return how many rows of unknown number there are at most, where all inputs are tokens; 0 if not known.

    Each row of an input is a token, or is for all tokens of one sequence.
    """
    if -1 not in leading or not shapes or max(map(len, shapes.values())) > _MAX_TOKEN_RANK:
        return 0
    known = math.prod(each for each in leading if each != -1)
    if known > 1 and leading[0] == -1 and list(leading).count(-1) == 1:
        return known * max(shape[0] for shape in shapes.values() if shape)
    return max(map(math.prod, shapes.values()))
