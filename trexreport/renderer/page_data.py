"""The part of an analysis that the page's script works with; empty and missing values are left out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, get_args

from trexreport.analyzer.analysis import Analysis, Block, LayerFacts, TensorFacts, TensorUse, as_json
from trexreport.analyzer.analysis.blocks import full_path
from trexreport.analyzer.analysis.roofline import Bound
from trexreport.renderer.findings_data import findings_data
from trexreport.renderer.graph.coloring import HEAT, UNKNOWN, stream_color
from trexreport.renderer.graph.error_colors import error_levels_data
from trexreport.renderer.graph.svg_text import stated_origins
from trexreport.renderer.icicle import Icicle, icicle_data
from trexreport.renderer.kernel_section import kernel_page_data
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.layer_column_choice import page_columns
from trexreport.renderer.packing import in_columns, six_digits
from trexreport.renderer.palette import color
from trexreport.renderer.tactics_section import tactics_data
from trexreport.renderer.timeline.drawing import timeline_data
from trexreport.renderer.timeline.schedule import Schedule
from trexreport.renderer.what_if import what_if_data
from trexreport.wording.roofline import EXCESS

#: Figures that come from the files as they are.
_AS_MEASURED = ("avg_ms", "median_ms", "spread_ms")
#: Columns that the script fills: a layer's position, and its findings.
_SCRIPT_KEYS = ("index", "findings")


def page_data(
    analysis: Analysis,
    plotly: dict[str, Any],
    icicles: Mapping[str, Icicle] | None = None,
    schedule: Schedule | None = None,
    *,
    with_what_if: bool = False,
) -> dict[str, Any]:
    """Return what the page's script needs, ready for JSON."""
    types = {layer.type for layer in analysis.layers}
    precisions = {layer.precision for layer in analysis.layers} | {
        tensor.data_type for tensor in analysis.tensors
    }
    origins = stated_origins(analysis)
    columns = page_columns()
    filled = [column for column in columns if column.key not in _SCRIPT_KEYS]
    return {
        "engine": analysis.identity.name,
        "columns": [_column(column) for column in columns],
        "layers": in_columns(
            [_layer(LayerRow(layer, analysis), filled, origins.get(layer.index)) for layer in analysis.layers]
        ),
        "tensors": in_columns([_tensor(tensor) for tensor in analysis.tensors]),
        "findings": findings_data(analysis),
        "blocks": block_paths(analysis.blocks.items),
        "typeColors": {name: color(f"type:{name}") for name in sorted(types)},
        "precisionColors": {name: color(f"precision:{name}") for name in sorted(precisions)},
        "heat": HEAT,
        "streamColors": {
            layer.stream: stream_color(layer.stream) for layer in analysis.layers if layer.stream is not None
        },
        "boundColors": {bound: color(f"bound:{bound}") for bound in get_args(Bound)},
        "unknownColor": UNKNOWN,
        **({"tactics": tactics_data(analysis.tactics)} if analysis.tactics else {}),
        "plotly": plotly,
        **({"whatIf": found} if with_what_if and (found := what_if_data(analysis)) else {}),
        **({"timeline": timeline_data(schedule)} if schedule else {}),
        **kernel_page_data(analysis),
        **({"levels": levels} if (levels := error_levels_data(analysis)) else {}),
        "icicles": {key: icicle_data(each) for key, each in (icicles or {}).items()},
    }


def block_paths(blocks: Sequence[Block]) -> list[list[Any]]:
    """Return of each block but the engine its path, which one is around it, and its layers if none is in it.

    The layers are pairs of the first and the last index.
    """
    return [
        [full_path(block), (block.parent or 0) - 1, [] if block.children else list(chain(*block.ranges))]
        for block in blocks[1:]
    ]


def attribute_lines(analysis: Analysis, *, left_out: bool = False) -> bytes:
    """Return what the file says of each layer, a line of JSON each: the script reads only those it needs.

    Where they are left out the lines are null.
    """
    lines = (
        "null" if left_out else json.dumps(layer.attributes, separators=(",", ":"), allow_nan=False)
        for layer in analysis.layers
    )
    return "\n".join(lines).encode("ascii")


def _layer(row: LayerRow, columns: Sequence[LayerColumn], origin: str | None) -> dict[str, Any]:
    layer = row.layer
    record = {column.key: column.cell(row) for column in columns} | {
        "key": layer.key if layer.key != layer.name else None,
        "subtype": layer.subtype if layer.subtype != layer.type else None,
        "origin": origin,
        "structural": layer.structural or None,
        "operations": layer.operations,
        "spread_ms": layer.spread_ms,
        "inputs": [_use(use) for use in layer.inputs],
        "outputs": [_use(use) for use in layer.outputs],
        "work": _work(layer, columns),
        **_roof(layer),
    }
    return {
        key: value if key in _AS_MEASURED else _rounded(value)
        for key, value in record.items()
        if value not in (None, "", [], {})
    }


def _work(layer: LayerFacts, columns: Sequence[LayerColumn]) -> dict[str, Any] | None:
    """Return the matrix product of a layer without the figures that have a column."""
    work: dict[str, Any] | None = as_json(layer.work)
    keys = {column.key for column in columns} if work else ()
    return work and {key: value for key, value in work.items() if key not in keys}


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


def _rounded(value: Any) -> Any:
    """Return a value with its figures rounded to six digits."""
    if isinstance(value, float):
        return six_digits(value)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value


def _roof(layer: LayerFacts) -> dict[str, Any]:
    roof, excess = layer.roof, layer.excess and EXCESS[layer.excess]
    if roof is None:
        return {"excess": excess}
    return {
        "roof": roof.roof,
        "excess": excess,
        "roof_ms": roof.roof_ms,
        "peak": [roof.peak_type, roof.peak_tflops] if roof.peak_tflops else None,
        "cached": roof.fits_l2 or None,
    }


def _use(use: TensorUse) -> list[Any]:
    return [use.tensor, use.dimensions, use.format, use.size_bytes]


def _tensor(tensor: TensorFacts) -> dict[str, Any]:
    record = {
        "name": tensor.name,
        "version": tensor.version if tensor.version > 1 else None,
        "dims": tensor.dimensions,
        "format": tensor.format,
        "type": tensor.data_type,
        "bytes": tensor.size_bytes,
        "role": tensor.role if tensor.role != "activation" else None,
        "from": tensor.producers,
        "to": tensor.consumers,
    }
    return {key: value for key, value in record.items() if value not in (None, "", [])}
