"""The part of an analysis that the page's script works with; empty and missing values are left out."""

from __future__ import annotations

import json
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts, TensorUse, as_json
from trexreport.renderer.findings_page import findings_data
from trexreport.renderer.graph.coloring import HEAT, UNKNOWN, stream_color
from trexreport.renderer.graph.svg_text import stated_origins
from trexreport.renderer.packing import in_columns
from trexreport.renderer.palette import color

#: Figures that come from the files as they are.
_AS_MEASURED = ("ms", "median", "spread")


def page_data(analysis: Analysis, plotly: dict[str, Any]) -> dict[str, Any]:
    """Return what the page's script needs, ready for JSON."""
    types = {layer.type for layer in analysis.layers}
    precisions = {layer.precision for layer in analysis.layers} | {
        tensor.data_type for tensor in analysis.tensors
    }
    origins = stated_origins(analysis)
    return {
        "engine": analysis.identity.name,
        "layers": in_columns([_layer(layer, origins.get(layer.index)) for layer in analysis.layers]),
        "tensors": in_columns([_tensor(tensor) for tensor in analysis.tensors]),
        "findings": findings_data(analysis),
        "typeColors": {name: color(f"type:{name}") for name in sorted(types)},
        "precisionColors": {name: color(f"precision:{name}") for name in sorted(precisions)},
        "heat": HEAT,
        "streamColors": {
            layer.stream: stream_color(layer.stream) for layer in analysis.layers if layer.stream is not None
        },
        "unknownColor": UNKNOWN,
        "plotly": plotly,
    }


def attribute_lines(analysis: Analysis, *, left_out: bool = False) -> bytes:
    """Return what the file says of each layer, a line of JSON each: the script reads only those it needs.

    Where they are left out the lines are null.
    """
    lines = (
        "null" if left_out else json.dumps(layer.attributes, separators=(",", ":"), allow_nan=False)
        for layer in analysis.layers
    )
    return "\n".join(lines).encode("ascii")


def _layer(layer: LayerFacts, origin: str | None) -> dict[str, Any]:
    record = {
        "key": layer.key if layer.key != layer.name else None,
        "name": layer.name,
        "type": layer.type,
        "subtype": layer.subtype if layer.subtype != layer.type else None,
        "precision": layer.precision,
        "out": layer.output_precision,
        "tactic": layer.tactic,
        "stream": layer.stream,
        "origin": origin,
        "structural": layer.structural or None,
        "onnx": layer.origins,
        "ops": layer.operations,
        "ms": layer.avg_ms,
        "median": layer.median_ms,
        "share": layer.share_percent,
        "spread": layer.spread_ms,
        "inputs": [_use(use) for use in layer.inputs],
        "outputs": [_use(use) for use in layer.outputs],
        "weights": layer.weights_bytes,
        "moved": layer.moved_bytes,
        "gbs": layer.bandwidth_gbs,
        "work": as_json(layer.work),
        "flops": layer.flops,
        **_roof(layer),
    }
    return {
        key: value if key in _AS_MEASURED else _rounded(value)
        for key, value in record.items()
        if value not in (None, "", [], {})
    }


def _rounded(value: Any) -> Any:
    """Return computed figures with six digits: the page shows three, and the others would not pack."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value


def _roof(layer: LayerFacts) -> dict[str, Any]:
    roof = layer.roof
    if roof is None:
        return {}
    return {
        "bound": roof.bound,
        "roof": roof.roof_ms,
        "peak": [roof.peak_type, roof.peak_tflops] if roof.peak_tflops else None,
        "reached": roof.reached_percent,
        "headroom": roof.headroom_ms,
        "cached": roof.fits_l2 or None,
    }


def _use(use: TensorUse) -> list[Any]:
    return [use.tensor, use.dimensions, use.format, use.size_bytes]


def _tensor(tensor: TensorFacts) -> dict[str, Any]:
    record = {
        "name": tensor.name,
        "version": tensor.version if tensor.version > 1 else None,
        "dims": tensor.dimensions,
        "format": tensor.format,
        "type": tensor.data_type,
        "bytes": tensor.size_bytes,
        "role": tensor.role if tensor.role != "activation" else None,
        "from": tensor.producers,
        "to": tensor.consumers,
    }
    return {key: value for key, value in record.items() if value not in (None, "", [])}
