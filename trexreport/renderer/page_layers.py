"""The layers as the page's script reads them, a column at a time; empty and missing values are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorUse, as_json
from trexreport.renderer.graph.svg_text import stated_origins
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.packing import columns_of, six_digits
from trexreport.wording.roofline import EXCESS

#: Figures that come from the files as they are.
_AS_MEASURED = ("avg_ms", "median_ms", "spread_ms")
#: Columns that the script fills: a layer's position, and its findings.
_SCRIPT_KEYS = ("index", "findings")

Values = Callable[[LayerRow], Any]


def page_layers(
    analysis: Analysis, columns: Sequence[LayerColumn], keys: Collection[str] | None = None
) -> dict[str, Any]:
    """Return what the script needs of each layer, by column.

    Args:
        analysis: With the layers.
        columns: Those of the page's table.
        keys: The columns to take; all if not given.
    """
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    values = _values(analysis, columns)
    return columns_of(
        len(rows),
        {
            key: _filled(map(of_row, rows), is_measured=key in _AS_MEASURED)
            for key, of_row in values.items()
            if keys is None or key in keys
        },
    )


def _values(analysis: Analysis, columns: Sequence[LayerColumn]) -> dict[str, Values]:
    """Return by key what a layer has: the cells of the table, and what only panel and graph show."""
    origins = stated_origins(analysis)
    keys = {column.key for column in columns} - {*_SCRIPT_KEYS}
    return {
        **{column.key: column.cell for column in columns if column.key in keys},
        "key": lambda row: row.layer.key if row.layer.key != row.layer.name else None,
        "subtype": lambda row: row.layer.subtype if row.layer.subtype != row.layer.type else None,
        "origin": lambda row: origins.get(row.layer.index),
        "structural": lambda row: row.layer.structural or None,
        "operations": lambda row: row.layer.operations,
        "spread_ms": lambda row: row.layer.spread_ms,
        "inputs": lambda row: _uses(row.layer.inputs),
        "outputs": lambda row: _uses(row.layer.outputs),
        "work": lambda row: _work(row.layer, keys),
        "excess": lambda row: row.layer.excess and EXCESS[row.layer.excess],
        "roof": lambda row: row.layer.roof and row.layer.roof.roof,
        "roof_ms": lambda row: row.layer.roof and row.layer.roof.roof_ms,
        "peak": lambda row: _peak(row.layer),
        "cached": lambda row: (row.layer.roof and row.layer.roof.fits_l2) or None,
    }


def _filled(values: Iterable[Any], *, is_measured: bool) -> list[Any]:
    """Return values of which the empty ones are None, and computed figures have six digits."""
    known = [None if value in (None, "", [], {}) else value for value in values]
    return known if is_measured else list(map(_rounded, known))


def _rounded(value: Any) -> Any:
    """Return a value with its figures rounded to six digits."""
    if isinstance(value, float):
        return six_digits(value)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value


def _uses(uses: Iterable[TensorUse]) -> list[list[Any]]:
    return [[use.tensor, use.dimensions, use.format, use.size_bytes] for use in uses]


def _work(layer: LayerFacts, keys: Collection[str]) -> dict[str, Any] | None:
    """Return the matrix product of a layer without the figures that have a column."""
    work: dict[str, Any] | None = as_json(layer.work)
    return work and {key: value for key, value in work.items() if key not in keys}


def _peak(layer: LayerFacts) -> list[Any] | None:
    roof = layer.roof
    return [roof.peak_type, roof.peak_tflops] if roof and roof.peak_tflops else None
