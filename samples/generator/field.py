"""List the captures that have what real engines have, by the kind of engine that they imitate.

Each has its kind's styles of names, kernels, formats and files. All are small, were written by this program
alone, and say that they are synthetic wherever their files have room for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .bev import bev_detector
from .driving import driving_network
from .images import keras_resnet50, laptop_resnet18
from .names import names_only
from .torchtrt import torch_alexnet, torch_mobilenet
from .unet import control_network
from .walkthrough import walkthrough

WALKTHROUGH = ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")

FIELD_ENGINES: dict[str, Callable[[], dict[str, bytes]]] = {
    **{f"a100-resnet18-{name}": partial(walkthrough, name) for name in WALKTHROUGH},
    "controlnet-trt8.6": control_network,
    "names-only-bert": names_only,
    "orin-bev-trt8.6": bev_detector,
    "rtx3060-mobilenetv2-torchtrt": torch_mobilenet,
    "rtx3060-resnet18-fp16-trt10": laptop_resnet18,
    "rtx3090-resnet50-fp16": keras_resnet50,
    "thor-driving-transformer-trt10": driving_network,
    "torchtrt-alexnet-runonacc": torch_alexnet,
}
