"""Select the layers of one type and give their attributes TREx's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.operations import count_operations
from trexreport.trex.columns import layers_frame
from trexreport.trex.layer import PlanLayer

if TYPE_CHECKING:
    import pandas as pd

_COMMON = (
    "Name",
    "type",
    "precision",
    "tactic",
    "latency.pct_time",
    "latency.avg_time",
    "total_io_size_bytes",
    "total_footprint_bytes",
    "Inputs",
    "Outputs",
    "subtype",
)
_CONVOLUTION = {
    "Groups": "attr.groups",
    "OutMaps": "attr.out_maps",
    "Stride": "attr.stride",
    "Kernel": "attr.kernel",
    "HasBias": "attr.has_bias",
    "Activation": "attr.activation",
    "HasReLU": "attr.has_relu",
    "Dilation": "attr.dilation",
    "Weights": "Weights",
    "Operations": "attr.operations",
    "NbOperations": "attr.n_operations",
}
#: By layer type: keys of the file and the columns that they become.
_ATTRIBUTES = {
    "Convolution": _CONVOLUTION,
    "Deconvolution": _CONVOLUTION,
    "PointWise": {
        "Operations": "attr.operations",
        "NbOperations": "attr.n_operations",
        "NbInputArgs": "attr.n_input_args",
    },
    "Pooling": {
        "PoolingType": "attr.pooling_type",
        "WindowSize": "attr.window_size",
        "PaddingMode": "attr.padding_mode",
        "Stride": "attr.stride",
    },
    "Reformat": {"Origin": "attr.origin"},
    "Resize": {"ResizeMode": "attr.mode", "ResizeScales": "attr.scales", "Scales": "attr.scale"},
    "Scale": {
        "Mode": "attr.mode",
        "Shift": "attr.shift",
        "Scale": "attr.scale",
        "Power": "attr.power",
        "Activation": "attr.activation",
        "ChannelAxis": "attr.ch_axis",
    },
    "Shuffle": {
        "FirstTranspose": "attr.first_transpose",
        "SecondTranspose": "attr.second_transpose",
        "Reshape": "attr.reshape",
    },
    "Slice": {"Start": "attr.start", "Stride": "attr.stride", "Size": "attr.size", "Mode": "attr.mode"},
}
_ATTRIBUTES["PointWiseV2"] = _ATTRIBUTES["PointWise"]


def type_frame(layers: Sequence[PlanLayer], layer_type: str, iterations: int | None = None) -> pd.DataFrame:
    """Return the layers of a type: common columns, the type's attributes, and what is computed for it.

    Rows keep their index in the table of all layers. An attribute that no layer has gives no column.
    """
    positions = [position for position, layer in enumerate(layers) if layer.type == layer_type]
    # The table of all layers, because a layer's share is of them all.
    frame: pd.DataFrame = layers_frame(layers, iterations).iloc[positions]
    chosen = [layers[position] for position in positions]
    attributes = {
        key: name
        for key, name in _ATTRIBUTES.get(layer_type, {}).items()
        if any(key in layer.raw_dict for layer in chosen)
    }
    frame = frame[[*_COMMON, *attributes]].rename(columns=attributes)
    if layer_type in ("Convolution", "Deconvolution"):
        return annotate_convolutions(frame, chosen)
    return frame


def annotate_convolutions(frame: pd.DataFrame, layers: Sequence[PlanLayer]) -> pd.DataFrame:
    """Return the table with the work of each (de)convolution; NaN where shapes leave it open.

    attr.macs are multiply-accumulate operations, attr.arithmetic_intensity is in MAC/byte,
    attr.compute_efficiency in MAC/ms, attr.memory_efficiency in bytes/ms (both 0 without a time), and
    attr.M, attr.N and attr.K are the extents as an implicit matrix multiplication. As in TREx, bytes are
    those of the first input, the first output and the weights in the type of the input, and attr.K is not
    divided by the number of groups.
    """
    import pandas as pd

    figures = pd.DataFrame([_figures(layer) for layer in layers], columns=list(_FIGURES), index=frame.index)
    annotated: pd.DataFrame = pd.concat([frame, figures], axis="columns")
    return annotated


#: Figures beyond 64 bits come from damaged shapes only.
_LARGEST = 2**63
_FIGURES = (
    "attr.macs",
    "attr.arithmetic_intensity",
    "attr.compute_efficiency",
    "attr.memory_efficiency",
    "attr.M",
    "attr.N",
    "attr.K",
)


def _figures(layer: PlanLayer) -> tuple[Any, ...]:
    """Return the values of `_FIGURES` for one layer."""
    operation = count_operations(layer.model)
    moved = _moved_bytes(layer, operation) if operation else 0
    if operation is None or max(moved, operation.macs) >= _LARGEST:
        return (math.nan,) * len(_FIGURES)
    time_ms = layer.time.avg_ms if layer.time else 0.0
    k = operation.k * operation.groups if operation.kind == "convolution" else operation.k
    return (
        operation.macs,
        operation.macs / moved if moved else math.nan,
        operation.macs / time_ms if time_ms else 0.0,
        moved / time_ms if time_ms else 0.0,
        operation.m,
        operation.n,
        k,
    )


def _moved_bytes(layer: PlanLayer, operation: Operation) -> int:
    source, result = layer.inputs[0], layer.outputs[0]
    # Counted in half bytes, as an element may have four bits.
    weights_bytes = -(-operation.n * operation.k * int(2 * source.data_size) // 2)
    return source.size_bytes + weights_bytes + result.size_bytes
