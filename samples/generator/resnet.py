"""Make a ResNet18 in INT8, once with a float residual branch and once with a quantized one, and in FP16.

The two samples are a pair. With quantize/dequantize pairs before the convolutions only,
each residual addition joins a quantized and a float branch: the convolution that carries the
addition writes FP16, and a reformat quantizes its output for the next one. With a pair on the
residual branch as well, everything stays INT8 and the reformats are gone.
"""

from __future__ import annotations

import math

from .capture import Run, capture_files
from .engine import Engine, Layer, Tensor, Work
from .native import Convolution, convolution_parameters, no_op_layer, pooling_parameters, reformat_layer
from .roofline import A100

BATCH = 32
STAGES = ((1, 64), (2, 128), (3, 256), (4, 512))

VECTORIZED_INT8 = ("Int8", "Thirty-two wide channel vectorized row major Int8 format")
QUAD_INT8 = ("Int8", "Four wide channel vectorized row major Int8 format")
VECTORIZED_HALF = ("Half", "Thirty-two wide channel vectorized row major FP16 format")
CHANNELS_LAST_HALF = ("Half", "Channel major FP16 format where channel % 8 == 0")
LINEAR_FLOAT = ("Float", "Row major linear FP32")

# The output channels decide which tile a kernel is picked with: rows, columns and the rest of its name.
TILES = {
    64: (256, 64, "64_stage4_warpsize4x1x1"),
    128: (128, 128, "64_stage4_warpsize2x2x1"),
    256: (128, 64, "64_stage5_warpsize2x2x1"),
    512: (64, 64, "64_stage6_warpsize2x2x1"),
    1000: (64, 32, "64_stage6_warpsize2x1x1"),
}

KERNEL_LETTERS = {"Int8": "i8", "Half": "f16", "Float": "f32"}

BUILD_OPTIONS = {
    "Max batch": "explicit batch",
    "Memory Pools": "workspace",
    "minTiming": "1",
    "avgTiming": "8",
    "Precision": "FP32+FP16+INT8",
    "Calibration": "Dynamic",
    "Refit": "Disabled",
    "Sparsity": "Disabled",
    "Profiling verbosity": "2",
    "timingCacheMode": "local",
    "Heuristic": "Disabled",
    "MaxAuxStreams": "-1",
    "BuilderOptimizationLevel": "-1",
    "Input build shapes": "model",
}


