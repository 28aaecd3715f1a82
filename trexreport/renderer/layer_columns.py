"""The columns of the table of layers, each declared once (`layer_columns.json`), for every output.

Table, filter, exported files, PDF, schema and docs/layer-columns.md derive from them: a new one is an entry,
and a function where its cells need more than an attribute of the layer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Literal

from trexreport.analyzer.analysis import Analysis, TensorUse
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.layer_column import LayerColumn, LayerRow, PartValue
from trexreport.resources import packaged_table

#: Measures of errors that are parts of the reference.
_RELATIVE = frozenset({"relative", "cosine", "relative-difference"})


def _kernel_value(member: str) -> PartValue:
    """Return what reads an attribute of a layer's kernels; None without a trace."""

    def value(row: LayerRow) -> Any:
        trace = row.analysis.kernels
        found = trace.layers[row.layer.index] if trace and row.layer.index < len(trace.layers) else None
        return getattr(found, member) if found else None

    return PartValue("kernels", value)


def _counter_value(member: str) -> PartValue:
    """Return what reads an attribute of a layer's counters; None without a CSV of Nsight Compute."""

    def value(row: LayerRow) -> Any:
        counters = row.analysis.counters
        if counters is None:
            return None
        # By index, in order.
        place = bisect_left(counters.layers, row.layer.index, key=lambda each: each.layer)
        found = counters.layers[place] if place < len(counters.layers) else None
        return getattr(found, member) if found and found.layer == row.layer.index else None

    return PartValue("counters", value)


def _node_values(text: Callable[[OnnxNodeFacts], str]) -> PartValue:
    """Return what lists a text of each ONNX node of a layer, each once; none without a model."""
    return PartValue("onnx", lambda row: list(dict.fromkeys(filter(None, map(text, row.nodes)))))


def _tensor_values(side: str) -> Callable[[LayerRow], Any]:
    """Return what describes the tensors of a layer on a side, "inputs" or "outputs"."""
    return lambda row: [_tensor(use, row.analysis) for use in getattr(row.layer, side)]


def _error_value(key: Literal["error", "increase"]) -> PartValue:
    """Return what reads an error of a layer in percent; None if not known or no part of the reference."""

    def value(row: LayerRow) -> float | None:
        accuracy = row.analysis.accuracy
        if accuracy is None or accuracy.measure not in _RELATIVE:
            return None
        known = accuracy.layers[row.layer.index]
        error: float | None = getattr(known, key) if known else None
        return None if error is None else 100 * error

    return PartValue("accuracy", value)


def _tensor(use: TensorUse, analysis: Analysis) -> dict[str, Any]:
    return {
        "name": analysis.tensors[use.tensor].name,
        "dimensions": list(use.dimensions),
        "format": use.format,
        "size_bytes": use.size_bytes,
    }


_VALUES: dict[str, Callable[[LayerRow], Any]] = {
    "findings": lambda row: list(dict.fromkeys(row.finding_codes)),
    "bound": lambda row: (row.layer.roof.bound or "") if row.layer.roof else "",
    "error_percent": _error_value("error"),
    "error_increase_percent": _error_value("increase"),
    "kernels": _kernel_value("launches"),
    "kernel_ms": _kernel_value("time_ms"),
    "measured_bytes": _counter_value("dram_bytes"),
    "measured_percent": _counter_value("bytes_percent"),
    "alike": lambda row: row.analysis.alike_names.get(row.layer.index, ""),
    "origins": lambda row: [node.name for node in row.nodes] or list(row.layer.origins),
    "modules": _node_values(lambda node: "/".join(node.module)),
    "sources": _node_values(lambda node: node.source),
    "inputs": _tensor_values("inputs"),
    "outputs": _tensor_values("outputs"),
}
LAYER_COLUMNS = tuple(
    LayerColumn(**stated, value=_VALUES.get(stated["key"]))
    for stated in packaged_table("renderer/layer_columns.json")
)


def exported_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of exported files, in order."""
    return tuple(column for column in LAYER_COLUMNS if column.is_exported)


def page_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of the page's table and the terms of its filter, in order."""
    return tuple(column for column in LAYER_COLUMNS if column.table_width or column.term)


def static_columns(analysis: Analysis, *, has_findings: bool) -> tuple[LayerColumn, ...]:
    """Return the columns of the tables without script: those in which a layer has a value."""
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    return tuple(
        column
        for column in LAYER_COLUMNS
        if column.is_static
        and (has_findings if column.key == "findings" else any(map(column.has_value, rows)) or not rows)
    )


def line_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of the PDF's lines; the name comes last, as it takes the room that is left."""
    columns = (column for column in LAYER_COLUMNS if column.line_width)
    return tuple(sorted(columns, key=lambda column: column.key == "name"))


@dataclass(frozen=True)
class FilterTerms:
    """The terms of the page's filter, for its help.

    Attributes:
        texts: Terms that look for a text.
        figures: Terms that compare a figure, with an example each.
    """

    texts: tuple[str, ...]
    figures: tuple[str, ...]


#: Terms of a layer that no column has alone: its operations, its inputs and outputs together, its block.
OTHER_TEXT_TERMS = ("op", "tensor", "block")

#: They have lines of their own in the help.
_EXPLAINED_APART = ("finding", "time")


def filter_terms() -> FilterTerms:
    """Return what the help of the filter lists."""
    columns = [column for column in page_columns() if column.term_name not in ("", *_EXPLAINED_APART)]
    texts = [column.term for column in columns if column.term == column.term_name]
    figures = [column.term for column in columns if column.term != column.term_name]
    return FilterTerms((*texts, *OTHER_TEXT_TERMS), tuple(figures))
