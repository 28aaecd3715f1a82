"""Make a bird's-eye-view detector for an embedded GPU, in the style of TensorRT 8.6.

A camera and a lidar branch run in INT8, with a plugin in FP16 between two conversions; behind them Myelin
hides most of the time in one node. No file names the GPU.
"""

from __future__ import annotations

from .engine import Engine, Tensor, Work
from .files import plain_capture
from .plan import (
    BOOL,
    FLOAT,
    HALF,
    HALF_NHWC8,
    INT8,
    INT8_CHW4,
    INT8_CHW32,
    INT32,
    Plan,
    Shape,
    gemm_tactic,
)
from .roofline import ORIN

CAMERAS = 7
#: Maps, blocks and extent of the camera's stages, and of the lidar's.
CAMERA_STAGES = ((1, 96, 3, (136, 240)), (2, 160, 4, (68, 120)), (3, 224, 6, (34, 60)), (4, 320, 3, (17, 30)))
LIDAR_STAGES = ((1, 64, 2, (304, 304)), (2, 128, 2, (152, 152)), (3, 256, 2, (76, 76)))
EARLY = "{ForeignNode[/head/Constant_output_0.../head/Where_13]}"
LATE = "{ForeignNode[/neck/upscale/Constant_1_output_0.../head/Slice_22]}"


