"""SVG elements. Only this module and `compact.py` write angle brackets, so only they have to escape."""

from __future__ import annotations

from functools import lru_cache
from typing import NewType

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
_PLACES = {key: place for place, key in enumerate(INHERITED)}
_LETTER = regex("([A-Za-z])")
#: The attributes of a line, in the order of `Ends`.
_ENDS = ("x1", "y1", "x2", "y2")
#: Longer values, as of paths, are rarely equal.
_LONGEST_REMEMBERED = 40
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: Spaces other than " " would be read as that.
_SPECIAL_IN_ATTRIBUTES = _SPECIAL | str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})

#: What an element has of `INHERITED`, in that order; values are escaped.
Look = tuple[tuple[str, str], ...]
#: The coordinates of a line: x1, y1, x2 and y2.
Ends = tuple[str, str, str, str]


@bulk_facts
class Element:
    """An element that is not written yet, but for the attributes that it shares with no other.

    Attributes:
        name: What it is.
        own: Attributes that a group around it can't have for it, as they are written.
        look: The other ones; none of a whole drawing, which has what no chart draws.
        children: Texts, which are escaped, and elements.
        ends: Of a line that is nothing but a line.
    """

    name: str
    own: str = ""
    look: Look = ()
    children: tuple[Element | Words, ...] = ()
    ends: Ends | None = None


Markup = Element | Words


def element(name: str, *children: Markup, **attributes: Attribute) -> Element:
    """Make an element. `class_` is the class; other underscores become hyphens; None is left out."""
    own: dict[str, str] = {}
    look: dict[str, str] = {}
    for key, value in attributes.items():
        if value is not None:
            known = _ATTRIBUTES[key]
            # Most are numbers.
            text = coordinate(value) if value.__class__ is float else _value(value)
            (look if known in _PLACES and name != "svg" else own)[known] = text
    written = "".join([f' {key}="{value}"' for key, value in own.items()])
    inside = children if all(children) else tuple([child for child in children if child])
    if name == "line" and not inside and own.keys() <= set(_ENDS):
        x1, y1, x2, y2 = (own.get(key, "0") for key in _ENDS)
        return Element(name, written, in_written_order(look), (), (x1, y1, x2, y2))
    return Element(name, written, in_written_order(look), inside)


def in_written_order(look: dict[str, str]) -> Look:
    """Return the part of attributes that a group can have for what is in it, in the order of `INHERITED`."""
    if len(look) < 2:
        return tuple(look.items())
    return tuple(sorted(look.items(), key=lambda pair: _PLACES[pair[0]]))


class _Attributes(dict[str, str]):
    """The names of attributes by their names in Python; a dictionary, as a page asks for many thousands."""

    def __missing__(self, key: str) -> str:
        name = self[key] = key.rstrip("_").replace("_", "-")
        return name


_ATTRIBUTES = _Attributes()


def rectangle(
    x: float, y: float, width: float, height: float, fill: str, *, opacity: float | None = None
) -> Element:
    """Draw a filled rectangle; `element` does the same, and takes twice as long."""
    place = f' x="{coordinate(x)}" y="{coordinate(y)}"'
    size = f' width="{coordinate(width)}" height="{coordinate(height)}"'
    return Element("rect", place + size, filled(fill, opacity))


def link_to(address: str, *children: Markup, in_order: bool = True) -> Element:
    """Make a link; out of order, the key that leads from link to link passes it over."""
    own = f' href="{text_value(address)}"'
    return Element("a", own if in_order else f'{own} tabindex="-1"', (), children)


def circle(x: float, y: float, radius: float, look: Look) -> Element:
    """Draw a circle."""
    own = f' cx="{coordinate(x)}" cy="{coordinate(y)}" r="{coordinate(radius)}"'
    return Element("circle", own, look)


@lru_cache(maxsize=1024)
def filled(fill: str, opacity: float | None = None) -> Look:
    """Return the look of an area."""
    look = (("fill", text_value(fill)),)
    return look if opacity is None else (*look, ("fill-opacity", coordinate(opacity)))


def line(x1: float, y1: float, x2: float, y2: float, look: Look) -> Element:
    """Draw a straight line."""
    ends = coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2)
    return Element("line", ' x1="{}" y1="{}" x2="{}" y2="{}"'.format(*ends), look, (), ends)


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
    text = " ".join([part if isinstance(part, str) else coordinate(part) for part in parts])
    return "".join(map(str.strip, _LETTER.split(text)))


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
    attributes = markup.own + written_look(markup.look) if markup.look else markup.own
    if not markup.children:
        return f"<{markup.name}{attributes}/>"
    inner = "".join([child if child.__class__ is str else write(child) for child in markup.children])
    return f"<{markup.name}{attributes}>{inner}</{markup.name}>" if inner else f"<{markup.name}{attributes}/>"


@lru_cache(maxsize=1024)
def written_look(look: Look) -> str:
    """Write the attributes that a group can have for what is in it."""
    return "".join([f' {key}="{value}"' for key, value in look])


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
