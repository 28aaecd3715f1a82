"""Make a driving network as TensorRT 10 compiles it: nearly all of it Myelin, on six streams.

A camera backbone in INT8, a view transformer, a lidar branch behind a plugin and a decoder in FP16. Kernels
are named after their operations, buffers are written again under the same name, streams wait for each other,
and no kernel states its weights.
"""

from __future__ import annotations

from itertools import pairwise

from .engine import MYELIN_SEPARATOR, Engine, Layer, Tensor, Work, hexadecimal, onnx_metadata
from .files import plain_capture
from .plan import HALF, INT32, Plan
from .roofline import THOR

INPUTS = ("features", "voxels", "num_points", "voxel_num_points", "queries_grid", "/head/queries", "img")
CAMERAS = 7
#: Number, maps, blocks, and extent of the camera's stages.
STAGES = ((1, 64, 3, (136, 240)), (2, 128, 4, (68, 120)), (3, 256, 6, (34, 60)), (4, 512, 3, (17, 30)))
POINTS = 22080
WIDTH = 256
QUERIES = 4096
DECODERS = 6
INT8_TACTIC = (
    "cutlass3x_sm100_tensorop_i64x256x32_conv3d_fprop_weight_stationary_nq_2d"
    "_s8_s8_s32_void_s8_f32_t1xr3xs3_64x256x64"
)
HALF_TACTIC = "cutlass3x_sm100_tensorop_s256x128x16implicit_gemm_fprop_f16_f16_f32_f16_f16_256x128x64"
GEMM_TACTIC = "cutlass3x_sm100_tensorop_s128x256x16gemm_f16_f16_f32_f16_f16_128x256x64_0_tnn_align8"


