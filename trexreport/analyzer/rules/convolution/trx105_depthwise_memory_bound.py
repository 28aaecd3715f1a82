"""TRX105 convolution.depthwise-memory-bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule, estimate
from trexreport.analyzer.rules.context import HALVES
from trexreport.analyzer.rules.convolution.channels import Channels, channels_of
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import are_deconvolutions
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import changes_quantization, is_pointwise
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.precision.precision_use import used_types
from trexreport.analyzer.rules.roof_share import (
    AT_ROOF,
    is_far_from_roof,
    is_memory_bound,
    share_of_memory_roof,
)
from trexreport.numbers import format_ms, format_number, format_percent, layer_label

#: Operations per byte below which every GPU that TensorRT supports is memory-bound, even without Tensor
#: Cores: the lowest ridge point is that of the A100 80GB SXM, 19.5 TFLOP/s of FP32 over 2.039 TB/s.
_SURELY_MEMORY_BOUND = 9.0
#: Part of the time of all these layers below which those longer than a launch are not reported.
_FEW = 0.4
#: A kernel is slow that takes this many times as long as one with as many operations, in another type that
#: makes tensors this many times as wide, and this many times as long for each byte: else that explains it.
_SLOW_FACTOR, _MAX_BYTES_FACTOR, _SLOWER_PER_BYTE = 2.0, 4, 1.3
#: What is slow by nature, without another type or kernel to try, is not worth a word below this share of
#: layer time, in percent.
_BY_NATURE_PERCENT = 10.0
#: As many layers behind one are looked at that run in its layout.
_MOST_IN_LAYOUT = 16
#: From this share of the bandwidth on its kernel is not a slow one.
_EXPLAINED = 0.5


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    many="{count} depthwise or grouped convolutions are slow{extent}; {Limit} limit them.",
    explains={"layers": ("TRX914",), "share": ("TRX605", "TRX601")},
    thresholds=(min_share(3, "all these layers together"),),
    replaces=True,
)
def depthwise_memory_bound(context: Context, *, share_percent: float) -> Hits:
    """A depthwise or grouped convolution performs few operations per byte.

    Cost:
        Each output channel reads one or few input channels, so every byte is used for a few operations:
        memory or kernel launch limits the layer, and Tensor Cores do not help. The layer takes more time than
        its operation count suggests.

    Recommendation:
        [if fp32, unless far: Move fewer bytes: FP16 or INT8 instead of FP32.] [if deconvolves: Replace a
        deconvolution (ConvTranspose) in groups with a Resize and, where it does more than interpolate, a
        convolution; where a 1x1 convolution follows that narrows the channels, compute it before.] [if far,
        if depthwise: TensorRT has no good kernel for this window and type: compare FP16 and FP32 for these
        layers, or write a plugin that also does what the layers beside it do.] [unless far, if depthwise:
        Such layers are slow by nature: only fewer of them, or other ones, take less time.] [unless depthwise,
        unless deconvolves: Use fewer and wider groups, or a dense convolution: it has more operations, and is
        often faster.] [unless deconvolves, if expanded: In the model: a dense convolution in place of the
        expansion and the depthwise one in early blocks (as in EfficientNetV2), which has more operations and
        is often faster.]

    False alarm:
        The layer already moves its bytes near the GPU's bandwidth: compare "% of roofline". Layers above 80%
        of it are not reported, and below 10% of layer time only those in FP32, deconvolutions, and those with
        a slow kernel.

    Est. savings:
        An estimate where another grouped convolution of the engine has at least as many operations, takes at
        most half of the time, and less for each byte, and this one reaches less than half of the bandwidth:
        up to the difference. Else one, from 0, where this one reaches less than a quarter of the bandwidth:
        up to the time above what its bytes need at the share that other memory-bound layers of the engine
        reach. Otherwise not estimated: it depends on what replaces the layer.
    """
    found = [
        (layer, channels)
        for layer, channels in _grouped_with_few_operations(context)
        if layer.roof is None or share_of_memory_roof(context, layer) < AT_ROOF
        if not any(map(changes_quantization, (*context.predecessors(layer), *context.successors(layer))))
    ]
    if not context.is_significant([layer for layer, _ in found], share_percent):
        return
    if not context.is_significant([layer for layer, _ in found], _BY_NATURE_PERCENT) and not any(
        _may_be_faster(context, layer) for layer, _ in found
    ):
        return
    # TRX508 reports what is about as short as a launch, and the others where they are few.
    longer = [layer for layer, _ in found if not is_mostly_launch(context, layer)]
    total_ms = context.time_ms(layer for layer, _ in found)
    mixes = not HALVES.isdisjoint(context.cached(used_types))
    only_tiny = len(longer) < len(found) and context.time_ms(longer) < _FEW * total_ms
    for layer, channels in found:
        if only_tiny and not is_mostly_launch(context, layer):
            continue
        intensity = layer.work.intensity if layer.work else None
        faster_one = _faster_with_more_work(context, layer)
        is_far = is_far_from_roof(context, layer)
        if layer.precision == "FP32" and mixes and faster_one is None and not is_far:
            continue  # TRX401 reports it: the type and its reformats are what can change.
        is_short = _bound(context, layer).endswith("latency-bound")
        limit = "latencies" if is_short else "few operations per byte"
        limit += " or slow kernels" if layer.roof is None and not is_short else ""
        limit = limit if faster_one is None and not is_far else "their kernels"
        evidence = {"Type": layer.precision, "Channels": str(channels), "Limit": limit}
        if layer.bandwidth_gbs:
            evidence["Bandwidth"] = f"{format_number(layer.bandwidth_gbs)} GB/s"
        if layer.roof:
            evidence["Roofline time"] = format_ms(layer.roof.roof_ms)
        what = f"performs only {format_number(intensity, 2)} operations per byte{_bound(context, layer)}"
        if is_far:
            share = format_percent(share_of_memory_roof(context, layer))
            what = f"has a slow kernel, which reaches {share} of the memory bandwidth"
            evidence["Reached"] = share
        gain = _near_the_bandwidth(context, layer) if is_far else None
        if faster_one is not None:
            # Neither its bytes nor its operations explain the time.
            times = (layer.avg_ms or 0.0) / (faster_one.avg_ms or 1.0)
            other = layer_label(faster_one.name)
            what = f"has a slow kernel: it takes {format_number(times, 2)} times as long as {other}, which "
            what += f"has at least as many operations in {faster_one.precision}"
            evidence["Kernel"] = layer.tactic
            if layer.precision != faster_one.precision:
                evidence["Faster type"] = faster_one.precision
            saved_ms = (layer.avg_ms or 0.0) - (faster_one.avg_ms or 0.0)
            gain = estimate(0.0, saved_ms, GainBasis("same-engine", 1.0, times, [faster_one.index]))
        yield Hit(
            f"{LAYER} {what}{EXTENT}.",
            (layer, *(_reformats_for(context, layer) if is_far else ())),
            gain,
            {key: text for key, text in evidence.items() if text},
        )


def _may_be_faster(context: Context, layer: LayerFacts) -> bool:
    """Return whether another type, kernel or layer may do the same in less time."""
    return (
        layer.precision == "FP32"
        or are_deconvolutions(context, [layer]) is True
        or is_far_from_roof(context, layer)
        or _faster_with_more_work(context, layer) is not None
    )


def _near_the_bandwidth(context: Context, layer: LayerFacts) -> Gain | None:
    """Return what a layer saves that comes as near to the bandwidth as memory-bound layers of the engine.

    A Resize in place of a deconvolution is such a layer; others need another kernel, which may not exist.
    """
    if are_deconvolutions(context, [layer]):
        return above_roof(context, layer, is_memory_bound, is_explained=True)
    return from_zero(above_roof(context, layer, is_memory_bound))


def _reformats_for(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the reformats for the layout of a layer: around it, and behind what runs in its layout."""
    before = [
        each
        for each in context.predecessors(layer)
        if context.is_reformat(each) and context.successors(each) == [layer]
    ]
    if not before:
        return _reformats_behind(context, [layer])
    same_layout = {layer.index: layer}
    ahead = [layer]
    while ahead and len(same_layout) < _MOST_IN_LAYOUT:
        readers = context.successors(ahead.pop())
        ahead += [each for each in readers if is_pointwise(each) and each.index not in same_layout]
        same_layout |= {each.index: each for each in ahead}
    return [*before, *_reformats_behind(context, list(same_layout.values()))]


