"""Which of two engines computes in a lower precision, and in which."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.model.data_format import BITS

#: Types in which layers compute.
COMPUTED = FLOATS | QUANTIZED
#: Two engines whose products differ in less than this part of their bits have one precision.
_MIN_DIFFERENCE = 0.01


class Precisions(NamedTuple):
    """The precisions of two engines.

    Attributes:
        lower: Which of the two has the lower one: 0 or 1.
        precision: The narrowest type in which the products of that engine compute.
        reference: The type that takes most of the products' time in the other.
        is_stated: They are those that the builder was allowed to use, as no product states its type.
    """

    lower: int
    precision: str
    reference: str
    is_stated: bool = False


def multiplies(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a convolution or matrix product, attention included."""
    return layer.work is not None or is_conv_or_matmul(context, layer)


def narrower(one: str, other: str) -> str:
    """Return the narrower of two types; the first if they are equally wide."""
    return other if BITS[other] < BITS[one] else one


def compare_precisions(
    contexts: tuple[Context, Context], rows: Iterable[AlignedRow], engines: tuple[int, int]
) -> Precisions | None:
    """Return which of two engines has the lower precision; None where neither has, or nothing shows it.

    The types that aligned convolutions and matrix products read and write count, by their work.

    Args:
        contexts: Of both.
        rows: Of the alignment.
        engines: Their places in the rows.
    """
    pairs: list[tuple[int, float, float]] = []
    products: tuple[list[LayerFacts], list[LayerFacts]] = ([], [])
    # Most layers are none, and most rows have none.
    one, other = ({layer.index: layer for layer in _typed(context)} for context in contexts)
    for row in rows:
        ours = [one[index] for index in row.layers[engines[0]] if index in one]
        theirs = [other[index] for index in row.layers[engines[1]] if index in other]
        products[0].extend(ours)
        products[1].extend(theirs)
        if ours and theirs:
            work = max(sum(layer.work.macs for layer in found if layer.work) for found in (ours, theirs))
            pairs.append((work, _mean_bits(ours), _mean_bits(theirs)))
    if not all(products):
        multiply = all(any(multiplies(context, layer) for layer in context.layers) for context in contexts)
        return _stated(contexts) if multiply else None
    # Products of unknown work count like the others.
    known = [work for work, _, _ in pairs if work]
    usual = sum(known) / len(known) if known else 1.0
    difference = math.fsum((work or usual) * (first - second) for work, first, second in pairs)
    total = math.fsum((work or usual) * max(first, second) for work, first, second in pairs)
    if not pairs or abs(difference) < _MIN_DIFFERENCE * total:
        return None
    lower = int(difference > 0)
    types = {layer.precision for layer in products[lower]}
    return Precisions(lower, _narrowest(types), _most_time(products[1 - lower]))


def _typed(context: Context) -> list[LayerFacts]:
    """Return the products that compute in a known type."""
    return [layer for layer in context.layers if layer.precision in COMPUTED and multiplies(context, layer)]


def _stated(contexts: tuple[Context, Context]) -> Precisions | None:
    """Return the precisions that the builder was allowed to use, where no product states its type."""
    allowed = [context.requested_precisions & COMPUTED for context in contexts]
    if not all(allowed):
        return None
    one, other = (_narrowest(types) for types in allowed)
    if BITS[one] == BITS[other]:
        return None
    lower = int(BITS[other] < BITS[one])
    return Precisions(lower, (one, other)[lower], (one, other)[1 - lower], is_stated=True)


def _narrowest(types: Iterable[str]) -> str:
    return min(types, key=lambda name: (BITS[name], name))


def _mean_bits(layers: Sequence[LayerFacts]) -> float:
    bits = []
    for layer in layers:
        written = layer.output_precision if layer.output_precision in COMPUTED else layer.precision
        bits += [BITS[layer.precision], BITS[written]]
    return math.fsum(bits) / len(bits)


def _most_time(layers: Iterable[LayerFacts]) -> str:
    times = {
        name: (math.fsum(layer.avg_ms or 0.0 for layer in found), len(found))
        for name, found in group_by(layers, lambda layer: layer.precision).items()
    }
    return max(times, key=lambda name: (times[name], name), default="")
