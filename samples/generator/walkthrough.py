"""Make one ResNet18 as five engines of TensorRT 8.4: FP32, FP16, and quantized in three steps.

The first quantized engine leaves the residual branches in FP16, the second quantizes them, and the third
quantizes the input of the global average pooling, too. The floating-point export and each of the quantized
exports number their ONNX nodes on their own, so that equal numbers stand for different convolutions.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from .capture import Run, capture_files
from .engine import Engine, Tensor
from .plan import (
    FLOAT,
    FLOAT_NHWC,
    FLOAT_NHWC4,
    HALF,
    HALF_CHW2,
    HALF_CHW32,
    HALF_NHWC4,
    HALF_NHWC8,
    HALF_NHWC16,
    INT8,
    INT8_CHW4,
    INT8_CHW32,
    Kind,
    Plan,
    Shape,
    gemm_tactic,
)
from .roofline import A100

BATCH = 32
IMAGE = (BATCH, 3, 224, 224)
STAGES = ((1, 64, 56), (2, 128, 28), (3, 256, 14), (4, 512, 7))
STEM = Shape(64, 7, 2)
#: Three channels fill no vector.
IMAGE_SLOWDOWN = 4.0
#: Nodes between the weights' quantizer and the input's, and from there to the convolution.
TO_WEIGHTS, TO_CONVOLUTION = 5, 7


def float_engine(*, half: bool) -> Engine:
    """Return the engine without quantization, in FP16 or in FP32 with TF32 kernels."""
    return _FloatBuilder(half=half).build()


class _FloatBuilder:
    """Number the nodes as the floating-point export does, one after the other."""

    def __init__(self, *, half: bool) -> None:
        self.half = half
        self.plan = Plan(streams=False)
        self.kinds = (HALF_NHWC8, HALF_NHWC16) if half else (FLOAT_NHWC, FLOAT_NHWC4)
        letters = "f16f16_f16f16_f16" if half else "f32f32_tf32f32_f32"
        self.tactic = gemm_tactic(letters, "128x64x32" if half else "64x128x32")
        self.number = count()

    def build(self) -> Engine:
        """Return the whole engine."""
        state = self._stem()
        for stage, maps, extent in STAGES:
            for block in range(2):
                state = self._block(state, maps, extent, shrinks=stage > 1 and block == 0)
        self._head(state)
        return self.plan.engine(["input.1", "191"])

    def _stem(self) -> Tensor:
        image = Tensor("input.1", IMAGE, *FLOAT)
        name = f"Conv_{next(self.number)} + Relu_{next(self.number)}"
        pooling = f"MaxPool_{next(self.number)}"
        if self.half:
            source = self.plan.to_input(image, HALF_NHWC4, name, slowdown=IMAGE_SLOWDOWN)
            tactic = "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4"
        else:
            source, tactic = image, "ampere_scudnn_128x64_relu_xregs_medium_nn_v1"
        linear = HALF_NHWC8 if self.half else FLOAT
        convolved = Tensor("onnx::MaxPool_125", (BATCH, 64, 112, 112), *linear)
        # CUDA cores, or a kernel for three channels.
        self.plan.convolution(name, (source,), convolved, STEM, tactic, slowdown=2.2 if self.half else 1.3)
        pooled = Tensor("input.8", (BATCH, 64, 56, 56), *self.kinds[0])
        if self.half:
            return self.plan.pooling(pooling, convolved, pooled, 3, 2, kind="CudaPooling")
        inner = Tensor(f"Reformatted Output Tensor 0 to {pooling}", pooled.dimensions, *FLOAT)
        self.plan.pooling(pooling, convolved, inner, 3, 2, kind="TiledPooling", slowdown=1.1)
        return self.plan.from_output(inner, pooled, pooling)

    def _convolution(
        self, inputs: tuple[Tensor, ...], maps: int, extent: int, shape: Shape, fused: tuple[str, ...] = ()
    ) -> Tensor:
        """Add a convolution, with a free reformat where its number is a multiple of five."""
        at = next(self.number)
        name = " + ".join((f"Conv_{at}", *(f"{kind}_{next(self.number)}" for kind in fused)))
        packed = self.kinds[at % 5 == 0]
        if packed[1] != inputs[0].layout and inputs[0].dimensions[1] % 16 == 0:
            inputs = (self.plan.to_input(inputs[0], packed, name, free=True), *inputs[1:])
        output = Tensor(f"onnx::Conv_{130 + at}", (BATCH, maps, extent, extent), *packed)
        return self.plan.convolution(
            name, inputs, output, shape, self.tactic, slowdown=1.05 if self.half else 0.78
        )

    def _block(self, state: Tensor, maps: int, extent: int, *, shrinks: bool) -> Tensor:
        stride = 2 if shrinks else 1
        inner = self._convolution((state,), maps, extent, Shape(maps, 3, stride), ("Relu",))
        if not shrinks:
            return self._convolution((inner, state), maps, extent, Shape(maps, 3), ("Add", "Relu"))
        inner = self._convolution((inner,), maps, extent, Shape(maps, 3))
        # The shortcut carries the sum.
        return self._convolution((state, inner), maps, extent, Shape(maps, 1, 2), ("Add", "Relu"))

    def _head(self, state: Tensor) -> None:
        plan = self.plan
        pooled = Tensor("onnx::Flatten_189", (BATCH, 512, 1, 1), state.datatype, state.layout)
        plan.pooling(
            f"GlobalAveragePool_{next(self.number)}",
            state,
            pooled,
            7,
            1,
            tactic="sm50_xmma_pooling_fw_4d_Average_FastDiv",
        )
        next(self.number)  # the flattening
        name = f"Gemm_{next(self.number)}"
        scores = Tensor(f"{name}_out_region", (BATCH, 1000, 1, 1), *self.kinds[0])
        plan.convolution(name, (pooled,), scores, Shape(1000), self.tactic)
        reshape = f"reshape_after_{name}"
        linear = plan.to_input(scores, HALF if self.half else FLOAT, reshape, free=True)
        if not self.half:
            plan.no_op(reshape, linear, Tensor("191", (BATCH, 1000), *FLOAT))
            return
        flat = Tensor(f"Reformatted Output Tensor 0 to {reshape}", (BATCH, 1000), *HALF)
        plan.no_op(reshape, linear, flat)
        plan.from_output(flat, Tensor("191", (BATCH, 1000), *FLOAT), reshape)


class _QuantizedBuilder:
    """Number the nodes as an export with quantizers does; each convolution brings two of them."""

    def __init__(self, *, residual: bool, pooling: bool) -> None:
        self.residual = residual  # whether the residual branches are quantized
        self.pooling = pooling  # whether the input of the global average pooling is
        self.plan = Plan(streams=False)
        self.number = 2

    def build(self) -> Engine:
        """Return the whole engine."""
        state, quantized = self._stem()
        for stage, maps, extent in STAGES:
            for block in range(2):
                state, quantized = self._block(f"layer{stage}.{block}", state, quantized, maps, extent)
        self._head(state)
        return self.plan.engine(["input.1", "output"])

    @property
    def last(self) -> int:
        """The number of the convolution that the next quantizer belongs to."""
        return self.number + TO_CONVOLUTION

    def _quantize(self, source: Tensor, kind: Kind) -> Tensor:
        """Add the quantizer of the next convolution's input."""
        target = Tensor(f"onnx::DequantizeLinear_{120 + self.number}", source.dimensions, *kind)
        slowdown = IMAGE_SLOWDOWN if source.dimensions == IMAGE else 1.7
        return self.plan.reformat(f"QuantizeLinear_{self.number}", source, target, "QDQ", slowdown=slowdown)

    def _convolution(
        self,
        module: str,
        inputs: tuple[Tensor, ...],
        extent: int,
        shape: Shape,
        kind: Kind,
        *,
        fused: tuple[str, ...] = (),
    ) -> Tensor:
        weights, at = self.number + TO_WEIGHTS, self.last
        # Each node that was fused has a number; four more lie before the next convolution's quantizer.
        names = [f"{module}.weight", f"QuantizeLinear_{weights}", f"Conv_{at}"]
        names += [f"{part}_{at + 2 + step}" for step, part in enumerate(fused)]
        self.number = at + len(fused) + (11 if self.residual else 6)
        output = Tensor(f"onnx::Quantized_{130 + at}", (BATCH, shape.maps, extent, extent), *kind)
        written = {"Int8": "i8i8", "Half": "i8f16", "Float": "i8f32"}[kind[0]]
        tactic = gemm_tactic(f"{written}_i8i32_f32", "128x64x64", kernel=shape.kernel)
        name = " + ".join(names)
        return self.plan.convolution(
            name, inputs, output, shape, tactic, slowdown=2.9 if kind == FLOAT else 1.45
        )

    def _stem(self) -> tuple[Tensor, Tensor]:
        plan = self.plan
        image = self._quantize(Tensor("input.1", IMAGE, *FLOAT), INT8 if self.residual else INT8_CHW4)
        name = f"conv1.weight + QuantizeLinear_{self.number + TO_WEIGHTS} + Conv_{self.last}"
        pooling = f"MaxPool_{self.last + 3}"
        self.number = self.last + 6
        pooled = (BATCH, 64, 56, 56)
        if self.residual:
            output = Tensor("onnx::DequantizeLinear_140", pooled, *INT8_CHW32)
            plan.convolution_with_pooling(f"{name} + {pooling}", image, output, STEM, kind="ConvActPool")
            return output, output
        convolved = Tensor("onnx::MaxPool_136", (BATCH, 64, 112, 112), *FLOAT)
        tactic = "ampere_fp32_icudnn_int8x4_128x64_relu_small_nn_v1"
        plan.convolution(name, (image,), convolved, STEM, tactic, slowdown=2.6)
        inner = Tensor(f"Reformatted Output Tensor 0 to {pooling}", pooled, *FLOAT)
        plan.pooling(pooling, convolved, inner, 3, 2, kind="TiledPooling", slowdown=1.1)
        state = plan.from_output(inner, Tensor("inputs", pooled, *HALF_CHW32), pooling)
        return state, self._quantize(state, INT8_CHW32)

    def _block(
        self, path: str, state: Tensor, quantized: Tensor, maps: int, extent: int
    ) -> tuple[Tensor, Tensor]:
        """Add a block. Returns its output, and the same as the next block's convolution reads it."""
        is_last = path == "layer4.1"
        shrinks = path.endswith(".0") and path != "layer1.0"
        shape = Shape(maps, 3, 2 if shrinks else 1)
        if self.residual:
            return self._quantized_block(path, state, extent, shape, is_last=is_last)
        inner = self._convolution(f"{path}.conv1", (quantized,), extent, shape, INT8_CHW32)
        addition = ("Add", "Relu")
        second = (f"{path}.conv2", extent, Shape(maps, 3))
        if shrinks:
            inner = self._convolution(second[0], (inner,), *second[1:], HALF_CHW32)
            joined = self._convolution(
                f"{path}.downsample.0",
                (quantized, inner),
                extent,
                Shape(maps, 1, 2),
                HALF_CHW32,
                fused=addition,
            )
        else:
            joined = self._convolution(second[0], (inner, state), *second[1:], HALF_CHW32, fused=addition)
        return joined, joined if is_last else self._quantize(joined, INT8_CHW32)

    def _quantized_block(
        self, path: str, state: Tensor, extent: int, shape: Shape, *, is_last: bool
    ) -> tuple[Tensor, Tensor]:
        shortcut = state
        inner = self._convolution(f"{path}.conv1", (state,), extent, shape, INT8_CHW32)
        if shape.stride == 2:
            shortcut = self._convolution(
                f"{path}.downsample.0", (state,), extent, Shape(shape.maps, 1, 2), INT8_CHW32
            )
        wants_float = is_last and not self.pooling
        if wants_float:
            dequantized = Tensor("onnx::Add_454", state.dimensions, *FLOAT)
            shortcut = self.plan.reformat(f"DequantizeLinear_{self.number}", state, dequantized, "QDQ")
        kind = FLOAT if wants_float else INT8_CHW32
        second = Shape(shape.maps, 3)
        joined = self._convolution(
            f"{path}.conv2", (inner, shortcut), extent, second, kind, fused=("Add", "Relu")
        )
        return joined, joined

    def _head(self, state: Tensor) -> None:
        plan = self.plan
        pooling = f"GlobalAveragePool_{self.number}"
        self.number += 4
        kind: Kind = (state.datatype, state.layout)
        if not self.residual:
            kind = HALF_CHW2
            state = plan.to_input(state, kind, pooling)
        pooled = Tensor("onnx::Flatten_409", (BATCH, 512, 1, 1), *kind)
        layer = "CudaPooling" if self.pooling else "CaskPooling" if self.residual else "TiledPooling"
        plan.pooling(pooling, state, pooled, 7, 1, kind=layer)
        if not self.pooling:
            pooled = self._quantize(pooled, INT8_CHW32 if self.residual else INT8_CHW4)
        name = f"fc.weight + QuantizeLinear_{self.number + TO_WEIGHTS} + Gemm_{self.last} + fc.bias"
        name += " + (Unnamed Layer* 306) [Shuffle] + unsqueeze_node_after_fc"
        if not self.residual:
            pooled = plan.to_input(pooled, INT8_CHW32, name, free=True)
        sum_name = "(Unnamed Layer* 307) [ElementWise]"
        scores = Tensor(f"{sum_name}_output", (BATCH, 1000, 1, 1), *FLOAT)
        plan.convolution(name, (pooled,), scores, Shape(1000), gemm_tactic("i8f32_i8i32_f32", "64x32x64"))
        plan.no_op(f"copied_squeeze_after_{sum_name}", scores, Tensor("output", (BATCH, 1000), *FLOAT))


