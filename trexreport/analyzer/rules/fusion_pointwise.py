"""Rules on pointwise work that runs as kernels of its own."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import (
    activations,
    is_pointwise,
    is_product,
    only_quantizes,
    operations,
    pointwise_groups,
    sole_path,
)
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.weighing import least_gain, saved_by_fusing, worthwhile
from trexreport.analyzer.rules.wording import describe_shape, for_time
from trexreport.numbers import counted

#: A kernel with erf and as many operations in all computes the whole activation: Mul, Erf, Add, Mul.
_WHOLE_GELU = 4


@rule(
    "TRX501",
    "fusion.unfused-pointwise-chain",
    "warning",
    many="{count} chains of pointwise layers run as several kernels each.",
    subject="fusion",
    thresholds=(least_gain(0.5),),
)
def unfused_pointwise_chain(context: Context, *, gain_percent: float) -> list[Hit]:
    """Pointwise layers that feed only each other run as kernels of their own.

    Cost:
        Each kernel reads the whole tensor from memory and writes it back, though one kernel could do all of
        them in one pass; reformats between them add a pass each.

    Advice:
        Find what keeps them apart: a Cast or a change of layout between them, a plugin that takes and gives
        one layout only, a Scale that belongs to a normalization that was exported as InstanceNormalization
        (write GroupNormalization or LayerNormalization), `--markDebug`, or a precision pinned for one layer.
        Then build anew and check that the layers have become one.

    False alarm:
        Small tensors, where each kernel costs little more than its start; and operations that TensorRT has
        no fused kernel for.

    Bound:
        The time of the chain, reformats included, but for its slowest layer: one kernel in place of all is
        taken to need at least as long as that one.
    """
    hits = []
    for members in context.once(pointwise_groups):
        if _is_gelu(members):
            continue
        own = sum(not context.is_reformat(each) for each in members)
        what = f"{own} pointwise layers feed only each other and run apart"
        what += f", with {counted(len(members) - own, 'reformat')} between," if len(members) > own else ""
        evidence = _operations(members) | _shape(members[-1])
        hits.append(
            Hit(
                f"{what}{for_time(context, members)}".rstrip(",") + ".",
                tuple(members),
                saved_by_fusing(members),
                evidence,
            )
        )
    return worthwhile(context, hits, gain_percent)


@rule(
    "TRX502",
    "fusion.activation-after-convolution",
    "warning",
    many="{count} pointwise layers are left behind convolutions or matrix products.",
    subject="fusion",
    thresholds=(least_gain(1.0),),
)
def activation_after_convolution(context: Context, *, gain_percent: float) -> list[Hit]:
    """Pointwise work is left behind a convolution or matrix product.

    Cost:
        The product writes its result only for the next kernel to read it again and apply an activation, a
        scale, a clip or a residual sum, which most kernels do on the way out at no cost.

    Advice:
        Use what TensorRT fuses: ReLU or Clip directly behind the convolution (for a ReLU6 in FP16 try ReLU,
        or a newer TensorRT), batch normalization folded into the weights, the residual Add directly before
        the ReLU and of the same type and shape as the convolution's output. In quantized networks put Q/DQ
        on the residual branch, not between the convolution and the Add. Keep casts out of between.

    False alarm:
        The kernel of the product is the faster one because it has no such ending: TensorRT timed both where
        it could. An operand that is broadcast over the tensor and made at run time (such as an embedding of
        the time step) has no kernel to fuse into; such places are information.

    Bound:
        The time of the pointwise layer but for the share of its traffic that reads other operands, which the
        fused kernel has to read too, and all the time of the reformats between.
    """
    return worthwhile(context, _left_behind(context), gain_percent)


def _left_behind(context: Context) -> Iterator[Hit]:
    told = set()
    for product in context.layers:
        if not is_product(context, product):
            continue
        between, reader = sole_path(context, product)
        if reader is None or reader.index in told or not is_pointwise(reader) or only_quantizes(reader):
            continue
        told.add(reader.index)
        layers = (reader, *between)
        tensor = (between[-1] if between else product).outputs[0].tensor
        others = _other_operands(context, reader, tensor)
        broadcast = any(_elements(use_shape) < _elements(_result(reader)) for use_shape, _ in others)
        kind = "convolution" if context.is_convolution(product) else "matrix product"
        what = f"With {counted(len(between), 'reformat')} before it, it passes" if between else "It passes"
        behind = {"Behind": f"{product.type} {product.precision}".strip()}
        yield Hit(
            f"{what} over the result of a {kind} again{for_time(context, layers)}.",
            layers,
            _saved_ms(reader, others) + context.time_ms(between),
            _operations([reader]) | behind | _shape(reader),
            severity="info" if broadcast else None,
        )


def _other_operands(context: Context, layer: LayerFacts, tensor: int) -> list[tuple[list[int], int | None]]:
    """Return dimensions and bytes of what a layer reads beside a tensor and is made at run time."""
    value = context.value_of(tensor)
    live = set(activations(context, layer))
    return [
        (use.dimensions, use.size_bytes)
        for use in layer.inputs
        if use.tensor in live and context.value_of(use.tensor) != value
    ]


def _result(layer: LayerFacts) -> list[int]:
    return layer.outputs[0].dimensions if layer.outputs else []


def _elements(dimensions: list[int]) -> int:
    elements = 1
    for extent in dimensions:
        elements *= max(extent, 1)
    return elements


def _saved_ms(layer: LayerFacts, others: list[tuple[list[int], int | None]]) -> float:
    """Return a layer's time but for the share of its traffic that reads other operands."""
    kept = sum(size or 0 for _, size in others)
    if not layer.avg_ms:
        return 0.0
    return layer.avg_ms * (1 - kept / layer.moved_bytes) if layer.moved_bytes else layer.avg_ms