def _reformats_behind(context: Context, layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the reformats that read results of these layers alone."""
    own = {each.index for each in layers}
    found = {each.index: each for layer in layers for each in context.successors(layer)}
    return [
        each
        for each in found.values()
        if context.is_reformat(each) and own.issuperset(near.index for near in context.predecessors(each))
    ]


def _faster_with_more_work(context: Context, layer: LayerFacts) -> LayerFacts | None:
    """Return the fastest grouped convolution with as much work and bytes that takes half the time at most.

    None where the bandwidth explains most of the layer's time.
    """
    if layer.roof is not None and share_of_memory_roof(context, layer) >= _EXPLAINED:
        return None
    found = [
        other
        for other, _ in context.cached(_grouped)
        if other.work
        and layer.work
        and other.work.macs >= layer.work.macs
        and _MAX_BYTES_FACTOR * (other.moved_bytes or 0) >= (layer.moved_bytes or 0)
        and 0 < (other.avg_ms or 0.0) <= (layer.avg_ms or 0.0) / _SLOW_FACTOR
        and _ms_per_byte(layer) >= _SLOWER_PER_BYTE * _ms_per_byte(other)
    ]
    return min(found, key=lambda each: (each.avg_ms or 0.0, each.index), default=None)


def _ms_per_byte(layer: LayerFacts) -> float:
    """Return the time that a layer takes for each byte that it moves; infinite where that is not known."""
    return layer.avg_ms / layer.moved_bytes if layer.avg_ms and layer.moved_bytes else math.inf


def _bound(context: Context, layer: LayerFacts) -> str:
    """Return what bounds a layer as the end of a sentence, empty where that is not known."""
    bound = layer.roof.bound if layer.roof else None
    if bound is None and is_mostly_launch(context, layer):
        bound = "latency"
    return f" and is {bound}-bound" if bound in ("memory", "latency") else ""


def _grouped(context: Context) -> list[tuple[LayerFacts, Channels]]:
    """Return the grouped convolutions with their channels."""
    found = ((layer, channels_of(layer)) for layer in context.convolutions)
    return [(layer, channels) for layer, channels in found if channels is not None and channels.are_grouped]


def _grouped_with_few_operations(context: Context) -> list[tuple[LayerFacts, Channels]]:
    """Return the grouped convolutions that are certainly not bound by Tensor Cores, with their channels."""
    found = []
    for layer, channels in context.cached(_grouped):
        if layer.work is None or layer.work.intensity is None:
            continue
        if layer.roof.roof == "memory" if layer.roof else layer.work.intensity < _SURELY_MEMORY_BOUND:
            found.append((layer, channels))
    return found
