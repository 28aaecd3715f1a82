"""Let a model without quantization be built in INT8 all the same, to see how fast it would be."""

from __future__ import annotations

from typing import Any

from trexreport.collector.tensorrt_api.console import Console

#: trtexec's own dummy ranges. Source: sampleEngines.cpp, setTensorScalesFromCalibration and its callees.
_INPUT_RANGE, _OUTPUT_RANGE = 2.0, 4.0


def invent_ranges(trt: Any, console: Console, network: Any) -> None:
    """Give every tensor a range, unless the model has quantizing layers, and say so."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type == trt.LayerType.QUANTIZE for layer in layers):
        return
    found = False
    for layer in layers:
        for index in range(layer.num_inputs):
            found = _set_range(layer.get_input(index), _INPUT_RANGE) or found
        for index in range(layer.num_outputs):
            found = _set_range(layer.get_output(index), _OUTPUT_RANGE) or found
    if found:
        console.warning("INT8 without calibration: the ranges are made up. Times hold, results do not.")


def _set_range(tensor: Any, limit: float) -> bool:
    """Give a tensor a range if it has none; an optional input of a layer may be None."""
    if tensor is None or tensor.dynamic_range is not None:
        return False
    tensor.set_dynamic_range(-limit, limit)
    return True
