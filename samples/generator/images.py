"""Make image classifiers: ResNet50 exported from Keras, and ResNet18 with a Myelin region in TensorRT 10."""

from __future__ import annotations

from typing import Any

from .capture import Run, capture_files
from .engine import Engine, Tensor, Work, hexadecimal, onnx_metadata
from .plan import FLOAT, HALF, HALF_NHWC4, HALF_NHWC8, HALF_NHWC16, Plan, Shape, gemm_tactic
from .roofline import RTX_3060_LAPTOP, RTX_3090

HALF_TACTIC = gemm_tactic("f16f16_f16f16_f16", "128x64x32")
#: Blocks, inner maps and extent of each stage.
KERAS_STAGES = ((3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7))
TORCH_STAGES = ((1, 64, 56), (2, 128, 28), (3, 256, 14), (4, 512, 7))


class _KerasBuilder:
    """A model with the channels last, so that its input is transposed and a padding is left."""

    batch = 32

    def __init__(self) -> None:
        self.plan = Plan(streams=False)

    def build(self) -> Engine:
        """Return the whole engine."""
        state = self._stem()
        for stage, (blocks, maps, extent) in enumerate(KERAS_STAGES, 2):
            for block in range(1, blocks + 1):
                state = self._block(f"resnet50/conv{stage}_block{block}", state, maps, extent)
        self._head(state)
        return self.plan.engine(["input_1", "predictions"])

    def _tensor(self, name: str, maps: int, extent: int, kind: tuple[str, str] = HALF_NHWC8) -> Tensor:
        return Tensor(f"{name}:0", (self.batch, maps, extent, extent), *kind)

    def _stem(self) -> Tensor:
        plan = self.plan
        image = Tensor("input_1", (self.batch, 224, 224, 3), *FLOAT)
        transpose, padding = "resnet50/conv1_conv/Conv2D__6", "resnet50/pool1_pad/Pad"
        turned = self._tensor(transpose, 3, 224, FLOAT)
        parameters: dict[str, Any] = {
            "ParameterType": "Shuffle",
            "FirstTranspose": [0, 3, 1, 2],
            "Reshape": "nbDims=-1",
            "SecondTranspose": [0, 1, 2, 3],
            "ZeroIsPlaceholder": 1,
        }
        slow = Work(datatype="Float", slowdown=1.3)
        plan.add(transpose, "Shuffle", (image,), (turned,), parameters, work=slow)
        name = "Conv__435 + resnet50/conv1_relu/Relu"
        packed = plan.to_input(turned, HALF_NHWC4, name)
        convolved = self._tensor("resnet50/conv1_relu/Relu", 64, 112)
        tactic = "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4"
        plan.convolution(name, (packed,), convolved, Shape(64, 7, 2), tactic, slowdown=1.8)
        padded = self._tensor(padding, 64, 114)
        parameters = {"ParameterType": "Slice", "Start": [0, 0, -1, -1], "Stride": [1, 1, 1, 1]}
        plan.add(padding, "Padding", (convolved,), (padded,), parameters, work=Work(slowdown=1.2))
        pooled = self._tensor("resnet50/pool1_pool/MaxPool", 64, 56)
        return plan.pooling("resnet50/pool1_pool/MaxPool", padded, pooled, 3, 2, kind="CudnnPooling")

    def _convolution(
        self, path: str, inputs: tuple[Tensor, ...], extent: int, shape: Shape, fused: tuple[str, ...]
    ) -> Tensor:
        name = " + ".join((f"{path}_conv/Conv2D", *fused))
        packed = HALF_NHWC16 if shape.maps > 64 else HALF_NHWC8
        if inputs[0].layout != packed[1]:
            inputs = (self.plan.to_input(inputs[0], packed, name, free=True), *inputs[1:])
        output = self._tensor(name.rsplit(" + ", 1)[-1], shape.maps, extent, packed)
        return self.plan.convolution(name, inputs, output, shape, HALF_TACTIC, slowdown=1.05)

    def _block(self, path: str, state: Tensor, maps: int, extent: int) -> Tensor:
        stride = state.dimensions[2] // extent
        relu = f"{path}_1_relu/Relu"
        inner = self._convolution(f"{path}_1", (state,), extent, Shape(maps, 1, stride), (relu,))
        inner = self._convolution(f"{path}_2", (inner,), extent, Shape(maps, 3), (f"{path}_2_relu/Relu",))
        addition = (f"{path}_add/add", f"{path}_out/Relu")
        if not path.endswith("block1"):
            return self._convolution(f"{path}_3", (inner, state), extent, Shape(4 * maps), addition)
        inner = self._convolution(f"{path}_3", (inner,), extent, Shape(4 * maps), ())
        # The shortcut carries the sum.
        return self._convolution(f"{path}_0", (state, inner), extent, Shape(4 * maps, 1, stride), addition)

    def _head(self, state: Tensor) -> None:
        plan = self.plan
        mean = "resnet50/avg_pool/Mean"
        pooled = self._tensor(mean, 2048, 1)
        plan.pooling(mean, state, pooled, 7, 1, tactic="sm50_xmma_pooling_fw_4d_Average_FastDiv")
        name = "resnet50/predictions/MatMul + resnet50/predictions/BiasAdd"
        scores = self._tensor("resnet50/predictions/BiasAdd", 1000, 1)
        plan.convolution(name, (pooled,), scores, Shape(1000), HALF_TACTIC)
        softmax = "resnet50/predictions/Softmax"
        linear = plan.to_input(scores, FLOAT, softmax)
        result = Tensor("predictions", (self.batch, 1000, 1, 1), *FLOAT)
        parameters = {"ParameterType": "SoftMax", "Axes": "axis 1"}
        work = Work(datatype="Float", slowdown=20.0)
        plan.add(softmax, "CudaSoftMax", (linear,), (result,), parameters, work=work)