def _run(model: str, precision: str, seed: int, overlap: float) -> Run:
    """Return how the engines were run: one profiled iteration, as TREx's scripts did."""
    return Run(
        device=A100,
        seed=seed,
        queries=400 + 17 * seed % 90,
        profile_iterations=1,
        overlap=overlap,
        model=f"{model}.onnx",
        build_options={
            "Max batch": "explicit batch",
            "Memory Pools": "workspace",
            "minTiming": "1",
            "avgTiming": "8",
            "Precision": precision,
        },
        inference_options={
            "Batch": "Explicit",
            "Input inference shape": "input.1=32x3x224x224",
            "Iterations": "10",
            "Duration": "3s (+ 200ms warm up)",
            "Sleep time": "0ms",
            "Idle time": "0ms",
            "Streams": "1",
            "ExposeDMA": "Disabled",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "Multithreading": "Disabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
            "Time Deserialize": "Disabled",
            "Time Refit": "Disabled",
        },
    )


def walkthrough(name: str) -> dict[str, bytes]:
    """Return the capture of one of the five engines: fp32, fp16, qat, qat-residual or qat-residual-qgap."""
    if name in ("fp32", "fp16"):
        half = name == "fp16"
        engine, model = float_engine(half=half), "resnet"
        run = _run(model, "FP32+FP16" if half else "FP32", 31 + half, 0.84 if half else 0.94)
    else:
        residual, pooling = name != "qat", name == "qat-residual-qgap"
        engine, model = _QuantizedBuilder(residual=residual, pooling=pooling).build(), f"resnet-{name}"
        run = _run(model, "FP32+FP16+INT8", 33 + residual + pooling, 0.835 if name == "qat" else 0.7)
    return capture_files(f"{model}.onnx", engine, replace(run, warm_up_ms=200.0))
