"""TRX201 reformat.type-conversion."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.moves import joins_part, parts_beside
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.savings import untimed_by_bytes, without_conversion
from trexreport.numbers import counted


@built_in_rule(
    "warning",
    many="{count} reformats convert the data type between layers{extent}.",
    thresholds=(ALL_PLACES, EACH_PLACE),
    explains={"share": ("TRX205", "TRX305")},
)
@untimed_by_bytes
def type_conversion(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A reformat converts the data type between two layers.

    Cost:
        It reads and writes a whole tensor and computes nothing, because its neighbors run in different types.

    Recommendation:
        [if converts-lookups: What it converts comes from a lookup in a table (Gather): store the table in the
        type that the conversion writes, such as FP16.] [unless quantizes, unless converts-lookups: One of its
        neighbors computes in another floating-point type than the other: allow it the lower type.] [8.4..10,
        unless typed, unless no-layer-types, unless quantizes, unless converts-lookups: --layerPrecisions and
        --layerOutputTypes must not pin it to FP32.] [if typed, unless quantizes, unless converts-lookups: It
        must have no Cast to FP32 around it in the ONNX file.] [if quantizes, if quantized-alone: One layer
        alone is quantized, which saves little: leave it in floating point, or quantize what follows it, too.]
        [if quantizes, unless quantized-alone: A floating-point layer between quantized ones: add Q/DQ nodes
        to it.] [if quantizes, if copies: Its tensor is the result or a part of a Concat, into which parts are
        copied: Q/DQ nodes of one scale on all parts, before the Concat, let the layers that compute them
        write 8 bits into it.] [if beside-choice: Where the layer beside it sorts or chooses (TopK, ArgMax,
        suppression), no option changes what it reads: let it choose among fewer elements.] [unless
        converts-lookups: Layers without a kernel in the lower type keep their conversions.]

    False alarm:
        Accuracy needs the wider type there. Other rules report reformats at I/O tensors (TRX206), next to
        plugins (TRX207), in a sequence (TRX203, TRX204), and what remains of Q/DQ nodes (TRX301).
        Without a profile all are information.

    Est. savings:
        An estimate: up to the time of the reformat; at least the share of its bytes that equal types save
        where a change of the layout remains, or may remain as the layouts are not stated. Its neighbors may
        become faster or slower with the other format.
    """
    found = context.cached(reformat_places).type_conversions
    conversions = context.significant(found, share_percent, place_percent)
    copies = parts_beside(context, conversions)
    for layer in conversions:
        parts = [each for each in copies[layer.index] if joins_part(context, each)]
        before, after = (context.tensor(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
        also = "" if before.layout == after.layout else " and changes the layout"
        beside = f", beside {counted(len(parts), 'copy', 'copies')} into the same Concat" if parts else ""
        ranges = [
            (layer, *without_conversion(context, layer)),
            *((each, 0.0, each.avg_ms or 0.0) for each in parts),
        ]
        yield Hit(
            f"{LAYER} converts {before.data_type} to {after.data_type}{also}{beside}{EXTENT}.",
            (layer, *parts),
            of_layers("estimate", ranges, "removed-layers"),
            describe_place(context, layer),
        )
