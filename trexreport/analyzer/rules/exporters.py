"""Which framework a model was exported from, as the names of its nodes show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.layer_tests import Test
from trexreport.regex import regex

#: Modules with numbers of PyTorch, as "/encoder/layer.0/Add", and its nodes, as "node_gelu_1".
_PYTORCH = regex(r"(?:^|[+(,] ?)/(?:[^/+]+/)*[^/+]+\.\d+/|(?:^|\W)node_[a-z]|aten_ops", re.ASCII)
#: Functions of TensorFlow, and what tf2onnx adds to names.
_TENSORFLOW = regex(r"StatefulPartitionedCall|PartitionedCall/|[a-z]__\d+(?:$|\W)", re.ASCII)
#: Part of the names that Torch-TensorRT gives its layers: "[CONVOLUTION]-[aten_ops.convolution.default]-[…]".
_TORCH_TENSORRT = "[aten_ops."
#: Options of trtexec, and the arguments of torch_tensorrt.compile for the same.
_ARGUMENTS = {
    "--builderOptimizationLevel=5": "optimization_level=5 (torch_tensorrt.compile)",
    "--stronglyTyped": "use_explicit_typing=True (torch_tensorrt.compile)",
    "Build it with --fp16": "Compile it with torch.float16 among the enabled_precisions",
    "the ONNX file": "the PyTorch model",
}


def exported_from(context: Context) -> str:
    """Return "pytorch" or "tensorflow", or an empty text if none or both may be; use `Context.cached`.

    PyTorch numbers what it computes in place as tf2onnx does: "relu__1".
    """
    names = [name for layer in context.layers for name in (layer.name, *layer.origins)]
    marks = {"pytorch": _PYTORCH, "tensorflow": _TENSORFLOW}
    found = [framework for framework, mark in marks.items() if any(map(mark.search, names))]
    return found[0] if len(found) == 1 else ""


def is_of_torch_tensorrt(context: Context) -> bool:
    """Return whether Torch-TensorRT built the engine, whose layers name operations of PyTorch."""
    return _TORCH_TENSORRT in context.all_names


def for_torch_tensorrt(text: str) -> str:
    """Return advice with the arguments of torch_tensorrt.compile in place of trtexec's options."""
    for ours, theirs in _ARGUMENTS.items():
        text = text.replace(ours, theirs)
    return text


def _is_from(framework: str) -> Callable[[Context, Sequence[LayerFacts]], bool | None]:
    def holds(context: Context, _: Sequence[LayerFacts]) -> bool | None:
        found = context.cached(exported_from)
        return found == framework if found else None

    return holds


#: What advice may depend on, and the words for it where the framework is not known.
EXPORTER_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "pytorch": (_is_from("pytorch"), "In PyTorch"),
    "tensorflow": (_is_from("tensorflow"), "In TensorFlow"),
    "torch-tensorrt": (lambda context, _: context.cached(is_of_torch_tensorrt), "In Torch-TensorRT"),
}
