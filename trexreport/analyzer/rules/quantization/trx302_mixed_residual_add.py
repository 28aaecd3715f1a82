"""TRX302 quantization.mixed-residual-add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from trexreport.analyzer.analysis import TensorUse
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import QUANTIZED
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import has_quantized, is_conv_or_matmul, is_conversion
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.quantization.residual_adds import SUMMED, MixedAdd, mixed_adds
from trexreport.analyzer.rules.quantization.scales import unless_calibrated
from trexreport.analyzer.rules.savings import removed_and_narrowed, worthwhile
from trexreport.model.data_format import BITS
from trexreport.numbers import format_shape, join_names

#: How many inputs an Add has that is part of a convolution, and what keeps it from that.
_FUSED_INPUTS, _BETWEEN = 2, frozenset({"Resize", "Concat", "Concatenation"})
#: TensorRT adds no tensors of these types.
_ADDED_IN_FLOAT = frozenset({"FP8", "FP4", "INT4"})


@built_in_rule(
    "warning",
    many="{count} residual Adds mix quantized and floating-point values: {Types}.",
    thresholds=(min_gain(0.5),),
    explains={
        "layers": ("TRX101", "TRX102", "TRX303", "TRX502"),
        "neighbors": ("TRX201", "TRX202", "TRX204", "TRX301"),
        "share": ("TRX205", "TRX304", "TRX305", "TRX601"),
    },
)
@worthwhile
def mixed_residual_add(context: Context) -> Hits:
    """A residual Add mixes quantized and floating-point inputs.

    Cost:
        With one FP16 or FP32 input the whole Add is floating-point: the branch is stored in the wider type
        from its start, the layer with the Add reads and writes wide tensors, and the next quantized layer
        needs a conversion first. Convolutions that write the wide tensor, and those that read it quantized,
        may run on CUDA cores for its layout.

    Recommendation:
        [unless sums-apart, unless calibrated: Also put Q/DQ on the residual branch, directly before the Add,
        with the scale of the tensor where it branches off.] [if sums-apart, unless calibrated: These sums are
        kernels of their own, as they add more than two inputs, or a Resize or Concat lies between them and
        the convolutions: put Q/DQ on each of their inputs, with one scale, and on that of the Resize, so that
        all of these kernels move bytes.] [..10, if sums-apart, if no-half, unless typed: First build with
        --fp16 beside --int8, which lets all that has no Q/DQ compute in FP16.] [unless matmuls, unless
        sums-apart, unless calibrated: Then TensorRT fuses the Add into the quantized convolution, which reads
        and writes one byte per element. NVIDIA's quantization toolkits call this the "residual quantizer" of
        a block. Check that the convolution's second input is quantized and that no conversion remains after
        it.] [if matmuls, unless sums-apart, unless calibrated: Then the Add reads bytes, as part of the
        multiplication or by itself; compare the accuracy, which a residual stream in 8 bits costs most.]
        [..10, if calibrated: Without Q/DQ nodes TensorRT has taken the faster type for each layer, as the
        calibration allows it.] [8.4..10, if calibrated: --layerPrecisions with --precisionConstraints=prefer
        asks for INT8 here: compare the time of the whole engine.]

    False alarm:
        Accuracy needs the Add in floating point (measure it; often only the last blocks). After matrix
        multiplications it is information: the sums of transformers mostly stay in FP16 for that reason. Of
        products in FP8, FP4 and INT4, whose sums always stay in floating point, none is reported.

    Est. savings:
        An estimate: the time of the conversions on the branch and after the Add (only that of fewer bytes
        for certain where a change of the layout may stay), plus what smaller tensors save in the layer with
        the Add and in the quantized layers that write the branch. Quantized layers of this engine with the
        same multiplications show that, else the roofline time with fewer bytes, at the share of the
        roofline that others reach. What several Adds share counts with the first.
    """
    if not context.cached(has_quantized):
        return
    reported: set[int] = set()
    found = [each for each in mixed_adds(context) if not _ADDED_IN_FLOAT.issuperset(_narrow(each.origins))]
    apart = [each.layer for each in found if _is_apart(context, each)]
    are_apart = 2 * context.time_ms(apart) > context.time_ms(each.layer for each in found)
    for layer, operands, origins, wide, sources, conversions, kept in found:
        fresh = [
            each for each in (*sources, *conversions) if each.index not in reported and each is not layer
        ]
        reported.update(each.index for each in (layer, *fresh))
        narrower = [(layer, [*wide, *layer.outputs])]
        narrower += [(each, [*each.outputs]) for each in fresh if each not in conversions]
        gain = removed_and_narrowed(context, [each for each in fresh if each in conversions], narrower)
        what, types = _describe(context, layer, operands, origins)
        layers = (layer, *fresh)
        yield Hit(
            f"{LAYER} {what}{EXTENT}.",
            layers,
            unless_calibrated(context, gain),
            {"Types": types, "Shape": format_shape(wide[0].dimensions)}
            | ({SUMMED: str(len(operands))} if are_apart else {}),
            affected=(*sources, *conversions, *kept, *_on_cuda_cores(context, [layer, *sources])),
            # The sums of transformers mostly stay in floating point on purpose.
            severity="info" if _multiplies_matrices(context, [layer, *sources]) else None,
        )


def _multiplies_matrices(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers multiplies matrices, and none convolves."""
    products = [each for each in layers if is_conv_or_matmul(context, each)]
    return bool(products) and not any(map(context.is_convolution, products))


