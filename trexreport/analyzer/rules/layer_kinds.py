"""What kind of operation layers are, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.after_products import (
    PRELU,
    add_residuals,
    are_batch_norms,
    are_fused_elsewhere,
    are_whole,
    cap_softly,
    cast_inside,
    clip,
    done_in_order,
    follow_matmuls,
    gate,
    have_sines,
    rotate,
    scale,
)
from trexreport.analyzer.rules.caches import (
    dequantizes_cache,
    have_large_cache,
    orders_cache,
    passes_cache_on,
    reads_cache,
    share_heads,
)
from trexreport.analyzer.rules.context import LOW_PRECISIONS, QUANTIZED, Context
from trexreport.analyzer.rules.copied import PADS, any_does, copied, may_transpose, only_slices
from trexreport.analyzer.rules.engine.earlier_gpus import must_run_on_ampere
from trexreport.analyzer.rules.layer_tests import AnyLayer, Test, alike, all_layers, any_layer, of_engine
from trexreport.analyzer.rules.matmul.fixed_products import multiplies_cache
from trexreport.analyzer.rules.narrow_types import (
    computes_int8_slowly,
    lacks_int8,
    may_attend_in_fp8,
    may_multiply_in_fp8,
    may_use_bf16,
    may_use_fp4,
    may_use_fp8,
)
from trexreport.analyzer.rules.patterns import is_pointwise, is_softmax, looks_up
from trexreport.analyzer.rules.read_elsewhere import (
    are_before_dense_layers,
    are_beside_readers,
    are_repeated,
)
from trexreport.regex import regex

#: Parts of the names of plugins and of their types, without regard to case.
_NORMALIZATIONS = regex(r"(?i:(?:instance|group)_?norm)")
_ATTENTIONS = regex(r"(?i:qkvto|attention|mha)")
#: Proposals and final detections suppress boxes, too.
_SUPPRESSIONS = regex(r"(?i:nms|propos(?:al|e)|generate_?detection|detection_?(?:layer|output))")
#: Parts of the types and names of layers that count what they choose.
_SELECTS, _SUPPRESSES = ("NonZero",), ("NMS", "NonMaxSuppression")
#: The type of a plugin in the name that TensorRT-LLM gives its layer.
_TYPE_IN_NAME = regex(r"/PLUGIN_V\d_(\w+?)_\d+$")
#: A deconvolution among the nodes of a layer.
_UP = regex(r"(?:^|[/ ])ConvTranspose(?:_\d+)?(?= |$)", re.ASCII)
#: A layer of only such a node.
_DIVIDES = regex(r"(?:^|/)(?:Abs|Div)(?:_\d+)?$", re.ASCII)
_REFLECTION = regex(r"(?i:reflect)")
#: Fully connected layers of Caffe, PyTorch, Keras and ONNX, at the end of a name or before a product's node.
_DENSE = regex(
    r"(?i:(?:^|[/._])(?:fc|dense|linear|innerproduct|inner_product|gemm)[-_]?\d*(?:/(?:gemm|matmul)\w*)?$)"
)
CHOOSING = frozenset({"ArgMax", "TopK"})
_MIN_QUANTIZED = 0.9
#: Kernels compute at least this many output channels at a time.
_FEW_OUTPUTS = 8
#: With IMoELayer: https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-moe.html
_WITH_EXPERTS = frozenset({100, 103, 110})
#: TensorRT 10.16 has it for Thor alone:
#: https://docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/release-notes-10/10.16.0.html
_FIRST_WITH_EXPERTS, _MORE_WITH_EXPERTS = frozenset({110}), (11, 0)


def of_plugins(is_kind: Callable[[str], bool]) -> Test:
    """Return a test whether plugins are of a kind; None if some are."""
    return lambda context, layers: alike(
        is_kind(plugin_type(context, each) or each.name) for each in filter(context.is_plugin, layers)
    )


def plugin_type(context: Context, layer: LayerFacts) -> str:
    """Return the type of a plugin, as stated or as its name has it; empty if neither says it."""
    name = layer.attributes.get("PluginType")
    if isinstance(name, str) and name:
        return name
    named = _TYPE_IN_NAME.search(layer.name)
    return named[1] if named else context.plugin_name(layer)


def is_normalization(text: str) -> bool:
    """Return whether the type or the name of a plugin is that of a normalization of instances or groups."""
    return _NORMALIZATIONS.search(text) is not None


def _sums_inside(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a softmax or a normalization, whose kernels sum in FP32."""
    text = f"{layer.name} {plugin_type(context, layer)}"
    return is_softmax(layer) or layer.type == "Normalization" or is_normalization(text)


