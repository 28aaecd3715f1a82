"""TRX303 quantization.float-section."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, search
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.fusion.attention_parts import products_of_attentions
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.narrow_types import may_attend_quantized
from trexreport.analyzer.rules.patterns import (
    ROOTS,
    changes_quantization,
    is_conversion,
    is_fused_attention,
    is_reduction,
    is_softmax,
    only_quantizes,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.quantization.scales import unless_calibrated
from trexreport.analyzer.rules.savings import removed_and_narrowed, worthwhile
from trexreport.numbers import counted

#: TensorRT computes them in floating point only.
_WITHOUT_QUANTIZED_KERNEL = frozenset({"Normalization", "LRN", "TopK"})


@built_in_rule(
    "warning",
    former_name="quantization.float-island",
    many="{count} {Types} sections run between quantized layers.",
    thresholds=(
        min_gain(0.5),
        Threshold(
            "max_layers",
            8,
            1,
            1000,
            "Maximum number of layers in a section, without conversions.",
            former_name="most-layers",
        ),
    ),
    explains={
        "layers": (
            "TRX101",
            "TRX102",
            "TRX201",
            "TRX202",
            "TRX203",
            "TRX204",
            "TRX207",
            "TRX301",
            "TRX307",
            "TRX401",
            "TRX502",
        ),
        "share": ("TRX205", "TRX304", "TRX305", "TRX512", "TRX601", "TRX918"),
    },
)
@worthwhile
def float_section(context: Context, *, max_layers: float) -> Hits:
    """FP16 or FP32 layers run between quantized layers.

    Cost:
        The tensors of such a section are two or four times as wide, and the data is converted on the way in,
        on the way out or both, often for one cheap layer such as a pooling.

    Recommendation:
        [if fused-attention, unless in-int8: Put Q/DQ nodes at the inputs of both multiplications of the
        attention, if a fused kernel takes its head size in FP8.] [if fused-attention, if in-int8: Fused
        kernels in INT8 take up to 512 tokens and heads of 16, 32 or 64 elements: put Q/DQ nodes at the inputs
        of both multiplications of such an attention and behind the second.] [unless fused-attention, unless
        calibrated: Quantize the section: put Q/DQ on the input of each of its layers.] [unless
        fused-attention, unless calibrated, if section-pools: Pooling, including global average pooling, runs
        in INT8 when its input has Q/DQ.] [unless fused-attention, unless calibrated, if section-adds: An Add
        needs them on all inputs.] [unless fused-attention, unless calibrated, if section-moves:
        Concatenation, resize and shuffle need the same scale on both sides.] [if section-plugin: A plugin
        must support INT8 formats.] [if prelu: A PReLU stays a kernel of its own: train with ReLU or LeakyReLU
        in its place.] [..10, unless typed, if no-half: First build with --fp16 beside --int8: no layer
        computes in FP16 or BF16.] [..10, if unscaled: The log names tensors without scales ("Missing scale
        and zero-point"): what reads or writes one falls back to floating point. Calibrate again with this
        model, or state the range of each.] [..10, if calibrated: Without Q/DQ nodes TensorRT has taken the
        faster type for each layer, as the calibration allows it.] [8.4..10, if calibrated: --layerPrecisions
        with --precisionConstraints=prefer asks for INT8 here: compare the time of the whole engine.]

    False alarm:
        Operations without a quantized kernel (normalization, softmax, sigmoid in some versions), and places
        where accuracy needs floating point. Kernels that add, normalize and quantize at once are not
        reported, also where they keep a floating-point residual beside the quantized result. Sections with a
        fused attention are information, as few shapes have a quantized kernel, and not reported where
        version, GPU or number of tokens allow none; those with an attention that is not fused are left to
        TRX503, and those between parts on a DLA, which does not support them, to TRX910.

    Est. savings:
        An estimate: the time of the conversions into, out of and inside the section (only that of fewer
        bytes for certain where a change of the layout may stay; of a copy from 0 up to that of fewer bytes),
        plus what smaller tensors save in its layers, up to the share of the bytes; with pooling even nothing
        is possible, and normalization and softmax stay as they are. Quantized layers that
        write floating point only for the section, and conversions only for these, count alike: quantized
        layers of this engine with the same multiplications show what they save, else the roofline. From 0
        where a calibration left the choice to the builder.
    """
    on_dla = {each.index for each in context.cached(dla_use).on_dla}
    seen: set[int] = set()
    for layer in _entrances(context):
        if layer.index in seen:
            continue
        region = _region(context, layer)
        seen.update(each.index for each in region)
        work = [each for each in region if not is_conversion(context, each)]
        if not 0 < len(work) <= max_layers or not _is_enclosed(context, region):
            continue
        if not context.cached(products_of_attentions).isdisjoint(each.index for each in work):
            continue
        attentions = [each for each in work if is_fused_attention(context, each)]
        if not all(may_attend_quantized(context, each) for each in attentions):
            continue
        if on_dla.intersection(each.index for layer in region for each in _beside(context, layer)):
            continue
        conversions = [each for each in region if is_conversion(context, each)]
        writers, served = _written_for(context, region)
        quantizable = [each for each in work if not _stays_float(context, each)]
        if not quantizable and not conversions:
            continue
        narrower = [(each, [*each.inputs, *each.outputs]) for each in (*quantizable, *writers)]
        gain = unless_calibrated(context, removed_and_narrowed(context, [*conversions, *served], narrower))
        layers = (*work, *conversions, *writers, *served)
        kinds = ", ".join(dict.fromkeys(each.type for each in work))
        types = "/".join(dict.fromkeys(each.precision for each in work))
        run = f"{LAYER} runs" if len(work) == 1 else f"{counted(len(work), 'layer')} run"
        yield Hit(
            f"{run} in {types} between quantized layers{EXTENT}.",
            layers,
            gain,
            {"Layer types": kinds, "Types": types, "Conversions": str(len(conversions))},
            severity="info" if attentions else None,
        )


def _beside(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    return [*context.predecessors(layer), *context.successors(layer)]


def _stays_float(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer needs no Q/DQ: it normalizes, or writes its result in both types."""
    if is_softmax(layer) or layer.type in _WITHOUT_QUANTIZED_KERNEL:
        return True
    if is_reduction(layer) and not ROOTS.isdisjoint(layer.operations):
        return True
    types = {context.tensor(use.tensor).data_type for use in layer.outputs}
    return not types.isdisjoint(QUANTIZED) and not types.isdisjoint(FLOATS)


def _is_float_work(context: Context, layer: LayerFacts) -> bool:
    if layer.structural or is_conversion(context, layer) or context.is_opaque(layer):
        return False
    return layer.precision in FLOATS and (layer.output_precision in FLOATS or not layer.output_precision)


def _entrances(context: Context) -> Iterator[LayerFacts]:
    """Yield the layers that convert quantized data to floating point, or the first that read it."""
    for layer in context.of_kinds(
        lambda each: each.precision in QUANTIZED and each.output_precision in FLOATS
    ):
        if is_conversion(context, layer):
            yield layer
        else:
            yield from (each for each in context.successors(layer) if _is_inside(context, each))


def _is_inside(context: Context, layer: LayerFacts) -> bool:
    return is_conversion(context, layer) or _is_float_work(context, layer)


def _region(context: Context, start: LayerFacts) -> list[LayerFacts]:
    """Return all layers that floating-point tensors connect with a layer, in execution order.

    A conversion at the edge belongs to the region; the layers on its quantized side do not.
    """

    def neighbors(layer: LayerFacts) -> list[LayerFacts]:
        read = [use.tensor for use in layer.inputs if _is_float(context, use.tensor)]
        written = [use.tensor for use in layer.outputs if _is_float(context, use.tensor)]
        before = (other for tensor in read for other in context.producers(tensor))
        after = (other for tensor in written for other in context.consumers(tensor))
        return [*before, *after]

    _, passed = search([start], neighbors, partial(_is_inside, context), len(context.layers))
    region = {each.index: each for each in (start, *passed)}
    return [region[index] for index in sorted(region)]


def _written_for(context: Context, region: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the quantized layers that write floating point only for a region, and their conversions."""
    inside = {layer.index for layer in region}
    writers = {
        writer.index: writer
        for layer in region
        for writer in context.predecessors(layer)
        if writer.index not in inside
        and changes_quantization(writer)
        and _serves_only(context, writer, inside)
    }
    served = {
        feeder.index: feeder
        for writer in writers.values()
        for feeder in context.predecessors(writer)
        if only_quantizes(feeder)
        and feeder.output_precision in FLOATS
        and _serves_only(context, feeder, writers.keys())
    }
    return list(writers.values()), list(served.values())


def _serves_only(context: Context, layer: LayerFacts, readers: Collection[int]) -> bool:
    return all(each.index in readers for each in context.successors(layer))


def _is_float(context: Context, tensor: int) -> bool:
    return context.tensor(tensor).data_type in FLOATS


def _is_enclosed(context: Context, region: list[LayerFacts]) -> bool:
    """Return whether a region exchanges floating-point data only with quantized layers."""
    inside = {layer.index for layer in region}
    enters = leaves = False
    for layer in region:
        for use in layer.inputs:
            if not _is_float(context, use.tensor):
                enters |= context.tensor(use.tensor).data_type in QUANTIZED
                continue
            if context.is_input(use.tensor):
                return False
            for writer in context.producers(use.tensor):
                if writer.index not in inside and writer.type != "Constant":
                    if not changes_quantization(writer):
                        return False
                    enters = True
        for use in layer.outputs:
            if not _is_float(context, use.tensor):
                leaves |= context.tensor(use.tensor).data_type in QUANTIZED
                continue
            if context.is_output(use.tensor):
                return False
            for reader in context.consumers(use.tensor):
                if reader.index not in inside:
                    if reader.precision not in QUANTIZED:
                        return False
                    leaves = True
    return enters and leaves
