"""SVG elements. Only this module writes angle brackets, so only it has to escape."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import field
from functools import lru_cache
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
_SHAPES = frozenset({"rect", "line", "path", "circle", "text"})
_DRAWN = _CONTAINERS | _SHAPES
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
#: What an element has of `INHERITED`, in that order.
Look = tuple[tuple[str, str], ...]


def element(name: str, *children: Markup, **attributes: Attribute) -> Element:
    """Make an element. `class_` is the class; other underscores become hyphens; None is left out."""
    known = {}
    for key, value in attributes.items():
        # Most are numbers.
        if value.__class__ is float:
            known[_ATTRIBUTES[key]] = coordinate(value)
        elif value is not None:
            known[_ATTRIBUTES[key]] = _value(value)
    return Element(name, known, children if all(children) else tuple(filter(None, children)))


class _Attributes(dict[str, str]):
    """The names of attributes by their names in Python; a dictionary, as a page asks for many thousands."""

    def __missing__(self, key: str) -> str:
        name = self[key] = key.rstrip("_").replace("_", "-")
        return name


_ATTRIBUTES = _Attributes()


def rectangle(x: float, y: float, width: float, height: float, fill: str) -> Element:
    """Draw a filled rectangle; `element` does the same, and takes twice as long."""
    return Element(
        "rect",
        {
            "x": coordinate(x),
            "y": coordinate(y),
            "width": coordinate(width),
            "height": coordinate(height),
            "fill": text_value(fill),
        },
    )


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
    if type(text) is str and len(text) <= _LONGEST_REMEMBERED:
        return _short_words(text)
    return Words(_escaped(in_order(clean(text))))


@lru_cache(maxsize=4096)
def _short_words(text: str) -> Words:
    """Escape a short text, such as a name or a heading that several drawings have."""
    return Words(_escaped(in_order(clean(text))))


def hover_text(*texts: str) -> Words:
    """Write the lines that hovering over an element shows; an `Element` would take longer."""
    text = "\n".join([words(text) for text in texts])
    return Words(f"<title>{text}</title>" if text else "<title/>")


def _escaped(text: str) -> str:
    """Replace what ends a text; most have nothing of it."""
    return text.translate(_SPECIAL) if "<" in text or "&" in text or ">" in text else text


def path(*parts: str | float) -> str:
    """Write the description of a path: letters as they are, numbers as coordinates with spaces between."""
    text = " ".join(part if isinstance(part, str) else coordinate(part) for part in parts)
    return _AROUND_LETTERS.sub(r"\1", text)


@lru_cache(maxsize=16384)
def coordinate(value: float) -> str:
    """Write a number of pixels with one decimal at most, alike on every machine.

    A page has thousands, and those of rows, ticks and equal drawings are the same again and again.
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def write(markup: Markup) -> str:
    """Write an element with everything in it."""
    if isinstance(markup, str):
        return markup
    written = "".join([f' {key}="{value}"' for key, value in markup.attributes.items()])
    if not markup.children:
        return f"<{markup.name}{written}/>"
    inner = "".join([child if child.__class__ is str else write(child) for child in markup.children])
    return f"<{markup.name}{written}>{inner}</{markup.name}>" if inner else f"<{markup.name}{written}/>"


def with_shared_attributes(markup: Element) -> Element:
    """Say once, on a group, what neighbors have in common; the drawing stays the same, its text shrinks."""
    if markup.name not in _CONTAINERS:
        return markup
    if _is_titled_shape(markup):
        return _with_look_of_shape(markup)
    children: Sequence[Markup] = [
        child if isinstance(child, str) or child.name not in _CONTAINERS else with_shared_attributes(child)
        for child in markup.children
    ]
    looks, attributes = [_look(child) for child in children], markup.attributes
    # A whole drawing has attributes of its own for what is not drawn by a chart.
    if markup.name != "svg" and (shared := _shared(looks, attributes)):
        attributes = attributes | shared
        children = [
            child if isinstance(child, str) or look is None else _without(child, shared)
            for child, look in zip(children, looks, strict=True)
        ]
        looks = [look and tuple([each for each in look if each[0] not in shared]) for look in looks]
    return Element(markup.name, attributes, tuple(_grouped(*_flat(children, looks))))


