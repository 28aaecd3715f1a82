"""TRX111 convolution.filtered-activation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import elements, is_depthwise
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_pointwise
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.savings import fused
from trexreport.numbers import counted

#: Kernels between two filters; an activation of more is none.
_MOST_BETWEEN = 12


class Filtered(NamedTuple):
    """An activation between a filter that upsamples and one that downsamples, with the reformats for them."""

    up: LayerFacts
    activations: Sequence[LayerFacts]
    down: LayerFacts
    reformats: Sequence[LayerFacts]

    @property
    def layers(self) -> tuple[LayerFacts, ...]:
        """All of them, the activation first, which names the module."""
        return (*self.activations, self.up, self.down, *self.reformats)


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} activations between two depthwise filters run in several kernels each{extent}.",
    thresholds=(min_share(3, "all these modules together"),),
    explains={
        "layers": ("TRX105", "TRX101", "TRX201", "TRX202", "TRX203", "TRX401", "TRX501", "TRX502"),
        "share": ("TRX205", "TRX304", "TRX601", "TRX605"),
    },
    replaces=True,
)
def filtered_activation(context: Context, *, share_percent: float) -> Hits:
    """An activation runs between an upsampling and a downsampling filter.

    Cost:
        Networks without aliasing, such as vocoders, upsample before an activation and filter after it, each
        with a depthwise convolution. Every kernel writes the longer tensor to memory and the next one reads
        it again, as no kernel of TensorRT does two of these steps. Reformats are added where the filters have
        kernels in another type or layout alone.

    Recommendation:
        Compute all of it in one kernel: a plugin that upsamples, applies the activation, filters and
        downsamples reads and writes only the shorter tensors, in the type and layout of the layers around.
        Models with such activations often come with a CUDA kernel of it. [if fp32: Without one convert these
        layers to FP16, which halves what they move, and saves the conversions around them where TensorRT has
        kernels for it.]

    False alarm:
        The module is a plugin already, which is one layer.

    Est. savings:
        An estimate: one kernel that moves what the module reads and writes takes the time per byte of its
        layers, of the fastest at least and of the slowest at most.
    """
    found = list(context.cached(filtered_activations))
    if not context.is_significant([layer for each in found for layer in each.layers], share_percent):
        return
    for each in found:
        reformats = f" and {counted(len(each.reformats), 'reformat')}" if each.reformats else ""
        kernels = counted(len(each.activations) + 2, "kernel")
        yield Hit(
            f"{LAYER} runs between two depthwise filters, in {kernels}{reformats}{EXTENT}.",
            each.layers,
            fused(context, each.layers),
            {"Upsamples": each.up.name, "Downsamples": each.down.name, "Type": each.up.precision},
        )


def filtered_activations(context: Context) -> list[Filtered]:
    """Return the activations between a depthwise filter that upsamples and one that downsamples."""
    found = []
    for up in context.convolutions:
        if not is_depthwise(up) or elements(up.outputs[0]) <= elements(up.inputs[0]):
            continue
        ends, between = search([up], context.successors, is_pointwise, _MOST_BETWEEN)
        if len(ends) != 1 or not between or not context.is_convolution(ends[0]):
            continue
        down = ends[0]
        if is_depthwise(down) and elements(down.outputs[0]) < elements(down.inputs[0]):
            found.append(Filtered(up, between, down, _reformats(context, up, down)))
    return found


def _reformats(context: Context, up: LayerFacts, down: LayerFacts) -> list[LayerFacts]:
    """Return the reformats that only serve the filters: before the first and behind the second."""
    before = [each for each in context.predecessors(up) if context.successors(each) == [up]]
    behind = [each for each in context.successors(down) if context.predecessors(each) == [down]]
    return [each for each in (*before, *behind) if context.is_reformat(each)]