def is_attention_plugin(text: str) -> bool:
    """Return whether the type or the name of a plugin is that of an attention."""
    return _ATTENTIONS.search(text) is not None


def is_suppression(text: str) -> bool:
    """Return whether the type or the name of a plugin is that of non-maximum suppression."""
    return _SUPPRESSIONS.search(text) is not None


def _counts(kind: Sequence[str], other: Sequence[str]) -> Test:
    """Return a test whether sizes are those of one kind of layers; None where no name is of either kind."""

    def test(_: Context, layers: Sequence[LayerFacts]) -> bool | None:
        texts = "\n".join(f"{each.type} {each.name}" for each in layers)
        return True if any(map(texts.count, kind)) else False if any(map(texts.count, other)) else None

    return test


def reflects(_: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers pad with what they read rather than with zeros; None if some do."""
    pads = (each for each in layers if PADS in copied(each))
    return alike(bool(_REFLECTION.search(f"{each.name} {each.attributes.get('Mode')}")) for each in pads)


def are_quantized(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether nearly all that layers read and write has 8 bits or less, by their time."""
    narrow = [
        each
        for each in layers
        if all(context.tensor(use.tensor).data_type in QUANTIZED for use in (*each.inputs, *each.outputs))
    ]
    whole = context.time_ms(layers)
    return whole > 0 and context.time_ms(narrow) >= _MIN_QUANTIZED * whole


def are_upsampled(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers chooses among the classes of an enlarged image."""

    def passes(layer: LayerFacts) -> bool:
        return context.is_reformat(layer) or is_softmax(layer)

    return any(
        before.type == "Resize" or "Resize" in before.operations
        for each in filter(chooses, layers)
        for before in context.predecessors(each, passes)
    )


def chooses(layer: LayerFacts) -> bool:
    """Return whether a layer finds the largest elements."""
    return layer.type in CHOOSING or not CHOOSING.isdisjoint(layer.operations)


def writes_few_channels(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a convolution in one group that leaves most of each tile empty.

    As a product, a deconvolution has as many columns for each channel as its window has places.
    """
    work = layer.work
    if work is None or work.groups > 1 or not context.is_convolution(layer):
        return False
    columns = math.prod(work.kernel) if work.kind == "deconvolution" else 1
    return 0 < work.n // columns < _FEW_OUTPUTS


def is_fp32_outside(context: Context, layer: LayerFacts) -> bool:
    """Return whether the floating-point inputs and outputs of a layer are FP32, and it has some."""
    types = {context.tensor(use.tensor).data_type for use in (*layer.inputs, *layer.outputs)}
    return "FP32" in types and not types & LOW_PRECISIONS


def has_expert_layer(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether the GPU is known to be one for which TensorRT has a layer of experts."""
    is_first = context.version is not None and context.version < _MORE_WITH_EXPERTS
    return context.stated_compute_capability in (_FIRST_WITH_EXPERTS if is_first else _WITH_EXPERTS)


def have_wide_channels(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether convolutions read layouts that store 32 channels at a time; None if some do."""
    reading = (each.inputs[0].tensor for each in layers if context.is_convolution(each) and each.inputs)
    return alike("/32" in context.tensor(tensor).layout for tensor in reading)


def pads_before_window(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer pads what a convolution or pooling reads."""
    if PADS not in copied(layer):
        return False
    after = context.successors(layer, context.is_reformat)
    return not after or any(context.is_convolution(each) or each.type == "Pooling" for each in after)


def are_deconvolutions(_: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers are deconvolutions, by type or name; None if some are."""
    return alike(
        "deconv" in f"{each.type} {each.subtype}".lower() or bool(_UP.search(each.name)) for each in layers
    )


def is_dense(layer: LayerFacts) -> bool:
    """Return whether a layer is a fully connected one by its type or the first node of its name."""
    return layer.type == "FullyConnected" or bool(_DENSE.search(first_node(layer)))


def first_node(layer: LayerFacts) -> str:
    """Return the first node in the name of a layer."""
    return layer.name.split(" + ")[0]


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
LAYER_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "normalization": (of_plugins(is_normalization), "For a normalization"),
    "instance-norm": (of_plugins(lambda text: "instancenorm" in text.casefold().replace("_", "")), ""),
    "sums-inside": (any_layer(_sums_inside), ""),
    "attention": (of_plugins(is_attention_plugin), "For an attention"),
    "counts": (_counts(_SELECTS, _SUPPRESSES), "For NonZero and selections"),
    "counts-boxes": (_counts(_SUPPRESSES, _SELECTS), "For NonMaxSuppression"),
    "suppression": (of_plugins(is_suppression), "For non-maximum suppression"),
    "few-outputs": (all_layers(writes_few_channels), "For few output channels"),
    "upsampled": (are_upsampled, "For classes of pixels"),
    "reads-cache": (reads_cache, "Where a token is decoded"),
    "shares-heads": (all_layers(share_heads), "Where query heads share those of keys"),
    "large-cache": (have_large_cache, "With a large cache"),
    "slices": (AnyLayer(only_slices), "Slice"),
    "joins": (any_does("Concat"), "Concat"),
    "scatters": (any_does("Scatter", "ScatterElements", "ScatterND"), "Scatter"),
    "transposes": (AnyLayer(may_transpose), "Transpose"),
    "pads": (all_layers(pads_before_window), "Padding"),
    "after-matmul": (follow_matmuls, "After a matrix multiplication"),
    "sines": (have_sines, "For sines"),
    "soft-caps": (cap_softly, "For a soft cap of scores"),
    "casts-inside": (any_layer(lambda _, layer: cast_inside(layer)), ""),
    "rotates": (any_layer(lambda _, layer: rotate(layer)), ""),
    "gates": (any_layer(lambda _, layer: gate(layer)), ""),
    "clips": (clip, ""),
    "computes": (AnyLayer(is_pointwise), "For a normalization"),
    "scales": (scale, ""),
    "batch-norms": (are_batch_norms, "For a batch normalization"),
    "adds": (add_residuals, ""),
    "whole-activation": (are_whole, "For an activation in one kernel"),
    "fused-elsewhere": (are_fused_elsewhere, ""),
    "for-ampere": (of_engine(must_run_on_ampere), "With --hardwareCompatibilityLevel"),
    "looks-up": (lambda _, layers: any(map(looks_up, layers)), ""),
    "dense": (AnyLayer(is_dense), "For a fully connected layer"),
    "prelu": (AnyLayer(lambda layer: PRELU in done_in_order(layer)), "For PReLU"),
    "read-elsewhere": (are_beside_readers, "Where other layers read the same tensor"),
    "grows": (are_before_dense_layers, "Where concatenations grow (DenseNet)"),
    "repeated": (are_repeated, "For an activation that is repeated"),
    "deconvolution": (are_deconvolutions, "For deconvolutions (ConvTranspose)"),
    "deconvolves": (
        lambda context, layers: any(are_deconvolutions(context, [each]) for each in layers),
        "For deconvolutions (ConvTranspose)",
    ),
    "divides": (all_layers(lambda _, layer: bool(_DIVIDES.search(layer.name))), "For Abs and Div"),
    "reflects": (reflects, "For a reflection"),
    "reshapes": (any_does("Reshape", "Shuffle", "Transpose"), "Reshape and Transpose"),
    "cache": (passes_cache_on, "For a cache"),
    "of-caches": (all_layers(multiplies_cache), "For whole caches"),
    "dequantizes-cache": (any_layer(dequantizes_cache), "For a cache"),
    "orders-cache": (any_layer(orders_cache), ""),
    "narrow": (are_quantized, "For quantized tensors"),
    "wide-channels": (have_wide_channels, "In layouts of 32 channels"),
    "fp8-products": (may_multiply_in_fp8, "If TensorRT has FP8 for these layers"),
    "fp8-attention": (may_attend_in_fp8, "From compute capability 8.9 and TensorRT 10.6 on"),
    "bf16-cores": (may_use_bf16, "From compute capability 8.0 on"),
    "fp8": (may_use_fp8, "From compute capability 8.9 on"),
    "fp32-outside": (all_layers(is_fp32_outside), "With inputs and outputs in FP32"),
    "expert-layer": (has_expert_layer, "On compute capability 10.0, 10.3 and 11.0"),
    "slow-int8": (of_engine(computes_int8_slowly), "On compute capability 10.3"),
    "no-int8": (of_engine(lacks_int8), "On a GPU without INT8"),
    "fp4": (may_use_fp4, "From compute capability 10.0 on"),
}
