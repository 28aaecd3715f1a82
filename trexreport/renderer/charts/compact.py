"""Write a drawing in few bytes: a group around neighbors states what they have in common."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from trexreport.renderer.charts.markup import (
    Element,
    Ends,
    Look,
    Markup,
    in_written_order,
    write,
    written_look,
)

_CONTAINERS = frozenset({"svg", "g", "a"})
_SHAPES = frozenset({"rect", "line", "path", "circle", "text"})

#: What is written of an element, as a tuple for speed: its look, None of what is not drawn; the texts before
#: and after the attributes of that; the ends of a line; and what is in a group that says nothing of its own.
_Node = tuple[Look | None, str, str, Ends | None, Sequence[Any] | None]


def write_drawing(svg: Element) -> str:
    """Write an element with everything in it; the drawing is that of `write`, and its text shorter."""
    return _text(_node(svg))


def _text(node: _Node) -> str:
    look, before, after = node[:3]
    return f"{before}{written_look(look)}{after}" if look else before + after


def _node(markup: Markup) -> _Node:
    if isinstance(markup, str):
        return None, markup, "", None, None
    if markup.name in _CONTAINERS:
        return _container(markup)
    if markup.name not in _SHAPES:
        return None, write(markup), "", None, None
    return markup.look, f"<{markup.name}{markup.own}", _after(markup.name, _inside(markup)), markup.ends, None


def _inside(shape: Element) -> str:
    return "".join(map(write, shape.children)) if shape.children else ""


def _after(name: str, inner: str) -> str:
    return f">{inner}</{name}>" if inner else "/>"


def _container(markup: Element) -> _Node:
    name, children = markup.name, markup.children
    before = f"<{name}{markup.own}"
    if len(children) == 2 and not markup.look and name != "svg":
        title, shape = children
        # As most: a hover text and one shape, whose look there is nothing to compare with.
        if isinstance(title, str) and not isinstance(shape, str) and shape.name in _SHAPES:
            bare = f"<{shape.name}{shape.own}{_after(shape.name, _inside(shape))}"
            return shape.look, before, f">{title}{bare}</{name}>", None, None
    nodes, look = [_node(child) for child in children], markup.look
    # A whole drawing has attributes of its own for what is not drawn by a chart.
    if name != "svg" and (shared := _shared(nodes, [key for key, _ in look])):
        look = in_written_order({**dict(look), **dict(shared)})
        nodes = [_without(node, shared) for node in nodes]
    nodes = _grouped(_flat(nodes))
    is_bare = name == "g" and not markup.own and not look and all(node[0] is not None for node in nodes)
    inner = "" if is_bare else "".join(map(_text, nodes))
    return look, before, _after(name, inner), None, nodes if is_bare else None


def _shared(nodes: Sequence[_Node], taken: Collection[str]) -> Look:
    """Return what all that is drawn in a container has in common, and the container has not itself."""
    looks = dict.fromkeys(node[0] for node in nodes if node[0] is not None)
    if not looks or () in looks:
        return ()
    first, *others = looks
    common = set(first).intersection(*others)
    return tuple([pair for pair in first if pair in common and pair[0] not in taken])


def _without(node: _Node, shared: Look) -> _Node:
    look = node[0]
    return (tuple([each for each in look if each not in shared]), *node[1:]) if look else node


def _flat(nodes: Sequence[_Node]) -> Sequence[_Node]:
    """Return nodes with what is in groups that say nothing of their own in place of these."""
    if all(node[4] is None for node in nodes):
        return nodes
    return [each for node in nodes for each in ((node,) if node[4] is None else node[4])]


def _grouped(nodes: Sequence[_Node]) -> list[_Node]:
    """Put neighbors that look alike into groups."""
    found: list[_Node] = []
    for look, run in groupby(nodes, key=itemgetter(0)):
        members = list(run)
        if len(members) > 1 and look is not None:
            if all(member[3] for member in members):
                members = [_joined_lines([member[3] for member in members if member[3]], look)]
            elif look:
                inner = "".join([member[1] + member[2] for member in members])
                members = [(look, "<g", f">{inner}</g>", None, None)]
        found += members
    return found


def _joined_lines(lines: Sequence[Ends], look: Look) -> _Node:
    """Return lines of one look as one path, a third of their text."""
    places = [
        f"M{x1} {y1}" + (f"H{x2}" if y1 == y2 else f"V{y2}" if x1 == x2 else f"L{x2} {y2}")
        for x1, y1, x2, y2 in lines
    ]
    filled = in_written_order({**dict(look), "fill": "none"})
    return filled, f'<path d="{"".join(places)}"', "/>", None, None
