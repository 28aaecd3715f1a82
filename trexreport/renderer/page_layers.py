"""The layers as the page's script reads them, a column at a time; empty and missing values are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts, Operation, TensorFacts, TensorUse
from trexreport.renderer.graph.svg_text import stated_origins
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.packing import columns_of, six_digits
from trexreport.wording.roofline import EXCESS

#: Figures that come from the files as they are.
_AS_MEASURED = ("avg_ms", "median_ms", "spread_ms")
#: Columns that the script fills: a layer's position, and its findings.
_SCRIPT_KEYS = ("index", "findings")

#: Returns what some layers have, in their order.
Values = Callable[[Sequence[LayerRow]], list[Any]]
#: Types whose values are never empty: a zero is measured or computed.
_FIGURES = frozenset({int, float, bool})
_FRACTIONS = frozenset({float, type(None)})


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
            key: _filled(of_rows(rows), is_measured=key in _AS_MEASURED)
            for key, of_rows in values.items()
            if keys is None or key in keys
        },
    )


def _values(analysis: Analysis, columns: Sequence[LayerColumn]) -> dict[str, Values]:
    """Return by key what a layer has: the cells of the table, and what only panel and graph show."""
    origins = stated_origins(analysis)
    keys = {column.key for column in columns} - {*_SCRIPT_KEYS}
    # The others have a column.
    of_work = _Works([each.name for each in fields(Operation) if each.name not in keys])
    of_layer: dict[str, Callable[[LayerFacts], Any]] = {
        "key": lambda layer: layer.key if layer.key != layer.name else None,
        "subtype": lambda layer: layer.subtype if layer.subtype != layer.type else None,
        "origin": lambda layer: origins.get(layer.index),
        "structural": lambda layer: layer.structural or None,
        "operations": lambda layer: tuple(layer.operations),
        "spread_ms": lambda layer: layer.spread_ms,
        "inputs": lambda layer: _uses(layer.inputs, analysis.tensors),
        "outputs": lambda layer: _uses(layer.outputs, analysis.tensors),
        "work": lambda layer: of_work.of(layer.work) if layer.work else None,
        "excess": lambda layer: layer.excess and EXCESS[layer.excess],
        "roof": lambda layer: layer.roof and layer.roof.roof,
        "roof_ms": lambda layer: layer.roof and layer.roof.roof_ms,
        "peak": _peak,
        "cached": lambda layer: (layer.roof and layer.roof.fits_l2) or None,
    }
    return {
        **{column.key: column.cells for column in columns if column.key in keys},
        **{key: _of_layers(value) for key, value in of_layer.items()},
    }


def _of_layers(value: Callable[[LayerFacts], Any]) -> Values:
    return lambda rows: [value(row.layer) for row in rows]


def _filled(values: list[Any], *, is_measured: bool) -> list[Any]:
    """Return values of which the empty ones are None, and computed figures have six digits."""
    types = set(map(type, values))
    if list in types and types <= {list, type(None)}:
        # As tuples they are compared with each other when they are packed.
        values = [tuple(value) if value else None for value in values]
    elif types.isdisjoint(_FIGURES):
        values = [value or None for value in values]
    elif not types <= _FIGURES | {type(None)}:
        values = [None if value in (None, "", [], {}, ()) else value for value in values]
    if is_measured or float not in types:
        return values
    # Layers that are alike have equal figures. What is falsy may be either zero, which six digits keep.
    known = {value: six_digits(value) for value in set(values) if value} if types <= _FRACTIONS else {}
    if known:
        return list(map(known.get, values, values))
    return [six_digits(value) if value and type(value) is float else value for value in values]


def _uses(uses: Iterable[TensorUse], tensors: Sequence[TensorFacts]) -> tuple[Any, ...]:
    """Return which tensors a layer uses; of one that it sees otherwise than the table of tensors also how."""
    return tuple(
        [
            use.tensor
            if _is_same_view(use, tensors[use.tensor])
            else (use.tensor, tuple(use.dimensions), use.format, use.size_bytes)
            for use in uses
        ]
    )


def _is_same_view(use: TensorUse, tensor: TensorFacts) -> bool:
    return use.format == tensor.format and use.dimensions == tensor.dimensions


class _Works:
    """Members of the matrix products of layers: one record for all whose members are equal.

    Args:
        names: Of the members.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._members = attrgetter(*names)
        self._known: dict[str, dict[str, Any]] = {}

    def of(self, work: Operation) -> dict[str, Any]:
        """Return the members of one product."""
        members = self._members(work)
        key = repr(members)
        if key not in self._known:
            digits = [six_digits(each) if type(each) is float else each for each in members]
            self._known[key] = dict(zip(self._names, digits, strict=True))
        return self._known[key]


def _peak(layer: LayerFacts) -> tuple[str, float] | None:
    roof = layer.roof
    return (roof.peak_type, six_digits(roof.peak_tflops)) if roof and roof.peak_tflops else None
