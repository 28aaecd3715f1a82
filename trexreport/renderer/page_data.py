"""The part of an analysis that the page's script works with; empty and missing values are left out.

The roofline of another GPU: what the page's script draws the measured layers against.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, get_args

from trexreport.analyzer.analysis import Analysis, Block, Gpu, TensorFacts
from trexreport.analyzer.analysis.blocks import full_path
from trexreport.analyzer.analysis.roofline import Bound
from trexreport.analyzer.roofline.peaks import known_gpus, product_types
from trexreport.renderer.charts.catalog.roofline import roofline_points
from trexreport.renderer.charts.catalog.shared import MAX_POINTS
from trexreport.renderer.charts.parts import corners
from trexreport.renderer.findings_data import findings_data
from trexreport.renderer.graph.coloring import HEAT, error_levels_data, stream_color
from trexreport.renderer.icicle import Icicle, icicle_data
from trexreport.renderer.kernel_section import kernel_page_data
from trexreport.renderer.layer_column import LayerColumn
from trexreport.renderer.layer_columns import page_columns
from trexreport.renderer.packing import columns_of, in_columns, json_lines, six_digits
from trexreport.renderer.page_layers import page_layers
from trexreport.renderer.palette import UNKNOWN, color, colors_in_order
from trexreport.renderer.tactics_section import tactics_data
from trexreport.renderer.timeline.drawing import timeline_data
from trexreport.renderer.timeline.schedule import Schedule

#: How many layers have their attributes packed at once.
_LINES_AT_A_TIME = 256


def page_data(
    analysis: Analysis,
    plotly: dict[str, Any],
    icicles: Mapping[str, Icicle] | None = None,
    schedule: Schedule | None = None,
    *,
    with_what_if: bool = False,
    with_findings: bool = True,
) -> dict[str, Any]:
    """Return what the page's script needs, ready for JSON."""
    return {
        **graph_data(analysis),
        "columns": [_column(column) for column in page_columns()],
        "findings": findings_data(analysis) if with_findings else [],
        **({"tactics": tactics_data(analysis.tactics)} if analysis.tactics else {}),
        "plotly": plotly,
        **({"whatIf": found} if with_what_if and (found := what_if_data(analysis)) else {}),
        **({"timeline": timeline_data(schedule)} if schedule else {}),
        "icicles": {key: icicle_data(each) for key, each in (icicles or {}).items()},
    }


def graph_data(analysis: Analysis, layer_keys: Collection[str] | None = None) -> dict[str, Any]:
    """Return what the script needs of an engine for boxes and colors.

    Args:
        analysis: Of the engine.
        layer_keys: What to take of each layer; all if not given.
    """
    types = {layer.type for layer in analysis.layers}
    precisions = {layer.precision for layer in analysis.layers} | {
        tensor.data_type for tensor in analysis.tensors
    }
    return {
        "engine": analysis.identity.name,
        "layers": page_layers(analysis, page_columns(), layer_keys),
        "tensors": _tensors(analysis.tensors),
        "blocks": block_paths(analysis.blocks.items),
        "typeColors": colors_in_order("type", types),
        "precisionColors": colors_in_order("precision", precisions),
        "heat": HEAT,
        "streamColors": {
            stream: stream_color(stream)
            for stream in sorted({layer.stream for layer in analysis.layers if layer.stream is not None})
        },
        "boundColors": {bound: color(f"bound:{bound}") for bound in get_args(Bound)},
        "unknownColor": UNKNOWN,
        **kernel_page_data(analysis),
        **({"levels": levels} if (levels := error_levels_data(analysis)) else {}),
    }


def block_paths(blocks: Sequence[Block]) -> list[list[Any]]:
    """Return of each block but the engine its path, which one is around it, and its layers if none is in it.

    The layers are pairs of the first and the last index.
    """
    return [
        [full_path(block), (block.parent or 0) - 1, [] if block.children else list(chain(*block.ranges))]
        for block in blocks[1:]
    ]


