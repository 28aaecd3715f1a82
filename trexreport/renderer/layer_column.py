"""A column of the table of layers: what it is called, what it holds, and in which outputs it appears."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts
from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.numbers import MISSING, format_bytes, format_count, format_number

#: "count" is a whole number, "number" a fraction; "list" holds texts, "tensors" inputs or outputs.
Kind = Literal["text", "list", "tensors", "count", "number", "bytes"]


@bulk_facts
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
class PartValue:
    """Reads the cell of a layer from a part of the analysis, without which no layer has such a cell.

    Attributes:
        part: Name of that part, an attribute of the analysis.
        read: Returns the cell.
    """

    part: Literal["accuracy", "counters", "kernels", "onnx"]
    read: Callable[[LayerRow], Any]

    def __call__(self, row: LayerRow) -> Any:
        """Return the cell of a layer."""
        return self.read(row)

    def is_known(self, analysis: Analysis) -> bool:
        """Return whether the analysis has the part."""
        return getattr(analysis, self.part) is not None


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
        return self.cells((row,))[0]

    def has_value(self, row: LayerRow) -> bool:
        """Return whether anything is known of a layer in this column."""
        return self.cell(row) not in (None, "", [], ())

    def cells(self, rows: Sequence[LayerRow]) -> list[Any]:
        """Return the values of layers of one analysis, as `cell` does."""
        if isinstance(self.value, PartValue) and rows and not self.value.is_known(rows[0].analysis):
            return [[] if self.kind == "list" else None for _ in rows]
        if self.value:
            values = list(map(self.value, rows))
        elif self.part:
            parts = list(map(attrgetter(f"layer.{self.part}"), rows))
            known = map(attrgetter(self.key), filter(None, parts))
            values = [None if part is None else next(known) for part in parts]
        else:
            values = list(map(attrgetter(f"layer.{self.key}"), rows))
        if float not in set(map(type, values)) or all(
            map(math.isfinite, [value for value in values if type(value) is float])
        ):
            return values
        return [None if isinstance(value, float) and not math.isfinite(value) else value for value in values]

    def text(self, row: LayerRow) -> str:
        """Return the cell of a layer as a page shows it; an en dash is not known or not measured."""
        return self.texts((row,))[0]

    def texts(self, rows: Sequence[LayerRow]) -> list[str]:
        """Return the cells of layers of one analysis, as `text` does."""
        values = self.cells(rows)
        if self.kind in ("list", "tensors"):
            return [", ".join(value) or MISSING for value in values]
        if not self.is_number:
            return [str(value or MISSING) for value in values]
        if self.shown_divisor != 1:
            return [format_number(None if value is None else value / self.shown_divisor) for value in values]
        write = {"count": format_count, "bytes": format_bytes}.get(self.kind, format_number)
        return [MISSING if value is None else write(value) for value in values]


class ShownRow(NamedTuple):
    """A row of a table that is made without script: each column with its text."""

    layer: LayerFacts
    cells: Sequence[tuple[LayerColumn, str]]


def shown_rows(
    layers: Sequence[LayerFacts], analysis: Analysis, columns: Sequence[LayerColumn]
) -> list[ShownRow]:
    """Return the rows of layers; column by column, which takes half of the time of cell by cell."""
    rows = [LayerRow(layer, analysis) for layer in layers]
    texts = zip(*[column.texts(rows) for column in columns], strict=True)
    return [
        ShownRow(layer, list(zip(columns, of_layer, strict=True)))
        for layer, of_layer in zip(layers, texts, strict=True)
    ]
