"""The real engines of which TREx's own figures are known, where they lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
#: The generator makes engines of the same names.
ENGINES = (
    "a100-resnet18-fp32",
    "a100-resnet18-fp16",
    "a100-resnet18-qat",
    "a100-resnet18-qat-residual",
    "a100-resnet18-qat-residual-qgap",
    "rtx3090-resnet50-fp16",
)
