"""Write the layers that TensorRT runs outside Myelin, with the parameters its inspector gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .engine import FUSION_SEPARATOR, Layer, Tensor, Work, hexadecimal, onnx_metadata


@dataclass(frozen=True)
class Convolution:
    """The shape of a square convolution, and what it is made of."""

    maps: int
    kernel: int
    stride: int
    weight_count: int
    weight_type: str
    bias_type: str
    tactic: str


def closing_parameters(
    tactic_value: str, nodes: tuple[str, ...] = (), stream: int | None = None
) -> dict[str, Any]:
    """Return the keys that end every native layer; 8.x has no stream."""
    parameters: dict[str, Any] = {"TacticValue": tactic_value}
    if stream is not None:
        parameters["StreamId"] = stream
    return parameters | {"Metadata": onnx_metadata(nodes, FUSION_SEPARATOR)}


def convolution_parameters(
    convolution: Convolution, nodes: tuple[str, ...], stream: int | None = None
) -> dict[str, Any]:
    """Return the inspector's parameters of a convolution fused from `nodes`."""
    relu = nodes[-1].lower().endswith("relu")
    padding = [convolution.kernel // 2] * 2
    return {
        "ParameterType": "Convolution",
        "Kernel": [convolution.kernel] * 2,
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PrePadding": padding,
        "PostPadding": padding,
        "Stride": [convolution.stride] * 2,
        "Dilation": [1, 1],
        "OutMaps": convolution.maps,
        "Groups": 1,
        "Weights": {"Type": convolution.weight_type, "Count": convolution.weight_count},
        "Bias": {"Type": convolution.bias_type, "Count": convolution.maps},
        "HasBias": 1,
        "HasReLU": int(relu),
        "HasSparseWeights": 0,
        "Activation": "RELU" if relu else "NONE",
        "TacticName": convolution.tactic,
        **closing_parameters(hexadecimal(convolution.tactic), nodes, stream),
    }


def pooling_parameters(
    source: Tensor, name: str, window: int, stride: int, *, maximum: bool
) -> dict[str, Any]:
    """Return the inspector's parameters of a pooling."""
    padding = [1, 1] if window == 3 else [0, 0]
    tactic = f"sm50_xmma_pooling_{'max' if maximum else 'average'}_fw_{window}_{stride}"
    return {
        "ParameterType": "Pooling",
        "PoolingType": "MAX" if maximum else "AVERAGE",
        "WindowSize": [window, window],
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PrePadding": padding,
        "PostPadding": padding,
        "Stride": [stride, stride],
        "BlendFactor": 0,
        "AverageCountExcludesPadding": 1,
        "TacticName": tactic,
        **closing_parameters(hexadecimal(tactic + source.layout), (name,)),
    }


def reformat_layer(
    name: str,
    tensors: tuple[Tensor, Tensor],
    origin: str,
    nodes: tuple[str, ...] = (),
    stream: int | None = None,
) -> Layer:
    """Return a reformat of the first tensor into the second; a quantization is one, too."""
    source, target = tensors
    parameters = {
        "ParameterType": "Reformat",
        "Origin": origin,
        **closing_parameters("0x00000000000003ea", nodes, stream),
    }
    work = Work(datatype="Float", slowdown=1.7)
    return Layer(name, "Reformat", (source,), (target,), parameters=parameters, work=work)


def no_op_layer(name: str, source: Tensor, target: Tensor, stream: int | None = None) -> Layer:
    """Return a layer that only gives its input another name; 10.x leaves it out of the profile."""
    parameters = closing_parameters("0x0000000000000000", stream=stream)
    is_profiled = stream is None
    return Layer(name, "NoOp", (source,), (target,), parameters=parameters, profiled=is_profiled)