class _BevBuilder:
    """Collect the layers of the detector."""

    def __init__(self) -> None:
        self.plan = Plan()

    def build(self) -> Engine:
        """Return the whole engine."""
        anchors = self._anchors()
        points = self._points()
        camera = self._backbone("/cameras", self._camera_stem(), CAMERA_STAGES)
        lidar = self._backbone("/backbone", self._scatter(points), LIDAR_STAGES)
        self._head(anchors, (*camera[1:3], *lidar[1:]))
        inputs = ("features", "img", "coordinates", "pillars", "cached_anchor", "cached_confidence")
        return self.plan.engine([*inputs, "boxes", "cached_anchor_out", "cached_confidence_out"])

    def _anchors(self) -> Tensor:
        plan = self.plan
        cached = Tensor("cached_anchor", (1, 384, 11), *HALF)
        inner = Tensor(f"Reformatted Output Tensor 1 to {EARLY}", (1, 384, 11), *HALF)
        flag = Tensor("/head/Unsqueeze_17_output_0", (1, 1, 1), *BOOL)
        plan.add(EARLY, "Myelin", (cached,), (flag, inner), work=Work(slowdown=30.0))
        moved = plan.from_output(inner, Tensor("/head/Where_13_output_0", (1, 384, 11), *FLOAT), EARLY, 1)
        clipped = Tensor("/head/Clip_output_0", (1, 384, 11), *FLOAT)
        parameters = {
            "ParameterType": "PointWise",
            "ParameterSubType": "PointWiseExpression",
            "NbOperations": 2,
            "Operations": ["auto const v0 = pwgen::iMin(l1, a0);", "auto const v1 = pwgen::iMax(l0, v0);"],
        }
        nodes = ("/head/Clip",)
        plan.add("PWN(/head/Clip)", "PointWiseV2", (moved,), (clipped,), parameters, nodes=nodes, work=Work())
        return clipped

    def _convolution(
        self, nodes: tuple[str, ...], inputs: tuple[Tensor, ...], extent: tuple[int, int], shape: Shape
    ) -> Tensor:
        batch = inputs[0].dimensions[0]
        output = Tensor(f"{nodes[-1]}_output_0", (batch, shape.maps, *extent), *INT8_CHW32)
        tactic = gemm_tactic("i8i8_i8i32_f32", "128x64x64", kernel=shape.kernel)
        if inputs[0].dimensions[1] < 32:
            tactic = "ampere_int8x4_icudnn_int8x4_128x32_relu_interior_c32_nn_v1"
        name = " + ".join(nodes)
        return self.plan.convolution(name, inputs, output, shape, tactic, nodes=nodes, slowdown=1.6)

    def _points(self) -> Tensor:
        """Add the network on each pillar's points."""
        path = "/reader/pfn_layers.0"
        nodes = (f"{path}/linear/Conv", f"{path}/relu/Relu")
        features = Tensor("features", (1, 5, 20, 40000), *HALF)
        packed = self.plan.to_input(features, INT8_CHW4, " + ".join(nodes), slowdown=2.2)
        state = self._convolution(nodes, (packed,), (20, 40000), Shape(64))
        pooled = Tensor(f"{path}/max_pool/MaxPool_output_0", (1, 64, 1, 40000), *INT8_CHW32)
        tactic = "sm72_xmma_pooling_IMMA_NCxHW32_generic_kMAX"
        return self.plan.pooling(f"{path}/max_pool/MaxPool", state, pooled, 20, 20, tactic=tactic)

    def _camera_stem(self) -> Tensor:
        nodes = ("/cameras/conv1/Conv", "/cameras/relu/Relu", "/cameras/maxpool/MaxPool")
        name = " + ".join(nodes)
        images = Tensor("img", (CAMERAS, 3, 544, 960), *HALF)
        packed = self.plan.to_input(images, INT8, name, slowdown=2.5)
        pooled = Tensor("/cameras/maxpool/MaxPool_output_0", (CAMERAS, 96, 136, 240), *INT8_CHW32)
        kind = "CaskConvActPool"
        return self.plan.convolution_with_pooling(
            name, packed, pooled, Shape(96, 7, 2), kind=kind, nodes=nodes
        )

    def _scatter(self, points: Tensor) -> Tensor:
        """Add the plugin that puts pillars on a grid, which takes FP16 alone."""
        plan, name = self.plan, "PillarScatterPlugin_1"
        plain = plan.to_input(points, HALF, name)
        places = Tensor("coordinates", (40000, 4), *INT32)
        count = Tensor("pillars", (1,), *INT32)
        grid = Tensor("/scatter/Reshape_2_output_0", (1, 64, 608, 608), *HALF)
        parameters = {"PluginType": "PillarScatterPlugin", "PluginVersion": "1", "PluginNamespace": ""}
        inputs = (plain, places, count)
        plan.add(name, "PluginV2", inputs, (grid,), parameters, nodes=(name,), work=Work(slowdown=2.0))
        nodes = ("/backbone/conv1/Conv", "/backbone/relu/Relu")
        packed = plan.to_input(grid, INT8_CHW32, " + ".join(nodes), slowdown=2.0)
        return self._convolution(nodes, (packed,), (304, 304), Shape(64, 3, 2))

    def _backbone(
        self, path: str, state: Tensor, stages: tuple[tuple[int, int, int, tuple[int, int]], ...]
    ) -> list[Tensor]:
        """Add residual stages. Returns the output of each."""
        found = []
        for stage, maps, blocks, extent in stages:
            for block in range(blocks):
                state = self._block(f"{path}/layer{stage}/layer{stage}.{block}", state, maps, extent)
            found.append(state)
        return found

    def _block(self, path: str, state: Tensor, maps: int, extent: tuple[int, int]) -> Tensor:
        stride = state.dimensions[2] // extent[0]
        first = (f"{path}/conv1/Conv", f"{path}/relu/Relu")
        inner = self._convolution(first, (state,), extent, Shape(maps, 3, stride))
        if stride > 1:
            state = self._convolution(
                (f"{path}/downsample/downsample.0/Conv",), (state,), extent, Shape(maps, 1, stride)
            )
        nodes = (f"{path}/conv2/Conv", f"{path}/Add", f"{path}/relu_1/Relu")
        return self._convolution(nodes, (inner, state), extent, Shape(maps, 3))

    def _head(self, anchors: Tensor, maps: tuple[Tensor, ...]) -> None:
        plan = self.plan
        inputs = [anchors]
        for level, state in enumerate(maps):
            resized = Tensor(
                f"/neck/Resize_{level}_output_0",
                (*state.dimensions[:2], *(2 * extent for extent in state.dimensions[2:])),
                *INT8_CHW32,
            )
            parameters = {"ParameterType": "Resize", "ResizeMode": "kNEAREST", "ResizeScales": [1, 1, 2, 2]}
            name = f"/neck/Resize_{level}"
            work = Work(slowdown=1.2)
            plan.add(name, "Resize", (state,), (resized,), parameters, nodes=(name,), work=work)
            inputs.append(plan.to_input(resized, HALF_NHWC8, LATE, level + 1, slowdown=1.0))
        confidence = Tensor("cached_confidence", (1, 384), *HALF)
        inputs.append(plan.to_input(confidence, FLOAT, LATE, len(inputs)))
        boxes = Tensor("boxes", (1, 384, 11), *FLOAT)
        outputs = [boxes]
        for port, (name, shape) in enumerate(
            (("cached_anchor_out", (1, 384, 11)), ("cached_confidence_out", (1, 384))), 1
        ):
            outputs.append(Tensor(f"Reformatted Output Tensor {port} to {LATE} {name}", shape, *FLOAT))
        hidden = Work(3.5e11, "Half", 4e7, 1.0)  # what Myelin does not show
        plan.add(LATE, "Myelin", inputs, outputs, work=hidden)
        for port, output in enumerate(outputs[1:], 1):
            target = Tensor(output.name.rsplit(" ", 1)[-1], output.dimensions, *HALF)
            plan.from_output(output, target, LATE, port)


def bev_detector() -> dict[str, bytes]:
    """Return the layer information and the profile of the detector."""
    names = ("layers_.json", "profile_.json")
    return plain_capture(_BevBuilder().build(), ORIN, names=names, iterations=839, seed=86)
