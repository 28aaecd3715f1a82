"""TRX114 matmul.unmerged-adapters."""

from __future__ import annotations

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.flops import ELEMENTWISE
from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.fusion.attention_parts import multiplies_activations
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_conversion,
    is_pointwise,
    is_pointwise_or_move,
    operations,
)
from trexreport.analyzer.rules.phrases import EXTENT, timed
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import counted, format_count
from trexreport.regex import regex

#: Of what counts as an adapter: the highest rank, and the largest part of the weights beside it.
_MAX_RANK, _MAX_PART = 256, 0.25
#: Modules that PEFT and diffusers give the two products.
_NAMED = regex(r"(?i:(?<![a-z])lora[_/.]?(?:[ab]|down|up)(?![a-z]))")
#: What leaves products of matrices as linear as they are: scales, and sums with others.
_SCALING = MOVES | {"Mul", "Div"}
_LINEAR = _SCALING | {"Add"}
#: Functions that a product may have in its kernel; Round, Min and Max quantize.
_NONLINEAR = ELEMENTWISE - _LINEAR - {"Max", "Min", "Round"}


@built_in_rule(
    "warning",
    needs=(),
    many="{count} adapters are not merged into the weights beside them{extent}.",
    thresholds=(min_gain(2),),
    explains={"layers": ("TRX106", "TRX502", "TRX704"), "share": ("TRX508", "TRX605")},
)
@worthwhile
def unmerged_adapters(context: Context) -> Hits:
    """An adapter (LoRA) is not merged into the weights beside it.

    Cost:
        Two thin multiplications and a sum run beside each product that has one. They compute little, and
        each reads and writes tensors and takes at least a launch.

    Recommendation:
        Add the product of both matrices, with its scale, to the weights before the export (in PEFT
        `merge_and_unload`, in diffusers `fuse_lora`): the result is the same, but for rounding. [if
        quantized: Merge before quantizing.] Where adapters change at run time, build with --refit and merge
        on the host.

    False alarm:
        One batch mixes requests of several adapters. Adapters count whose two products have constant weights,
        at most a quarter of those of the product beside them, a rank of up to 256 and nothing but a scale
        between them and before the sum; where a file contains only names, layers that are named after LoRA.

    Est. savings:
        An estimate: the time of both multiplications, and up to that of a kernel that only scales and adds;
        where only names are known, that of the named layers from 0.
    """
    named = [each for each in context.untyped if _NAMED.search(each.name)]
    if named:
        number = counted(len(named), "layer is part of an adapter", "layers are parts of adapters")
        text = f"By name, {number}{timed(context, named)}."
        yield Hit(text, tuple(named), _gain([], named), {"Identified": "by name"})
    for expand in context.products:
        parts = _adapter(context, expand)
        if parts is None:
            continue
        reduce, base, after = parts
        layers = [reduce, expand, *after]
        rank = expand.work.k if expand.work else 0
        text = f"An adapter of rank {format_count(rank)} runs beside {base.name}{EXTENT}."
        yield Hit(text, tuple(layers), _gain([reduce, expand], after), {"Rank": format_count(rank)})


def _adapter(context: Context, expand: LayerFacts) -> tuple[LayerFacts, LayerFacts, list[LayerFacts]] | None:
    """Return the first product of an adapter of which this is the second, that beside, and what adds both."""
    work = expand.work
    if work is None or work.k > _MAX_RANK or _work_of_weights(context, expand) is None:
        return None

    def scales(layer: LayerFacts) -> bool:
        return _only_scales(context, layer)

    found = search([expand], context.producing, scales)[0]
    before = [(each, thin) for each in found if (thin := _work_of_weights(context, each))]
    if len(before) != 1 or before[0][1].n % work.k or before[0][1].n >= before[0][1].k:
        return None
    reduce, thin = before[0]
    readers, passed = search([expand], context.successors, scales)
    for adding in filter(_adds_first, readers):
        for base in search([adding], context.producing, lambda each: scales(each) or _is_linear(each))[0]:
            wide = _work_of_weights(context, base)
            if wide is None or wide.k != thin.k:
                continue
            is_thin = work.k * (thin.k + work.n) <= _MAX_PART * thin.k * work.n
            if is_thin and wide.n >= work.n and _read_alike(context, base, reduce):
                return reduce, base, [*passed, adding]
    return None


def _work_of_weights(context: Context, layer: LayerFacts) -> Operation | None:
    """Return the work of a matrix multiplication with constant weights and no function of its result.

    None of another layer, or if it is unknown.
    """
    if context.is_convolution(layer) or not is_conv_or_matmul(context, layer):
        return None
    is_linear = _NONLINEAR.isdisjoint(copied(layer)) and not multiplies_activations(context, layer)
    return layer.work if is_linear else None


def _only_scales(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only moves, converts or scales one tensor."""
    found = operations(layer)
    if is_conversion(context, layer):
        return True
    is_known = bool(found) or not is_pointwise(layer)
    moves = is_known and is_pointwise_or_move(layer) and _SCALING.issuperset(found)
    return moves and len(activations(context, layer)) == 1


def _is_linear(layer: LayerFacts) -> bool:
    found = operations(layer)
    return is_pointwise(layer) and bool(found) and _LINEAR.issuperset(found)


def _adds_first(layer: LayerFacts) -> bool:
    """Return whether a pointwise layer adds before it does anything else but scale."""
    found = operations(layer)
    return is_pointwise(layer) and "Add" in found and _SCALING.issuperset(found[: found.index("Add")])


def _read_alike(context: Context, *layers: LayerFacts) -> bool:
    one, other = ({context.base_of(tensor) for tensor in activations(context, each)} for each in layers)
    return not one.isdisjoint(other)


def _gain(certain: list[LayerFacts], possible: list[LayerFacts]) -> Gain:
    ranges = [(each, each.avg_ms or 0.0, each.avg_ms or 0.0) for each in certain]
    return of_layers(
        "estimate", [*ranges, *((each, 0.0, each.avg_ms or 0.0) for each in possible)], "removed-layers"
    )
