"""TRX116 convolution.summed-branches."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from itertools import takewhile

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.after_products import ACTIVATED
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import activations, is_pointwise, operations, path_to_only_consumer
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import format_count, format_shape, join_names

#: What a convolution with a residual Add reads.
_TWO = 2


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} times several convolutions of one tensor are only added up{extent}.",
    explains={"layers": ("TRX501", "TRX502")},
    thresholds=(min_gain(1.0),),
)
@worthwhile
def summed_branches(context: Context) -> Hits:
    """Convolutions of one tensor are only added up.

    Cost:
        A sum of convolutions of one input is one convolution: windows of 3x3 and 1x1, and the input itself,
        fit in one window of 3x3. Networks that are trained with such branches (RepVGG, MobileOne, YOLOv6 and
        YOLOv7, the neck of RT-DETR) are meant to be run without them. Each branch reads the tensor and writes
        one of its size, and the sum reads them all.

    Recommendation:
        Merge the branches before the export: fold each batch normalization, pad the smaller windows with
        zeros, add up weights and biases. Most projects have a function for it (`switch_to_deploy`,
        `convert_to_deploy`, `reparameterize`, `fuse`). [if quantized: Quantization comes after that.]

    False alarm:
        The weights of a branch are computed at run time. Branches with an activation, another stride,
        dilation or number of groups, or with other readers are left out.

    Est. savings:
        An estimate: the time of all branches but that with the largest window; up to that of the layer that
        adds them up as well, where it is one of its own.
    """
    for adding, branches in _sums(context):
        largest = max(branches, key=lambda each: (_window(each), each.avg_ms or 0.0))
        ranges = [(each, each.avg_ms or 0.0, each.avg_ms or 0.0) for each in branches if each is not largest]
        if adding not in branches:
            ranges.append((adding, 0.0, adding.avg_ms or 0.0))
        in_order = sorted(branches, key=lambda each: (each is not largest, -_window(each)))
        windows = join_names([format_shape(each.work.kernel) for each in in_order if each.work])
        yield Hit(
            f"{format_count(len(branches))} convolutions of one tensor are only added up: {LAYER} and "
            f"{format_count(len(branches) - 1)} more ({windows}){EXTENT}.",
            (largest, *(each for each, *_ in ranges)),
            of_layers("estimate", ranges, "removed-layers"),
            {"Windows": windows, "Added in": adding.name},
        )


def _sums(context: Context) -> Iterator[tuple[LayerFacts, list[LayerFacts]]]:
    """Yield what adds up convolutions of one tensor, with these; the last one may do so in its kernel."""
    found: dict[tuple[int, Hashable], list[LayerFacts]] = {}
    for layer in context.convolutions:
        _, adding = path_to_only_consumer(context, layer)
        if adding is None or not layer.work or not layer.work.kernel or not _is_linear(context, layer):
            continue
        found.setdefault((adding.index, _look(context, layer)), []).append(layer)
    for (index, look), branches in found.items():
        adding = context.layers[index]
        if context.is_convolution(adding):
            if adding.work and look == _look(context, adding) and len(activations(context, adding)) == _TWO:
                yield adding, [*branches, adding]
        elif len(branches) > 1 and _only_adds(context, adding):
            yield adding, branches


def _is_linear(context: Context, layer: LayerFacts) -> bool:
    """Return whether a convolution of one tensor has no activation."""
    stated = layer.attributes.get("Activation", "NONE") != "NONE" or layer.attributes.get("HasReLU") == 1
    return not stated and not ACTIVATED.search(layer.name) and len(activations(context, layer)) == 1


def _look(context: Context, layer: LayerFacts) -> Hashable:
    """Return what branches have in common that one convolution can compute."""
    stated = [str(layer.attributes.get(key)) for key in ("Stride", "Dilation")]
    kind = (layer.work.kind, layer.work.groups) if layer.work else None
    return (context.base_of(layer.inputs[0].tensor), kind, *stated)


def _only_adds(context: Context, layer: LayerFacts) -> bool:
    """Return whether a pointwise layer adds up all that it reads before it does anything else."""
    done = [each for each in operations(layer) if each != "Cast"]
    adds = len(list(takewhile("Add".__eq__, done)))
    return is_pointwise(layer) and len(activations(context, layer)) == adds + 1


def _window(layer: LayerFacts) -> int:
    return math.prod(layer.work.kernel) if layer.work else 0
