"""Captures with a hostile text wherever a file may hold a text."""

from __future__ import annotations

import json
from pathlib import Path


def hostile_capture(folder: Path, text: str) -> Path:
    """Write a capture with a text wherever a file may hold one."""
    folder.mkdir()
    tensor = {"Name": text, "Dimensions": [1, 2], "Format/Datatype": text, "Location": text}
    other = {**tensor, "Name": f"{text} out"}
    layer = {"Name": text, "LayerType": text, "ParameterType": text, "Inputs": [tensor], "Outputs": [other]}
    layer |= {
        "TacticName": text,
        "TacticValue": text,
        "Metadata": f"[ONNX Layer: {text}]",
        "Origin": text,
        text: text,
    }
    reformat = {"Name": "r", "LayerType": "Reformat", "Inputs": [other], "Outputs": [tensor], "Origin": text}
    graph = {"Layers": [layer, reformat], "Bindings": [text], text: text}
    rows = [{"count": 3}, {"name": text, "timeMs": 3, "averageMs": 1, "medianMs": 1, "percentage": 100}]
    keys = ("model_options", "build_options", "device_information", "inference_options")
    values = {text: text, "Model": text, "Precision": text, "Selected Device": text}
    (folder / "x.graph.json").write_text(json.dumps(graph))
    (folder / "x.profile.json").write_text(json.dumps(rows))
    (folder / "x.profile.metadata.json").write_text(json.dumps(dict.fromkeys(keys, values)))
    return folder
