"""What other operations than products do, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.analysis.enqueue import is_recurrent
from trexreport.analyzer.operation_names import operation_by_name
from trexreport.analyzer.rules.channel_attentions import pool_whole_images
from trexreport.analyzer.rules.context import HALVES, Context
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.copy_kinds import reads_places_alone, sums_up
from trexreport.analyzer.rules.layer_kinds import is_suppression, of_plugins, plugin_type
from trexreport.analyzer.rules.layer_names import ONNX_OPERATORS, is_named_reformat
from trexreport.analyzer.rules.layer_tests import Test, all_layers
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.unrolled_steps import are_unrolled_steps, wait_for_each_other
from trexreport.regex import regex

#: What operations are called to their names in ONNX, as types of layers, and in kernels.
OPERATIONS: Mapping[str, frozenset[str]] = {
    "TopK": frozenset({"TopK", "ArgMax", "ArgMin"}),
    "NonMaxSuppression": frozenset({"NMS", "NonMaxSuppression"}),
    "RoiAlign": frozenset({"RoiAlign", "ROIAlign", "MaxRoiPool"}),
    "GridSample": frozenset({"GridSample"}),
    "Resize": frozenset({"Resize", "Upsample"}),
    "Scatter": frozenset({"Scatter", "ScatterElements", "ScatterND"}),
    "recurrence": frozenset({"LSTM", "GRU", "RNN", "RNNv2", "Loop", "Scan"}),
    "CumSum": frozenset({"CumSum", "cumsum", "Cumulative"}),
    "NonZero": frozenset({"NonZero"}),
    "Gather": frozenset({"Gather", "GatherND", "GatherElements"}),
    "LRN": frozenset({"LRN"}),
    "pooling": frozenset({"Pooling", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"}),
    "reduction": frozenset(
        "Reduce" + how
        for how in ("", "L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    ),
}
_READING_ALL = OPERATIONS["pooling"] | OPERATIONS["reduction"] | OPERATIONS["Resize"]
#: What names show of products.
_PRODUCTS = frozenset({"convolution", "matrix multiplication", "attention", "recurrence"})
_ROI = regex(r"(?i:roi_?align|cropandresize|rproi)")
#: TensorRT's own plugins (https://github.com/NVIDIA/TensorRT/tree/main/plugin) have such types.
_OWN = regex(r"_TRT(?:_\d+)?$")
#: Those of them; libraries name theirs alike.
_KNOWN = regex(
    r"^(?:BatchedNMS(?:Dynamic)?|BatchTilePlugin|Clip|DetectionLayer|DisentangledAttention"
    r"|EfficientNMS(?:_ONNX|_Implicit_TF|_Explicit_TF)?|FlattenConcat|GenerateDetection|GridAnchor(?:Rect)?"
    r"|InstanceNormalization|LReLU|MultilevelCropAndResize|MultilevelProposeROI|MultiscaleDeformableAttnPlugin"
    r"|NMS(?:Dynamic)?|Normalize|PriorBox|ProposalLayer|PyramidROIAlign|Region|Reorg|ResizeNearest|ROIAlign"
    r"|RPROI|SpecialSlice)_TRT(?:_\d+)?$"
)
_NUMBER = regex(r"_\d+$")
#: Tensors that take a smaller part of the time at the GPU's bandwidth do not decide it.
_SOME_TRAFFIC = 0.01
#: Part of what a scan moves from which on the type of its state matters.
_MUCH_OF_TRAFFIC = 0.1
#: Those of its own and of others for which ONNX and TensorRT have an operation, by the first version.
_NATIVE = {
    (0, 0): regex(
        r"(?i:lrelu|leaky_?relu|prelu|gelu|hard_?swish|mish|silu|(?<!and)resize"
        r"|upsample|flatten_?concat|reorg|batch_?tile)"
    ),
    (8, 2): regex(r"(?i:scatter_?(?:nd|elements))"),
    (8, 5): regex(r"(?i:grid_?sampl)"),
    (8, 6): regex(r"(?i:(?:instance|layer)_?norm)"),
    (10, 0): regex(r"(?i:group_?norm)"),
}
#: What each plugin reads of weights at least for this to take the time.
_CACHE_BYTES = 1 << 20
#: They exchange data among GPUs, or compute a state-space model: TensorRT has no layers for these.
_COLLECTIVE = regex(r"(?i:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|nccl|(?:^|_)(?:send|recv)$)")
_NARROW_PRODUCTS = regex(r"(?i:(?:weight_?only|woq|int4|awq|gptq|fp._?int.)\w*?(?:mat_?mul|gemm|linear))")
_SCAN = regex(r"(?i:(?:selective|state|chunk|ssm)_?scan|mamba(?!\w*conv))")
_PICKS_POINTS = regex(r"(?i:f[au]r[a-z]*_?(?:point_?)?sampl)|(?<![A-Za-z])FPS(?![a-z])")
_ATTENTION = regex(r"(?i:attn|attention|einsum|mha(?![a-z]))")


def _does(kind: str) -> Test:
    """Return a test whether layers do an operation of a kind; None if some do."""
    return all_layers(lambda _, layer: not copied(layer).isdisjoint(OPERATIONS[kind]))


def _move_16_bits(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether layers pool, reduce or resize 16 bits."""
    return all(each.precision in HALVES and not copied(each).isdisjoint(_READING_ALL) for each in layers)


