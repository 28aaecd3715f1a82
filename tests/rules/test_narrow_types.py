"""In which narrow types TensorRT computes convolutions depends on the GPU and the version."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer.rules import narrow_types


@pytest.mark.parametrize(
    ("capability", "version", "expected"),
    [
        (89, (10, 3), True),
        (90, (10, 3), True),
        (120, (10, 8), True),
        (89, (10, 2), False),
        (90, (10, 2), None),
        (90, (10, 0), None),
        (90, (8, 6), False),
        (89, None, None),
        (86, (10, 8), False),
        (75, (8, 6), False),
    ],
)
def test_convolutions_in_fp8_need_tensorrt_10_3_on_ada(capability, version, expected, monkeypatch):
    monkeypatch.setattr(narrow_types, "must_run_on_ampere", lambda _: False)
    context = SimpleNamespace(
        stated_compute_capability=capability,
        min_compute_capability=capability,
        version=version,
        is_matmul=lambda _: False,
    )
    assert narrow_types.may_multiply_in_fp8(context, ["conv"]) is expected


@pytest.mark.parametrize(
    ("capability", "version", "expected"),
    [
        (89, (10, 5), False),
        (89, (10, 6), True),
        (89, None, None),
        (90, (10, 5), False),
        (120, (10, 8), True),
        (86, (10, 8), False),
        (None, (10, 5), False),
        (None, (10, 6), True),
    ],
)
def test_attentions_in_fp8_need_tensorrt_10_6(capability, version, expected, monkeypatch):
    monkeypatch.setattr(narrow_types, "must_run_on_ampere", lambda _: False)
    context = SimpleNamespace(
        stated_compute_capability=capability, min_compute_capability=capability or 89, version=version
    )
    assert narrow_types.may_attend_in_fp8(context, []) is expected


@pytest.mark.parametrize(
    ("stated", "at_least", "expected"), [(75, 75, False), (80, 80, True), (None, 86, True), (None, 75, None)]
)
def test_bf16_needs_compute_capability_8_0(stated, at_least, expected):
    context = SimpleNamespace(stated_compute_capability=stated, min_compute_capability=at_least)
    assert narrow_types.may_use_bf16(context, []) is expected
