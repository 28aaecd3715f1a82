"""State which engines an EPContext model of ONNX Runtime holds: no engine was built from it.

An execution provider writes it in place of the nodes that it compiled: nodes of type EPContext with the
engine itself (`embed_mode` 1) or its path. Source: onnx_ctx_model_helper.cc of the TensorRT execution
provider and the schema of EPContext in contrib_defs.cc (ONNX Runtime 1.17).
"""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.errors import InputError
from trexreport.model.onnx import OnnxModel, OnnxNode
from trexreport.numbers import counted, list_names

_TYPE = "EPContext"
#: Attribute to how it is named.
_FACTS = {
    "source": "provider",
    "ep_sdk_version": "TensorRT",
    "hardware_architecture": "compute capability",
    "partition_name": "partition",
    "onnx_model_filename": "built from",
}
_MOST_CHARACTERS = 80
_HINT = "Give the .onnx file that it was made from; where a GPU is, measure the engine with trexreport run."


def refuse_context_model(model: OnnxModel) -> None:
    """Raise an InputError with the engines of the model if it is an EPContext model."""
    nodes = [node for node in model.graph.nodes if node.op_type == _TYPE]
    if not nodes:
        return
    facts = list(dict.fromkeys(fact for node in nodes for fact in _facts(node)))
    stated = f" ({list_names(facts, 6)})" if facts else ""
    others = len(model.graph.nodes) - len(nodes)
    beside = f" and {counted(others, 'node')} outside of them" if others else ""
    raise InputError(
        f"{model.file} is an EPContext model of ONNX Runtime: "
        f"{counted(len(nodes), 'engine')}{stated}{beside}.",
        _HINT,
    )


def _facts(node: OnnxNode) -> Iterator[str]:
    for key, name in _FACTS.items():
        value = node.attributes.get(key)
        if isinstance(value, str) and value.strip():
            yield f"{name} {' '.join(value.split())[:_MOST_CHARACTERS]}"
    if node.attributes.get("embed_mode") == 0:
        path = node.attributes.get("ep_cache_context")
        if isinstance(path, str) and path:
            yield f"engine file {' '.join(path.split())[-_MOST_CHARACTERS:]}"
