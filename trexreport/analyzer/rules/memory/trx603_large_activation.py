"""TRX603 memory.large-activation."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.engine.workspace import gpu_memory_mib
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import describe_tensor
from trexreport.numbers import format_bytes, format_percent

_MIB = 2**20


@built_in_rule(
    "info",
    many="{count} tensors take much of the activation memory.",
    section="memory",
    thresholds=(
        Threshold("share_percent", 33.0, 1, 100, "Minimum share of the tensor in the peak, in percent."),
        Threshold(
            "peak_mib",
            1024.0,
            0,
            1e9,
            "Minimum peak of activation memory where the GPU's memory is not stated, in MiB.",
        ),
        percent(
            "memory_percent", 10.0, "Minimum share of that peak in the GPU's memory, where it is stated."
        ),
    ),
)
def large_activation(
    context: Context, *, share_percent: float, peak_mib: float, memory_percent: float
) -> Hits:
    """A single tensor takes much of the activation memory.

    Cost:
        The largest tensors that are live at the same time decide how much memory every execution context
        takes, and so how many contexts or which batch size fits on the GPU. Writing and reading them takes
        time too.

    Recommendation:
        [if resizes: Upsample later, or after the channels become fewer.] [if joins: Do without the
        concatenation: a convolution of each part, and their sum, is the same.] [if names-attention: Have the
        attention fused, which then writes no scores.] [if fp32: Use a smaller type.] [if convolves: Work in
        tiles of the image.] [if dynamic-inputs: A smaller maximum shape (--maxShapes) reduces the memory that
        TensorRT reserves.] [..9: Contexts that never run at the same time can share it
        (createExecutionContextWithoutDeviceMemory).] [10.0..: Contexts that never run at the same time can
        share it (kUSER_MANAGED).]

    False alarm:
        The GPU has memory to spare and the layers around it are not slow. Nothing is reported where all
        activations take less than a tenth of the GPU's stated memory, or less than 1 GiB where it is not
        stated. A tensor beside a plugin, or of layers that compute in FP32, counts with the finding on these.

    Est. savings:
        Not estimated: it concerns memory, not time.
    """
    at = context.analysis.memory.peak_layer
    peak, what = _peak(context)
    gpu_mib = gpu_memory_mib(context)
    least_mib = peak_mib if gpu_mib is None else memory_percent / 100 * gpu_mib
    if at is None or peak < least_mib * _MIB:
        return
    for index, tensor in enumerate(context.tensors):
        size = tensor.size_bytes or 0
        if size * 100 < share_percent * peak or tensor.role != "activation" or tensor.alias_of is not None:
            continue
        touching = sorted(
            (*context.producers(index), *context.consumers(index)), key=lambda layer: layer.index
        )
        if not touching or not touching[0].index <= at <= touching[-1].index:
            continue
        once = tuple({layer.index: layer for layer in touching}.values())
        yield Hit(
            f"A tensor takes {format_percent(size / peak)} ({format_bytes(size)}) of the {what} of "
            f"{format_bytes(peak)}.",
            once,
            None,
            {"Tensor": describe_tensor(tensor)},
        )


def _peak(context: Context) -> tuple[int, str]:
    """Return the activation memory in bytes as the build states it, else as the tensors need at least."""
    memory = context.analysis.memory
    stated = memory.stated.get("Total Activation Memory", "").split(" ")[0]
    total = int(stated) if stated.isdecimal() else 0
    if total >= memory.peak_live_bytes:
        return total, "total activation memory"
    return memory.peak_live_bytes, "peak activation memory"
