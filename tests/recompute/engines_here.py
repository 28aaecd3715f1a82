"""The engines whose figures are computed again: all samples, and the real ones where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/*.graph.json"))
REAL = (
    "a100-resnet18-fp16",
    "a100-resnet18-fp32",
    "a100-resnet18-qat",
    "a100-resnet18-qat-residual",
    "a100-resnet18-qat-residual-qgap",
    "controlnet-trt8.6",
    "names-only-bert",
    "orin-bev-trt8.6",
    "rtx3060-mobilenetv2-torchtrt",
    "rtx3060-resnet18-fp16-trt10",
    "rtx3090-resnet50-fp16",
    "thor-driving-transformer-trt10",
    "torchtrt-alexnet-runonacc",
)
LARGE = ("controlnet-trt8.6", "orin-bev-trt8.6", "thor-driving-transformer-trt10")
ALL = [*NAMES, *(pytest.param(name, marks=pytest.mark.engines) for name in REAL)]
#: The same, those apart whose pages take longest.
WITH_PAGES = [
    *NAMES,
    *(
        pytest.param(name, marks=[pytest.mark.engines, *([pytest.mark.slow] if name in LARGE else [])])
        for name in REAL
    ),
]


def folder_of(name, request):
    """Return the folder of an engine; a real one that is not here skips the test."""
    return SAMPLES / name if name in NAMES else request.getfixturevalue("engines_folder") / name
