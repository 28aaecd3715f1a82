"""TRX902 engine.myelin-regions."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.engine.dla import dla_use, may_be_on_dla
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, counted_operations, time_in_build
from trexreport.numbers import middle_ellipsis

#: The operation in an ONNX node's name: "MatMul" of "/encoder/layer.3/MatMul_1".
_MAX_NAME_WIDTH = 80
_MAX_OPERATIONS = 8


#: The name of a Myelin region contains its first and its last node.
_FOREIGN_START, _FOREIGN_END = "{ForeignNode[", "]}"


@built_in_rule(
    "info",
    needs=(),
    former_name="engine.opaque-share",
    many="{count} regions (ForeignNode) hide their operations{extent}.",
    thresholds=(
        min_share(10.0, "all Myelin regions together"),
        min_share(0.5, "one region", name="layer_percent"),
        percent(
            "warning_percent",
            33.0,
            "Share of all regions from which on it is a warning, in percent of layer time.",
            former_name="most-percent",
        ),
    ),
    explains={"share": ("TRX701",)},
)
def myelin_regions(
    context: Context, *, share_percent: float, layer_percent: float, warning_percent: float
) -> Hits:
    """Myelin regions, or parts on a DLA, take a large share of layer time and hide their operations.

    Cost:
        Such a region is one layer with one time, so that slow operations inside and their precisions are not
        visible. [unless maybe-dla: TensorRT's compiler Myelin took it as a whole.]

    Recommendation:
        [if maybe-dla: The verbose log of the build states which layers run on the DLA, and --useDLACore in
        the command asks for it: no release of TensorRT lists the operations of such a part. A DLA is fastest
        in INT8; compare with an engine for the GPU alone.] [..8.6, unless maybe-dla, unless old-gpu: Build
        with TensorRT 10 or later, which list the kernels inside with their times and ONNX nodes.] [unless
        maybe-dla: Mark a tensor inside as an output to split the region, or look at the kernels in Nsight
        Systems.] [if fp32-outside, unless maybe-dla: Its inputs and outputs are FP32: in FP16 it moves half
        of the bytes, multiplies faster, and may use the kernels of whole attentions, which FP32 has not.] [if
        recurrent: A recurrent layer (LSTM, GRU) computes one time step after the other, each with few rows
        and all its weights: a larger batch or fewer steps help, or convolutions or attention in its place.]
        [if names-attention: Its names show an attention, which may not be one kernel. Unfused, its time grows
        with the square of the number of tokens.] [if names-attention, unless old-gpu: Later versions fuse
        more attentions, as MatMul, softmax and MatMul in FP16 or BF16 rather than as Einsum.]

    False alarm:
        The region is as fast as expected: hiding operations does not cost time. From `warning-percent` on it
        is a warning, as a report without so much of the engine may miss the largest problem.

    Est. savings:
        Not estimated: the operations inside are not known.
    """
    on_dla = {layer.index for layer in context.cached(dla_use).on_dla if not layer.type}
    opaque = [layer for layer in context.opaque if layer.index not in on_dla]
    share = context.share_percent(context.time_ms(opaque)) or 100 * time_in_build(context, opaque)[1]
    if context.total_ms and share < share_percent:
        return
    for layer in opaque:
        if context.total_ms and context.share_percent(layer.avg_ms or 0.0) < layer_percent:
            continue
        unclear = may_be_on_dla(context, layer)
        run_by = " that Myelin or a DLA runs" if unclear else ""
        yield Hit(
            f"{LAYER} hides the operations of a part of the network{run_by}{EXTENT}.",
            (layer,),
            None,
            {
                **({"Run by": "Myelin or a DLA"} if unclear else {}),
                **_inside(layer),
            },
            severity="warning" if share >= warning_percent else None,
        )


def _inside(layer: LayerFacts) -> dict[str, str]:
    """Return what the layer's name and its ONNX nodes state about its operations, as evidence."""
    shown = {}
    if layer.name.startswith(_FOREIGN_START) and layer.name.endswith(_FOREIGN_END):
        first, dots, last = layer.name[len(_FOREIGN_START) : -len(_FOREIGN_END)].rpartition("...")
        if dots and first and last:
            shown = {"First node": middle_ellipsis(first, _MAX_NAME_WIDTH)}
            shown["Last node"] = middle_ellipsis(last, _MAX_NAME_WIDTH)
    counts = counted_operations(layer.origins)
    if counts:
        more = len(counts) - _MAX_OPERATIONS
        shown["ONNX operations"] = ", ".join(counts[:_MAX_OPERATIONS]) + (
            f" and {more} more types" if more > 0 else ""
        )
    return shown