def _is_titled_shape(markup: Element) -> bool:
    """Return whether a container other than the drawing holds a hover text and one shape, as most do."""
    if markup.name == "svg" or len(markup.children) != 2:
        return False
    title, shape = markup.children
    is_title = isinstance(title, str) and title.startswith("<title")
    return is_title and not isinstance(shape, str) and shape.name in _SHAPES


def _with_look_of_shape(markup: Element) -> Element:
    """Take over what the only shape in a container says: there is nothing to compare it with."""
    title, shape = markup.children
    shared = {key: value for key, value in _look(shape) or () if key not in markup.attributes}
    if not shared:
        return markup
    bare = shape if isinstance(shape, str) else _without(shape, shared)
    return Element(markup.name, markup.attributes | shared, (title, bare))


def _shared(looks: Iterable[Look | None], taken: Container[str]) -> dict[str, str]:
    """Return what all that is drawn in a container has in common, and the container has not itself."""
    shared: set[tuple[str, str]] | None = None
    last: Look | None = None
    for look in looks:
        if look is not None and look != last:
            shared, last = (set(look) if shared is None else shared.intersection(look)), look
            if not shared:
                return {}
    return {key: value for key, value in last or () if key not in taken and (key, value) in (shared or ())}


def _flat(
    children: Sequence[Markup], looks: Sequence[Look | None]
) -> tuple[Sequence[Markup], Sequence[Look | None]]:
    """Return children and their looks with what is in groups that say nothing of their own."""
    if () not in looks or not any(map(_is_bare, children)):
        return children, looks
    flat: list[Markup] = []
    for child in children:
        flat += child.children if _is_bare(child) else (child,)
    return flat, [_look(each) for each in flat]


def _grouped(children: Sequence[Markup], looks: Sequence[Look | None]) -> list[Markup]:
    """Put neighbors that look alike into groups."""
    found: list[Markup] = []
    at = 0
    for look, run in groupby(looks):
        begin, at = at, at + len(list(run))
        members = children[begin:at]
        if len(members) > 1 and (joined := _joined_lines(members, look)):
            found.append(joined)
        elif look and len(members) > 1:
            shared = dict(look)
            alike = [_without(each, shared) for each in members if not isinstance(each, str)]
            found.append(Element("g", shared, tuple(alike)))
        else:
            found += members
    return found


def _joined_lines(members: Sequence[Markup], look: Look | None) -> Element | None:
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
    return Element("path", dict(look or ()) | {"fill": "none", "d": "".join(places)})


def _is_bare(markup: Markup) -> TypeGuard[Element]:
    """Return whether an element is a group that says nothing of its own."""
    if isinstance(markup, str) or markup.name != "g" or markup.attributes:
        return False
    return all(_look(child) is not None for child in markup.children)


def _look(markup: Markup) -> Look | None:
    """Return what an element could take over from a group instead; None for what is not drawn."""
    if isinstance(markup, str) or markup.name not in _DRAWN:
        return None
    known = markup.attributes
    return tuple([(key, known[key]) for key in INHERITED if key in known])


def _without(markup: Element, shared: Iterable[str]) -> Element:
    own = markup.attributes.copy()
    for key in shared:
        del own[key]
    return Element(markup.name, own, markup.children)


def _value(value: Attribute) -> str:
    """Write the value of an attribute, escaped."""
    return text_value(value) if isinstance(value, str) else coordinate(value or 0.0)


def text_value(value: str) -> str:
    """Escape a text that is the value of an attribute."""
    return _short_value(value) if len(value) <= _LONGEST_REMEMBERED else _escaped_value(value)


@lru_cache(maxsize=4096)
def _short_value(value: str) -> str:
    """Return a short value: colors, classes and kinds of anchors are the same in all charts."""
    return _escaped_value(value)


def _escaped_value(value: str) -> str:
    return clean(value).translate(_SPECIAL_IN_ATTRIBUTES)