def keras_resnet50() -> dict[str, bytes]:
    """Return the capture of a ResNet50 in FP16 with batch 32, in the style of TensorRT 8.4."""
    run = Run(
        device=RTX_3090,
        seed=50,
        queries=317,
        profile_iterations=1,
        overlap=0.97,
        model="resnet50.onnx",
        build_options={"Max batch": "explicit batch", "avgTiming": "8", "Precision": "FP32+FP16"},
        inference_options={
            "Batch": "Explicit",
            "Input inference shapes": "model",
            "Iterations": "10",
            "Duration": "3s (+ 200ms warm up)",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
        },
    )
    return capture_files("resnet50.onnx", _KerasBuilder().build(), run)


class _LaptopBuilder:
    """A ResNet18 with batch 1, whose classifier Myelin compiles."""

    def __init__(self) -> None:
        self.plan = Plan()

    def build(self) -> Engine:
        """Return the whole engine."""
        state = self._stem()
        for stage, maps, extent in TORCH_STAGES:
            for block in range(2):
                state = self._block(f"/layer{stage}/layer{stage}.{block}", state, maps, extent)
        self._head(state)
        return self.plan.engine(["input", "output"])

    def _convolution(
        self, nodes: tuple[str, ...], inputs: tuple[Tensor, ...], extent: int, shape: Shape
    ) -> Tensor:
        output = Tensor(f"{nodes[-1]}_output_0", (1, shape.maps, extent, extent), *HALF_NHWC8)
        tactic = gemm_tactic("f16f16_f16f16_f16", "64x64x32", kernel=shape.kernel)
        # Few tiles leave most multiprocessors idle.
        slowdown = 2.5 if extent > 28 else 4.0
        return self.plan.convolution(
            " + ".join(nodes), inputs, output, shape, tactic, nodes=nodes, slowdown=slowdown
        )

    def _stem(self) -> Tensor:
        nodes = ("/conv1/Conv", "/relu/Relu")
        image = Tensor("input", (1, 3, 224, 224), *HALF)
        packed = self.plan.to_input(image, HALF_NHWC4, " + ".join(nodes), slowdown=4.0)
        state = self._convolution(nodes, (packed,), 112, Shape(64, 7, 2))
        pooled = Tensor("/maxpool/MaxPool_output_0", (1, 64, 56, 56), *HALF_NHWC8)
        tactic = "sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False"
        return self.plan.pooling("/maxpool/MaxPool", state, pooled, 3, 2, tactic=tactic)

    def _block(self, path: str, state: Tensor, maps: int, extent: int) -> Tensor:
        stride = state.dimensions[2] // extent
        first = (f"{path}/conv1/Conv", f"{path}/relu/Relu")
        inner = self._convolution(first, (state,), extent, Shape(maps, 3, stride))
        addition = (f"{path}/Add", f"{path}/relu_1/Relu")
        if stride == 1:
            return self._convolution(
                (f"{path}/conv2/Conv", *addition), (inner, state), extent, Shape(maps, 3)
            )
        inner = self._convolution((f"{path}/conv2/Conv",), (inner,), extent, Shape(maps, 3))
        shortcut = f"{path}/downsample/downsample.0/Conv"
        return self._convolution((shortcut, *addition), (state, inner), extent, Shape(maps, 1, 2))

    def _head(self, state: Tensor) -> None:
        plan = self.plan
        name = "/avgpool/GlobalAveragePool"
        pooled = Tensor(f"{name}_output_0", (1, 512, 1, 1), *HALF_NHWC8)
        plan.pooling(name, state, pooled, 7, 1, tactic="sm50_xmma_pooling_fw_4d_Average_FastDiv_CAlign4")
        region = "{ForeignNode[fc.weight...(Unnamed Layer* 58) [ElementWise]]}"
        linear = plan.to_input(pooled, HALF, region, free=True)
        plan.add("dummy_shape_call__mye548_0_myl24_0", "shape_call", (), (), work=Work())
        weights = Tensor("__mye519_dconst", (512, 1000), "Half")
        bias = Tensor("fc_bias _ ONNXTRT_Broadcast_constant", (1, 1000), "Half")
        inputs = (bias, weights, Tensor(linear.name, (512, 1), "Half"))
        stem = "__myl_MulSumAdd"
        parameters = {
            "TacticName": f"{stem}_{hexadecimal(stem, 32)}",
            "Metadata": onnx_metadata(("/fc/Gemm",), ""),
        }
        work = Work(datatype="Half", slowdown=1.6)
        output = Tensor("output", (1, 1000), "Half")
        plan.add(f"{stem}_myl24_1", "kgen", inputs, (output,), parameters, nodes=("/fc/Gemm",), work=work)


