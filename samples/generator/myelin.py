"""Collect the kernels of one Myelin region, named and numbered as TensorRT 10 and 11 do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .engine import ELEMENT_BYTES, MYELIN_SEPARATOR, Layer, Tensor, Work, hexadecimal, onnx_metadata

KERNEL_LETTERS = {"Half": "f16", "BFloat16": "bf16", "Float": "f32", "FP8": "e4m3", "Int4": "s4"}


class MyelinRegion:
    """The kernels of a region in the order they run, over one or more streams."""

    def __init__(self, number: int, architecture: str, profile: int = 0) -> None:
        self.number = number
        self.architecture = architecture
        self.profile = profile
        self.layers: list[Layer] = []
        self._values = 500 * number
        self._event = 0

    def value_name(self) -> str:
        """Return a new name for a value inside the region."""
        self._values += 13
        return f"__mye{self._values}"

    def generated(
        self,
        operations: str,
        inputs: Iterable[Tensor],
        outputs: Iterable[Tensor],
        nodes: tuple[str, ...] = (),
        **details: Any,
    ) -> None:
        """Add a generated kernel, named after the first letters of its operations."""
        stem = f"__myl_{operations}"
        outputs = tuple(outputs)
        tactic = f"{stem}_{hexadecimal(stem + str(outputs[0].dimensions), 32)}"
        work = details.pop("work", Work(datatype="Float", slowdown=1.25))
        self._add("kgen", stem, (inputs, outputs), nodes, TacticName=tactic, work=work, **details)

    def gemm(
        self,
        nodes: tuple[str, ...],
        inputs: tuple[Tensor, ...],
        output: Tensor,
        weights: Tensor,
        *,
        fused: str = "",
        kind: str = "gemm",
        **details: Any,
    ) -> None:
        """Add a matrix product; `fused` names a fusion kernel instead of the ONNX nodes."""
        elements = output.size_bytes(details.pop("extent", 1)) / ELEMENT_BYTES[output.datatype]
        multiply_adds = elements * weights.dimensions[0]
        stem = fused or "+".join(node for node in nodes if node.endswith("MatMul"))
        if self.profile and not fused:
            stem += f" [profile {self.profile}]"
        work = Work(multiply_adds, output.datatype, weights.size_bytes(1), 1.2)
        tactic = self._gemm_tactic(output.datatype, weights, fusion=bool(fused))
        constants = (weights, *details.pop("scales", ()))
        self._add(
            kind,
            stem,
            (inputs, (output,)),
            nodes,
            TacticName=tactic,
            work=work,
            constants=constants,
            **details,
        )

    def attention(self, inputs: tuple[Tensor, ...], output: Tensor, node: str, multiply_adds: float) -> None:
        """Add a fused multi-head attention."""
        tactic = f"_gemm_mha_v2_{hexadecimal('mha' + str(output.dimensions), 32)}"
        nodes = tuple(f"{node}/{part}" for part in ("MatMul", "Add", "Softmax", "MatMul_1", "Transpose"))
        work = Work(multiply_adds, output.datatype, slowdown=1.5)
        self._add("kgen", "_gemm_mha_v2", (inputs, (output,)), nodes, TacticName=tactic, work=work)

    def shape_call(self) -> None:
        """Add a computation of shapes on the host, which has no tensors but takes a moment."""
        self._add("shape_call", f"{self.value_name()}_shape_call", ((), ()), (), TacticName="", work=Work())

    def hand_over(self, source: int, target: int) -> None:
        """Make stream `target` wait for what stream `source` has done so far."""
        for kind, stream in (("signal", source), ("wait", target)):
            stem = f"{self.value_name()}^bb^{kind}^{self._event}"
            self._add(kind, stem, ((), ()), (), TacticName="", stream=stream, event=self._event)
        self._event = (self._event + 1) % 16

    def _add(
        self,
        kind: str,
        stem: str,
        tensors: tuple[Iterable[Tensor], Iterable[Tensor]],
        nodes: tuple[str, ...],
        *,
        stream: int = 0,
        event: int | None = None,
        work: Work | None = None,
        constants: tuple[Tensor, ...] = (),
        profiled: bool = True,
        **parameters: Any,
    ) -> None:
        """Append a kernel under the next number."""
        name = f"{stem}_myl{self.number}_{len(self.layers)}"
        inputs, outputs = map(tuple, tensors)
        parameters["StreamId"] = stream
        if event is not None:
            parameters["EventId"] = event
        parameters["Metadata"] = onnx_metadata(nodes, MYELIN_SEPARATOR)
        is_active = profiled and not self.profile
        self.layers.append(Layer(name, kind, inputs, outputs, constants, parameters, work, is_active))

    def _gemm_tactic(self, datatype: str, weights: Tensor, *, fusion: bool) -> str:
        """Return a kernel name in the manner of the library the architecture would use."""
        letters, weight_letters = KERNEL_LETTERS[datatype], KERNEL_LETTERS[weights.datatype]
        columns = weights.dimensions[1]
        tile = "256x128x64" if columns >= 4096 else "128x128x64" if columns >= 1024 else "64x64x64"
        if self.architecture == "sm90" and not fusion:
            return (
                f"cutlass3x_sm90_tensorop_s{tile.rsplit('x', 1)[0]}x16gemm_{letters}_{weight_letters}"
                f"_f32_{letters}_{letters}_{tile}_0_tnn_align8_warpspecialized"
            )
        ending = "_by_fusion_tactic" if fusion else ""
        return (
            f"{self.architecture}_xmma_gemm_{letters}{weight_letters}_{letters}f32_{letters}_tn_n"
            f"_tilesize{tile}_stage4_warpsize2x2x1_tensor16x8x16{ending}"
        )
