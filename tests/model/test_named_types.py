"""The precisions that names of files state, and those that a GPU can have."""

from __future__ import annotations

import pytest

from trexreport.model.named_types import possible_types, types_in_names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("best_deepstream.onnx_b1_gpu0_fp16.engine", ("FP16",)),
        ("best.engine", ()),
        ("runs/yolo11s-best_int8.plan", ("INT8",)),
        ("bestfit_half.plan", ("FP16",)),
        ("resnet50_qat.plan", ("INT8",)),
        ("ssd_fp32.plan", ("FP32",)),
    ],
)
def test_only_a_precision_counts(name, expected):
    assert types_in_names([name]) == expected


@pytest.mark.parametrize(
    ("capability", "expected"),
    [
        ("5.3", ("FP16",)),
        ("6.2", ("FP16",)),
        ("6.1", ("FP16", "INT8")),
        ("8.9", ("FP16", "FP8", "INT8")),
        ("", ("FP16", "FP8", "INT8")),
        ("unknown", ("FP16", "FP8", "INT8")),
    ],
)
def test_a_gpu_has_no_type_that_came_later(capability, expected):
    assert possible_types(("FP16", "FP8", "INT8"), capability) == expected