def laptop_resnet18() -> dict[str, bytes]:
    """Return the capture of a ResNet18 in FP16 with batch 1, in the style of TensorRT 10."""
    run = Run(
        device=RTX_3060_LAPTOP,
        seed=18,
        queries=523,
        profile_iterations=21071,
        overlap=0.8,
        model="models/resnet18/resnet18_fp16.onnx",
        build_options={
            "Memory Pools": "workspace",
            "avgTiming": "8",
            "Precision": "FP32+FP16",
            "Sparsity": "Disabled",
            "Profiling verbosity": "2",
            "timingCacheMode": "global",
            "MaxAuxStreams": "-1",
            "BuilderOptimizationLevel": "-1",
            "Input(s)s format": "fp16",
            "Output(s)s format": "fp16",
            "Input build shapes": "model",
        },
        inference_options={
            "Batch": "Explicit",
            "Input inference shapes": "model",
            "Iterations": "100",
            "Duration": "3s (+ 5000ms warm up)",
            "Inference Streams": "1",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
            "NVTX verbosity": "2",
            "Optimization Profile Index": "0",
        },
        device_lines={"Selected Device ID": "0"},
        warm_up_ms=5000.0,
    )
    files = capture_files("resnet18_fp16", _LaptopBuilder().build(), run)
    return {name.replace(".engine.", "."): content for name, content in files.items()}
