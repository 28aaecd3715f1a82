"""Make plans of any size, for benchmarks and for tests of what a reader does with thousands of layers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .capture import capture_files
from .engine import Engine, Layer, Tensor, Work, hexadecimal
from .native import Convolution, closing_parameters, convolution_parameters
from .roofline import A100
from .transformer import LAYERS_PER_BLOCK, DecoderBuilder, DecoderShape, decoder_run

QUERIES = 113
LEVELS = 4  # of the U-Net; the extent halves and the channels double from one to the next
BASE_CHANNELS = 64
BASE_EXTENT = 128
LAYERS_PER_PAIR = 5  # two layers in a block on the way down, three in its partner on the way up

PACKED_HALF = ("Half", "Channel major FP16 format where channel % 8 == 0")


def llm_like(layers: int) -> dict[str, bytes]:
    """Return the capture of a decoder of exactly `layers` layers, by file name.

    It has residuals, a cache of keys and values among its bindings, and three tensors (the
    rotary cosines and sines, and the mask) that every block reads.
    """
    fixed = len(DecoderBuilder(DecoderShape(blocks=0)).build().layers)
    if layers < fixed:
        raise ValueError(f"A decoder has at least {fixed} layers.")
    blocks, fillers = divmod(layers - fixed, LAYERS_PER_BLOCK)
    engine = DecoderBuilder(DecoderShape(blocks)).build(fillers)
    name = f"llm-{layers}"
    return capture_files(name, engine, decoder_run(f"{name}.onnx", layers, QUERIES))


def unet_like(layers: int) -> dict[str, bytes]:
    """Return the capture of a convolutional U-Net of exactly `layers` layers, by file name.

    Every block on the way down is read again by its partner on the way up, so that the first
    skip connections span nearly the whole plan.
    """
    fixed = len(UnetBuilder().build(0, 0).layers)
    if layers < fixed:
        raise ValueError(f"A U-Net has at least {fixed} layers.")
    pairs, fillers = divmod(layers - fixed, LAYERS_PER_PAIR)
    engine = UnetBuilder().build(pairs, fillers)
    name = f"unet-{layers}"
    run = replace(decoder_run(f"{name}.onnx", layers, QUERIES), device=A100)
    return capture_files(name, engine, run)


@dataclass(frozen=True)
class _Level:
    """The sizes on one level of the U-Net."""

    number: int
    pairs: int

    @property
    def channels(self) -> int:
        """Return the channels on this level."""
        return BASE_CHANNELS << self.number

    @property
    def extent(self) -> int:
        """Return the height and width on this level."""
        return BASE_EXTENT >> self.number


class UnetBuilder:
    """Collect the layers of a U-Net in the order they run."""

    def __init__(self) -> None:
        self.layers: list[Layer] = []

    def build(self, pairs: int, fillers: int) -> Engine:
        """Return the engine with `pairs` pairs of blocks and `fillers` pointwise layers in the middle."""
        levels = [_Level(number, (pairs + number) // LEVELS) for number in range(LEVELS)]
        latent = self._tensor("sample", 8, BASE_EXTENT)
        state = self._convolution("/conv_in", (latent,), (BASE_CHANNELS, 3, 1))
        skips: list[Tensor] = []
        for level in levels:
            if level.number:
                path = f"/down_blocks.{level.number}/downsample"
                state = self._convolution(path, (state,), (level.channels, 3, 2))
            for block in range(level.pairs):
                state = self._block(f"/down_blocks.{level.number}/resnets.{block}", state)
                skips.append(state)
        for filler in range(fillers):
            state = self._pointwise(f"/mid_block/scale.{filler}/Mul", (state,), state.dimensions[1])
        for level in reversed(levels):
            for block in range(level.pairs):
                path = f"/up_blocks.{level.number}/resnets.{block}"
                joined = self._pointwise(f"{path}/Concat", (state, skips.pop()), 2 * level.channels)
                state = self._block(path, joined, level.channels)
            if level.number:
                state = self._upsample(f"/up_blocks.{level.number}/Resize", state)
        self._convolution("/conv_out", (state,), (8, 3, 1), "out_sample")
        return Engine(tuple(self.layers), {"Bindings": ["sample", "out_sample"]})

    def _tensor(self, name: str, channels: int, extent: int) -> Tensor:
        """Return an image-like tensor."""
        return Tensor(name, (2, channels, extent, extent), *PACKED_HALF)

    def _block(self, path: str, state: Tensor, channels: int = 0) -> Tensor:
        """Add a residual block of two convolutions; after a concatenation the shortcut skips the first."""
        channels = channels or state.dimensions[1]
        inner = self._convolution(f"{path}/conv1", (state,), (channels, 3, 1))
        shortcut = state if state.dimensions[1] == channels else inner
        return self._convolution(f"{path}/conv2", (inner, shortcut), (channels, 3, 1))

    def _convolution(
        self, path: str, inputs: tuple[Tensor, ...], shape: tuple[int, int, int], output_name: str = ""
    ) -> Tensor:
        """Add a convolution of `shape` (maps, kernel, stride); a second input is added to its output."""
        maps, kernel, stride = shape
        source = inputs[0]
        extent = source.dimensions[2] // stride
        addition = (f"{path}/Add",) if len(inputs) == 2 else ()
        nodes = (f"{path}/Conv", *addition, f"{path}/Relu")
        output = self._tensor(output_name or f"{nodes[-1]}_output_0", maps, extent)
        count = maps * source.dimensions[1] * kernel * kernel
        tactic = (
            "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc"
            f"_tilesize128x{min(maps, 128)}x64_stage4_warpsize2x2x1_g1_tensor16x8x16"
        )
        convolution = Convolution(maps, kernel, stride, count, "Half", "Half", tactic)
        parameters = convolution_parameters(convolution, nodes, 0)
        work = Work(2.0 * count * extent * extent, "Half", 2.0 * count, 1.3)
        title = " + ".join(nodes)
        self.layers.append(Layer(title, "CaskConvolution", inputs, (output,), (), parameters, work))
        return output

    def _pointwise(self, name: str, inputs: tuple[Tensor, ...], channels: int) -> Tensor:
        """Add a generated kernel that touches every element once."""
        output = self._tensor(f"{name}_output_0", channels, inputs[0].dimensions[2])
        parameters = {
            "ParameterType": "PointWise",
            "ParameterSubType": "PointWiseExpression",
            "NbInputArgs": len(inputs),
            "InputArgs": [f"arg{index}" for index in range(len(inputs))],
            **closing_parameters(hexadecimal(name), (name,), 0),
        }
        work = Work(datatype="Float", slowdown=1.2)
        self.layers.append(Layer(name, "PointWiseV2", inputs, (output,), (), parameters, work))
        return output

    def _upsample(self, name: str, state: Tensor) -> Tensor:
        """Add the step to the next finer level, which has half the channels."""
        output = self._tensor(f"{name}_output_0", state.dimensions[1], state.dimensions[2] * 2)
        parameters = {
            "ParameterType": "Resize",
            "Mode": "NEAREST",
            "Scales": [1, 1, 2, 2],
            **closing_parameters("0x0000000000000000", (name,), 0),
        }
        self.layers.append(Layer(name, "Resize", (state,), (output,), (), parameters, Work(datatype="Float")))
        return self._convolution(f"{name}/conv", (output,), (state.dimensions[1] // 2, 3, 1))
