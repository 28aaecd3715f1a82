"""Operations of layers, each beside a count by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.flops import count_flops
from trexreport.analyzer.operations import count_operations
from trexreport.model import DataFormat, Layer, Tensor

FP16 = DataFormat("FP16", "FP16")
INT8 = DataFormat("INT8", "INT8")


def tensors(*shapes, form=FP16):
    return tuple(Tensor(f"t{number}", tuple(shape), form) for number, shape in enumerate(shapes))


def layer(kind, sources, results, operations=(), *, tactic="", constants=(), forms=(FP16, FP16), **raw):
    return Layer(
        0,
        "k",
        "n",
        kind,
        kind,
        tensors(*sources, form=forms[0]),
        tensors(*results, form=forms[1]),
        constants=constants,
        tactic=tactic,
        operations=tuple(operations),
        attributes=raw,
    )


def flops(found):
    return count_flops(found, count_operations(found))


X = (2, 8, 16, 16)
N = 2 * 8 * 16 * 16

COUNTED = {
    "convolution": (
        layer("Convolution", [X], [(2, 4, 16, 16)], Kernel=[3, 3], Groups=2),
        2 * 2 * 4 * 256 * 4 * 9,
    ),
    "convolution in three dimensions": (
        layer("Convolution", [(1, 3, 8, 8, 8)], [(1, 5, 8, 8, 8)], Kernel=[3, 3, 3]),
        2 * 5 * 512 * 3 * 27,
    ),
    "convolution in one dimension": (
        layer("Convolution", [(1, 3, 10)], [(1, 5, 8)], Kernel=[3]),
        2 * 5 * 8 * 3 * 3,
    ),
    "gemm": (layer("gemm", [(4, 7, 16), (16, 9)], [(4, 7, 9)]), 2 * 4 * 7 * 16 * 9),
    "maximum of windows": (layer("Pooling", [X], [(2, 8, 8, 8)], WindowSize=[3, 3]), 9 * 2 * 8 * 64),
    "expression": (layer("PointWise", [X], [X], Operations=["a", "b", "c"]), 3 * N),
    "sum": (layer("ElementWise", [X, X], [X], Activation="NONE"), N),
    "sum with activation": (layer("ElementWise", [X, X], [X], Activation="RELU"), 2 * N),
    "activation": (layer("Activation", [X], [X]), N),
    "scale": (
        layer("Scale", [X], [X], Shift={"Count": 8}, Scale={"Count": 8}, Power={"Count": 0}),
        2 * N,
    ),
    "reduction": (layer("Reduce", [X], [(2, 8)]), N),
    "softmax": (layer("SoftMax", [(3, 100)], [(3, 100)]), 5 * 300),
    "generated": (layer("kgen", [X, X], [X], ["Cast", "Mul", "Add", "Relu"]), 3 * N),
    "generated with broadcast": (layer("kgen", [X, (8, 1, 1)], [X], ["Mul", "Add"]), 2 * N),
    "generated reduction": (layer("kgen", [X, X], [(2, 8)], ["Mul", "Sum"]), 2 * N),
    "generated copy": (layer("kgen", [X], [X], ["Transpose", "Move"]), 0),
    "copy": (layer("Shuffle", [X], [X]), 0),
    "conversion": (layer("Reformat", [X], [X], forms=(FP16, DataFormat("FP32", "FP32"))), 0),
    "attention": (
        layer("kgen", [(8, 5, 64), (8, 64, 7), (8, 7, 64)], [(8, 5, 64)], tactic="_gemm_mha_v2_0x1"),
        2 * 8 * (5 * 7 * 64 + 5 * 7 * 64),
    ),
    "attention with shared keys, and a mask": (
        layer(
            "kgen",
            [(1, 16, 5, 32), (1, 4, 7, 32), (1, 4, 7, 32), (1, 1, 5, 7)],
            [(1, 5, 512)],
            tactic="_gemm_mha_v2_0x1",
        ),
        2 * 2 * 16 * 5 * 7 * 32,
    ),
    "attention from one tensor": (layer("fmha_v2", [(2, 9, 48)], [(2, 9, 16)]), 2 * 2 * 2 * 9 * 9 * 16),
    "attention from one tensor with an axis for Q, K and V": (
        layer("fusion", [(2, 9, 3, 4, 16)], [(18, 64)], tactic="_gemm_mha_v2_0x1"),
        2 * 2 * 2 * 4 * 9 * 9 * 16,
    ),
    "attention from one tensor with that axis after the heads": (
        layer("fusion", [(2, 9, 4, 3, 16)], [(2, 9, 64)], tactic="_gemm_mha_v2_0x1"),
        2 * 2 * 2 * 4 * 9 * 9 * 16,
    ),
    "attention from Q, K and V in turn": (
        layer("kgen", [(3, 2, 9, 64)], [(2, 9, 4, 16)], tactic="_gemm_mha_v2_0x1"),
        2 * 2 * 2 * 4 * 9 * 9 * 16,
    ),
    "attention from Q, K and V in turn that joins its heads": (
        layer("kgen", [(3, 2, 9, 64)], [(2, 9, 64)], tactic="_gemm_mha_v2_0x1"),
        2 * 2 * 2 * 9 * 9 * 64,
    ),
    "attention by its operations": (
        layer("kgen", [(2, 4, 4)] * 3, [(2, 4, 4)], ["BatchMatMul", "Mul", "Softmax", "BatchMatMul"]),
        2 * 2 * 2 * 4 * 4 * 4,
    ),
    "fused product without weights": (
        layer("fusion", [(1, 5, 16)], [(1, 5, 32)], ["FullyConnected", "Add"]),
        2 * 5 * 16 * 32,
    ),
    "product with its weights inside, and a residual": (
        layer("gemm", [(5, 16), (5, 32)], [(5, 32)]),
        2 * 5 * 16 * 32,
    ),
    "product of heads, and a residual": (layer("gemm", [(3, 5, 16), (5, 32)], [(5, 32)]), 2 * 5 * 48 * 32),
    "product of heads": (layer("gemm", [(3, 5, 16)], [(5, 32)]), 2 * 5 * 48 * 32),
    "square residual": (layer("gemm", [(16, 32), (16, 16)], [(16, 16)]), 2 * 16 * 32 * 16),
    "square product with a residual": (layer("gemm", [(5, 32), (5, 32)], [(5, 32)]), 2 * 5 * 32 * 32),
    "fused product": (
        layer(
            "fusion",
            [(1, 5, 16), (1, 5, 32)],
            [(1, 5, 32)],
            ["FullyConnected", "Add"],
            constants=tensors((16, 32)),
        ),
        2 * 5 * 16 * 32,
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_by_hand(name):
    found, expected = COUNTED[name]
    assert flops(found) == expected


UNKNOWN = {
    "convolution of unknown batch": layer("Convolution", [(-1, 3, 8, 8)], [(-1, 4, 8, 8)], Kernel=[3, 3]),
    "a window larger than anything": layer("Pooling", [X], [X], WindowSize=[10**400, 3]),
    "window not stated": layer("Pooling", [X], [X]),
    "scale not stated": layer("Scale", [X], [X]),
    "quantizing reformat": layer("Reformat", [X], [X], forms=(FP16, INT8)),
    "operation after a reduction": layer("kgen", [X], [X], ["Mean", "Sub", "Mul", "Mean"]),
    "tensors of several sizes": layer("kgen", [X], [(2, 8, 16)], ["Add", "Mul"]),
    "operations between slices": layer("kgen", [X], [X], ["Slice", "Add", "Concat"]),
    "a list cut short": layer("kgen", [X], [X], ["Add", "Mul", "Etc"]),
    "no operations": layer("kgen", [X], [X]),
    "something else": layer("TopK", [X], [(2, 8, 16, 1)]),
    "attention from an axis of another extent": layer("fmha_v2", [(2, 9, 4, 6, 16)], [(2, 9, 128)]),
    "attention in turn that does not fit": layer("fmha_v2", [(3, 2, 9, 64)], [(2, 9, 4, 8)]),
    "attention of unknown batch": layer("fmha_v2", [(-1, 9, 48)], [(-1, 9, 16)]),
    "attention that does not fit": layer("fmha_v2", [(8, 5, 64), (8, 64, 7), (8, 7, 32)], [(8, 5, 32)]),
    "attention that writes one value": layer("fmha_v2", [(2, 9, 48)], [()]),
    "attention whose heads do not divide": layer(
        "fmha_v2", [(1, 16, 5, 32), *[(1, 3, 7, 32)] * 2], [(1, 5, 512)]
    ),
    "fused product that changes its shape": layer(
        "fusion", [(1, 5, 16)], [(1, 5, 32)], ["FullyConnected", "Slice", "Mul"]
    ),
    "fewer rows than are read": layer("gemm", [(3, 5, 16)], [(7, 48)]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_nothing_is_guessed(name):
    assert flops(UNKNOWN[name]) is None


SHAPES = st.lists(st.lists(st.integers(-1, 70000), max_size=5), max_size=4)


@given(
    st.sampled_from(
        ["kgen", "Pooling", "Scale", "Reduce", "SoftMax", "PointWise", "fmha", "fusion", "Reformat"]
    ),
    SHAPES,
    SHAPES,
    st.lists(st.sampled_from(["Add", "Mean", "Slice", "Cast", "FullyConnected", "BatchMatMul", "Softmax"])),
    st.sampled_from([None, 3, "x", [], [0], [2, -1], [True], [3, 3], {"Count": 4}, {"Count": None}]),
)
def test_odd_layers_have_a_count_or_none(kind, sources, results, operations, value):
    attributes = dict.fromkeys(("WindowSize", "Operations", "Shift", "Scale", "Power", "Kernel"), value)
    found = layer(kind, sources, results, operations, constants=tensors(*sources[:1]), **attributes)
    assert flops(found) is None or flops(found) >= 0
