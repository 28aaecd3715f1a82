"""Columns and figures of convolutions."""

from __future__ import annotations

import math

import pytest
from small_plans import (
    convolution,
    quiet,
    tensor,
)


def test_weights_leave_the_bias_out(plan):
    conv = plan.layers[0]
    assert (conv.weights_cnt, conv.weights_type, conv.weights_size) == (288, "Float", 1152)
    assert (conv.bias_cnt, conv.bias_size) == (8, 32)
    assert conv.total_io_size_bytes == (64 + 128) * 4
    assert conv.total_footprint_bytes == conv.total_io_size_bytes + 1152
    assert plan.df["weights_size"][0] == 1152


@pytest.mark.parametrize(("data_type", "size"), [("BF16", 576), ("FP8", 288), ("Int4", 144), ("INT64", 2304)])
def test_weights_of_new_types_have_a_size(data_type, size):
    weights = {"Type": data_type, "Count": 288}
    plan = quiet([convolution("c", tensor("in", (1, 4, 4, 4)), tensor("out"), Weights=weights)])
    assert plan.total_weights_size == size


def test_convolution_columns(plan):
    frame = plan.get_layers_by_type("Convolution")
    assert list(frame.index) == [0, 2]
    first = frame.iloc[0]
    macs = 8 * 16 * 4 * 9
    assert first["attr.macs"] == macs
    assert (first["attr.M"], first["attr.N"], first["attr.K"]) == (16, 8, 36)
    moved = 64 * 4 + 8 * 36 * 4 + 128 * 4
    assert first["attr.arithmetic_intensity"] == pytest.approx(macs / moved)
    assert first["attr.compute_efficiency"] == pytest.approx(macs / 3.0)
    assert first["attr.memory_efficiency"] == pytest.approx(moved / 3.0)
    assert first["attr.kernel"] == [3, 3]
    assert first["attr.groups"] == 1
    assert frame["attr.operations"].tolist() == [0, ["relu"]]
    assert "attr.has_relu" not in frame.columns


def test_grouped_convolutions_keep_k_whole():
    plan = quiet([convolution("c", tensor("in", (1, 8, 4, 4)), tensor("out"), Groups=8)])
    row = plan.get_layers_by_type("Convolution").iloc[0]
    assert row["attr.macs"] == 8 * 16 * 9
    assert row["attr.K"] == 72


@pytest.mark.parametrize(("rank", "macs"), [(1, 8 * 4 * 4 * 3), (3, 8 * 64 * 4 * 27)])
def test_convolutions_of_other_ranks(rank, macs):
    source, result = tensor("in", (1, 4, *(4,) * rank)), tensor("out", (1, 8, *(4,) * rank))
    frame = quiet([convolution("c", source, result, kernel=(3,) * rank)]).get_layers_by_type("Convolution")
    assert frame["attr.macs"].tolist() == [macs]


def test_convolutions_of_unknown_shape_have_no_figures():
    graph = [
        convolution("dynamic", tensor("in", (-1, 4, 4, 4)), tensor("a", (-1, 8, 4, 4))),
        convolution("odd", tensor("in", (1, 4, 4, 4)), tensor("b"), Kernel="3x3", Groups=None, OutMaps="8"),
        convolution("known", tensor("in", (1, 4, 4, 4)), tensor("out")),
    ]
    frame = quiet(graph).get_layers_by_type("Convolution")
    assert frame["attr.macs"].isna().tolist() == [True, True, False]


def test_shapes_beyond_all_bounds_give_no_figures_but_do_no_harm():
    huge = [tensor(name, (2**47,) * 30) for name in ("in", "out")]
    plan = quiet([convolution("c", *huge, kernel=(3,) * 28), convolution("d", tensor("in"), huge[1])])
    assert plan.df.groupby("type").sum()["total_io_size_bytes"].tolist() == [math.inf]
    assert plan.get_layers_by_type("Convolution")["attr.macs"].isna().all()
    assert plan.summary_dict()["Activations"] == "> 2^60 MB"
