"""A directed graph in DOT with the methods of graphviz.Digraph that notebooks use, drawn by Graphviz."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

from trexreport.output import write_output
from trexreport.trex._graphviz import quote, run_graphviz


class _Statement(str):
    """A statement of a node or an edge, with the names of its nodes and the tooltip of a node."""

    __slots__ = ("names", "tooltip")

    names: tuple[str, ...]
    tooltip: str

    def __new__(cls, text: str, names: tuple[str, ...], tooltip: str = "") -> _Statement:  # noqa: PYI034
        made = super().__new__(cls, text)
        made.names, made.tooltip = names, tooltip
        return made


class Digraph:
    """A directed graph; `format` is what `render` and `pipe` draw.

    Attributes:
        body: The statements, in DOT.
        node_count, edge_count: Nodes and edges that were added to this graph, without its subgraphs.
    """

    def __init__(  # noqa: PLR0917 - graphviz's order
        self,
        name: str | None = None,
        comment: str | None = None,
        filename: str | None = None,
        directory: str | None = None,
        format: str | None = None,  # noqa: A002 - graphviz's name
        engine: str | None = None,
        graph_attr: Mapping[str, object] | None = None,
        node_attr: Mapping[str, object] | None = None,
        edge_attr: Mapping[str, object] | None = None,
        body: Iterable[str] | None = None,
    ) -> None:
        self.name = name
        self.comment = comment
        self.filename = filename or f"{name or 'Digraph'}.gv"
        self.directory = directory or ""
        self.format = format or "pdf"
        self.engine = engine or "dot"
        self.graph_attr = dict(graph_attr or {})
        self.node_attr = dict(node_attr or {})
        self.edge_attr = dict(edge_attr or {})
        self.body = list(body or ())
        self.node_count = 0
        self.edge_count = 0

    def node(
        self,
        name: str,
        label: str | None = None,
        _attributes: Mapping[str, object] | None = None,
        **attrs: object,
    ) -> None:
        """Add a node; attributes that are None are left out."""
        self.node_count += 1
        tooltip = str({**attrs, **(_attributes or {})}.get("tooltip", ""))
        self.body.append(_Statement(f"\t{quote(name)}{_list(label, _attributes, attrs)}\n", (name,), tooltip))

    def edge(
        self,
        tail_name: str,
        head_name: str,
        label: str | None = None,
        _attributes: Mapping[str, object] | None = None,
        **attrs: object,
    ) -> None:
        """Add an edge between two nodes, or "node:port"."""
        self.edge_count += 1
        ends = " -> ".join(":".join(map(quote, str(end).split(":", 2))) for end in (tail_name, head_name))
        self.body.append(_Statement(f"\t{ends}{_list(label, _attributes, attrs)}\n", (tail_name, head_name)))

    def edges(self, tail_head_iter: Iterable[tuple[str, str]]) -> None:
        """Add several edges."""
        for tail, head in tail_head_iter:
            self.edge(tail, head)

    def attr(
        self, kw: str | None = None, _attributes: Mapping[str, object] | None = None, **attrs: object
    ) -> None:
        """Set attributes of the "graph", of all "node"s or "edge"s from here on."""
        if kw is not None and kw.lower() not in ("graph", "node", "edge"):
            raise ValueError(f"attr() sets attributes of graph, node or edge, not of {kw!r}.")
        self.body.append(f"\t{(kw or 'graph').lower()}{_list(None, _attributes, attrs) or ' []'}\n")

    def subgraph(self, graph: Digraph | None = None, name: str | None = None, **options: Any) -> Any:
        """Add a graph as a subgraph; without one return a new graph for `with`."""
        if graph is None:
            return _Subgraph(self, Digraph(name, **options))
        head = f"subgraph {quote(graph.name)}" if graph.name else ""
        self.body.append(f"\t{head} {{\n{graph._statements()}\t}}\n")  # noqa: SLF001 - the same class
        return None

    def clear(self, keep_attrs: bool = False) -> None:
        """Remove all statements, and the attributes unless they are kept."""
        self.body.clear()
        self.node_count = self.edge_count = 0
        if not keep_attrs:
            for each in (self.graph_attr, self.node_attr, self.edge_attr):
                each.clear()

    def names(self) -> set[str]:
        """Return the names of the nodes that were added."""
        return {each.names[0] for each in self.body if isinstance(each, _Statement) and len(each.names) == 1}

    def matching(self, pattern: re.Pattern[str]) -> set[str]:
        """Return the nodes whose name or tooltip has what the pattern finds."""
        nodes = [each for each in self.body if isinstance(each, _Statement) and len(each.names) == 1]
        return {
            each.names[0] for each in nodes if pattern.search(each.names[0]) or pattern.search(each.tooltip)
        }

    def around(self, names: Iterable[str], radius: int) -> Digraph:
        """Return the graph of what some nodes reach, or are reached from, within a number of steps."""
        kept = set(names)
        for step in (0, 1):
            reached, ends = set(names), self._neighbors(step)
            for _ in range(radius):
                reached |= {end for name in reached for end in ends.get(name, ())}
            kept |= reached
        part = Digraph(self.name, self.comment, graph_attr=self.graph_attr, node_attr=self.node_attr)
        part.body = [
            each for each in self.body if not isinstance(each, _Statement) or kept.issuperset(each.names)
        ]
        return part

    def _neighbors(self, step: int) -> dict[str, list[str]]:
        """Return what each node points at, or, with 1, what points at it."""
        found: dict[str, list[str]] = {}
        for each in self.body:
            if isinstance(each, _Statement) and len(each.names) == 2:
                found.setdefault(each.names[step], []).append(each.names[1 - step])
        return found

    def _statements(self) -> str:
        kinds = (("graph", self.graph_attr), ("node", self.node_attr), ("edge", self.edge_attr))
        attributes = "".join(f"\t{kind}{_list(None, each, {})}\n" for kind, each in kinds if each)
        return attributes + "".join(self.body)

    @property
    def source(self) -> str:
        """The graph in DOT; the first line names who wrote it."""
        from trexreport import __version__

        comment = "".join(f"// {line}\n" for line in (self.comment or "").splitlines())
        head = f"digraph {quote(self.name)} {{" if self.name else "digraph {"
        return f"// Generated by trexreport {__version__}\n{comment}{head}\n{self._statements()}}}\n"

    def to_string(self) -> str:
        """Return the graph in DOT, as pydot's graphs do."""
        return self.source

    def __str__(self) -> str:
        return self.source

    def __iter__(self) -> Iterator[str]:
        """Yield the lines of the DOT text, as graphviz's graphs do."""
        return iter(self.source.splitlines(keepends=True))

    def copy(self) -> Digraph:
        """Return a graph with the same statements, to which others can be added."""
        made = copy(self)
        made.body = list(self.body)
        for name in ("graph_attr", "node_attr", "edge_attr"):
            setattr(made, name, dict(getattr(self, name)))
        return made

    @property
    def filepath(self) -> str:
        """Where `save` writes unless another file is named."""
        return str(Path(self.directory) / self.filename)

    def save(self, filename: str | Path | None = None, directory: str | Path | None = None, **_: Any) -> str:
        """Write the DOT text to a file, replacing what is there, and return its path."""
        path = Path(self.directory if directory is None else directory) / (filename or self.filename)
        write_output(path, self.source.encode(), force=True)
        return str(path)

    def pipe(self, format: str | None = None, encoding: str | None = None, **_: Any) -> Any:  # noqa: A002
        """Return the drawing as bytes, or as text of an encoding."""
        data = run_graphviz(self.source, format or self.format, self.engine)
        return data if encoding is None else data.decode(encoding)

    def render(
        self,
        filename: str | Path | None = None,
        directory: str | Path | None = None,
        view: bool = False,  # noqa: ARG002 - graphviz's interface
        cleanup: bool = False,
        format: str | None = None,  # noqa: A002 - graphviz's name
        *,
        outfile: str | Path | None = None,
        **_: Any,
    ) -> str:
        """Write the drawing, beside the DOT text unless `outfile` or `cleanup` is given, and return its path.

        Args:
            filename: Of the DOT text; the drawing's has the format added.
            directory: Of both.
            view: Not supported: nothing is opened.
            cleanup: Do not keep the DOT text.
            format: Such as "svg", "png" or "pdf".
            outfile: Path of the drawing alone; its ending gives the format unless that is set.

        Raises:
            MissingToolError: Graphviz is not installed.
            UsageError: The format's name is none.
            OutputError: Graphviz failed or took too long, or a file can't be written.
        """
        if outfile is not None:
            path, kind = Path(outfile), format or Path(outfile).suffix[1:] or self.format
        else:
            kind = format or self.format
            source = Path(self.directory if directory is None else directory) / (filename or self.filename)
            path = Path(f"{source}.{kind.partition(':')[0]}")
        data = run_graphviz(self.source, kind, self.engine)
        write_output(path, data, force=True)
        if outfile is None and not cleanup:
            self.save(filename, directory)
        return str(path)

    def _repr_mimebundle_(self, *_: Any, **_options: Any) -> dict[str, str]:
        if shutil.which(self.engine) is None:
            return {"text/plain": self.source}
        return {"image/svg+xml": self.pipe("svg", "utf-8")}


class _Subgraph:
    """Adds a graph to its parent when its `with` block ends."""

    def __init__(self, parent: Digraph, graph: Digraph) -> None:
        self._parent, self._graph = parent, graph

    def __enter__(self) -> Digraph:
        return self._graph

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._parent.subgraph(self._graph)


def _list(label: object, given: Mapping[str, object] | None, attrs: Mapping[str, object]) -> str:
    every = {"label": label, **attrs, **(given or {})}
    written = [f"{quote(key)}={quote(value)}" for key, value in every.items() if value is not None]
    return f" [{' '.join(written)}]" if written else ""
