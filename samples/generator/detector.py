"""Make an object detector as TensorRT 11 describes it, with two optimization profiles.

TensorRT 11 splits a tensor's format from its data type and lists the inputs and outputs with
the shapes of every profile. The layers of the second profile follow those of the first; its
batch is unknown there (-1), since the inspector's context belongs to the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .capture import Run, capture_files
from .engine import Engine, Layer, Tensor, Work
from .myelin import MyelinRegion
from .native import Convolution, closing_parameters, convolution_parameters, reformat_layer
from .roofline import L4

BATCHES = ((1, 4, 8), (1, 1, 2))  # least, usual and most, by profile
IMAGE = (3, 640, 640)
WIDTH = 256
CLASSES = 80
DETECTIONS = 300
REGION_NAME = "{ForeignNode[node_cat_1...node_gather_2]}"
TOKENS = 40 * 40 + 20 * 20

LINEAR_FLOAT = ("Float", "Row major linear FP32 format (kLINEAR)")
PACKED_FP8 = ("FP8", "Channel major FP8 format where channel % 16 == 0 (kHWC16)")
PACKED_BFLOAT16 = ("BFloat16", "Channel major BF16 format where channel % 8 == 0 (kHWC8)")
LINEAR_BFLOAT16 = ("BFloat16", "Row major linear BF16 format (kLINEAR)")

# Output maps, kernel, stride and whether the block adds its input again.
BACKBONE = (
    (32, 3, 2, False),
    (64, 3, 2, False),
    (128, 3, 2, False),
    (128, 3, 1, True),
    (256, 3, 2, False),
    (256, 3, 1, True),
    (512, 3, 2, False),
    (512, 3, 1, True),
)


class DetectorBuilder:
    """Collect the layers of one optimization profile."""

    def __init__(self, profile: int) -> None:
        self.profile = profile
        self.tag = f" [profile {profile}]" if profile else ""
        self.batch = -1 if profile else BATCHES[0][1]
        self.native: list[Layer] = []
        self.region = MyelinRegion(11 if profile else 5, "sm89", profile)
        self._nodes = 0

    def build(self) -> list[Layer]:
        """Return the layers of this profile in the order they run."""
        image = self._tensor("images", IMAGE, LINEAR_FLOAT)
        maps = self._reformat("node_QuantizeLinear_1", image, PACKED_FP8, "QDQ")
        pyramid = []
        for index, (count, kernel, stride, is_residual) in enumerate(BACKBONE):
            maps = self._convolution(maps, (count, kernel, stride), PACKED_FP8, residual=is_residual)
            if index in {5, 7}:
                pyramid.append(maps)
        fine, coarse = (self._convolution(level, (WIDTH, 1, 1), PACKED_BFLOAT16) for level in pyramid)
        merged = self._convolution(fine, (WIDTH, 3, 1), PACKED_BFLOAT16, other=self._upsample(coarse))
        copies = [f"Reformatting CopyNode for Input Tensor {index} to {REGION_NAME}" for index in range(2)]
        levels = [
            self._reformat(copy, level, LINEAR_BFLOAT16, "REFORMAT")
            for copy, level in zip(copies, (merged, coarse), strict=True)
        ]
        self._head(levels)
        layers = [*self.native, *self.region.layers]
        # trtexec runs one profile, the first here; the layers of the others take no time.
        return [replace(layer, profiled=False) for layer in layers] if self.profile else layers

    def _tensor(self, name: str, extents: tuple[int, ...], kind: tuple[str, str]) -> Tensor:
        """Return a native tensor of this profile."""
        return Tensor(name + self.tag, (self.batch, *extents), *kind)

    def _inner(self, extents: tuple[int, ...], datatype: str, name: str = "") -> Tensor:
        """Return a tensor inside Myelin, which never learns a dynamic extent."""
        return Tensor(name + self.tag if name else self.region.value_name(), (-1, *extents), datatype)

    def _reformat(self, name: str, source: Tensor, kind: tuple[str, str], origin: str) -> Tensor:
        """Add a reformat or a quantization; return its output."""
        is_copy = name.startswith("Reformatting")
        output_name = name.replace("Reformatting CopyNode for", "Reformatted") if is_copy else f"{name}_out"
        target = self._tensor(output_name, source.dimensions[1:], kind)
        nodes = () if is_copy else (name,)
        self.native.append(reformat_layer(name + self.tag, (source, target), origin, nodes, 0))
        return target

    def _convolution(
        self,
        source: Tensor,
        shape: tuple[int, int, int],
        kind: tuple[str, str],
        *,
        residual: bool = False,
        other: Tensor | None = None,
    ) -> Tensor:
        """Add a convolution; a residual one adds its own input, a merging one adds `other`."""
        maps, kernel, stride = shape
        self._nodes += 1
        addend = source if residual else other
        nodes = [f"node_conv2d_{self._nodes}"]
        nodes += [f"node_add_{self._nodes}"] if addend else []
        nodes += [f"node_relu_{self._nodes}"]
        extent = source.dimensions[2] // stride
        output = self._tensor(f"relu_{self._nodes}", (maps, extent, extent), kind)
        count = maps * source.dimensions[1] * kernel * kernel
        letters = "e4m3e4m3" if source.datatype == "FP8" else "bf16bf16"
        written = "e4m3" if kind is PACKED_FP8 else "bf16"
        tactic = (
            f"sm89_xmma_fprop_implicit_gemm_{letters}_{written}f32_f32_nhwckrsc_nhwc"
            f"_tilesize128x{min(maps, 128)}x64_stage3_warpsize2x2x1_g1_tensor16x8x32_t1r{kernel}s{kernel}"
        )
        convolution = Convolution(maps, kernel, stride, count, source.datatype, "Float", tactic)
        work = Work(BATCHES[0][1] * count * extent * extent, source.datatype, count, 1.3)
        inputs = (source, addend) if addend else (source,)
        parameters = convolution_parameters(convolution, tuple(nodes), 0)
        title = " + ".join(nodes) + self.tag
        self.native.append(Layer(title, "CaskConvolution", inputs, (output,), (), parameters, work))
        return output

    def _upsample(self, source: Tensor) -> Tensor:
        """Add the step from the coarse level to the extent of the fine one."""
        name = "node_upsample_nearest2d_1"
        extent = source.dimensions[2] * 2
        target = self._tensor(f"{name}_out", (WIDTH, extent, extent), PACKED_BFLOAT16)
        parameters = {
            "ParameterType": "Resize",
            "Mode": "NEAREST",
            "Scales": [1, 1, 2, 2],
            **closing_parameters("0x0000000000000000", (name,), 0),
        }
        work = Work(datatype="Float", slowdown=1.4)
        self.native.append(Layer(name + self.tag, "Resize", (source,), (target,), (), parameters, work))
        return target

    def _head(self, levels: list[Tensor]) -> None:
        """Add the transformer layer over both levels, and what reads the detections from it."""
        region, row = self.region, (TOKENS, WIDTH)
        region.shape_call()
        flat = [Tensor(level.name, (-1, *level.dimensions[1:]), level.datatype) for level in levels]
        tokens = self._inner(row, "BFloat16")
        region.generated("TranReshConcAdd", flat, (tokens,), ("node_cat_1", "node_add_pos"))
        projected = self._weight_only("node_qkv/MatMul", tokens, 3 * WIDTH)
        attended = self._inner(row, "BFloat16")
        multiply_adds = 2.0 * BATCHES[0][1] * TOKENS * TOKENS * WIDTH
        region.attention((projected,), attended, "node_attention", multiply_adds)
        tokens = self._add_and_norm(1, self._weight_only("node_proj/MatMul", attended, WIDTH), tokens)
        wide = self._weight_only("node_linear_1/MatMul", tokens, 4 * WIDTH)
        active = self._inner((TOKENS, 4 * WIDTH), "BFloat16")
        region.generated("MulErfAddMul", (wide,), (active,), ("node_gelu_1",))
        tokens = self._add_and_norm(2, self._weight_only("node_linear_2/MatMul", active, WIDTH), tokens)
        self._detections(tokens)

    def _weight_only(self, node: str, source: Tensor, columns: int) -> Tensor:
        """Add a matrix product whose weights are INT4, scaled in blocks of 128."""
        inner = source.dimensions[-1]
        output = self._inner((TOKENS, columns), "BFloat16")
        stem = node.split("/", maxsplit=1)[0]
        weights = Tensor(f"{stem}.weight", (inner, columns), "Int4")
        scales = (Tensor(f"{stem}.weight_scale", (inner // 128, columns), "BFloat16"),)
        self.region.gemm((node,), (source,), output, weights, scales=scales, extent=BATCHES[0][1])
        return output

    def _add_and_norm(self, index: int, branch: Tensor, tokens: Tensor) -> Tensor:
        """Add the residual addition with the norm behind it."""
        normed = self._inner((TOKENS, WIDTH), "BFloat16")
        nodes = (f"node_add_tokens_{index}", f"node_layer_norm_{index}")
        operations = "AddCastMeanSubMulMeanAddSqrtDivMulCastMulAdd"
        self.region.generated(operations, (branch, tokens), (normed,), nodes)
        return normed

    def _detections(self, tokens: Tensor) -> None:
        """Add the class and box branches, and the choice of the best detections."""
        region, extent = self.region, BATCHES[0][1]
        logits = self._inner((TOKENS, CLASSES), "BFloat16")
        weights = Tensor("class_head.weight", (WIDTH, CLASSES), "BFloat16")
        region.gemm(("node_class/MatMul",), (tokens,), logits, weights, extent=extent)
        boxes = self._inner((TOKENS, 4), "BFloat16")
        weights = Tensor("box_head.weight", (WIDTH, 4), "BFloat16")
        region.gemm(("node_box/MatMul",), (tokens,), boxes, weights, extent=extent)
        chosen = self._inner((DETECTIONS,), "Int64")
        scores = self._inner((DETECTIONS,), "Float", "scores")
        labels = self._inner((DETECTIONS,), "Int64", "labels")
        nodes: tuple[str, ...] = ("node_sigmoid_1", "node_topk_1", "node_remainder_1")
        work = Work(datatype="Float", slowdown=6.0)  # a selection reads its input several times
        region.generated("SigmReshTopKMod", (logits,), (scores, labels, chosen), nodes, work=work)
        corners = self._inner((DETECTIONS, 4), "Float", "boxes")
        nodes = ("node_gather_2", "node_cat_boxes")
        region.generated("GathMulSubAddConcCast", (boxes, chosen), (corners,), nodes)


def _io_tensors() -> list[dict[str, Any]]:
    """Return TensorRT 11's list of inputs and outputs."""
    tensors: list[tuple[str, str, str, tuple[int, ...]]] = [
        ("images", "Input", "Float", IMAGE),
        ("boxes", "Output", "Float", (DETECTIONS, 4)),
        ("scores", "Output", "Float", (DETECTIONS,)),
        ("labels", "Output", "Int64", (DETECTIONS,)),
    ]
    return [
        {
            "Name": name,
            "IOMode": mode,
            "DataType": datatype,
            "Dimensions": [-1, *extents],
            "Location": "Device",
            "IsShapeInferenceIO": False,
            "ProfileInfo": [_profile_info(mode, datatype, extents, batches) for batches in BATCHES],
        }
        for name, mode, datatype, extents in tensors
    ]