def attribute_lines(analysis: Analysis, *, left_out: bool = False) -> Iterator[bytes]:
    """Yield what the file says of each layer, a line of JSON each: the script reads only those it needs.

    Where they are left out the lines are null. Several lines come at a time.
    """
    layers = analysis.layers
    if left_out:
        yield "\n".join(["null"] * len(layers)).encode("ascii")
        return
    for start in range(0, len(layers), _LINES_AT_A_TIME):
        lines = json_lines([layer.attributes for layer in layers[start : start + _LINES_AT_A_TIME]])
        yield (f"\n{lines}" if start else lines).encode("ascii")


def _column(column: LayerColumn) -> dict[str, Any]:
    """Return what the script needs of a column: of its table, and of the filter."""
    record = {
        "key": column.key,
        "heading": column.heading,
        "kind": column.kind,
        "width": column.table_width,
        "on": column.is_default,
        "bar": column.has_bar,
        "divisor": column.shown_divisor if column.shown_divisor != 1 else None,
        "term": column.term_name,
        "figure": column.term != column.term_name,
        "exact": column.is_exact_term,
    }
    return {key: value for key, value in record.items() if value}


def _tensors(tensors: Sequence[TensorFacts]) -> dict[str, Any]:
    """Return what the script needs of each tensor, by column."""
    return columns_of(
        len(tensors),
        {
            "name": [tensor.name or None for tensor in tensors],
            "version": [tensor.version if tensor.version > 1 else None for tensor in tensors],
            "dims": [tuple(tensor.dimensions) or None for tensor in tensors],
            "format": [tensor.format or None for tensor in tensors],
            "type": [tensor.data_type or None for tensor in tensors],
            "bytes": [tensor.size_bytes for tensor in tensors],
            "role": [tensor.role if tensor.role != "activation" else None for tensor in tensors],
            "from": [tuple(tensor.producers) or None for tensor in tensors],
            "to": [tuple(tensor.consumers) or None for tensor in tensors],
        },
    )


def what_if_data(analysis: Analysis) -> dict[str, Any]:
    """Return GPUs and points, ready for JSON; empty without points.

    `gpus` has by column the name and the bandwidth of each, in 10^9 bytes a second, and its peaks in 10^12
    operations a second, as "tensor FP16" of the Tensor Cores and "vector FP32" of the CUDA cores. `here` is
    the GPU of the capture in the same form, without one empty.
    `points` has for each the index of its layer, its arithmetic intensity in operations per byte, and which
    of `kinds` it is of: types of matrix products of which the first known one counts, or `null` for what is
    compared with the FP32 rate of the CUDA cores. `shapes` has the corners of the points of a precision
    around their center; a circle has none.
    """
    points = roofline_points(analysis)[:MAX_POINTS]
    if not points:
        return {}
    # As the roofline of the engine itself shows it; TensorRT allows TF32 by default.
    allows_tf32 = not any(
        layer.work and layer.precision == "FP32" and layer.roof and layer.roof.peak_type == "FP32"
        for layer, _, _ in points
    )
    kinds: dict[tuple[str, ...] | None, int] = {}
    at = []
    for layer, _, _ in points:
        types = product_types(layer.tactic, layer.precision, allows_tf32=allows_tf32) if layer.work else None
        at.append(kinds.setdefault(None if types is None else tuple(types), len(kinds)))
    here = analysis.roofline.gpu
    precisions = dict.fromkeys(layer.precision for layer, _, _ in points)
    shapes = {each: corners(f"precision:{each}") for each in precisions}
    return {
        "gpus": _known(),
        "here": in_columns([_gpu(here)] if here else []),
        "kinds": [None if types is None else list(types) for types in kinds],
        "points": [
            [layer.index for layer, _, _ in points],
            [six_digits(intensity) for _, intensity, _ in points],
            at,
        ],
        "shapes": {precision: shape for precision, shape in shapes.items() if shape},
    }


@cache
def _known() -> dict[str, Any]:
    """Return the GPUs of the table by column, which are those of all pages."""
    return in_columns([_gpu(gpu) for gpu in known_gpus()])


def _gpu(gpu: Gpu) -> dict[str, Any]:
    units = {"tensor": gpu.tensor_tflops, "vector": gpu.vector_tflops}
    peaks = {f"{unit} {name}": six_digits(each[name]) for unit, each in units.items() for name in each}
    return {"name": gpu.name, "bandwidth": gpu.bandwidth_gbs, **peaks}
