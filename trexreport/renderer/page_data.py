"""The part of an analysis that the page's script works with; empty and missing values are left out."""

from __future__ import annotations

from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts, TensorUse, as_json
from trexreport.renderer.palette import colour


def page_data(analysis: Analysis, plotly: dict[str, Any]) -> dict[str, Any]:
    """Return what the page's script needs, ready for JSON."""
    types = {layer.type for layer in analysis.layers}
    precisions = {layer.precision for layer in analysis.layers} | {
        tensor.data_type for tensor in analysis.tensors
    }
    return {
        "engine": analysis.identity.name,
        "layers": [_layer(layer) for layer in analysis.layers],
        "tensors": [_tensor(tensor) for tensor in analysis.tensors],
        "typeColours": {name: colour(f"type:{name}") for name in sorted(types)},
        "precisionColours": {name: colour(f"precision:{name}") for name in sorted(precisions)},
        "plotly": plotly,
    }


def _layer(layer: LayerFacts) -> dict[str, Any]:
    record = {
        "key": layer.key if layer.key != layer.name else None,
        "name": layer.name,
        "type": layer.type,
        "subtype": layer.subtype if layer.subtype != layer.type else None,
        "precision": layer.precision,
        "out": layer.output_precision,
        "tactic": layer.tactic,
        "stream": layer.stream,
        "structural": layer.structural or None,
        "onnx": layer.origins,
        "ops": layer.operations,
        "ms": layer.time_ms,
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
        "raw": layer.attributes,
    }
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


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
