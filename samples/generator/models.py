"""Describe small made-up networks by their operations, before any engine is built from them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

PRODUCTS = {"Conv", "MatMul", "BatchMatMul"}


@dataclass(frozen=True)
class Operation:
    """One node of a network.

    Attributes:
        inputs: Positions of the operations whose results it reads; -1 is the network's input.
        dimensions: Of its result.
        weights: Of a convolution (maps, kernel, stride), of a matrix product (rows, columns), else empty.
    """

    name: str
    kind: str
    inputs: tuple[int, ...]
    dimensions: tuple[int, ...]
    weights: tuple[int, ...] = ()

    @property
    def is_product(self) -> bool:
        """Return whether it is a convolution or matrix product, which takes most of the time."""
        return self.kind in PRODUCTS


class Network:
    """Collect operations in an order in which they can run."""

    def __init__(self, dimensions: tuple[int, ...], *, myelin: bool) -> None:
        self.dimensions = dimensions
        self.myelin = myelin
        self.operations: list[Operation] = []

    def shape(self, at: int) -> tuple[int, ...]:
        """Return the extents of an operation's result, or of the network's input."""
        return self.dimensions if at < 0 else self.operations[at].dimensions

    def add(
        self,
        name: str,
        *inputs: int,
        shape: tuple[int, ...] | None = None,
        weights: tuple[int, ...] = (),
        kind: str = "",
    ) -> int:
        """Add an operation, whose kind its name ends with; it keeps the first input's shape by default."""
        kind = kind or name.rsplit("/", 1)[-1].partition("_")[0]
        self.operations.append(Operation(name, kind, inputs, shape or self.shape(inputs[0]), weights))
        return len(self.operations) - 1

    def convolution(self, path: str, source: int, maps: int, kernel: int = 3, stride: int = 1) -> int:
        """Add a convolution."""
        batch, _, height, width = self.shape(source)
        shape = (batch, maps, height // stride, width // stride)
        return self.add(f"{path}/Conv", source, shape=shape, weights=(maps, kernel, stride))

    def product(self, path: str, source: int, columns: int) -> int:
        """Add a product with weights, and a bias."""
        *rows, inner = self.shape(source)
        result = self.add(f"{path}/MatMul", source, shape=(*rows, columns), weights=(inner, columns))
        return self.add(f"{path}/Add", result)


def residual_network(blocks: int) -> Network:
    """Return a convolutional network of four stages of residual blocks, with a head on each stage."""
    net = Network((8, 3, 224, 224), myelin=False)
    state = net.add("/relu/Relu", net.convolution("/conv1", -1, 64, 7, 2))
    state = net.add("/maxpool/MaxPool", state, shape=(8, 64, 56, 56))
    for stage in range(4):
        maps = 64 << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            state = _residual_block(net, f"/layer{stage + 1}/layer{stage + 1}.{block}", state, maps, stride)
        _head(net, f"/head/head.{stage}", state)
    batch, maps, _, _ = net.shape(state)
    state = net.add("/avgpool/GlobalAveragePool", state, shape=(batch, maps, 1, 1))
    net.convolution("/fc", state, 1000, 1)
    return net


def _residual_block(net: Network, path: str, state: int, maps: int, stride: int) -> int:
    inner = net.add(f"{path}/relu/Relu", net.convolution(f"{path}/conv1", state, maps, 3, stride))
    inner = net.convolution(f"{path}/conv2", inner, maps)
    if stride > 1:
        state = net.convolution(f"{path}/downsample/downsample.0", state, maps, 1, stride)
    return net.add(f"{path}/relu_1/Relu", net.add(f"{path}/Add", inner, state))


def _head(net: Network, path: str, state: int) -> None:
    """Add three branches that could run in any order."""
    for branch, maps in (("box", 64), ("class", 80), ("score", 16)):
        inner = net.convolution(f"{path}/{branch}/{branch}.0", state, maps)
        inner = net.add(f"{path}/{branch}/act/Mul", inner, net.add(f"{path}/{branch}/act/Sigmoid", inner))
        net.add(
            f"{path}/{branch}/out/Sigmoid", net.convolution(f"{path}/{branch}/{branch}.1", inner, maps, 1)
        )


def encoder(blocks: int, hidden: int = 768, heads: int = 12, tokens: int = 128) -> Network:
    """Return a transformer encoder, as Myelin compiles it."""
    net = Network((1, tokens, hidden), myelin=True)
    state = -1
    for block in range(blocks):
        path = f"/encoder/layer.{block}"
        attended = _attention(net, f"{path}/attention", state, heads)
        state = net.add(f"{path}/Add", attended, state)
        state = _norm(net, f"{path}/LayerNorm", state)
        inner = net.product(f"{path}/intermediate/dense", state, 4 * hidden)
        inner = _gelu(net, f"{path}/intermediate/act", inner)
        state = net.add(f"{path}/Add_1", net.product(f"{path}/output/dense", inner, hidden), state)
        state = _norm(net, f"{path}/output/LayerNorm", state)
    net.product("/classifier", state, 2)
    return net


def _attention(net: Network, path: str, state: int, heads: int) -> int:
    batch, tokens, hidden = net.shape(state)
    split = (batch, heads, tokens, hidden // heads)
    parts = []
    for part in ("query", "key", "value"):
        product = net.product(f"{path}/self/{part}", state, hidden)
        parts.append(net.add(f"{path}/self/Transpose_{part}", product, shape=split))
    square = (batch, heads, tokens, tokens)
    scores = net.add(f"{path}/self/MatMul", parts[0], parts[1], shape=square, kind="BatchMatMul")
    scores = net.add(f"{path}/self/Softmax", net.add(f"{path}/self/Div", scores))
    mixed = net.add(f"{path}/self/MatMul_1", scores, parts[2], shape=split, kind="BatchMatMul")
    joined = net.add(f"{path}/self/Reshape_3", mixed, shape=(batch, tokens, prod((heads, hidden // heads))))
    return net.product(f"{path}/output/dense", joined, hidden)


def _norm(net: Network, path: str, state: int) -> int:
    centered = net.add(f"{path}/Sub", state, net.add(f"{path}/Mean", state))
    spread = net.add(f"{path}/Sqrt", net.add(f"{path}/Mean_1", net.add(f"{path}/Pow", centered)))
    return net.add(f"{path}/Add_1", net.add(f"{path}/Mul", net.add(f"{path}/Div", centered, spread)))


def _gelu(net: Network, path: str, state: int) -> int:
    inner = net.add(f"{path}/Add", net.add(f"{path}/Erf", net.add(f"{path}/Div", state)))
    return net.add(f"{path}/Mul_1", net.add(f"{path}/Mul", state, inner))
