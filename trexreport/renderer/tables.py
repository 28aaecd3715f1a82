"""The tables that `trexreport export` writes: layers, and nodes and modules of the ONNX model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.onnx import OnnxFacts, OnnxGroup
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.layer_column import Kind, LayerRow
from trexreport.renderer.layer_columns import exported_columns
from trexreport.wording.onnx import onnx_sentence

_TIMES = "Times are in milliseconds"
_UNKNOWN = "null means not measured or not known."
_BOUNDS = (
    f"{_TIMES}. alone_ms is the time of the layers that compute nothing else, shared_ms that of the layers "
    f"that compute something else too: the cost is at least alone_ms and at most both together. {_UNKNOWN}"
)


@dataclass(frozen=True)
class TableColumn:
    """A column of a file: its key with the unit, and what its cells are."""

    key: str
    kind: Kind = "text"

    @property
    def is_number(self) -> bool:
        """Whether cells are figures."""
        return self.kind in ("count", "number", "bytes")


@dataclass(frozen=True)
class Table:
    """A table as all kinds of files hold it.

    Attributes:
        rows: Key of each column to value, None where it is not known.
        note: What a row is, and the units.
    """

    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[Mapping[str, Any]]
    note: str


def make_table(analysis: Analysis, name: str) -> Table:
    """Return a table by name: one of `TABLES`.

    Raises:
        UsageError: There is no such table, or the engine's ONNX model, which it is of, is not known.
    """
    if name == "layers":
        return _layers(analysis)
    make = _OF_MODEL.get(name)
    if make is None:
        raise UsageError(f"{name!r} is not a table.", f"Use one of {', '.join(TABLES)}.")
    return make(analysis, known_model(analysis, f"The table of {name}"))


def known_model(analysis: Analysis, what: str) -> OnnxFacts:
    """Return the ONNX model with its nodes.

    Args:
        analysis: The engine.
        what: What needs it, for the message.

    Raises:
        UsageError: It is not known, or is not that of the engine.
    """
    if analysis.onnx is None:
        raise UsageError(f"{what} needs the ONNX model.", "Give it with --onnx.")
    if not analysis.onnx.nodes:
        raise UsageError(
            onnx_sentence(analysis), "Give the model that the engine was built from with --onnx."
        )
    return analysis.onnx


def _layers(analysis: Analysis) -> Table:
    columns = exported_columns()
    rows = (LayerRow(layer, analysis) for layer in analysis.layers)
    return Table(
        "layers",
        [TableColumn(column.key, column.kind) for column in columns],
        [{column.key: column.cell(row) for column in columns} for row in rows],
        f"One row per layer in execution order. {_TIMES}, sizes in bytes, bandwidth in 10^9 "
        "bytes per second, intensity in floating-point operations per byte. bound is compute or "
        "memory if the roofline explains the layer's time, else latency; headroom_ms is the average "
        f"time above the roofline. {_UNKNOWN}",
    )


_NODE_COLUMNS = (
    TableColumn("index", "count"),
    TableColumn("name"),
    TableColumn("op_type"),
    TableColumn("module"),
    TableColumn("class_name"),
    TableColumn("source"),
    TableColumn("function"),
    TableColumn("state"),
    TableColumn("evidence"),
    TableColumn("reason"),
    TableColumn("layers", "list"),
    TableColumn("alone_ms", "number"),
    TableColumn("shared_ms", "number"),
)
_GROUP_COLUMNS = (
    TableColumn("name"),
    TableColumn("nodes", "count"),
    TableColumn("layers", "count"),
    TableColumn("alone_ms", "number"),
    TableColumn("shared_ms", "number"),
)


def _nodes(analysis: Analysis, model: OnnxFacts) -> Table:
    rows = []
    for node in model.nodes:
        row = {column.key: getattr(node, column.key) for column in _NODE_COLUMNS}
        row["module"] = "/".join(node.module)
        row["layers"] = [analysis.layers[index].name for index in node.layers]
        rows.append(row)
    return Table("nodes", _NODE_COLUMNS, rows, f"One row per node of the ONNX model, in its order. {_BOUNDS}")


def _groups(name: str, what: str, groups_of: Callable[[OnnxFacts], Sequence[OnnxGroup]]) -> _Make:
    def make(_analysis: Analysis, model: OnnxFacts) -> Table:
        rows = [
            {column.key: getattr(each, column.key) for column in _GROUP_COLUMNS} for each in groups_of(model)
        ]
        return Table(name, _GROUP_COLUMNS, rows, f"One row per {what} of the ONNX model. {_BOUNDS}")

    return make


_Make = Callable[[Analysis, OnnxFacts], Table]
_OF_MODEL: Mapping[str, _Make] = {
    "nodes": _nodes,
    "modules": _groups("modules", "module", lambda model: model.by_module),
    "node-types": _groups("node-types", "type of node", lambda model: model.by_op_type),
    "classes": _groups("classes", "class", lambda model: model.by_class),
    "sources": _groups("sources", "source line", lambda model: model.by_source),
}
#: Names of the tables.
TABLES = ("layers", *_OF_MODEL)
