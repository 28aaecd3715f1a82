"""Collect the layers of an engine in the shapes in which the inspectors of TensorRT 8.4 to 10 list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from .engine import FUSION_SEPARATOR, Engine, Layer, Tensor, Work, hexadecimal, onnx_metadata

#: Data type and format text of a tensor, as the inspector writes them.
Kind = tuple[str, str]

FLOAT: Kind = ("Float", "Row major linear FP32")
HALF: Kind = ("Half", "Row major linear FP16 format")
INT32: Kind = ("Int32", "Row major linear Int32")
BOOL: Kind = ("Bool", "Row major linear BOOL")
FLOAT_NHWC: Kind = ("Float", "Channel major FP32 format")
FLOAT_NHWC4: Kind = ("Float", "Channel major FP32 format where channel % 4 == 0")
HALF_NHWC2: Kind = ("Half", "Channel major FP16 format where channel % 2 == 0")
HALF_NHWC4: Kind = ("Half", "Channel major FP16 format where channel % 4 == 0")
HALF_NHWC8: Kind = ("Half", "Channel major FP16 format where channel % 8 == 0")
HALF_NHWC16: Kind = ("Half", "Channel major FP16 format where channel % 16 == 0")
HALF_CHW2: Kind = ("Half", "Two wide channel vectorized row major FP16 format")
HALF_CHW32: Kind = ("Half", "Thirty-two wide channel vectorized row major FP16 format")
INT8: Kind = ("Int8", "Row major Int8 format")
INT8_CHW4: Kind = ("Int8", "Four wide channel vectorized row major Int8 format")
INT8_CHW32: Kind = ("Int8", "Thirty-two wide channel vectorized row major Int8 format")


@dataclass(frozen=True)
class Shape:
    """A convolution: output maps, kernel, stride and groups."""

    maps: int
    kernel: int = 1
    stride: int = 1
    groups: int = 1


@dataclass
class Plan:
    """The layers so far, in execution order.

    Attributes:
        streams: Whether layers state a stream and ONNX nodes, as from TensorRT 8.6 on.
    """

    streams: bool = True
    layers: list[Layer] = field(default_factory=list)

    def engine(self, bindings: Sequence[str]) -> Engine:
        """Return the finished engine."""
        return Engine(tuple(self.layers), {"Bindings": list(bindings)})

    def add(
        self,
        name: str,
        kind: str,
        inputs: Iterable[Tensor],
        outputs: Iterable[Tensor],
        parameters: dict[str, Any] | None = None,
        *,
        nodes: tuple[str, ...] = (),
        work: Work | None = None,
    ) -> None:
        """Add a layer; without `work` it takes no time."""
        parameters = {**(parameters or {}), "TacticValue": hexadecimal(name) if work else "0x" + 16 * "0"}
        if self.streams:
            parameters |= {"StreamId": 0, "Metadata": onnx_metadata(nodes, FUSION_SEPARATOR)}
        self.layers.append(Layer(name, kind, tuple(inputs), tuple(outputs), (), parameters, work))

    def convolution(
        self,
        name: str,
        inputs: Sequence[Tensor],
        output: Tensor,
        shape: Shape,
        tactic: str,
        *,
        kind: str = "CaskConvolution",
        nodes: tuple[str, ...] = (),
        slowdown: float = 1.3,
    ) -> Tensor:
        """Add a convolution of its first input; the others are added to the result. Returns the output."""
        source = inputs[0]
        count = shape.maps * source.dimensions[1] // shape.groups * shape.kernel**2
        relu = "relu" in name.lower()
        padded = (output.dimensions[2] - 1) * shape.stride + shape.kernel - source.dimensions[2]
        padding = [max(0, -(-padded // 2))] * 2
        bias = "Float" if source.datatype == "Int8" else source.datatype
        parameters = {
            "ParameterType": "Convolution",
            "Kernel": [shape.kernel] * 2,
            "PaddingMode": "kEXPLICIT_ROUND_DOWN",
            "PrePadding": padding,
            "PostPadding": padding,
            "Stride": [shape.stride] * 2,
            "Dilation": [1, 1],
            "OutMaps": shape.maps,
            "Groups": shape.groups,
            "Weights": {"Type": source.datatype, "Count": count},
            "Bias": {"Type": bias, "Count": shape.maps},
            "HasSparseWeights": 0,
            "Activation": "RELU" if relu else "NONE",
            "HasBias": 1,
            "HasReLU": int(relu),
        }
        if tactic:
            parameters["TacticName"] = tactic
        pixels = output.dimensions[0] * prod(output.dimensions[2:])
        element_bytes = {"Float": 4, "Half": 2, "Int8": 1}[source.datatype]
        datatype = "TF32" if "tf32" in tactic else source.datatype
        work = Work(count * pixels, datatype, count * element_bytes, slowdown)
        self.add(name, kind, inputs, (output,), parameters, nodes=nodes, work=work)
        return output

    def convolution_with_pooling(
        self,
        name: str,
        source: Tensor,
        output: Tensor,
        shape: Shape,
        *,
        kind: str,
        nodes: tuple[str, ...] = (),
    ) -> Tensor:
        """Add a convolution of INT8 with its activation and its 3x3 maximum. Returns the output."""
        count = shape.maps * source.dimensions[1] * shape.kernel**2
        padding = [shape.kernel // 2] * 2
        convolution = {
            "ParameterType": "Convolution",
            "Kernel": [shape.kernel] * 2,
            "PaddingMode": "kEXPLICIT_ROUND_DOWN",
            "PrePadding": padding,
            "PostPadding": padding,
            "Stride": [shape.stride] * 2,
            "Dilation": [1, 1],
            "OutMaps": shape.maps,
            "Groups": shape.groups,
            "Weights": {"Type": source.datatype, "Count": count},
            "Bias": {"Type": "Float", "Count": shape.maps},
            "HasSparseWeights": 0,
            "Activation": "RELU",
        }
        pooling = {
            "ParameterType": "Pooling",
            "PoolingType": "MAX",
            "WindowSize": [3, 3],
            "PaddingMode": "kEXPLICIT_ROUND_DOWN",
            "PrePadding": [1, 1],
            "PostPadding": [1, 1],
            "Stride": [2, 2],
        }
        parameters = {
            "ParameterType": "ConvActPool",
            **{f"Conv{key}": value for key, value in convolution.items()},
            **{f"Pooling{key}": value for key, value in pooling.items()},
        }
        # The pooling halves each extent of what the convolution computes.
        pixels = 4 * output.dimensions[0] * prod(output.dimensions[2:])
        work = Work(count * pixels, source.datatype, count, 2.2)
        self.add(name, kind, (source,), (output,), parameters, nodes=nodes, work=work)
        return output

    def pooling(
        self,
        name: str,
        source: Tensor,
        output: Tensor,
        window: int,
        stride: int,
        *,
        kind: str = "CaskPooling",
        tactic: str = "",
        slowdown: float = 1.3,
    ) -> Tensor:
        """Add a pooling; one over the whole map is an average. Returns the output."""
        maximum = "max" in name.lower()
        padding = [int(maximum)] * 2
        parameters = {
            "ParameterType": "Pooling",
            "PoolingType": "MAX" if maximum else "AVERAGE",
            "WindowSize": [window] * 2,
            "PaddingMode": "kEXPLICIT_ROUND_DOWN",
            "PrePadding": padding,
            "PostPadding": padding,
            "Stride": [stride] * 2,
            "BlendFactor": 0,
            "AverageCountExcludesPadding": 1,
        }
        if tactic:
            parameters["TacticName"] = tactic
        work = Work(datatype="Float", slowdown=slowdown)
        self.add(name, kind, (source,), (output,), parameters, nodes=(name,), work=work)
        return output

    def reformat(
        self,
        name: str,
        source: Tensor,
        target: Tensor,
        origin: str = "REFORMAT",
        *,
        kind: str = "Reformat",
        slowdown: float = 1.7,
    ) -> Tensor:
        """Add a reformat, or a quantization, of one tensor into another. Returns the target."""
        parameters = {"ParameterType": "Reformat", "Origin": origin} if kind == "Reformat" else {}
        work = Work(datatype="Float", slowdown=slowdown)
        self.add(name, kind, (source,), (target,), parameters, work=work)
        return target

    def to_input(
        self,
        source: Tensor,
        kind: Kind,
        consumer: str,
        port: int = 0,
        *,
        free: bool = False,
        slowdown: float = 1.7,
    ) -> Tensor:
        """Add the reformat that TensorRT puts before an input; a free one is a NoOp. Returns its output."""
        target = Tensor(f"Reformatted Input Tensor {port} to {consumer}", source.dimensions, *kind)
        name = f"Reformatting CopyNode for Input Tensor {port} to {consumer}"
        if free:
            return self.no_op(name, source, target)
        return self.reformat(name, source, target, slowdown=slowdown)

    def from_output(
        self, source: Tensor, target: Tensor, producer: str, port: int = 0, *, free: bool = False
    ) -> Tensor:
        """Add the reformat that TensorRT puts behind an output. Returns its output."""
        name = f"Reformatting CopyNode for Output Tensor {port} to {producer}"
        return self.no_op(name, source, target) if free else self.reformat(name, source, target)

    def no_op(self, name: str, source: Tensor, target: Tensor) -> Tensor:
        """Add a layer that does nothing at run time. Returns its output."""
        self.add(name, "NoOp", (source,), (target,))
        return target


def gemm_tactic(letters: str, tile: str, *, kind: str = "fprop_implicit_gemm", kernel: int = 1) -> str:
    """Return a kernel name of the implicit-GEMM family of Ampere GPUs, as TensorRT 8 and 10 print it.

    Args:
        letters: Types of data and weights, output and accumulator: `f16f16_f16f16_f16`.
        tile: Rows, columns and depth: `128x64x32`.
        kind: The kernel's operation.
        kernel: Extent of the filter.
    """
    if letters.startswith("i8"):
        layout = "nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32"
        return (
            f"sm80_xmma_{kind}_interleaved_{letters}_{layout}_tilesize{tile}"
            f"_stage4_warpsize2x2x1_g1_tensor16x8x32_t1r{kernel}s{kernel}"
        )
    depth = 8 if "tf32" in letters else 16
    return (
        f"sm80_xmma_{kind}_{letters}_nhwckrsc_nhwc_tilesize{tile}"
        f"_stage4_warpsize2x2x1_g1_tensor16x8x{depth}_t1r{kernel}s{kernel}"
    )
