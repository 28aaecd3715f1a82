"""TRX305 quantization.precision-boundaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis import TensorUse, slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import QUANTIZED
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.narrow_types import is_beside_float_attention
from trexreport.analyzer.rules.patterns import changes_quantization, only_quantizes
from trexreport.analyzer.rules.phrases import timed
from trexreport.numbers import counted, format_count

#: The tensors on one side of a layer.
Tensors = Callable[[LayerFacts], Sequence[TensorUse]]


@built_in_rule(
    "info",
    thresholds=(
        Threshold("min_count", 4, 1, 1_000_000, "Minimum number of changes.", former_name="least-count"),
        min_share(1.0, "the conversions"),
    ),
)
def precision_boundaries(context: Context, *, min_count: float, share_percent: float) -> Hits:
    """Data changes between quantized and floating-point types many times.

    Cost:
        Each change costs accuracy, writes a tensor of the wider type to memory, and takes a separate kernel
        where no layer does it in passing; these kernels are counted.

    Recommendation:
        Quantize whole sections of the network rather than single layers: a change is worth its cost only if
        the layers after it save more. The report's graph shows, colored by
        precision, where types alternate.

    False alarm:
        One change after each floating-point input and one before each output are necessary, and those behind
        a fused attention without a quantized kernel; the layers named are the others.

    Est. savings:
        Not estimated here: the conversions count with the rules on Q/DQ layers, floating-point sections and
        reformats.
    """
    changing = context.of_kinds(changes_quantization)
    apart = [layer for layer in changing if only_quantizes(layer)]
    time_ms = context.time_ms(apart)
    if len(changing) < min_count or (context.total_ms and context.share_percent(time_ms) < share_percent):
        return
    necessary = _outermost(context)
    avoidable = [
        layer
        for layer in apart
        if layer.index not in necessary and not is_beside_float_attention(context, layer)
    ]
    if not avoidable:
        return
    inside = len(changing) - len(apart)
    yield Hit(
        f"Data changes between quantized and floating-point types {counted(len(apart), 'time')} in separate "
        f"layers{timed(context, apart)}.",
        tuple(slowest_first(avoidable)),
        None,
        {
            "To quantized": format_count(sum(layer.output_precision in QUANTIZED for layer in apart)),
            "Within other layers": format_count(inside),
        },
    )


def _outermost(context: Context) -> frozenset[int]:
    """Return the layers that quantize what no quantized layer wrote, or are the last quantized ones."""
    after = _reached(context, context.layers, lambda each: each.inputs, lambda each: each.outputs)
    before = _reached(context, reversed(context.layers), lambda each: each.outputs, lambda each: each.inputs)
    return frozenset(
        layer.index
        for layer in context.layers
        if layer.index not in (after if layer.output_precision in QUANTIZED else before)
    )


def _reached(context: Context, layers: Iterable[LayerFacts], near: Tensors, far: Tensors) -> set[int]:
    """Return the layers with a quantized one on their near side, perhaps behind others.

    It goes by tensors, as thousands of layers may write parts of one that thousands read.
    """
    marked: set[int] = set()
    found = set()
    for layer in layers:
        if not marked.isdisjoint(context.bases[use.tensor] for use in near(layer)):
            found.add(layer.index)
        elif not _touches_quantized(layer):
            continue
        marked.update(context.bases[use.tensor] for use in far(layer))
    return found


def _touches_quantized(layer: LayerFacts) -> bool:
    return layer.precision in QUANTIZED or layer.output_precision in QUANTIZED
