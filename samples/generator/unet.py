"""Make the encoder half of a diffusion network with a control image, in the style of TensorRT 8.6.

Group normalization is a plugin in the plain layout between convolutions that want channels last, the time
step is embedded on its own, and Myelin hides each attention in a node. No file names the GPU.
"""

from __future__ import annotations

from typing import Any

from .engine import Engine, Tensor, Work
from .files import plain_capture
from .plan import (
    FLOAT,
    HALF,
    HALF_NHWC2,
    HALF_NHWC4,
    HALF_NHWC8,
    INT32,
    Kind,
    Plan,
    Shape,
    gemm_tactic,
)
from .roofline import RTX_3090

HEIGHT, WIDTH = 32, 48
#: Maps of each level, and how many blocks it has.
LEVELS = ((320, 2), (640, 2), (1280, 2))
HINT = ((16, 1, 8), (16, 1, 8), (32, 2, 4), (32, 1, 4), (96, 2, 2), (96, 1, 2), (256, 2, 1))
TACTIC = gemm_tactic("f16f16_f16f16_f16", "128x64x32", kernel=3)
SIMT_TACTIC = "sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch_bias_relu"


class _UnetBuilder:
    """Collect the layers of the network."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.unnamed = 40

    def build(self) -> Engine:
        """Return the whole engine."""
        steps, latent = self._inputs()
        hint = self._hint()
        state = self._first(latent, hint)
        embedded = self._time(steps)
        outputs = [self._zero(0, state)]
        number = 0
        for level, (maps, blocks) in enumerate(LEVELS):
            for block in range(blocks):
                number += 1
                path = f"/input_blocks.{number}/input_blocks.{number}"
                state = self._block(f"{path}.0", state, embedded, maps)
                state = self._attention(f"{path}.1", state)
                outputs.append(self._zero(number, state))
                if block == blocks - 1 and level < len(LEVELS) - 1:
                    number += 1
                    state = self._halve(f"/input_blocks.{number}/input_blocks.{number}.0/op", state)
                    outputs.append(self._zero(number, state))
        return self.plan.engine(
            ["latent", "timesteps", "context", "hint", *(output.name for output in outputs)]
        )

    def _point_wise(self, nodes: tuple[str, ...], source: Tensor, output: Tensor) -> Tensor:
        """Add what TensorRT fuses of element-wise nodes."""
        name = nodes[0]
        for node in nodes[1:]:
            name = f"PWN({name}), {node}"
        calls = {
            "Mul": "iMul(arg0, var0)",
            "Sigmoid": "iSigmoid(arg0)",
            "Sin": "iSin(arg0)",
            "Cos": "iCos(arg0)",
        }
        operations = [
            f"auto const var{at} = pwgen::{calls[node.rsplit('/', 1)[-1]]};" for at, node in enumerate(nodes)
        ]
        parameters: dict[str, Any] = {
            "ParameterType": "PointWise",
            "ParameterSubType": "PointWiseExpression",
            "NbOperations": len(operations),
            "Operations": operations,
        }
        work = Work(slowdown=1.2)
        self.plan.add(f"PWN({name})", "PointWiseV2", (source,), (output,), parameters, nodes=nodes, work=work)
        return output

    def _inputs(self) -> tuple[Tensor, Tensor]:
        plan = self.plan
        constant = Tensor("(Unnamed Layer* 2) [Constant]_output", (1, 160), *HALF)
        parameters: dict[str, Any] = {
            "ParameterType": "Constant",
            "weights": {"Type": "Float", "Count": 160},
            "dimensions": [1, 160],
        }
        plan.add("/Constant_1_output_0", "Constant", (), (constant,), parameters)
        times = Tensor("timesteps", (1,), *INT32)
        wide = plan.no_op("/Unsqueeze", times, Tensor("/Unsqueeze_output_0", (1, 1), *INT32))
        cast = Tensor("/Cast_output_0", (1, 1), *HALF)
        plan.reformat("/Cast", wide, cast, kind="MyelinReformat")
        product = Tensor("/Mul_output_0", (1, 160), *HALF)
        parameters = {"ParameterType": "ElementWise", "ElementWiseOperation": "kPROD"}
        plan.add(
            "/Mul", "ElementWise", (cast, constant), (product,), parameters, nodes=("/Mul",), work=Work()
        )
        latent = Tensor("latent", (1, 4, HEIGHT, WIDTH), *FLOAT)
        packed = Tensor("/Cast_1_output_0", latent.dimensions, *HALF_NHWC4)
        plan.reformat("/Cast_1", latent, packed, kind="MyelinReformat")
        # Both write parts of one tensor.
        joined = Tensor("/Concat_output_0", (1, 160), *HALF)
        for node in ("/Sin", "/Cos"):
            self._point_wise((node,), product, joined)
        return Tensor(joined.name, (1, 320), *HALF), packed

    def _convolution(
        self,
        nodes: tuple[str, ...],
        inputs: tuple[Tensor, ...],
        extent: tuple[int, int],
        shape: Shape,
        kind: Kind = HALF_NHWC8,
    ) -> Tensor:
        names = nodes
        if nodes[-1].endswith("Mul"):
            names = (nodes[0], f"PWN(PWN({nodes[1]}), {nodes[2]})")
        output = Tensor(f"{nodes[-1]}_output_0", (1, shape.maps, *extent), *kind)
        name = " + ".join(names)
        return self.plan.convolution(name, inputs, output, shape, TACTIC, nodes=nodes, slowdown=1.5)

    def _hint(self) -> Tensor:
        path = "/input_hint_block/input_hint_block"
        image = Tensor("hint", (1, 3, 8 * HEIGHT, 8 * WIDTH), *FLOAT)
        state = self.plan.to_input(image, HALF_NHWC4, f"{path}.0/Conv")
        for at, (maps, stride, scale) in enumerate(HINT):
            extent = (HEIGHT * scale, WIDTH * scale)
            shape = Shape(maps, 3, stride)
            activation = (f"{path}.{2 * at + 1}/Sigmoid", f"{path}.{2 * at + 1}/Mul")
            if at:
                state = self._convolution((f"{path}.{2 * at}/Conv", *activation), (state,), extent, shape)
                continue
            # The first activation stays alone.
            state = self._convolution((f"{path}.0/Conv",), (state,), extent, shape)
            name = f"PWN(PWN({activation[0]}), {activation[1]})"
            state = self.plan.to_input(state, HALF_NHWC2, name, free=True)
            output = Tensor(f"{activation[1]}_output_0", state.dimensions, *HALF_NHWC2)
            state = self._point_wise(activation, state, output)
            state = self.plan.to_input(state, HALF_NHWC8, f"{path}.2/Conv", free=True)
        nodes = (f"{path}.{2 * len(HINT)}/Conv",)
        return self._convolution(nodes, (state,), (HEIGHT, WIDTH), Shape(LEVELS[0][0], 3))

    def _first(self, latent: Tensor, hint: Tensor) -> Tensor:
        nodes = ("/input_blocks.0/input_blocks.0.0/Conv", "/Add")
        name = " + ".join(nodes)
        inputs = [
            self.plan.to_input(each, HALF_NHWC4, name, port, free=True)
            for port, each in enumerate((latent, hint))
        ]
        return self._convolution(nodes, tuple(inputs), (HEIGHT, WIDTH), Shape(320, 3), HALF_NHWC4)

    def _product(self, path: str, source: Tensor, columns: int, tactic: str) -> Tensor:
        """Add a matrix product as a convolution between two views."""
        plan, name = self.plan, f"{path}/Gemm"
        view = Tensor(f"reshape_before_{name}_out", (*source.dimensions, 1, 1), *HALF)
        plan.no_op(f"reshape_before_{name}", source, view)
        packed = plan.to_input(view, HALF_NHWC8, name, free=True)
        output = Tensor(f"{name}_out_tensor", (1, columns, 1, 1), *HALF_NHWC8)
        kind, slowdown = "CaskGemmConvolution", 12.0 if tactic == SIMT_TACTIC else 1.3
        plan.convolution(
            name, (packed,), output, Shape(columns), tactic, kind=kind, nodes=(name,), slowdown=slowdown
        )
        linear = plan.to_input(output, HALF, f"reshape_after_{name}", free=True)
        return plan.no_op(f"reshape_after_{name}", linear, Tensor(f"{name}_output_0", (1, columns), *HALF))

    def _time(self, steps: Tensor) -> Tensor:
        state = self._product("/time_embed/time_embed.0", steps, 1280, SIMT_TACTIC)
        nodes = ("/time_embed/time_embed.1/Sigmoid", "/time_embed/time_embed.1/Mul")
        state = self._point_wise(nodes, state, Tensor(f"{nodes[-1]}_output_0", state.dimensions, *HALF))
        tactic = gemm_tactic("f16f16_f16f16_f16", "32x32x64", kind="gemm")
        return self._product("/time_embed/time_embed.2", state, 1280, tactic)

    def _norm(self, path: str, source: Tensor, *, activated: bool = True) -> Tensor:
        """Add a group normalization: a plugin in the plain layout, its scale, and the activation."""
        plan = self.plan
        plain = plan.to_input(source, HALF, f"{path}.0/Reshape")
        grouped = (1, 32, source.dimensions[1] // 32 * HEIGHT * WIDTH, 1)
        self.unnamed += 1
        view = Tensor(f"(Unnamed Layer* {self.unnamed}) [Shuffle]_output", grouped, *HALF)
        plan.no_op(f"{path}.0/Reshape + (Unnamed Layer* {self.unnamed}) [Shuffle]", plain, view)
        normed = Tensor(f"(Unnamed Layer* {self.unnamed}) [PluginV2DynamicExt]_output", grouped, *HALF)
        name = f"{path}.0/InstanceNormalization"
        parameters = {"PluginType": "InstanceNormalization_TRT", "PluginVersion": "1", "PluginNamespace": ""}
        work = Work(slowdown=3.0)
        plan.add(name, "PluginV2", (view,), (normed,), parameters, nodes=(name,), work=work)
        back = Tensor(f"{path}.0/Reshape_1_output_0", source.dimensions, *HALF)
        plan.no_op(f"(Unnamed Layer* {self.unnamed + 900}) [Shuffle] + {path}.0/Reshape_1", normed, back)
        scaled = Tensor(f"{path}.0/Add_output_0", source.dimensions, *HALF)
        name = f"onnx::Mul_{4000 + self.unnamed} + {path}.0/Mul + {path}.0/Add"
        nodes = (f"{path}.0/Mul", f"{path}.0/Add")
        factors = {"Type": "Half", "Count": source.dimensions[1]}
        parameters: dict[str, Any] = {
            "ParameterType": "Scale",
            "Mode": "CHANNEL",
            "Shift": factors,
            "Scale": factors,
            "Power": {"Type": "Half", "Count": 0},
            "Activation": "NONE",
            "ChannelAxis": 1,
        }
        plan.add(name, "Scale", (back,), (scaled,), parameters, nodes=nodes, work=Work(slowdown=1.4))
        packed = Tensor(f"{path}.0/Cast_1_output_0", source.dimensions, *HALF_NHWC8)
        plan.reformat(f"{path}.0/Cast_1", scaled, packed, kind="MyelinReformat")
        if not activated:
            return packed
        nodes = (f"{path}.1/Sigmoid", f"{path}.1/Mul")
        name = f"PWN(PWN({nodes[0]}), {nodes[1]})"
        narrow = plan.to_input(packed, HALF_NHWC2, name, free=True)
        result = self._point_wise(
            nodes, narrow, Tensor(f"{nodes[1]}_output_0", source.dimensions, *HALF_NHWC2)
        )
        return plan.to_input(result, HALF_NHWC8, f"{path}.2/Conv", free=True)

    def _block(self, path: str, state: Tensor, embedded: Tensor, maps: int) -> Tensor:
        """Add a residual block, which adds the embedded time step to each map."""
        plan = self.plan
        extent = (state.dimensions[2], state.dimensions[3])
        normed = self._norm(f"{path}/in_layers/in_layers", state)
        inner = self._convolution((f"{path}/in_layers/in_layers.2/Conv",), (normed,), extent, Shape(maps, 3))
        emb = f"{path}/emb_layers/emb_layers"
        nodes = (f"{emb}.0/Sigmoid", f"{emb}.0/Mul")
        active = self._point_wise(nodes, embedded, Tensor(f"{emb}.0/Mul_output_0", (1, 1280), *HALF))
        tactic = gemm_tactic("f16f16_f16f16_f16", "32x32x64", kind="gemm")
        time = self._product(f"{emb}.1", active, maps, tactic)
        view = plan.no_op(
            f"{path}/Unsqueeze_1", time, Tensor(f"{path}/Unsqueeze_1_out", (1, maps, 1, 1), *HALF)
        )
        packed = plan.to_input(view, HALF_NHWC8, f"{path}/Add", 1, free=True)
        summed = Tensor(f"{path}/Add_output_0", inner.dimensions, *HALF_NHWC8)
        parameters = {"ParameterType": "ElementWise", "ElementWiseOperation": "kSUM"}
        work = Work(slowdown=1.3)
        plan.add(
            f"{path}/Add",
            "ElementWise",
            (inner, packed),
            (summed,),
            parameters,
            nodes=(f"{path}/Add",),
            work=work,
        )
        normed = self._norm(f"{path}/out_layers/out_layers", summed)
        if state.dimensions[1] != maps:
            state = self._convolution((f"{path}/skip_connection/Conv",), (state,), extent, Shape(maps))
        nodes = (f"{path}/out_layers/out_layers.3/Conv", f"{path}/Add_1")
        return self._convolution(nodes, (normed, state), extent, Shape(maps, 3))

    def _attention(self, path: str, state: Tensor) -> Tensor:
        """Add an attention that Myelin hides in one node, between two projections."""
        plan = self.plan
        maps, *extent = state.dimensions[1:]
        normed = self._norm(f"{path}/norm", state, activated=False)
        inner = self._convolution((f"{path}/proj_in/Conv",), (normed,), (extent[0], extent[1]), Shape(maps))
        node = f"{{ForeignNode[{path}/Reshape.../{path[1:]}/Transpose_9]}}"
        plain = plan.to_input(inner, HALF, node)
        context = Tensor("context", (1, 77, 768), *FLOAT)
        mixed = Tensor(f"{path}/Transpose_9_output_0", inner.dimensions, *HALF)
        work = Work(6e9, "Half", 8.0 * maps * maps, 1.8)
        plan.add(node, "Myelin", (plain, context), (mixed,), work=work)
        nodes = (f"{path}/proj_out/Conv", f"{path}/Add")
        packed = plan.to_input(mixed, HALF_NHWC8, " + ".join(nodes))
        return self._convolution(nodes, (packed, state), (extent[0], extent[1]), Shape(maps))

    def _halve(self, path: str, state: Tensor) -> Tensor:
        extent = (state.dimensions[2] // 2, state.dimensions[3] // 2)
        # A slice that is a copy in truth.
        part = Tensor(f"{path}/Slice_output_0", state.dimensions, *HALF_NHWC8)
        self.plan.reformat(f"{path}/Slice", state, part, "SLICE")
        return self._convolution((f"{path}/Conv",), (part,), extent, Shape(state.dimensions[1], 3, 2))

    def _zero(self, number: int, state: Tensor) -> Tensor:
        """Add the convolution that leaves an output of the control network."""
        path = f"/zero_convs.{number}/zero_convs.{number}.0/Conv"
        extent = (state.dimensions[2], state.dimensions[3])
        result = self._convolution((path,), (state,), extent, Shape(state.dimensions[1]))
        output = Tensor(f"output_{number}", result.dimensions, *FLOAT)
        return self.plan.from_output(result, output, path)


def control_network() -> dict[str, bytes]:
    """Return the layer information and the profile of the network."""
    names = ("layerinfo.json", "profile.json")
    return plain_capture(_UnetBuilder().build(), RTX_3090, names=names, iterations=175, seed=321)