def _profile_info(
    mode: str, datatype: str, extents: tuple[int, ...], batches: tuple[int, int, int]
) -> dict[str, Any]:
    """Return what one profile says of a tensor: an output has a format but no shapes of its own."""
    keys = ("MinShape", "OptShape", "MaxShape")
    shapes: dict[str, Any] = {}
    if mode == "Input":
        shapes = {key: [batch, *extents] for key, batch in zip(keys, batches, strict=True)}
    words = "FP32" if datatype == "Float" else datatype
    return shapes | {"Format": f"Row major linear {words} format (kLINEAR)"}


def _run(name: str) -> Run:
    """Return how the detector was run: TensorRT 11, transfers included."""
    shape = f"images={BATCHES[0][1]}x" + "x".join(map(str, IMAGE))
    return Run(
        device=L4,
        seed=1104,
        queries=113,
        profile_iterations=150,
        overlap=0.95,
        model=f"{name}.onnx",
        build_options={
            "Memory Pools": "workspace",
            "avgTiming": "8",
            "Refit": "Disabled",
            "Strip weights": "Disabled",
            "Profiling verbosity": "2",
            "timingCacheMode": "global",
            "MaxAuxStreams": "-1",
            "BuilderOptimizationLevel": "-1",
            "Input build shapes (profile 0)": "images=1x3x640x640+4x3x640x640+8x3x640x640",
            "Input build shapes (profile 1)": "images=1x3x640x640+1x3x640x640+2x3x640x640",
        },
        inference_options={
            "Input inference shapes": shape,
            "Iterations": "113",
            "Duration": "0s (+ 200ms warm up)",
            "Inference Streams": "1",
            "Data transfers": "Enabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled",
            "Optimization Profile Index": "0",
        },
        device_lines={
            "Selected Device ID": "0",
            "Selected Device UUID": "GPU-00000000-5a3e-7e57-0000-000000000011",
        },
        transfer_ms=(0.8917, 0.0121),
    )


def detector() -> dict[str, bytes]:
    """Return the capture of the detector, measured with its first profile."""
    name = "detector-trt11"
    layers = tuple(layer for profile in range(len(BATCHES)) for layer in DetectorBuilder(profile).build())
    closing = {"I/O Tensors": _io_tensors(), "ProfilingVerbosity": "DETAILED"}
    engine = Engine(layers, closing, split_format=True, dynamic_extent=BATCHES[0][1])
    return capture_files(name, engine, _run(name))
