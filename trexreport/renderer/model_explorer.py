"""Write node data for Model Explorer, which colors the graph of an ONNX model by it.

A file holds one quantity: "results" by the name of an output tensor of each node. Source of the format:
GraphNodeData in model-explorer's src/server/package/src/model_explorer/node_data_builder.py
(https://github.com/google-ai-edge/model-explorer).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts
from trexreport.errors import UsageError
from trexreport.renderer.palette import GRADIENT, color, ink_on
from trexreport.renderer.tables import known_model

SUFFIX = ".node-data.json"


def write_node_data(analysis: Analysis, quantity: str = "time") -> bytes:
    """Return one quantity of each node as JSON; nodes of which it is not known are left out.

    Args:
        analysis: The engine, with its ONNX model.
        quantity: "time" (in ms: the most that a node can take), "precision" or "findings".

    Raises:
        UsageError: There is no such quantity, or the ONNX model is not known, or is not that of the engine.
    """
    if quantity not in _QUANTITIES:
        raise UsageError(
            f"{quantity!r} is not node data.", f"Name the file X.{{{'|'.join(_QUANTITIES)}}}{SUFFIX}."
        )
    document = _QUANTITIES[quantity](analysis, known_model(analysis, "Node data").nodes)
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def quantity_of(output: str) -> str:
    """Return the quantity that a file's name asks for: "precision" of "X.precision.node-data.json"."""
    name = output[: -len(SUFFIX)].rpartition("/")[2].rpartition(".")[2]
    return name if name in _QUANTITIES else "time"


def _times(_analysis: Analysis, nodes: Sequence[OnnxNodeFacts]) -> dict[str, Any]:
    results = {
        tensor: {"value": node.alone_ms + (node.shared_ms or 0.0)}
        for node in nodes
        if node.layers and node.alone_ms is not None
        for tensor in node.outputs
    }
    return {
        "results": results,
        "gradient": [{"stop": stop, "bgColor": shade} for stop, shade in enumerate(GRADIENT)],
    }


def _precisions(analysis: Analysis, nodes: Sequence[OnnxNodeFacts]) -> dict[str, Any]:
    results = {}
    for node in nodes:
        found = dict.fromkeys(analysis.layers[index].precision for index in node.layers)
        text = ", ".join(filter(None, found))
        for tensor in node.outputs if text else ():
            results[tensor] = _colored(text, color(f"precision:{next(filter(None, found))}"))
    return {"results": results}


def _findings(analysis: Analysis, nodes: Sequence[OnnxNodeFacts]) -> dict[str, Any]:
    codes: dict[int, dict[str, str]] = defaultdict(dict)
    for finding in analysis.lint.findings:
        for place in finding.places:
            for index in place.layers:
                codes[index].setdefault(finding.code, finding.severity)
    results = {}
    for node in nodes:
        found = {code: severity for index in node.layers for code, severity in codes[index].items()}
        for tensor in node.outputs if found else ():
            results[tensor] = _colored(", ".join(found), color(min(found.values(), key=_SEVERITIES.index)))
    return {"results": results}


def _colored(value: str, background: str) -> dict[str, str]:
    return {"value": value, "bgColor": background, "textColor": ink_on(background)}


_SEVERITIES = ("error", "warning", "info")
_QUANTITIES: Mapping[str, Callable[[Analysis, Sequence[OnnxNodeFacts]], dict[str, Any]]] = {
    "time": _times,
    "precision": _precisions,
    "findings": _findings,
}
