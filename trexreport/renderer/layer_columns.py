"""The columns of the table of layers, each declared once; every output takes its columns from here.

The page's table, its search terms, the exported files, the workbook, the PDF, the schema and the reference in
docs/layer-columns.md derive from `LAYER_COLUMNS`. A new column is one more entry there.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, Literal

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorUse
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, format_bytes, format_count, format_number

#: "count" is a whole number, "number" a fraction; "list" holds texts, "tensors" inputs or outputs.
Kind = Literal["text", "list", "tensors", "count", "number", "bytes"]


@dataclass(frozen=True)
class LayerRow:
    """A layer and what its columns may need besides.

    Attributes:
        finding_codes: Codes of the findings at the layer, where the rules ran.
    """

    layer: LayerFacts
    analysis: Analysis
    finding_codes: Sequence[str] = ()

    @property
    def nodes(self) -> list[OnnxNodeFacts]:
        """Its nodes in the ONNX model, if that is known."""
        model = self.analysis.onnx
        if model is None or not model.layer_nodes:
            return []
        return [model.nodes[index] for index in model.layer_nodes[self.layer.index]]


@dataclass(frozen=True)
class LayerColumn:
    """A column: what it is called, what it holds, and in which outputs it appears.

    Attributes:
        key: Its name in files and in the data of the page, with its unit.
        heading: Its name for people, with its unit as shown.
        description: What it says, for the reference.
        kind: What the cells are, which decides formatter and alignment.
        part: The part of a layer's facts that has the attribute `key`; empty: the layer itself.
        value: Its cell of a layer, where that is not an attribute; None is not known or not measured.
        is_exported: It is in the files of `trexreport export`.
        shown_divisor: Cells are shown divided by this: operations as 10^9 operations.
        table_width: Its width in pixels in the page's table; 0: it is not there.
        is_default: The page's table shows it before the reader chooses columns.
        has_bar: The page's table draws a bar beside the figure.
        is_static: It is in the tables of layers without script and on paper.
        line_width: Its characters in the PDF's lines of all layers; 0: it is not there.
        term: Its term of the page's filter, with an example where it compares figures: "type", "time>0.1";
            empty: it has none.
        is_exact_term: The filter compares whole texts and not parts of them.
    """

    key: str
    heading: str
    description: str
    kind: Kind = "text"
    part: Literal["", "work", "roof"] = ""
    value: Callable[[LayerRow], Any] | None = None
    is_exported: bool = True
    shown_divisor: float = 1
    table_width: int = 0
    is_default: bool = False
    has_bar: bool = False
    is_static: bool = False
    line_width: int = 0
    term: str = ""
    is_exact_term: bool = False

    @property
    def term_name(self) -> str:
        """The term without its example."""
        return re.split("[<>]", self.term)[0]

    @property
    def is_number(self) -> bool:
        """Whether cells are figures, which are aligned to the right."""
        return self.kind in ("count", "number", "bytes")

    def cell(self, row: LayerRow) -> Any:
        """Return the value of a layer; None for a fraction that overflowed, which only CSV could hold."""
        if self.value:
            value = self.value(row)
        elif self.part:
            value = getattr(getattr(row.layer, self.part), self.key, None)
        else:
            value = getattr(row.layer, self.key)
        return None if isinstance(value, float) and not math.isfinite(value) else value

    def text(self, row: LayerRow) -> str:
        """Return the cell of a layer as a page shows it; an en dash is not known or not measured."""
        value = self.cell(row)
        if self.kind in ("list", "tensors"):
            return ", ".join(value) or MISSING
        if not self.is_number:
            return str(value or MISSING)
        if value is None:
            return MISSING
        if self.shown_divisor != 1:
            return format_number(value / self.shown_divisor)
        return {"count": format_count, "bytes": format_bytes}.get(self.kind, format_number)(value)


def _kernel_value(member: str) -> Callable[[LayerRow], Any]:
    def value(row: LayerRow) -> Any:
        trace = row.analysis.kernels
        found = trace.layers[row.layer.index] if trace and row.layer.index < len(trace.layers) else None
        return getattr(found, member) if found else None

    return value


def _counted(member: str) -> Callable[[LayerRow], Any]:
    def value(row: LayerRow) -> Any:
        counters = row.analysis.counters
        if counters is None:
            return None
        # By index, in order.
        place = bisect_left(counters.layers, row.layer.index, key=lambda each: each.layer)
        found = counters.layers[place] if place < len(counters.layers) else None
        return getattr(found, member) if found and found.layer == row.layer.index else None

    return value


def _tensors(side: str) -> Callable[[LayerRow], Any]:
    return lambda row: [_tensor(use, row.analysis) for use in getattr(row.layer, side)]


#: Measures of errors that are parts of the reference.
_RELATIVE = frozenset({"relative", "cosine", "relative-difference"})


def _error_percent(row: LayerRow, key: Literal["error", "increase"]) -> float | None:
    accuracy = row.analysis.accuracy
    if accuracy is None or accuracy.measure not in _RELATIVE:
        return None
    known = accuracy.layers[row.layer.index]
    value: float | None = getattr(known, key) if known else None
    return None if value is None else 100 * value


def _tensor(use: TensorUse, analysis: Analysis) -> dict[str, Any]:
    return {
        "name": analysis.tensors[use.tensor].name,
        "dimensions": list(use.dimensions),
        "format": use.format,
        "size_bytes": use.size_bytes,
    }


LAYER_COLUMNS = (
    LayerColumn(
        "index",
        "#",
        "Position in the execution order, from 0",
        "count",
        table_width=56,
        is_default=True,
        is_static=True,
        line_width=6,
        term="index<20",
    ),
    LayerColumn(
        "name",
        "Name",
        "Name of the layer, as TensorRT gives it",
        table_width=340,
        is_default=True,
        is_static=True,
        line_width=160,
        term="name",
    ),
    LayerColumn(
        "type",
        "Type",
        "Type of the layer",
        table_width=128,
        is_default=True,
        is_static=True,
        line_width=16,
        term="type",
    ),
    LayerColumn(
        "subtype", "LayerType", "`LayerType` of the file, where that is the implementation of the type"
    ),
    LayerColumn(
        "precision",
        "Precision",
        "Data type of the first input that is no index or mask",
        table_width=88,
        is_default=True,
        is_static=True,
        line_width=9,
        term="precision",
        is_exact_term=True,
    ),
    LayerColumn(
        "output_precision",
        "Output precision",
        "Data type of the first output that is no index or mask",
        table_width=128,
        line_width=16,
        term="out",
        is_exact_term=True,
    ),
    LayerColumn(
        "avg_ms",
        "Avg. time (ms)",
        "Mean time of an iteration, as trtexec's profile states it",
        "number",
        table_width=116,
        is_default=True,
        is_static=True,
        line_width=14,
        term="time>0.1",
    ),
    LayerColumn("median_ms", "Median time (ms)", "Median time of an iteration", "number", table_width=132),
    LayerColumn(
        "share_percent",
        "Time (%)",
        "Part of the total layer time",
        "number",
        table_width=128,
        is_default=True,
        has_bar=True,
        is_static=True,
        line_width=8,
        term="share>1",
    ),
    LayerColumn("input_bytes", "Inputs", "Size of the inputs", "bytes"),
    LayerColumn("output_bytes", "Outputs", "Size of the outputs", "bytes"),
    LayerColumn(
        "weights_bytes",
        "Weights",
        "Size of the weights that the file states",
        "bytes",
        table_width=96,
        term="weights>1M",
    ),
    LayerColumn(
        "moved_bytes",
        "Data moved",
        "Size of inputs, outputs and weights together",
        "bytes",
        table_width=100,
        is_default=True,
        is_static=True,
        line_width=10,
        term="moved>1M",
    ),
    LayerColumn(
        "findings",
        "Findings",
        "Codes of the findings at the layer",
        "list",
        value=lambda row: list(dict.fromkeys(row.finding_codes)),
        is_exported=False,
        table_width=184,
        is_static=True,
        line_width=16,
        term="finding",
    ),
    LayerColumn(
        "bandwidth_gbs",
        "GB/s",
        "Data moved by average time, in 10^9 bytes per second",
        "number",
        table_width=80,
        term="gbs>1k",
    ),
    LayerColumn(
        "macs",
        "GMAC",
        "Multiply-accumulate operations of a convolution or matrix product; shown in 10^9",
        "count",
        part="work",
        shown_divisor=1e9,
        table_width=80,
        term="macs>1G",
    ),
    LayerColumn("m", "M", "Rows of the matrix product", "count", part="work"),
    LayerColumn("n", "N", "Columns of the matrix product", "count", part="work"),
    LayerColumn("k", "K", "Length of the sums of the matrix product", "count", part="work"),
    LayerColumn(
        "intensity",
        "FLOP/byte",
        "Arithmetic intensity of a convolution or matrix product",
        "number",
        part="work",
    ),
    LayerColumn(
        "tflops",
        "TFLOP/s (TOP/s)",
        "Achieved performance of a convolution or matrix product, in 10^12 operations per second: "
        "TOP/s for INT8",
        "number",
        part="work",
        table_width=128,
        term="tflops<10",
    ),
    LayerColumn(
        "flops",
        "GFLOP",
        "Operations of the layer; shown in 10^9",
        "count",
        shown_divisor=1e9,
        table_width=80,
        term="flops>1G",
    ),
    LayerColumn(
        "bound",
        "Bound by",
        "What bounds the layer: compute or memory if the roofline explains its time, else latency",
        value=lambda row: (row.layer.roof.bound or "") if row.layer.roof else "",
        table_width=88,
        term="bound",
    ),
    LayerColumn(
        "reached_percent",
        "% of roofline",
        "Roofline time as part of the average time",
        "number",
        part="roof",
        table_width=108,
        term="reached<50",
    ),
    LayerColumn(
        "headroom_ms",
        "Headroom (ms)",
        "Average time above the roofline time",
        "number",
        part="roof",
        table_width=116,
        term="headroom>0.01",
    ),
    LayerColumn(
        "error_percent",
        "Error (%)",
        "Error of what the layer writes, as a part of the reference; with a file on accuracy",
        "number",
        value=lambda row: _error_percent(row, "error"),
        table_width=88,
        term="error>1",
    ),
    LayerColumn(
        "error_increase_percent",
        "Error increase (%)",
        "Error beyond what the inputs of the layer explain; with a file on accuracy",
        "number",
        value=lambda row: _error_percent(row, "increase"),
        table_width=132,
        term="increase>1",
    ),
    LayerColumn(
        "tactic",
        "Tactic",
        "Kernel or other implementation that TensorRT chose",
        table_width=320,
        is_default=True,
        term="tactic",
    ),
    LayerColumn(
        "kernels",
        "Kernels",
        "Kernels that a query launches for the layer; with a trace of Nsight Systems",
        "number",
        value=_kernel_value("launches"),
        table_width=88,
        term="kernels>1",
    ),
    LayerColumn(
        "kernel_ms",
        "Kernel time (ms)",
        "Time of the layer's kernels in a query; with a trace of Nsight Systems",
        "number",
        value=_kernel_value("time_ms"),
        table_width=128,
        term="kernelms>0.1",
    ),
    LayerColumn(
        "measured_bytes",
        "Measured bytes",
        "Bytes of device memory that the layer's kernels read and write; with a CSV of Nsight Compute",
        "bytes",
        value=_counted("dram_bytes"),
        table_width=116,
        term="measuredbytes>1M",
    ),
    LayerColumn(
        "measured_percent",
        "Measured (%)",
        "Measured bytes as a part of the data moved by tensors; with a CSV of Nsight Compute",
        "number",
        value=_counted("bytes_percent"),
        table_width=100,
        term="measured>200",
    ),
    LayerColumn(
        "stream",
        "Stream",
        "CUDA stream that the layer runs on",
        "count",
        table_width=72,
        term="stream",
        is_exact_term=True,
    ),
    LayerColumn(
        "origins",
        "ONNX nodes",
        "Names of the ONNX nodes that the layer was built from",
        "list",
        value=lambda row: [node.name for node in row.nodes] or list(row.layer.origins),
        table_width=320,
        term="node",
    ),
    LayerColumn(
        "modules",
        "Modules",
        "Modules of the model that the layer computes a part of; with an ONNX model",
        "list",
        value=lambda row: list(dict.fromkeys("/".join(node.module) for node in row.nodes if node.module)),
        table_width=240,
        term="module",
    ),
    LayerColumn(
        "sources",
        "Source lines",
        "Source lines of the model that the layer computes; with an ONNX model that states them",
        "list",
        value=lambda row: list(dict.fromkeys(node.source for node in row.nodes if node.source)),
        table_width=240,
        term="source",
    ),
    LayerColumn(
        "inputs",
        "Input tensors",
        "Name, dimensions, format and size of each input",
        "tensors",
        value=_tensors("inputs"),
    ),
    LayerColumn(
        "outputs",
        "Output tensors",
        "Name, dimensions, format and size of each output",
        "tensors",
        value=_tensors("outputs"),
    ),
)


def exported_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of exported files, in order."""
    return tuple(column for column in LAYER_COLUMNS if column.is_exported)


def page_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of the page's table and the terms of its filter, in order."""
    return tuple(column for column in LAYER_COLUMNS if column.table_width or column.term)


def static_columns(*, has_findings: bool) -> tuple[LayerColumn, ...]:
    """Return the columns of the tables without script; that of findings only where there are any."""
    return tuple(
        column for column in LAYER_COLUMNS if column.is_static and (has_findings or column.key != "findings")
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
    columns = [column for column in LAYER_COLUMNS if column.term_name not in ("", *_EXPLAINED_APART)]
    texts = [column.term for column in columns if column.term == column.term_name]
    figures = [column.term for column in columns if column.term != column.term_name]
    return FilterTerms((*texts, *OTHER_TEXT_TERMS), tuple(figures))