class ResnetBuilder:
    """Collect the layers of one of the engines, in the order they run."""

    def __init__(self, *, quantized_residual: bool, quantizes: bool = True) -> None:
        self.quantized_residual = quantized_residual
        self.quantizes = quantizes
        self.narrow = VECTORIZED_INT8 if quantizes else CHANNELS_LAST_HALF
        self.few_channels = QUAD_INT8 if quantizes else CHANNELS_LAST_HALF
        self.wide = VECTORIZED_HALF if quantizes else CHANNELS_LAST_HALF
        self.layers: list[Layer] = []

    def build(self) -> Engine:
        """Return the whole engine."""
        image = Tensor("input", (BATCH, 3, 224, 224), *LINEAR_FLOAT)
        branches = self._stem(image)
        for stage, channels in STAGES:
            for block in range(2):
                branches = self._block(stage, block, channels, branches)
        self._head(branches[0])
        return Engine(tuple(self.layers), {"Bindings": ["input", "output"]})

    def _stem(self, image: Tensor) -> tuple[Tensor, Tensor]:
        """Return the float (or quantized) branch that enters the first block, and its quantized copy."""
        quantized = self._quantize("/conv1/_input_quantizer/QuantizeLinear", image, self.few_channels)
        after = self.narrow if self.quantized_residual else CHANNELS_LAST_HALF
        convolved = self._convolution(
            "conv1",
            quantized,
            (64, 7, 2),
            after,
            ("/relu/Relu",),
            tactic=_stem_tactic(after[0], quantizes=self.quantizes),
        )
        pooled = self._pooling("/maxpool/MaxPool", convolved, (56, 3, 2), "kMAX")
        if self.quantized_residual:
            return pooled, pooled
        return self._vectorize_for_blocks(pooled)

    def _vectorize_for_blocks(self, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """Return the pooled tensor in the blocks' format, and its quantized copy."""
        branch = self._reformat(
            "Reformatting CopyNode for Output Tensor 0 to /maxpool/MaxPool",
            pooled,
            Tensor("/maxpool/MaxPool_output_0", pooled.dimensions, *VECTORIZED_HALF),
            "REFORMAT",
        )
        name = "/layer1/layer1.0/conv1/_input_quantizer/QuantizeLinear"
        return branch, self._quantize(name, branch, VECTORIZED_INT8)

    def _block(
        self, stage: int, block: int, channels: int, branches: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Add one basic block; return its output and the quantized copy of it."""
        branch, quantized = branches
        dotted = f"layer{stage}.{block}"
        path = f"/layer{stage}/{dotted}"
        shrinks = stage > 1 and block == 0
        # The last block feeds the pooling, which wants floats again.
        is_last = stage == 4 and block == 1
        to_int8 = self.quantized_residual and not is_last
        result = self.narrow if to_int8 else self.wide
        stride = 2 if shrinks else 1
        inner = self._convolution(
            f"{dotted}.conv1", quantized, (channels, 3, stride), self.narrow, (f"{path}/relu/Relu",)
        )
        addition = (f"{path}/Add", f"{path}/relu_1/Relu")
        if shrinks:
            # The shortcut carries the addition: the second convolution only feeds it.
            main = self._convolution(f"{dotted}.conv2", inner, (channels, 3, 1), result, ())
            joined = self._convolution(
                f"{dotted}.downsample.0", quantized, (channels, 1, 2), result, addition, residual=main
            )
        else:
            joined = self._convolution(
                f"{dotted}.conv2", inner, (channels, 3, 1), result, addition, residual=branch
            )
        if to_int8 or is_last:
            return joined, joined
        following = f"/layer{stage}/layer{stage}.1" if block == 0 else f"/layer{stage + 1}/layer{stage + 1}.0"
        quantizer = f"{following}/conv1/_input_quantizer/QuantizeLinear"
        return joined, self._quantize(quantizer, joined, VECTORIZED_INT8)

    def _head(self, branch: Tensor) -> None:
        """Add the pooling and the classifier."""
        name = "/avgpool/GlobalAveragePool"
        if not self.quantized_residual:
            branch = self._reformat(
                f"Reformatting CopyNode for Input Tensor 0 to {name}",
                branch,
                Tensor(f"Reformatted Input Tensor 0 to {name}", branch.dimensions, *CHANNELS_LAST_HALF),
                "REFORMAT",
            )
        pooled = self._pooling(name, branch, (1, 7, 1), "kAVERAGE")
        quantized = self._quantize("/fc/_input_quantizer/QuantizeLinear", pooled, self.few_channels)
        classifier = "fc.weight + /fc/_weight_quantizer/QuantizeLinear + /fc/Gemm"
        if self.quantizes:
            vectorized = f"Reformatted Input Tensor 0 to {classifier}"
            quantized = self._no_op(
                f"Reformatting CopyNode for Input Tensor 0 to {classifier}",
                quantized,
                Tensor(vectorized, quantized.dimensions, *VECTORIZED_INT8),
            )
        scores = self._convolution("fc", quantized, (1000, 1, 1), LINEAR_FLOAT, ())
        self._no_op("squeeze_after_/fc/Gemm", scores, Tensor("output", (BATCH, 1000), *LINEAR_FLOAT))

    def _quantize(self, name: str, source: Tensor, target: tuple[str, str]) -> Tensor:
        """Add a quantization, which TensorRT runs as a reformat; an FP16 engine only converts its input."""
        if not self.quantizes and source.datatype != "Float":
            return source
        if not self.quantizes:
            copied = "Reformatting CopyNode for Input Tensor 0 to conv1.weight + /conv1/Conv + /relu/Relu"
            target_name = copied.replace("Reformatting CopyNode for", "Reformatted")
            return self._reformat(copied, source, Tensor(target_name, source.dimensions, *target), "REFORMAT")
        return self._reformat(
            name, source, Tensor(f"{name}_output_0", source.dimensions, *target), "QDQ", (name,)
        )

    def _reformat(
        self, name: str, source: Tensor, target: Tensor, origin: str, nodes: tuple[str, ...] = ()
    ) -> Tensor:
        """Add a reformat of `source` into `target`; return `target`."""
        self.layers.append(reformat_layer(name, (source, target), origin, nodes))
        return target

    def _no_op(self, name: str, source: Tensor, target: Tensor) -> Tensor:
        """Add a layer that only renames; return `target`."""
        self.layers.append(no_op_layer(name, source, target))
        return target

    def _pooling(self, name: str, source: Tensor, shape: tuple[int, int, int], kind: str) -> Tensor:
        """Add a pooling to `shape`: output extent, window and stride."""
        extent, window, stride = shape
        maximum = kind == "kMAX"
        dimensions = (BATCH, source.dimensions[1], extent, extent)
        needs_reformat = maximum and not self.quantized_residual
        output_name = f"Reformatted Output Tensor 0 to {name}" if needs_reformat else f"{name}_output_0"
        output = Tensor(output_name, dimensions, source.datatype, source.layout)
        parameters = pooling_parameters(source, name, window, stride, maximum=maximum)
        work = Work(datatype="Float", slowdown=1.3)
        self.layers.append(Layer(name, "CaskPooling", (source,), (output,), parameters=parameters, work=work))
        return output

    def _convolution(
        self,
        path: str,
        source: Tensor,
        shape: tuple[int, int, int],
        target: tuple[str, str],
        fused: tuple[str, ...],
        *,
        residual: Tensor | None = None,
        tactic: str = "",
    ) -> Tensor:
        """Add a convolution of `shape` (maps, kernel, stride) with the nodes fused into it."""
        maps, kernel, stride = shape
        nodes = _convolution_nodes(path, fused)[0 if self.quantizes else 1 :]
        extent = source.dimensions[2] // stride
        output = Tensor(f"{nodes[-1]}_output_0", (BATCH, maps, extent, extent), *target)
        weights = maps * source.dimensions[1] * kernel * kernel
        tactic = tactic or _tactic(target[0], maps, kernel, quantizes=self.quantizes)
        kind = "Int8" if self.quantizes else "Half"
        convolution = Convolution(maps, kernel, stride, weights, kind, "Float", tactic)
        parameters = convolution_parameters(convolution, nodes)
        multiply_adds = BATCH * weights * extent * extent
        slowdown = 2.6 if kernel == 7 else _tile_slowdown(BATCH * extent * extent, maps)
        work = Work(multiply_adds, source.datatype, weights, slowdown)
        inputs = (source, residual) if residual else (source,)
        name = " + ".join((f"{path}.weight", *nodes))
        self.layers.append(
            Layer(name, "CaskConvolution", inputs, (output,), parameters=parameters, work=work)
        )
        return output


def _convolution_nodes(path: str, fused: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ONNX nodes behind a convolution, the way PyTorch names them."""
    parts = path.split(".")
    folder = f"/{parts[0]}" if len(parts) == 1 else f"/{parts[0]}/{'.'.join(parts[:2])}/{'.'.join(parts[2:])}"
    operation = "Gemm" if path == "fc" else "Conv"
    return (f"{folder}/_weight_quantizer/QuantizeLinear", f"{folder}/{operation}", *fused)


def _tactic(output_type: str, maps: int, kernel: int, *, quantizes: bool) -> str:
    """Return a kernel name in the manner of the implicit-GEMM families."""
    letters = KERNEL_LETTERS[output_type]
    rows, columns, rest = TILES[maps]
    if not quantizes:
        return (
            f"sm80_xmma_fprop_implicit_gemm_f16{letters}_f16{letters}_{letters}_nhwckrsc_nhwc"
            f"_tilesize{rows}x{columns}x{rest}_g1_tensor16x8x16_t1r{kernel}s{kernel}"
        )
    return (
        f"sm80_xmma_fprop_implicit_gemm_interleaved_i8{letters}_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32"
        f"_nchw_vect_c_32_tilesize{rows}x{columns}x{rest}_g1_tensor16x8x32_t1r{kernel}s{kernel}"
    )


def _tile_slowdown(pixels: int, maps: int) -> float:
    """Return what small tiles and the last, partly filled wave of them cost."""
    rows, columns, _ = TILES[maps]
    waves = math.ceil(pixels / rows) * math.ceil(maps / columns) / A100.multiprocessors
    # A small tile loads more bytes for each multiply-add.
    tile = 0.6 + 30 * (1 / rows + 1 / columns)
    return min(math.ceil(waves) / waves, 2.0) * tile


def _stem_tactic(output_type: str, *, quantizes: bool) -> str:
    """Return the kernel of the first convolution, whose three channels fit no wide vector."""
    if not quantizes:
        return "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4"
    return f"ampere_{KERNEL_LETTERS[output_type]}_icudnn_int8x4_128x64_relu_large_nn_v1"


def _run(model: str, seed: int, precision: str = "FP32+FP16+INT8") -> Run:
    """Return how the engines were run, so that they can be compared."""
    return Run(
        device=A100,
        seed=seed,
        queries=3017,
        profile_iterations=2400,
        overlap=0.94,
        model=model,
        build_options=BUILD_OPTIONS | {"Precision": precision},
        inference_options={
            "Batch": "Explicit",
            "Input inference shape": f"input={BATCH}x3x224x224",
            "Iterations": "3017",
            "Duration": "0s (+ 200ms warm up)",
            "Sleep time": "0ms",
            "Idle time": "0ms",
            "Inference Streams": "1",
            "ExposeDMA": "Disabled",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "Multithreading": "Disabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
            "Time Deserialize": "Disabled",
            "Time Refit": "Disabled",
            "NVTX verbosity": "2",
        },
    )


def resnet_before() -> dict[str, bytes]:
    """Return the capture with the float residual branch."""
    engine = ResnetBuilder(quantized_residual=False).build()
    return capture_files("resnet18-int8-before", engine, _run("resnet18-int8-before.onnx", 1801))


def resnet_after() -> dict[str, bytes]:
    """Return the capture with the quantized residual branch."""
    engine = ResnetBuilder(quantized_residual=True).build()
    return capture_files("resnet18-int8-after", engine, _run("resnet18-int8-after.onnx", 1802))


def resnet_half() -> dict[str, bytes]:
    """Return the capture of the same network in FP16."""
    engine = ResnetBuilder(quantized_residual=True, quantizes=False).build()
    return capture_files("resnet18-fp16", engine, _run("resnet18.onnx", 1803, "FP32+FP16"))