def _describe(
    context: Context, layer: LayerFacts, operands: Sequence[TensorUse], origins: Sequence[tuple[str, str]]
) -> tuple[str, str]:
    """Return what an Add does, and the types of its inputs: those stored, or that some are computed in."""
    stored = [context.tensor(use.tensor).data_type for use in operands]
    computed = [data_type for kind, data_type in origins if kind == "computed"]
    if context.is_convolution(layer) or not QUANTIZED.isdisjoint(stored):
        types = _listed([*(data_type for _, data_type in origins if data_type), *stored])
        return f"mixes {types} inputs in a residual Add", types
    narrow = [
        ("computed in", computed),
        ("dequantized from", _narrow(each for each in origins if each[0] == "quantized")),
    ]
    some = [(how, found) for how, found in narrow if found]
    types, how = _listed(stored), join_names([f"{how} {_listed(found)}" for how, found in some], "or")
    number = sum(len(found) for _, found in some)
    part = "all" if number == len(operands) else f"{number} of {len(operands)}"
    return f"adds {types} inputs in a residual Add, {part} {how}", f"{types} {how}"


def _narrow(origins: Iterable[tuple[str, str]]) -> list[str]:
    """Return the types in which inputs of an Add are quantized, or computed."""
    return [data_type for kind, data_type in origins if kind in {"quantized", "computed"}]


def _is_apart(context: Context, add: MixedAdd) -> bool:
    """Return whether no convolution can take up an Add: it adds several inputs, or what is moved between."""
    if context.is_convolution(add.layer):
        return False
    return len(add.operands) > _FUSED_INPUTS or any(each.type in _BETWEEN for each in add.kept)


def _listed(types: Iterable[str]) -> str:
    """Return data types, the narrowest first, such as "INT8 and FP16"."""
    return " and ".join(sorted(set(types), key=lambda name: (BITS[name], name)))


def _on_cuda_cores(context: Context, writers: Iterable[LayerFacts]) -> list[LayerFacts]:
    """Return the quantized convolutions without Tensor Cores that read a wide result, or quantize it before.

    The layout of the wide tensor may suit kernels on CUDA cores alone; what quantizes it keeps that layout.
    """
    readers = (each for at in writers for each in context.successors(at, partial(is_conversion, context)))
    return [
        each
        for each in readers
        if context.is_convolution(each)
        and each.precision in QUANTIZED
        and context.kernel(each).tensor_cores is False
    ]
