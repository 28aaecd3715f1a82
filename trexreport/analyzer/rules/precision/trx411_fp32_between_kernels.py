"""TRX411 precision.fp32-between-kernels."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import TensorFacts, TensorUse
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, LOW_PRECISIONS
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import is_conversion, operations
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, describe_tensor
from trexreport.analyzer.rules.precision.precision_use import product_types
from trexreport.analyzer.rules.savings import worthwhile

#: The part of FP32 that FP16 and BF16 save.
_SAVED = 0.5


@built_in_rule(
    "warning",
    many="{count} tensors are in FP32 only between kernels that cast them{extent}.",
    needs=("layers", "profile"),
    thresholds=(min_gain(1.0),),
    explains={"share": ("TRX601",)},
)
@worthwhile
def fp32_between_kernels(context: Context) -> Hits:
    """A kernel casts its result to FP32, and the next one reads that and writes a lower precision again.

    Cost:
        Kernels compute in FP32 inside whatever they read and write. Between two kernels an FP32 tensor is
        written and read with twice the bytes of FP16 or BF16.

    Recommendation:
        Remove the Cast to FP32 before the operation and the one behind it from the model (in PyTorch a
        `.float()`, or a softmax with `dtype=torch.float32`) where accuracy allows. [if softmax: The kernel of
        a softmax subtracts the maximum and sums in FP32 itself. Without the casts an attention may also be
        fused (TRX503).]

    False alarm:
        The values exceed the range of FP16, or lose accuracy in it: BF16 has the range of FP32. Only kernels
        whose other inputs or outputs are of a lower precision are reported, in an engine that multiplies in
        one.

    Est. savings:
        An estimate: from 0 to the time of the bytes that both kernels no longer write and read.
    """
    if not context.cached(product_types) & LOW_PRECISIONS:
        return
    casts = [
        (writer, reader, tensor)
        for tensor in context.tensors
        if tensor.role == "activation"
        for writer, reader in _casts_around(context, tensor)
    ]
    for _, members in sorted(group_by(casts, lambda cast: cast[0].index).items()):
        writer, tensor = members[0][0], members[0][2]
        readers = {reader.index: reader for _, reader, _ in members}.values()
        size = tensor.size_bytes or 0
        ranges = [(layer, 0.0, bytes_ms(layer, size)) for layer in (writer, *readers)]
        gain = of_layers("estimate", ranges, "less-traffic")
        yield Hit(
            f"{LAYER} casts its result to FP32 only for the next kernel, which casts it back{EXTENT}.",
            (writer, *readers),
            gain,
            {"Tensor": describe_tensor(tensor)},
        )


def _casts_around(context: Context, tensor: TensorFacts) -> list[tuple[LayerFacts, LayerFacts]]:
    """Return the kernels that write and read a tensor in FP32, and else read and write a lower precision."""
    if tensor.data_type != "FP32" or len(tensor.producers) != 1 or not tensor.consumers:
        return []
    writer = context.layers[tensor.producers[0]]
    readers = [context.layers[index] for index in tensor.consumers]
    if any(has_own_types(context, each) for each in (writer, *readers)):
        return []
    reads = float_types(context, writer.inputs)
    writes = [float_types(context, each.outputs) for each in readers]
    if (
        not reads
        or not reads <= LOW_PRECISIONS
        or not all(each and each <= LOW_PRECISIONS for each in writes)
    ):
        return []
    # Myelin itself keeps what it computes in two kernels in FP32, such as the mean of a normalization.
    casts = list(operations(writer))[-1:] == ["Cast"]
    return [(writer, reader) for reader in readers] if casts else []


def has_own_types(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer's types are not those of a cast in the model."""
    return is_conversion(context, layer) or context.is_plugin(layer) or context.is_opaque(layer)


def float_types(context: Context, uses: Iterable[TensorUse]) -> set[str]:
    """Return the floating-point and quantized types of tensors."""
    types = {context.tensor(use.tensor).data_type for use in uses}
    return types & (FLOATS | LOW_PRECISIONS)


def bytes_ms(layer: LayerFacts, size: int) -> float:
    """Return the time of half of a tensor's bytes at the rate of the layer."""
    part = size / layer.moved_bytes if layer.moved_bytes else 0.0
    return _SAVED * min(part, 1.0) * (layer.avg_ms or 0.0)
