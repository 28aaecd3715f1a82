"""TRX705 shapes.data-dependent."""

from __future__ import annotations

from trexreport.analyzer.analysis.enqueue import is_data_dependent
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import counted


@built_in_rule("warning", explains={"engine": ("TRX805", "TRX808"), "layers": ("TRX702",)})
def data_dependent(context: Context) -> Hits:
    """The host waits for sizes that depend on data.

    Cost:
        The number of elements that NonZero, NMS or a mask selects is known only after the GPU has computed
        it. The host waits for that before it launches the next kernels; meanwhile the GPU becomes idle, and a
        CUDA graph cannot contain the engine.

    Recommendation:
        [if counts: Give results a fixed size: TopK, or Where and multiplication by a mask, instead of NonZero
        and selection.] [if counts-boxes: EfficientNMS_TRT (a plugin, deprecated from TensorRT 10.12 on) in
        place of NonMaxSuppression returns a fixed number of boxes.] Or cut the network before it and run the
        rest on the host.

    False alarm:
        The layers are at the very end, where only the application waits for them.

    Est. savings:
        Not estimated: copies of sizes and TrainStation layers show a part of the waiting, and GPU compute
        time beyond total layer time the rest.
    """
    found = list(filter(is_data_dependent, context.layers))
    if not found:
        return
    types = sorted({layer.type for layer in found})
    refused = "; TensorRT refused to run the engine as a CUDA graph" if context.is_graph_refused else ""
    yield Hit(
        f"{counted(len(found), 'layer has', 'layers have')} outputs with a size that depends on "
        f"data, for which the host waits{refused}.",
        tuple(found),
        None,
        {"Types": ", ".join(types)},
    )
