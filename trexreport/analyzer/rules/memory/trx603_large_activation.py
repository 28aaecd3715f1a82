"""TRX603 memory.large-activation."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import describe_tensor
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_bytes, format_percent

_MIB = 2**20


@rule(
    "TRX603",
    "memory.large-activation",
    "info",
    many="{count} tensors take most of the memory between layers.",
    section="memory",
    thresholds=(
        Threshold("share_percent", 33.0, 1, 100, "The tensor's part of the peak, in percent."),
        Threshold("peak_mib", 256.0, 0, 1e9, "Peak of the memory between layers worth looking at, in MiB."),
    ),
)
def large_activation(context: Context, *, share_percent: float, peak_mib: float) -> Iterator[Hit]:
    """A single tensor takes much of the memory between layers.

    Cost:
        The largest tensors that live at the same time decide how much memory every execution context takes,
        and so how many contexts or which batch fits on the GPU. Writing and reading them takes time too.

    Advice:
        Look at what makes it: an upsampled or concatenated map, scores of an attention that is not fused, a
        lowered convolution. Use a smaller type there, fuse its writer with its readers, or work in tiles. A
        smaller maximum shape (--maxShapes) lowers what TensorRT sets aside.

    False alarm:
        The GPU has memory to spare and the layers around it are not slow.

    Bound:
        None: it concerns memory, not time.
    """
    memory = context.analysis.memory
    peak, at = memory.peak_live_bytes, memory.peak_layer
    if at is None or peak < peak_mib * _MIB:
        return
    for index, tensor in enumerate(context.tensors):
        size = tensor.size_bytes or 0
        if size * 100 < share_percent * peak or tensor.role != "activation" or tensor.alias_of is not None:
            continue
        touching = sorted((*context.writers(index), *context.readers(index)), key=lambda layer: layer.index)
        if not touching or not touching[0].index <= at <= touching[-1].index:
            continue
        once = tuple({layer.index: layer for layer in touching}.values())
        use = next(
            each
            for layer in once
            for each in (*layer.outputs, *layer.inputs)
            if context.value_of(each.tensor) == index
        )
        yield Hit(
            f"A tensor of {format_bytes(size)} is {format_percent(size / peak)} of the {format_bytes(peak)} "
            f"in use at the peak.",
            once,
            None,
            {"Tensor": describe_tensor(use)},
        )
