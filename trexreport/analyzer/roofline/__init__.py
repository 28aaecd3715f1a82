"""The roofline: the GPU's peaks, and each layer against them."""

from __future__ import annotations

from trexreport.analyzer.roofline.matching import GpuChoice, check_choice, choose_gpu
from trexreport.analyzer.roofline.roofs import LayerCost, RoofModel, min_bytes, sum_roofline
from trexreport.analyzer.roofline.table import Board, known_gpus

__all__ = [
    "Board",
    "GpuChoice",
    "LayerCost",
    "RoofModel",
    "check_choice",
    "choose_gpu",
    "known_gpus",
    "min_bytes",
    "sum_roofline",
]
