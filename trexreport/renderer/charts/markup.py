"""SVG elements. Only this module writes angle brackets, so only it has to escape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import cache, lru_cache
from itertools import groupby
from typing import NewType, TypeGuard

from trexreport.lazy_dataclass import bulk_facts
from trexreport.regex import regex
from trexreport.renderer.charts.text import LABEL_SIZE, clean
from trexreport.visible import in_order

Words = NewType("Words", str)
Attribute = str | float | None
#: Of texts; a page's own style sheet has the last word, since presentation attributes weigh least.
FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
#: What an element takes over from the group around it. The classes of charts set such properties only.
INHERITED = (
    "class",
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-dasharray",
    "font-size",
    "text-anchor",
)
_AROUND_LETTERS = regex(" ?([A-Za-z]) ?")
_CONTAINERS = frozenset({"svg", "g", "a"})
_DRAWN = _CONTAINERS | {"rect", "line", "path", "circle", "text"}
#: Longer values, as of paths, are rarely equal.
_LONGEST_REMEMBERED = 40
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: Spaces other than " " would be read as that.
_SPECIAL_IN_ATTRIBUTES = _SPECIAL | str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


@bulk_facts
class Element:
    """An element that is not written yet."""

    name: str
    #: Escaped when the element is made, as most are numbers that need none.
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple[Element | Words, ...] = ()


Markup = Element | Words


def element(name: str, *children: Markup, **attributes: Attribute) -> Element:
    """Make an element. `class_` is the class; other underscores become hyphens; None is left out."""
    known = {}
    for key, value in attributes.items():
        if value is not None:
            # Written here, as a chart has thousands: calling what does it takes as long as doing it.
            if type(value) is float:
                text = f"{value:.1f}".removesuffix(".0")
                known[_attribute(key)] = "0" if text == "-0" else text
            else:
                known[_attribute(key)] = _value(value)
    return Element(name, known, tuple([child for child in children if child]))


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def drawing(kind: str, width: float, height: float, *children: Markup, **attributes: Attribute) -> Element:
    """Make the svg element of a chart of some kind; it scales with its view box."""
    return element(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=f"chart chart-{kind}",
        **attributes,
        viewBox=f"0 0 {coordinate(width)} {coordinate(height)}",
        width=float(width),
        height=height,
        font_family=FONT_FAMILY,
        font_size=LABEL_SIZE,
        font_variant="tabular-nums",
    )


def words(text: str) -> Words:
    """Escape a text from anywhere."""
    return Words(_escaped(in_order(clean(text))))


def lines(texts: Iterable[str]) -> Words:
    """Escape the lines of a tooltip."""
    # Of one text the line ends are not lost: each is clean, and so has none.
    return Words(_escaped("\n".join([in_order(clean(text)) for text in texts])))


def _escaped(text: str) -> str:
    """Replace what ends a text; most have nothing of it."""
    return text.translate(_SPECIAL) if "<" in text or "&" in text or ">" in text else text


def path(*parts: str | float) -> str:
    """Write the description of a path: letters as they are, numbers as coordinates with spaces between."""
    text = " ".join(part if isinstance(part, str) else coordinate(part) for part in parts)
    return _AROUND_LETTERS.sub(r"\1", text)


def coordinate(value: float) -> str:
    """Write a number of pixels with one decimal at most, alike on every machine."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def write(markup: Markup) -> str:
    """Write an element with everything in it."""
    if isinstance(markup, str):
        return markup
    written = "".join([f' {key}="{value}"' for key, value in markup.attributes.items()])
    inner = "".join([child if isinstance(child, str) else write(child) for child in markup.children])
    return f"<{markup.name}{written}>{inner}</{markup.name}>" if inner else f"<{markup.name}{written}/>"


def with_shared_attributes(markup: Element) -> Element:
    """Say once, on a group, what neighbors have in common; the drawing stays the same, its text shrinks."""
    if markup.name not in _CONTAINERS:
        return markup
    children = tuple(
        [
            child
            if isinstance(child, str) or child.name not in _CONTAINERS
            else with_shared_attributes(child)
            for child in markup.children
        ]
    )
    container = Element(markup.name, markup.attributes, children)
    # A whole drawing has attributes of its own for what is not drawn by a chart.
    container = container if markup.name == "svg" else _hoisted(container)
    return Element(container.name, container.attributes, tuple(_grouped(container.children)))


def _grouped(children: tuple[Markup, ...]) -> list[Markup]:
    """Put neighbors that look alike into groups."""
    found: list[Markup] = []
    flat = (inner for child in children for inner in (child.children if _is_bare(child) else (child,)))
    for look, run in groupby(flat, key=_look):
        members = list(run)
        if len(members) > 1 and (joined := _joined_lines(members)):
            found.append(joined)
        elif look and len(members) > 1:
            found.append(Element("g", dict(look), tuple(_without(member, dict(look)) for member in members)))
        else:
            found += members
    return found


def _joined_lines(members: list[Markup]) -> Element | None:
    """Return lines of one look as one path, a third of their text; None if some are more than lines."""
    places = []
    for member in members:
        if isinstance(member, str) or member.name != "line" or member.children:
            return None
        known = dict(member.attributes)
        x1, y1, x2, y2 = (known.pop(key, "0") for key in ("x1", "y1", "x2", "y2"))
        if known.keys() - set(INHERITED):
            return None
        end = f"H{x2}" if y1 == y2 else f"V{y2}" if x1 == x2 else f"L{x2} {y2}"
        places.append(f"M{x1} {y1}{end}")
    return Element("path", dict(_look(members[0]) or ()) | {"fill": "none", "d": "".join(places)})


def _is_bare(markup: Markup) -> TypeGuard[Element]:
    """Return whether an element is a group that says nothing of its own."""
    if isinstance(markup, str) or markup.name != "g" or markup.attributes:
        return False
    return all(_look(child) is not None for child in markup.children)


def _hoisted(container: Element) -> Element:
    """Give a container what all that is drawn in it has in common."""
    looks = [look for child in container.children if (look := _look(child)) is not None]
    shared = dict(set.intersection(*map(set, looks))) if looks else {}
    shared = {key: shared[key] for key in INHERITED if key in shared and key not in container.attributes}
    if not shared:
        return container
    children = tuple(_without(child, shared) for child in container.children)
    return Element(container.name, container.attributes | shared, children)


def _look(markup: Markup) -> tuple[tuple[str, str], ...] | None:
    """Return what an element could take over from a group instead; None for what is not drawn."""
    if isinstance(markup, str) or markup.name not in _DRAWN:
        return None
    known = markup.attributes
    return tuple([(key, known[key]) for key in INHERITED if key in known])


def _without(markup: Markup, shared: dict[str, str]) -> Markup:
    if isinstance(markup, str) or markup.name not in _DRAWN:
        return markup
    own = {key: value for key, value in markup.attributes.items() if shared.get(key) != value}
    return Element(markup.name, own, markup.children)


def _value(value: Attribute) -> str:
    """Write the value of an attribute, escaped."""
    if not isinstance(value, str):
        return coordinate(value or 0.0)
    return _text_value(value) if len(value) <= _LONGEST_REMEMBERED else _escaped_value(value)


@lru_cache(maxsize=4096)
def _text_value(value: str) -> str:
    """Return a short value: colors, classes and kinds of anchors are the same in all charts."""
    return _escaped_value(value)


def _escaped_value(value: str) -> str:
    return clean(value).translate(_SPECIAL_IN_ATTRIBUTES)