class _DrivingBuilder:
    """Collect the kernels of the network, numbered within their region."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.region = 2
        self.number = 0
        self.values = 0
        self.event = 0

    def build(self) -> Engine:
        """Return the whole engine."""
        self._inputs()
        for stream in range(1, 6):
            self._hand_over(0, stream)
        maps = self._camera(Tensor("img", (CAMERAS, 3, 544, 960), "Half"))
        view = self._view(maps)
        points = self._lidar()
        self.region, self.number = 8, 0
        fused = self._fuse(view, points)
        state = Tensor("/head/queries", (1, QUERIES, WIDTH), "Half")
        for block in range(DECODERS):
            state = self._decoder(f"/head/layers.{block}", state, fused, block)
        self._outputs(state, fused)
        return self.plan.engine([*INPUTS, "boxes", "lane_mask"])

    def _kernel(
        self,
        kind: str,
        stem: str,
        inputs: tuple[Tensor, ...],
        output: Tensor,
        nodes: tuple[str, ...] = (),
        *,
        tactic: str = "",
        stream: int = 0,
        work: Work | None = None,
    ) -> Tensor:
        """Add a kernel; a generated one has a tactic that repeats its name. Returns its output."""
        name = f"{stem}_myl{self.region}_{self.number}"
        self.number += 1
        parameters = {
            "TacticName": tactic or f"{stem}_{hexadecimal(stem + str(output.dimensions), 32)}",
            "StreamId": stream,
            "Metadata": onnx_metadata(nodes, MYELIN_SEPARATOR),
        }
        work = work or Work(datatype="Half", slowdown=1.4)
        self.plan.layers.append(Layer(name, kind, inputs, (output,), (), parameters, work))
        return output

    def _value(self, dimensions: tuple[int, ...], datatype: str = "Half") -> Tensor:
        self.values += 1
        return Tensor(f"__myln_k_arg__bb1_{self.values}", dimensions, datatype)

    def _hand_over(self, source: int, target: int) -> None:
        """Make a stream wait for what another one has done so far."""
        for kind, stream in (("signal", source), ("wait", target)):
            name = f"entry^bb^{kind}^{target}_myl{self.region}_{self.number}"
            self.number += 1
            parameters = {"TacticName": "", "StreamId": stream, "EventId": self.event, "Metadata": ""}
            self.plan.layers.append(Layer(name, kind, parameters=parameters))
        self.event = (self.event + 1) % 16

    def _inputs(self) -> None:
        for name, count in (("num_points", 40000), ("voxel_num_points", 100000)):
            source = Tensor(name, (count,), *INT32)
            target = Tensor(f"Reformatted {name}", (count,), *INT32)
            self.plan.no_op(f"Reformatting CopyNode for Network Input {name}", source, target)
        weights = {"ParameterType": "Constant", "weights": {"Type": "Float", "Count": 3}, "dimensions": [3]}
        constant = Tensor("(Unnamed Layer* 9) [Constant]_output", (3,), *HALF)
        self.plan.add("/head/Constant_output_0", "Constant", (), (constant,), weights)

    def _convolution(
        self, path: str, inputs: tuple[Tensor, ...], output: Tensor, taps: int = 9, *, stream: int = 0
    ) -> Tensor:
        """Add a convolution; on integers it accumulates more than it writes."""
        pixels = output.size_bytes(1) / (1 if output.datatype == "Int8" else 2)
        datatype = inputs[0].datatype
        work = Work(pixels * inputs[0].dimensions[1] * taps, datatype, slowdown=1.6)
        tactic = INT8_TACTIC if datatype == "Int8" else HALF_TACTIC
        stem = path.replace(".", "_") + "/Conv"
        nodes = (f"{path}/Conv",)
        return self._kernel(
            "correlation", stem, inputs, output, nodes, tactic=tactic, stream=stream, work=work
        )

    def _gemm(
        self, path: str, source: Tensor, columns: int, *, tactic: str = GEMM_TACTIC, stream: int = 0
    ) -> Tensor:
        output = self._value((*source.dimensions[:-1], columns))
        elements = output.size_bytes(1) / 2
        work = Work(elements * source.dimensions[-1], "Half", slowdown=1.6)
        stem = path.replace(".", "_") + "/MatMul"
        nodes = (f"{path}/MatMul", f"{path}/Add")
        return self._kernel("gemm", stem, (source,), output, nodes, tactic=tactic, stream=stream, work=work)

    def _camera(self, image: Tensor) -> list[Tensor]:
        """Add the backbone in INT8, whose residual sums are kernels of their own."""
        quantized = Tensor("__mye14055/img/QuantizeLinear", image.dimensions, "Int8")
        self._kernel("kgen", "__myl_MulMinMaxRounCast", (image,), quantized, ("img_QuantizeLinear",))
        state = self._value((CAMERAS, 64, 136, 240), "Int8")
        tactic = "sm100_conv_act_pool_v5_s8_8x224x5_ncdhw_s8_NDHWC"
        nodes = ("/img/conv1/Conv", "/img/relu/Relu", "/img/maxpool/MaxPool")
        work = Work(3e10, "Int8", slowdown=1.6)
        self._kernel(
            "conv_act_pool", "__mye19935_conv_act_pool", (quantized,), state, nodes, tactic=tactic, work=work
        )
        found = []
        for stage, maps, blocks, extent in STAGES:
            for block in range(blocks):
                path = f"/img/layer{stage}/layer{stage}.{block}"
                shape = (CAMERAS, maps, *extent)
                inner = self._convolution(
                    f"{path}/conv1", (state,), Tensor(f"{path}/relu/Relu_output_0", shape, "Int8")
                )
                inner = self._convolution(f"{path}/conv2", (inner,), self._value(shape, "Int8"))
                if state.dimensions != shape:
                    state = self._convolution(f"{path}/downsample", (state,), self._value(shape, "Int8"), 1)
                stem = "__myl_CastMulCastMulAddReluMulMinMaxRounCast"
                nodes = (f"{path}/Add", f"{path}/relu_1/Relu")
                output = Tensor(f"{path}/relu_1/Relu_output_0", shape, "Int8")
                state = self._kernel("kgen", stem, (state, inner), output, nodes)
            found.append(state)
        return found

    def _view(self, maps: list[Tensor]) -> Tensor:
        """Add the transformer that looks from above, on a second stream as far as it needs no image."""
        grid = Tensor("queries_grid", (CAMERAS, 120, 184, 2), "Half")
        # The transformer writes one buffer again in each of its layers.
        buffer = Tensor("shuffle_output_/neck/view", (CAMERAS, POINTS, WIDTH), "Half")
        state = self._kernel("kgen", "__myl_GridCastReshTran", (grid,), buffer, stream=2)
        half = self._value(maps[2].dimensions)
        self._kernel("kgen", "__myl_CastMulCast", (maps[2],), half)
        for layer in range(2):
            path = f"/neck/view/layers.{layer}"
            weights = self._gemm(f"{path}/attention_weights", state, 32, stream=2)
            self._hand_over(2, 3)
            offsets = self._gemm(f"{path}/offsets", state, 64, stream=3)
            shares = self._kernel(
                "kgen", "__myl_ReshMaxSubExpSumDivMul", (weights,), self._value(weights.dimensions), stream=2
            )
            self._hand_over(3, 2)
            self._hand_over(0, 2)
            sampled = self._value((CAMERAS, POINTS, WIDTH))
            sampled = self._kernel(
                "kgen", "__myl_GridCastMoveReshTranResh", (half, offsets, shares), sampled, stream=2
            )
            projected = self._gemm(f"{path}/output_proj", sampled, WIDTH, stream=2)
            stem = "__myl_AddCastMeanSubMulMeanAddSqrtDivMulCastMulAdd"
            nodes = (f"{path}/Add", f"{path}/norm/ReduceMean", f"{path}/norm/Sqrt", f"{path}/norm/Div")
            state = self._kernel("kgen", stem, (projected, state), buffer, nodes, stream=2)
        lowered = self._kernel(
            "kgen", "__myl_ReshTranReshAddResh", (state,), self._value((1, 6144, POINTS)), stream=2
        )
        self._hand_over(2, 0)
        nodes = ("/neck/Reshape", "/neck/Transpose", "/neck/Reshape_1")
        seen = self._value((1, WIDTH, 120, 224))
        return self._kernel("kgen", "__myl_ReshTranResh", (lowered,), seen, nodes)

    def _lidar(self) -> Tensor:
        """Add the branch of points: casts on streams of their own, a plugin, convolutions in FP16."""
        states = []
        for stream, name, count in ((4, "features", 40000), (5, "voxels", 100000)):
            source = Tensor(name, (count, 10, 5), "Half")
            cast = self._kernel(
                "kgen", "__myl_Cast", (source,), self._value(source.dimensions), stream=stream
            )
            wide = self._gemm(f"/lidar/{name}/linear", cast, 64, stream=stream)
            pooled = self._value((count, 64))
            states.append(self._kernel("kgen", "__myl_Max", (wide,), pooled, stream=stream))
            self._hand_over(stream, 0)
        count = Tensor("Reformatted num_points", (40000,), *INT32)
        grid = Tensor("/lidar/scatter/output_0", (1, 64, 120, 224), *HALF)
        parameters = {"PluginType": "ScatterPlugin", "PluginVersion": "1", "PluginNamespace": ""}
        sources = (*(Tensor(each.name, each.dimensions, *HALF) for each in states), count)
        self.plan.add(
            "/lidar/ScatterPlugin", "PluginV2", sources, (grid,), parameters, work=Work(slowdown=2.0)
        )
        state = Tensor(grid.name, grid.dimensions, "Half")
        for block in range(4):
            path = f"/lidar/layer1/layer1.{block}"
            inner = self._convolution(f"{path}/conv1", (state,), self._value(state.dimensions))
            output = Tensor(f"{path}/relu_1/Relu_output_0", state.dimensions, "Half")
            state = self._convolution(f"{path}/conv2", (inner, state), output)
        return state

    def _fuse(self, view: Tensor, points: Tensor) -> Tensor:
        # Two kernels write parts of one tensor.
        both = Tensor("/fuse/Concat_output_0", (1, WIDTH + 64, 120, 224), "Half")
        for source in (view, points):
            part = Tensor(both.name, source.dimensions, "Half")
            self._kernel("kgen", "__myl_Move", (source,), part)
        fused = self._convolution("/fuse/conv", (both,), self._value((1, WIDTH, 120, 224)))
        pooled = self._value((1, WIDTH, 60, 112))
        return self._kernel(
            "maxpool", "/fuse/MaxPool", (fused,), pooled, ("/fuse/MaxPool",), tactic="sm50_xmma_pooling"
        )

    def _norm(self, path: str, source: Tensor) -> Tensor:
        """Add a normalization in two kernels, whose statistics are floats."""
        nodes = tuple(f"{path}/{part}" for part in ("ReduceMean", "Sub", "Pow", "ReduceMean_1"))
        centered = self._value(source.dimensions, "Float")
        self._kernel("kgen", "__myl_CastMeanSubMulMean", (source,), centered, nodes)
        nodes = tuple(f"{path}/{part}" for part in ("Add", "Sqrt", "Div", "Mul", "Add_1"))
        return self._kernel(
            "kgen", "__myl_AddSqrtDivMulCastMulAdd", (centered,), self._value(source.dimensions), nodes
        )

    def _decoder(self, path: str, state: Tensor, fused: Tensor, block: int) -> Tensor:
        """Add a decoder block: attention among the queries, sampling, and the feed-forward part."""
        normed = self._norm(f"{path}/norm1", state)
        parts = tuple(self._gemm(f"{path}/attn/{part}", normed, WIDTH) for part in ("q", "k", "v"))
        mixed = self._value(state.dimensions)
        nodes = tuple(f"{path}/attn/{part}" for part in ("MatMul", "Softmax", "MatMul_1"))
        tactic = f"_gemm_mha_v2_{hexadecimal(path, 32)}"
        work = Work(2.0 * QUERIES * QUERIES * WIDTH, "Half", slowdown=2.0)
        self._kernel("kgen", "_gemm_mha_v2", parts, mixed, nodes, tactic=tactic, work=work)
        out = self._gemm(f"{path}/attn/out", mixed, WIDTH)
        summed = self._kernel(
            "kgen", "__myl_Add", (out, state), self._value(state.dimensions), (f"{path}/Add",)
        )
        weights = self._gemm(f"{path}/weights", self._norm(f"{path}/norm2", summed), 64)
        sampled = self._value(state.dimensions)
        self._kernel("kgen", "__myl_GridCastGridCastConcTranReshTran", (fused, weights), sampled)
        joined = self._value(state.dimensions)
        stem = "__myl_FcAdd"
        work = Work(1.0 * QUERIES * WIDTH * WIDTH, "Half", slowdown=1.8)
        self._kernel(
            "fusion", stem, (sampled, summed), joined, (f"{path}/proj/MatMul", f"{path}/Add_1"), work=work
        )
        inner = self._gemm(f"{path}/ffn/fc1", self._norm(f"{path}/norm3", joined), 4 * WIDTH)
        active = self._kernel("kgen", "__myl_Relu", (inner,), self._value(inner.dimensions))
        result = self._gemm(f"{path}/ffn/fc2", active, WIDTH)
        # All blocks write their result into one buffer.
        buffer = Tensor("/head/state'.1", state.dimensions, "Half")
        return self._kernel("kgen", "__myl_Add", (result, joined), buffer, (f"{path}/Add_{block}",))

    def _outputs(self, state: Tensor, fused: Tensor) -> None:
        boxes = self._gemm("/head/boxes", state, 11)
        self._kernel("kgen", "__myl_SigmMulAdd", (boxes,), Tensor("boxes", boxes.dimensions, "Half"))
        for level, (before, after) in enumerate(pairwise((WIDTH, 128, 64))):
            extent = tuple(2 * each for each in fused.dimensions[2:])
            wide = self._value((1, after, *extent))
            path = f"/lane/ups.{level}/up/ConvTranspose"
            work = Work(before * 4.0 * wide.size_bytes(1), "Half", slowdown=1.6)
            fused = self._kernel(
                "deconv", path.replace(".", "_"), (fused,), wide, (path,), tactic=HALF_TACTIC, work=work
            )
            fused = self._convolution(f"/lane/ups.{level}/conv", (fused,), self._value(fused.dimensions))
        self._kernel(
            "kgen", "__myl_Sigm", (fused,), Tensor("lane_mask", fused.dimensions, "Half"), ("/lane/Sigmoid",)
        )


def driving_network() -> dict[str, bytes]:
    """Return the layer information and the profile of the network."""
    names = ("layers_tofp16.json", "profile_tofp16.json")
    return plain_capture(_DrivingBuilder().build(), THOR, names=names, iterations=501, seed=101)
