"""TRX303 quantization.float-island."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import changes_quantization, only_quantizes
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_narrowing, worthwhile
from trexreport.numbers import counted


@rule(
    "TRX303",
    "quantization.float-island",
    "warning",
    section="precision",
    subject="movement",
    many="{count} islands of float lie between quantized layers.",
    thresholds=(
        least_gain(0.5),
        Threshold("most_layers", 8, 1, 1000, "A larger float part is no island, reformats not counted."),
    ),
)
def float_island(context: Context, *, gain_percent: float, most_layers: float) -> list[Hit]:
    """A few float layers lie between quantized ones.

    Cost:
        The island's tensors are two or four times as wide, and the data is converted on the way in, on the
        way out or both, often for one cheap layer such as a pooling.

    Advice:
        Quantize through it: put Q/DQ on the input of each of its layers. Pooling, also a global average
        pooling, runs in INT8 when its input has Q/DQ; an Add needs them on all inputs; concatenation, resize
        and shuffle want the same scale on both sides. A plugin has to offer INT8 formats. Check that the
        island's layers read INT8 or FP8 and the conversions are gone.

    False alarm:
        Operations without a quantized kernel (normalization, softmax, sigmoid in some versions) and places
        that accuracy needs in float.

    Bound:
        All the time of the conversions into and out of the island and inside it, and the share of its
        layers' time that their float tensors take beyond quantized ones, as if bound by memory. The same of
        quantized layers that write float only for the island, and of conversions that only serve these.
    """
    return worthwhile(context, _islands(context, most_layers), gain_percent)


def _islands(context: Context, most_layers: float) -> Iterator[Hit]:
    seen: set[int] = set()
    for layer in _entrances(context):
        if layer.index in seen:
            continue
        region = _region(context, layer, most_layers)
        seen.update(each.index for each in region)
        work = [each for each in region if not context.is_reformat(each)]
        if not 0 < len(work) <= most_layers or not _is_enclosed(context, region):
            continue
        conversions = [each for each in region if context.is_reformat(each)]
        writers, served = _written_for(context, region)
        gain = context.time_ms([*conversions, *served])
        widened = [*work, *writers]
        gain += math.fsum(
            saved_by_narrowing(context, each, [*each.inputs, *each.outputs]) for each in widened
        )
        layers = (*work, *conversions, *writers, *served)
        kinds = ", ".join(dict.fromkeys(each.type for each in work))
        what = f"An island of {counted(len(work), 'float layer')}"
        what += f" and {counted(len(conversions), 'reformat')}" if conversions else ""
        taken = for_time(context, layers)
        also = f"; with what writes float for it it runs{taken}" if writers and taken else taken
        yield Hit(
            f"{what} lies between quantized layers{also}.",
            layers,
            gain,
            {"Kinds": kinds, "Type": layer.precision, "Conversions": str(len(conversions))},
        )


def _is_float_work(context: Context, layer: LayerFacts) -> bool:
    if layer.structural or context.is_reformat(layer) or context.is_opaque(layer):
        return False
    return layer.precision in FLOATS and (layer.output_precision in FLOATS or not layer.output_precision)


def _entrances(context: Context) -> Iterator[LayerFacts]:
    """Yield the layers in which the data of quantized ones becomes float, or which read it then."""
    for layer in context.layers:
        if layer.precision in QUANTIZED and layer.output_precision in FLOATS:
            if context.is_reformat(layer):
                yield layer
            else:
                yield from (each for each in context.targets(layer) if _is_inside(context, each))


def _is_inside(context: Context, layer: LayerFacts) -> bool:
    return context.is_reformat(layer) or _is_float_work(context, layer)


def _region(context: Context, start: LayerFacts, most_layers: float) -> list[LayerFacts]:
    """Return all that float tensors connect with a layer, reformats at the edges included, in order.

    Where that is more than an island may have the rest is left out.
    """
    region = {start.index: start}
    waiting = [start]
    work = 0
    for layer in waiting:
        work += not context.is_reformat(layer)
        if work > most_layers:
            break
        # A conversion at the edge belongs to the region; what lies on its quantized side does not.
        read = [use.tensor for use in layer.inputs if _is_float(context, use.tensor)]
        written = [use.tensor for use in layer.outputs if _is_float(context, use.tensor)]
        before = (other for tensor in read for other in context.writers(tensor))
        after = (other for tensor in written for other in context.readers(tensor))
        for other in (*before, *after):
            if other.index not in region and _is_inside(context, other):
                region[other.index] = other
                waiting.append(other)
    return [region[index] for index in sorted(region)]


def _written_for(context: Context, region: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the quantized layers that write float for a region alone, and conversions only for these."""
    inside = {layer.index for layer in region}
    writers = {
        writer.index: writer
        for layer in region
        for writer in context.sources(layer)
        if writer.index not in inside
        and changes_quantization(writer)
        and _serves_only(context, writer, inside)
    }
    served = {
        feeder.index: feeder
        for writer in writers.values()
        for feeder in context.sources(writer)
        if only_quantizes(feeder)
        and feeder.output_precision in FLOATS
        and _serves_only(context, feeder, writers.keys())
    }
    return list(writers.values()), list(served.values())


def _serves_only(context: Context, layer: LayerFacts, readers: Collection[int]) -> bool:
    return all(each.index in readers for each in context.targets(layer))


def _is_float(context: Context, tensor: int) -> bool:
    return context.facts(tensor).data_type in FLOATS


def _is_enclosed(context: Context, region: list[LayerFacts]) -> bool:
    """Tell whether float data enters a region from quantized layers only, and leaves to such only."""
    inside = {layer.index for layer in region}
    enters = leaves = False
    for layer in region:
        for use in layer.inputs:
            if not _is_float(context, use.tensor):
                enters |= context.facts(use.tensor).data_type in QUANTIZED
                continue
            if context.is_input(use.tensor):
                return False
            for writer in context.writers(use.tensor):
                if writer.index not in inside and writer.type != "Constant":
                    if not changes_quantization(writer):
                        return False
                    enters = True
        for use in layer.outputs:
            if not _is_float(context, use.tensor):
                leaves |= context.facts(use.tensor).data_type in QUANTIZED
                continue
            if context.is_output(use.tensor):
                return False
            for reader in context.readers(use.tensor):
                if reader.index not in inside:
                    if reader.precision not in QUANTIZED:
                        return False
                    leaves = True
    return enters and leaves