@rule(
    "TRX506",
    "fusion.decomposed-gelu",
    "warning",
    many="{count} GELU activations run as several kernels each.",
    subject="fusion",
    thresholds=(least_gain(0.2),),
)
def decomposed_gelu(context: Context, *, gain_percent: float) -> list[Hit]:
    """A GELU activation runs as several pointwise kernels.

    Cost:
        The parts of x/2 (1 + erf(x/√2)), or of its approximation with tanh, each read and write the widest
        tensor of a transformer block.

    Advice:
        Export the activation as one node: ONNX has Gelu since opset 20 (TensorRT 10). With older ones keep
        the exporter's pattern whole: constants as constants, all of one type, no Cast and no clip inside. In
        PyTorch call `torch.nn.functional.gelu` rather than a formula of one's own.

    False alarm:
        A part of the pattern is an output of the network or read elsewhere, and so has to be written.

    Bound:
        The time of the parts but for the slowest: one kernel in place of all is taken to need at least as
        long as that one.
    """
    hits = [
        Hit(
            f"A GELU activation takes {len(members)} kernels{for_time(context, members)}.",
            tuple(members),
            saved_by_fusing(members),
            _operations(members) | _shape(members[-1]),
        )
        for members in context.once(pointwise_groups)
        if _is_gelu(members)
    ]
    return worthwhile(context, hits, gain_percent)


def _is_gelu(members: list[LayerFacts]) -> bool:
    """Tell whether layers together compute a GELU, with erf or with tanh and a power, and none does it alone.

    Tanh without a power may be a sigmoid, which TensorRT's expressions write with it.
    """
    each = [operations(layer) for layer in members]
    found = {operation for some in each for operation in some}
    is_whole = any(len(some) >= _WHOLE_GELU and "Erf" in some for some in each)
    return not is_whole and ("Erf" in found or {"Tanh", "Pow"} <= found)


def _operations(members: list[LayerFacts]) -> dict[str, str]:
    found = [each for layer in members for each in operations(layer)]
    return {"Operations": " · ".join(found)} if found else {}


def _shape(layer: LayerFacts) -> dict[str, str]:
    return {"Shape": describe_shape(_result(layer))} if _result(layer) else {}
