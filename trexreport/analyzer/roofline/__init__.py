"""How fast the layers could be at most: the GPU's peaks, and each layer against them."""

from __future__ import annotations

from trexreport.analyzer.roofline.matching import GpuChoice, check_choice, choose_gpu
from trexreport.analyzer.roofline.roofs import describe_roofline, least_bytes
from trexreport.analyzer.roofline.table import Board, known_gpus

__all__ = [
    "Board",
    "GpuChoice",
    "check_choice",
    "choose_gpu",
    "describe_roofline",
    "known_gpus",
    "least_bytes",
]
