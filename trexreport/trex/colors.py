"""TREx's colors for charts and graphs in notebooks; any other key is gray.

The report has colors of its own (`trexreport.renderer.palette`), which are readable on white and on dark
pages. These are TREx's, because notebooks put them beside charts that were made with TREx.
"""

from __future__ import annotations

from collections import defaultdict

from trexreport.trex._libraries import pass_on

__all__ = [
    "GRID_COLOR",
    "NVDA_GREEN",
    "UNKNOWN_KEY_COLOR",
    "default_pallete",
    "layer_colormap",
    "precision_colormap",
]
__getattr__ = pass_on(__name__, __all__, "defaultdict")

NVDA_GREEN = "#76b900"
UNKNOWN_KEY_COLOR = "gray"
GRID_COLOR = "rgba(114, 179, 24, 0.3)"
#: The name is spelled as in TREx.
default_pallete = [
    *("#a11350", "#008619", "#4064ec", "#ffb519", "#8f1a8e", "#b2b200"),
    *("#64b0ff", "#e46d00", "#02d2ba", "#ef393d", "#f1b0f7", "#7e4401"),
    UNKNOWN_KEY_COLOR,
]


def _unknown() -> str:
    return UNKNOWN_KEY_COLOR


precision_colormap = defaultdict(
    _unknown,
    FP32="red",
    FP16="orange",
    FP8="deepskyblue",
    FP4="#F4D03F",
    INT8=NVDA_GREEN,
    INT4="#CC66FF",
    INT32="lightgray",
)
_KINDS = {
    "#4682B4": "Convolution",
    "#7B68EE": "Deconvolution",
    "#6495ED": "ConvActPool",
    "#1E90FF": "MatrixMultiply gemm",
    "#00FFFF": "Reformat",
    "#BC8F8F": "Shuffle",
    "#FFA500": "Slice",
    "#8FBC8B": "Scale",
    "#6B8E23": "Quantize",
    "#3CB371": "Pooling",
    "#C71585": "PluginV2",
    "#9ACD32": "PointWise ElementWise",
    "#90EE90": "Reduce",
    "#DA70D6": "SoftMax",
    "#B39C4D": "Myelin kgen",
    "#98FB98": "NonZero",
    "#FFA07A": "TrainStation",
}
layer_colormap = defaultdict(
    _unknown, {layer_type: color for color, types in _KINDS.items() for layer_type in types.split()}
)
