"""TRX517 fusion.one-hot-products."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.numbers import format_shape
from trexreport.regex import regex

#: An ONNX node, or the layer of that name.
_NODE = "OneHot"
_ONE_HOT = regex(r"(?:^|/)OneHot(?:_\d+)?$", re.ASCII)
#: Nodes that only bring indices to the form that OneHot takes, and itself.
_BESIDE_ONE_HOT = regex(
    r"(?:^|/)(?:OneHot|Cast|Reshape|Unsqueeze|Squeeze|Transpose|MatMul|Gemm)(?:_\d+)?$", re.ASCII
)
#: A lookup reads what it writes.
_READ_AND_WRITTEN = 2


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} matrix multiplications look up rows by one-hot vectors{extent}.",
    thresholds=(min_share(2.0, "all these multiplications, with what makes the vectors"),),
    replaces=True,
)
def one_hot_products(context: Context, *, share_percent: float) -> Hits:
    """A matrix multiplication looks up rows of a table by one-hot vectors.

    Cost:
        Each vector is as long as the table has rows, and is written, read and multiplied with the whole
        table, although all of its elements but one are zero.

    Recommendation:
        Use a Gather with the indices (an embedding) in place of OneHot and the multiplication: it reads the
        rows that are needed, and nothing else. [if quantized: Its table needs no Q/DQ nodes.]

    False alarm:
        The table has few rows, so that both take about as long. Vectors are found by the ONNX node OneHot in
        the name or among the nodes of a layer.

    Est. savings:
        An estimate: the time of these layers except that of a lookup, which reads and writes the result at
        the memory bandwidth, at least for as long as a launch; from 0 where the GPU's bandwidth is not known,
        and for kernels that compute more than the vectors.
    """
    if _NODE not in context.all_names and not context.has_kind(lambda each: each.type == _NODE):
        return
    one_hot = {layer.index for layer in context.layers if layer.avg_ms and _is_one_hot(layer)}
    found: dict[int, tuple[LayerFacts, ...]] = {}
    for product in context.products:
        makers = _makers(context, product, one_hot)
        if product.avg_ms and (makers or product.index in one_hot):
            found[product.index] = (product, *makers)
    every = {each.index: each for layers in found.values() for each in layers}
    if not context.is_significant(every.values(), share_percent):
        return
    for layers in found.values():
        yield Hit(
            f"{LAYER} looks up rows by one-hot vectors{EXTENT}.",
            layers,
            _gain(context, layers),
            _vectors(layers[1:]),
        )


def _makers(context: Context, product: LayerFacts, one_hot: Collection[int]) -> Sequence[LayerFacts]:
    """Return what makes the one-hot vectors that a product reads."""

    def passes(layer: LayerFacts) -> bool:
        return context.is_reformat(layer) and layer.index not in one_hot

    before = context.predecessors(product, passes)
    makers = [each for each in before if each.index in one_hot and not is_conv_or_matmul(context, each)]
    return [each for each in makers if _may_multiply(each, product)]


def _may_multiply(maker: LayerFacts, product: LayerFacts) -> bool:
    """Return whether vectors are as long as a table has rows: weights of experts only scale results."""
    lengths = {use.dimensions[-1] for use in maker.outputs if use.dimensions}
    vectors = {use.tensor for use in maker.outputs}
    tables = {each for use in product.inputs if use.tensor not in vectors for each in use.dimensions}
    is_known = lengths and tables and min(lengths | tables) > 0
    return not is_known or not lengths.isdisjoint(tables)


def _is_one_hot(layer: LayerFacts) -> bool:
    names = (layer.name, *layer.origins)
    return layer.type == _NODE or any(_NODE in each and _ONE_HOT.search(each) for each in names)


def _does_more(layer: LayerFacts) -> bool:
    """Return whether a layer that makes one-hot vectors computes other nodes, which stay."""
    others = (each for each in layer.origins if not _BESIDE_ONE_HOT.search(each))
    return any(_ONE_HOT.search(each) for each in layer.origins) and any(others)


def _vectors(makers: Sequence[LayerFacts]) -> dict[str, str]:
    """Return the shape of the one-hot vectors, as evidence."""
    return {"Vectors": format_shape(makers[0].outputs[0].dimensions)} if makers else {}


def _gain(context: Context, layers: Sequence[LayerFacts]) -> Gain:
    gpu, product = context.analysis.roofline.gpu, layers[0]
    lookup_ms = context.cached(floor_ms)
    if gpu is not None:
        lookup_ms = max(
            lookup_ms, _READ_AND_WRITTEN * (product.output_bytes or 0) / (gpu.bandwidth_gbs * 1e6)
        )
    ranges = []
    for layer in layers:
        high = max((layer.avg_ms or 0.0) - (lookup_ms if layer is product else 0.0), 0.0)
        ranges.append((layer, 0.0 if gpu is None or _does_more(layer) else high, high))
    return of_layers("estimate", ranges, "removed-layers")
