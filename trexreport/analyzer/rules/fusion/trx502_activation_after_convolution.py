"""TRX502 fusion.activation-after-convolution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion.pointwise_parts import (
    operations_evidence,
    result_dimensions,
    shape_evidence,
)
from trexreport.analyzer.rules.patterns import (
    activations,
    is_pointwise,
    is_product,
    only_quantizes,
    sole_path,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, worthwhile
from trexreport.numbers import counted


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
        broadcast = any(
            _elements(use_shape) < _elements(result_dimensions(reader)) for use_shape, _ in others
        )
        kind = "convolution" if context.is_convolution(product) else "matrix product"
        what = f"With {counted(len(between), 'reformat')} before it, it passes" if between else "It passes"
        behind = {"Behind": f"{product.type} {product.precision}".strip()}
        yield Hit(
            f"{what} over the result of a {kind} again{for_time(context, layers)}.",
            layers,
            _saved_ms(reader, others) + context.time_ms(between),
            operations_evidence([reader]) | behind | shape_evidence(reader),
            severity="info" if broadcast else None,
        )


def _other_operands(
    context: Context, layer: LayerFacts, tensor: int
) -> list[tuple[Sequence[int], int | None]]:
    """Return dimensions and bytes of what a layer reads beside a tensor and is made at run time."""
    value = context.value_of(tensor)
    live = set(activations(context, layer))
    return [
        (use.dimensions, use.size_bytes)
        for use in layer.inputs
        if use.tensor in live and context.value_of(use.tensor) != value
    ]


def _elements(dimensions: Sequence[int]) -> int:
    elements = 1
    for extent in dimensions:
        elements *= max(extent, 1)
    return elements


def _saved_ms(layer: LayerFacts, others: list[tuple[Sequence[int], int | None]]) -> float:
    """Return a layer's time but for the share of its traffic that reads other operands."""
    kept = sum(size or 0 for _, size in others)
    if not layer.avg_ms:
        return 0.0
    return layer.avg_ms * (1 - kept / layer.moved_bytes) if layer.moved_bytes else layer.avg_ms
