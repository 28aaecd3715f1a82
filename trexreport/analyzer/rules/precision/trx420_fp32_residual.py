"""TRX420 precision.fp32-residual."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import TensorFacts
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import LOW_PRECISIONS
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import describe_tensor, takes_time
from trexreport.analyzer.rules.precision.precision_use import product_types
from trexreport.analyzer.rules.precision.trx411_fp32_between_kernels import (
    bytes_ms,
    float_types,
    has_own_types,
)
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import counted, format_bytes


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_gain(2.0),
        Threshold("min_count", 4, 2, 1e6, "Minimum number of tensors in FP32 that follow each other."),
    ),
    explains={"share": ("TRX401", "TRX601")},
)
@worthwhile
def fp32_residual(context: Context, *, min_count: float) -> Hits:
    """The residual stream is in FP32 between layers that multiply in a lower precision.

    Cost:
        The sum of all branches so far goes from block to block in FP32. The kernels that add to it and
        normalize it compute little: their time is that of the bytes, of which FP32 has twice as many.

    Recommendation:
        [9.3.., if bf16-cores: Keep the residual in BF16, which has the range of FP32, and compare the
        accuracy.] FP16 holds it only where its values stay below 65,504: models such as T5 exceed that.
        Remove the Casts to FP32 before the residual Adds from the model; the normalization still sums in FP32
        inside its kernel.

    False alarm:
        Small changes to a large residual are lost with the 8 bits of BF16, which shows in the accuracy. Only
        tensors are counted that kernels write and read beside tensors of a lower precision, at least
        `min-count` of them one after the other.

    Est. savings:
        An estimate: from 0 to the time of half of the bytes of these tensors, at the rate of each kernel.
    """
    if not context.cached(product_types) & LOW_PRECISIONS:
        return
    streams = _streams([each for each in context.tensors if _is_wide(context, each)])
    found = [each for stream in streams if len(stream) >= min_count for each in stream]
    if not found:
        return
    saved: dict[int, float] = {}
    for tensor in found:
        for index in {*tensor.producers, *tensor.consumers}:
            layer = context.layers[index]
            saved[index] = saved.get(index, 0.0) + bytes_ms(layer, tensor.size_bytes or 0)
    layers = [context.layers[index] for index in sorted(saved)]
    largest = max(found, key=lambda each: each.size_bytes or 0)
    size = format_bytes(largest.size_bytes or 0)
    yield Hit(
        f"{counted(len(found), 'tensor')} of up to {size} that follow each other are in FP32 between kernels "
        f"of a lower precision; the kernels that write and read them {takes_time(context, layers)}.",
        tuple(layers),
        of_layers("estimate", [(layer, 0.0, saved[layer.index]) for layer in layers], "less-traffic"),
        {"Tensor": describe_tensor(largest)},
    )


def _streams(tensors: Iterable[TensorFacts]) -> list[list[TensorFacts]]:
    """Return tensors in lists of those that follow each other: what reads one writes the next."""
    streams: list[list[TensorFacts]] = []
    read_by: dict[int, list[TensorFacts]] = {}
    for tensor in sorted(tensors, key=lambda each: each.producers[0]):
        stream = read_by.get(tensor.producers[0])
        if stream is None:
            streams.append(stream := [])
        stream.append(tensor)
        read_by.update(dict.fromkeys(tensor.consumers, stream))
    return streams


def _is_wide(context: Context, tensor: TensorFacts) -> bool:
    """Return whether a tensor is in FP32 between kernels that else read or write a lower precision."""
    if tensor.data_type != "FP32" or tensor.role != "activation" or len(tensor.producers) != 1:
        return False
    layers = [context.layers[index] for index in (*tensor.producers, *tensor.consumers)]
    return bool(tensor.consumers) and all(_is_mixed(context, each) for each in layers)


def _is_mixed(context: Context, layer: LayerFacts) -> bool:
    types = float_types(context, (*layer.inputs, *layer.outputs))
    if is_conv_or_matmul(context, layer) or has_own_types(context, layer):
        return False
    return bool(types & LOW_PRECISIONS)
