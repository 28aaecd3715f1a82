"""The module of the model that each layer belongs to, by the nodes that it computes."""

from __future__ import annotations

from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.analyzer.blocks.module_paths import Path, agreed_path


def layer_modules(found: OnnxFacts | None) -> list[Path | None]:
    """Return what the modules of each layer's nodes agree on, None without nodes; nothing without a model."""
    if found is None or not found.nodes:
        return []
    return [agreed_path([tuple(found.nodes[index].module) for index in nodes]) for nodes in found.layer_nodes]
