"""TRX208 reformat.between-regions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import is_depthwise
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.layer_names import is_myelin_kernel
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_pointwise_or_move
from trexreport.analyzer.rules.phrases import layer_time, takes_time, with_others
from trexreport.numbers import counted


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    thresholds=(min_share(2.0, "what only moves data beside such convolutions"),),
    explains={"layers": ("TRX105", "TRX201", "TRX202", "TRX507", "TRX523"), "share": ("TRX205", "TRX514")},
)
def between_regions(context: Context, *, share_percent: float) -> Hits:
    """Convolutions between Myelin regions need transposes and reformats.

    Cost:
        Myelin computes on tokens with their channels last, in the linear layout, and leaves these
        convolutions to other kernels. Before each a kernel transposes and a reformat changes the layout, and
        behind it both are undone.

    Recommendation:
        Tokens with their channels last already lie in memory as a convolution in NHWC reads them: a plugin
        that convolves them in place, with the activation behind it, needs no other kernel. In the model,
        normalizations over the channels of images and 1x1 convolutions, in place of linear layers on tokens,
        leave the blocks in the layout of their convolutions. Compare with a newer TensorRT.

    False alarm:
        A plugin that convolves is slower than TensorRT's kernel by more than what lies around it.

    Est. savings:
        An estimate: up to the full time of the reformats and of the kernels that only move data. Kernels that
        also compute stay.
    """
    found = {layer.index: sides for layer in context.products if (sides := _sides(context, layer))}
    layers = slowest_first(context.layers[index] for index in found)
    passed, transposing = (_once(each for sides in found.values() for each in sides[side]) for side in (0, 1))
    if not passed or not context.is_significant(passed, share_percent):
        return
    reformats, kernels = (
        [each for each in passed if context.reformat_of[each.index].kind == kind]
        for kind in ("reformat", "kernel")
    )
    beside: dict[tuple[str, ...], Sequence[LayerFacts]] = {
        ("reformat",): reformats,
        ("data movement kernel",): kernels,
        ("kernel that also transposes", "kernels that also transpose"): transposing,
    }
    depthwise = [each for each in layers if is_depthwise(each)]
    of_depthwise = [each for layer in depthwise for side in found[layer.index] for each in side]
    whole = layer_time(context, [*depthwise, *of_depthwise])
    are_mixed = 0 < len(depthwise) < len(layers)
    alone = (
        f", of which those around {counted(len(depthwise), 'depthwise one')} take {whole}"
        if are_mixed
        else ""
    )
    noun = "depthwise convolution" if len(depthwise) == len(layers) else "convolution"
    yield Hit(
        f"{counted(len(layers), noun)} between Myelin regions {takes_time(context, layers)}"
        f"{with_others(context, layers, beside)}{alone}.",
        (*layers, *passed),
        of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in passed), "removed-layers"),
        affected=tuple(transposing),
    )


def _sides(context: Context, layer: LayerFacts) -> tuple[list[LayerFacts], list[LayerFacts]] | None:
    """Return what moves data between a convolution and Myelin regions, and what also transposes in these."""

    def is_of_region(other: LayerFacts) -> bool:
        return is_myelin_kernel(other) or context.is_opaque(other)

    if not context.is_convolution(layer) or is_of_region(layer):
        return None
    steps = context.predecessors, context.successors
    sides = [search([layer], step, context.is_reformat) for step in steps]
    if not all(ends and all(map(is_of_region, ends)) for ends, _ in sides):
        return None

    def serves_plugin(other: LayerFacts) -> bool:
        """Return whether a layer is there for a plugin, too: TRX903 and TRX207 report it."""
        return any(map(context.is_plugin, (*context.predecessors(other), *context.successors(other))))

    passed = _once(each for _, passed in sides for each in passed if each.avg_ms and not serves_plugin(each))
    transposing = [
        each
        for ends, _ in sides
        for each in ends
        if "Transpose" in each.operations and is_pointwise_or_move(each) and not serves_plugin(each)
    ]
    # Kernels that show what they compute, and no transpose, work on images as the convolution does.
    hidden = any(context.is_opaque(each) for ends, _ in sides for each in ends)
    moves = hidden or transposing or any(context.reformat_of[each.index].kind == "kernel" for each in passed)
    return (passed, transposing) if passed and moves else None


def _once(layers: Iterable[LayerFacts]) -> list[LayerFacts]:
    return list({each.index: each for each in layers}.values())
