"""Make the accuracy of the ResNet18 samples: errors that propagate, most of them from two layers.

The form is that in which trexreport carries figures. Errors are relative: each layer adds its own to those
of its inputs, as independent errors add. Quantized layers add more than others, two convolutions most.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from .engine import SYNTHETIC_NOTE

#: What a layer adds, by the type of its inputs.
_ADDED = {"Int8": 0.003, "FP16": 0.0004, "Half": 0.0004}
#: Layers that add more, by sample: with quantized branches the convolutions behind them read coarse values.
_CAUSES = {
    "resnet18-int8-before": {"/layer2/layer2.0/conv1/Conv": 0.033},
    "resnet18-int8-after": {"/layer1/layer1.0/conv1/Conv": 0.028, "/layer2/layer2.1/conv1/Conv": 0.14},
    "resnet18-fp16": {},
}
TOP1 = {"resnet18-int8-before": 69.43, "resnet18-int8-after": 69.21, "resnet18-fp16": 69.75}


def accuracy_of(name: str, files: Mapping[str, bytes]) -> bytes:
    """Return the accuracy of a sample as JSON.

    Args:
        name: Of the sample.
        files: Of its capture.
    """
    (graph,) = (json.loads(content) for file, content in files.items() if file.endswith(".graph.json"))
    errors: dict[str, float] = {}
    for layer in graph["Layers"]:
        inputs = [each["Name"] for each in layer.get("Inputs", [])]
        brought = math.sqrt(math.fsum(errors.get(each, 0.0) ** 2 for each in inputs) / max(len(inputs), 1))
        for tensor in layer.get("Outputs", []):
            noise = 0.7 + 0.6 * _part(tensor["Name"])
            own = (
                0.0
                if layer.get("LayerType") in ("Reformat", "NoOp")
                else noise * _added(layer, _CAUSES[name])
            )
            errors[tensor["Name"]] = math.sqrt(brought**2 + own**2)
    document = {
        "trexreport-accuracy": 1,
        "format": "polygraphy-outputs",
        "files": ["outputs.json"],
        "candidate": "trt-runner-N0",
        "reference": "onnxrt-runner-N0",
        "iterations": 8,
        "metrics": {"top1": TOP1[name]},
        "tensors": [{"name": tensor, "relative_error": round(error, 6)} for tensor, error in errors.items()],
        "trials": [],
        "note": SYNTHETIC_NOTE,
    }
    return (json.dumps(document, separators=(",", ":")) + "\n").encode("ascii")


def _added(layer: Mapping[str, Any], causes: Mapping[str, float]) -> float:
    types = json.dumps(layer.get("Inputs", []))
    added = next((value for kind, value in _ADDED.items() if kind in types), 0.0001)
    return next((value for part, value in causes.items() if part in str(layer["Name"])), added)


def _part(name: str) -> float:
    """Return a number from 0 to 1 that a name always has."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
