"""TRX302 quantization.mixed-residual-add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    activations,
    changes_quantization,
    has_quantized,
    is_pointwise,
    only_quantizes,
    operations,
    search,
)
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_narrowing, worthwhile

#: Layers between a residual branch's source and the sum that keep its type.
_PASSED = frozenset({"Pooling", "Resize", "Shuffle"})


@rule(
    "TRX302",
    "quantization.mixed-residual-add",
    "warning",
    section="precision",
    subject="movement",
    many="{count} residual sums in the quantized part have a float branch.",
    thresholds=(least_gain(0.5),),
)
def mixed_residual_add(context: Context, *, gain_percent: float) -> list[Hit]:
    """A residual sum adds a float branch to a quantized one.

    Cost:
        With one branch in float the whole sum is float: the branch is kept in the wide type from where it
        starts, the layer with the sum reads and writes wide tensors, and the next quantized layer needs a
        conversion first.

    Advice:
        Put Q/DQ on the residual branch too, directly before the Add, with the scale of the tensor that it
        branches off. Then TensorRT fuses the sum into the quantized convolution, which reads and writes one
        byte an element. In NVIDIA's quantization toolkits this is the "residual quantizer" of a block.
        Check that the convolution's second input is quantized and that no conversion is left behind it.

    False alarm:
        The accuracy needs the sum in float (measure it; often the last blocks only).

    Bound:
        Of the layer with the sum and of the quantized layers whose float result is the branch, the share of
        their time that float tensors take beyond quantized ones, as if bound by memory; and all the time of
        the conversions on the branch and behind the sum. What several sums share counts with the first.
    """
    return worthwhile(context, _mixed_sums(context), gain_percent)


def _mixed_sums(context: Context) -> Iterator[Hit]:
    if not context.once(has_quantized):
        return
    told: set[int] = set()
    for layer in context.layers:
        operands = _operands(context, layer)
        kinds = [_kind(context, use) for use in operands]
        if context.is_convolution(layer) and operands:
            kinds.append("computed")
        if not _is_mixed(kinds):
            continue
        wide = [use for use, kind in zip(operands, kinds, strict=False) if kind != "quantized"]
        sources, conversions = _branches(context, layer, wide)
        fresh = [each for each in (*sources, *conversions) if each.index not in told and each is not layer]
        told.update(each.index for each in (layer, *fresh))
        gain = saved_by_narrowing(context, layer, [*wide, *layer.outputs])
        for each in fresh:
            whole = each in conversions
            gain += (each.avg_ms or 0.0) if whole else saved_by_narrowing(context, each, each.outputs)
        names = [context.facts(use.tensor).data_type for use in operands]
        if context.is_convolution(layer):
            names.insert(0, layer.precision)
        layers = (layer, *fresh)
        taken = for_time(context, layers)
        also = f"; with the layers that serve this sum it runs{taken}" if taken else ""
        yield Hit(
            f"It adds {' and '.join(names)}{also}.",
            layers,
            gain,
            {"Types": " + ".join(names), "Shape": describe_shape(wide[0].dimensions)},
        )


def _operands(context: Context, layer: LayerFacts) -> list[TensorUse]:
    """Return what a layer adds up: what a convolution adds to its result, or the inputs of a sum."""
    if not layer.outputs or len(layer.inputs) < 2:
        return []
    adds = context.is_convolution(layer)
    if adds and (layer.precision not in QUANTIZED or not layer.attributes.get("HasResidual", True)):
        return []
    if not adds and not (is_pointwise(layer) and "Add" in operations(layer)):
        return []
    live = set(activations(context, layer))
    uses = [use for use in layer.inputs[adds:] if use.dimensions == layer.outputs[0].dimensions]
    return [use for use in uses if use.tensor in live]


def _kind(context: Context, use: TensorUse) -> str:
    """Tell whether a summand is quantized, was computed by a quantized layer, or is float, else empty."""
    data_type = context.facts(use.tensor).data_type
    if data_type in QUANTIZED:
        return "quantized"
    if data_type not in FLOATS:
        return ""
    writers = context.writers(use.tensor)
    while len(writers) == 1 and context.is_reformat(writers[0]) and writers[0].precision in FLOATS:
        before = writers[0]
        writers = [each for each in context.writers(before.inputs[0].tensor) if each.index < before.index]
    if any(only_quantizes(each) for each in writers):
        return "quantized"
    return "computed" if any(each.precision in QUANTIZED for each in writers) else "float"


def _is_mixed(kinds: Sequence[str]) -> bool:
    """Tell whether a sum has a quantized side and another that is not.

    One summand that a quantized layer computes needs no quantization, as the sum could be fused to it.
    """
    quantized, computed, wide = (kinds.count(kind) for kind in ("quantized", "computed", "float"))
    return computed > 1 or (wide > 0 and quantized + computed > 0)


def _branches(
    context: Context, layer: LayerFacts, wide: Sequence[TensorUse]
) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the quantized layers that float branches come from, and the conversions around the sum."""
    tensors = {use.tensor for use in wide}
    behind = [each for each in context.targets(layer) if only_quantizes(each)]

    def before(at: LayerFacts) -> list[LayerFacts]:
        inputs = (use.tensor for use in at.inputs if at is not layer or use.tensor in tensors)
        return [writer for tensor in inputs for writer in context.writers(tensor)]

    ends, passed = search(layer, before, lambda each: context.is_reformat(each) or each.type in _PASSED)
    sources = [each for each in ends if changes_quantization(each)]
    return sources, [*(each for each in passed if context.is_reformat(each)), *behind]
