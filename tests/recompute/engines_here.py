"""The engines whose figures are computed again: samples, generated ones, and real ones where they are."""

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


def _real(name, *, with_pages=False):
    slow = [pytest.mark.slow] if with_pages and name in LARGE else []
    return pytest.param(f"real/{name}", marks=[pytest.mark.engines, *slow])


_GENERATED = [f"generated/{name}" for name in REAL]
ALL = [*NAMES, *_GENERATED, *map(_real, REAL)]
#: The same, those apart whose pages take longest.
WITH_PAGES = [*NAMES, *_GENERATED, *(_real(name, with_pages=True) for name in REAL)]


def folder_of(name, request):
    """Return the folder of a sample, or of a "real/" or "generated/" engine."""
    source, _, engine = name.rpartition("/")
    return request.getfixturevalue(f"{source}_engines") / engine if source else SAMPLES / name