def _multiply(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers are convolutions or matrix multiplications; None if some are, or may be."""

    def multiplies(layer: LayerFacts) -> bool | None:
        kind = operation_by_name(layer)
        if is_conv_or_matmul(context, layer) or kind in _PRODUCTS:
            return True
        return False if layer.type or kind else None

    found = set(map(multiplies, layers))
    return found.pop() if len(found) == 1 else None


def _are_joined(_: Context, layers: Sequence[LayerFacts]) -> bool:
    return any(" || " in each.name for each in layers)


def _are_between_reformats(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a reformat is next to any of the plugins; of bare names, in order."""
    for layer in filter(context.is_plugin, layers):
        near = [*context.predecessors(layer), *context.successors(layer)]
        if not near:
            near = [each for each in context.layers if each.name.endswith(f" to {layer.name}")]
        if any(context.is_reformat(each) or is_named_reformat(each) for each in near):
            return True
    return False


def _read_fp32(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether any of the plugins reads FP32; None where no file states their types.

    The type of tensors that take nearly none of a plugin's time does not matter.
    """
    found = {each.precision for each in moving(context, filter(context.is_plugin, layers))}
    return None if found == {""} else "FP32" in found


def moving(context: Context, layers: Iterable[LayerFacts]) -> list[LayerFacts]:
    """Return the layers whose tensors take some of their time, or may; others compute, whatever the type."""
    gpu = context.analysis.roofline.gpu
    rate = gpu.bandwidth_gbs * 1e6 if gpu else 0.0
    return [
        each
        for each in layers
        if each.moved_bytes is None or each.moved_bytes >= _SOME_TRAFFIC * rate * (each.avg_ms or 0.0)
    ]


def _states_are_much(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether tensors in FP32 that are read and written in one shape are much of what scans move."""
    scans = list(filter(context.is_plugin, layers))
    held = 0
    for layer in scans:
        written = {tuple(each.dimensions) for each in _in_fp32(context, layer.outputs)}
        kept = (each for each in _in_fp32(context, layer.inputs) if tuple(each.dimensions) in written)
        held += 2 * sum(each.size_bytes or 0 for each in kept if not _is_computed(context, each))
    return held >= _MUCH_OF_TRAFFIC * sum(each.moved_bytes or 0 for each in scans)


def _is_computed(context: Context, use: TensorUse) -> bool:
    """Return whether layers compute a tensor, unlike a state that an earlier query left."""
    return any(
        not context.is_reformat(each) or context.predecessors(each, context.is_reformat)
        for each in context.producers(use.tensor)
    )


def _in_fp32(context: Context, uses: Sequence[TensorUse]) -> list[TensorUse]:
    return [each for each in uses if context.tensor(each.tensor).data_type == "FP32"]


def _of_plugins(pattern: re.Pattern[str]) -> Test:
    """Return a test whether the types or names of plugins match; None if some do."""
    return of_plugins(lambda text: pattern.search(text) is not None)


def _are_native(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether TensorRT of this version has operations in place of plugins; None of some."""
    version = context.version or (math.inf, 0)
    known = [pattern for since, pattern in _NATIVE.items() if since <= version]
    return of_plugins(lambda text: any(pattern.search(text) for pattern in known))(context, layers)


def _are_own(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether plugins are TensorRT's own; None if some are."""
    return _of_plugins(_KNOWN)(context, layers)


def _mostly_read_weights(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether constants are most of the bytes that plugins read, and too many to stay in a cache."""
    read = [use for each in layers for use in each.inputs]
    weights = [use for use in read if context.tensor(use.tensor).role == "constant"]
    found = sum(use.size_bytes or 0 for use in weights)
    return found > max(_CACHE_BYTES * len(layers), sum(use.size_bytes or 0 for use in read) / 2)


def _stand_for_nodes(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether nodes named by an operation of ONNX, and not by a plugin, became plugins of that.

    For a suppression the parser has none of such a name: a node "NMS" is TensorRT's plugin of detectors.
    """
    return any(
        kind != (operation := _OWN.sub("", kind))
        and operation in ONNX_OPERATORS
        and _NUMBER.sub("", layer.name.rpartition("/")[2]) == operation
        and not is_suppression(operation)
        for layer in filter(context.is_plugin, layers)
        for kind in [plugin_type(context, layer)]
    )


def _names_attention(_: Context, layers: Sequence[LayerFacts]) -> bool:
    return any(_ATTENTION.search(text) for each in layers for text in (each.name, *each.origins))


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
SLOW_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "suppresses": (_does("NonMaxSuppression"), "NonMaxSuppression"),
    "chooses": (_does("TopK"), "TopK and ArgMax"),
    "aligns": (_does("RoiAlign"), "RoiAlign"),
    "samples": (_does("GridSample"), "GridSample"),
    "resizes": (_does("Resize"), "Resize"),
    "gathers-data": (_does("Gather"), "Gather"),
    "looks-up-table": (all_layers(reads_places_alone), "For lookups in a table"),
    "sums-up": (all_layers(sums_up), "For a Scatter that sums up"),
    "pools-images": (pool_whole_images, "Over whole images"),
    "pools": (_does("pooling"), "Pooling"),
    "reads-all": (
        all_layers(lambda _, layer: not copied(layer).isdisjoint(_READING_ALL)),
        "For poolings, reductions and resizes",
    ),
    "reduces-extents": (_does("reduction"), "Reductions"),
    "moves-16-bits": (_move_16_bits, ""),
    "accumulates": (_does("CumSum"), ""),
    "picks-class": (all_layers(lambda _, layer: "argmax" in layer.name.casefold()), "For an ArgMax"),
    "steps": (are_unrolled_steps, "Of equal steps"),
    "waiting-steps": (wait_for_each_other, "Where each step needs the one before"),
    "recurs": (all_layers(lambda _, layer: is_recurrent(layer)), "Recurrences"),
    "multiplies": (_multiply, "For a convolution or matrix multiplication"),
    "joined": (_are_joined, 'If "||" joins the nodes in its name'),
    "own": (_are_own, "For TensorRT's own plugins"),
    "between-reformats": (_are_between_reformats, "With reformats next to it"),
    "fp32-plugins": (_read_fp32, "Where it reads FP32"),
    "native": (_are_native, "For an activation, a normalization, or data movement"),
    "collective": (_of_plugins(_COLLECTIVE), "For an exchange among GPUs"),
    "reads-weights": (_mostly_read_weights, "Where they mostly read weights"),
    "narrow-products": (_of_plugins(_NARROW_PRODUCTS), "For products with narrow weights"),
    "scans": (_of_plugins(_SCAN), "For a scan"),
    "much-state": (_states_are_much, ""),
    "picks-points": (_of_plugins(_PICKS_POINTS), "For furthest point sampling"),
    "of-parser": (_stand_for_nodes, "For operations of ONNX"),
    "rois": (_of_plugins(_ROI), "For RoIAlign"),
    "names-attention": (_names_attention, "With attention inside"),
}
