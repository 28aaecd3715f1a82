"""Texts of a drawing that only a layout of text can set: as boxes of HTML over the drawing.

WeasyPrint sets the texts of an SVG letter by letter from left to right. That does for most names; but one
from right to left would stand backwards, Arabic letters would not join, and accents would stand beside their
letters.
"""

from __future__ import annotations

import unicodedata
from html import escape
from xml.etree import ElementTree as ET

from trexreport.regex import regex

_SVG = "{http://www.w3.org/2000/svg}"
_TRANSLATE = regex(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)")
_INHERITED = ("fill", "font-family", "font-size", "font-weight", "text-anchor")
#: Below it no letter is joined to others, combined with another or written from right to left.
_FIRST_COMPLEX = "\u0300"
#: How far below the top of a line of its own height the letters stand, as a part of that height.
_BASELINE = 0.85
#: How many ems wide a box is; a text is shorter.
_WIDEST_EMS = 60.0


def lift_texts(svg: str, shown_width: float | None = None) -> tuple[str, str]:
    """Return a drawing without the texts that need a layout, and boxes of HTML that have them.

    Args:
        svg: A drawing of this package, placed by translations alone.
        shown_width: How wide the page shows it in pixels, if that is not its own width.
    """
    if svg.isascii() or not is_complex(svg):
        return svg, ""
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    width = float(root.get("width", "1")) if shown_width is None else shown_width
    scale = width / float(root.get("viewBox", "0 0 1 1").split()[2])
    boxes: list[str] = []
    _lift(root, (0.0, 0.0), dict.fromkeys(_INHERITED, ""), scale, boxes)
    return ET.tostring(root, encoding="unicode"), "".join(boxes)


def is_complex(text: str) -> bool:
    """Return whether letters of a text change or move with those beside them."""
    return any(
        letter >= _FIRST_COMPLEX
        and (unicodedata.bidirectional(letter) in ("R", "AL") or unicodedata.category(letter) in ("Mn", "Mc"))
        # A drawing has a million letters, of which few are different.
        for letter in set(text)
    )


def _lift(
    element: ET.Element, place: tuple[float, float], style: dict[str, str], scale: float, boxes: list[str]
) -> None:
    """Take the texts out of an element and those in it, and add their boxes."""
    transform = element.get("transform", "")
    moved = _TRANSLATE.fullmatch(transform)
    if transform and not moved:
        return
    x, y = place
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    style = {key: element.get(key, value) for key, value in style.items()}
    if element.tag == f"{_SVG}text" and element.text and is_complex(element.text):
        foot = x + float(element.get("x", "0")), y + float(element.get("y", "0"))
        boxes.append(_box(element.text, foot, style, scale))
        element.text = ""
    for child in element:
        _lift(child, (x, y), style, scale, boxes)


def _box(text: str, foot: tuple[float, float], style: dict[str, str], scale: float) -> str:
    """Return a box whose text is where the drawing has it."""
    size = float(style["font-size"] or 12) * scale
    width = _WIDEST_EMS * size
    before, align = {"middle": (0.5, "center"), "end": (1.0, "right")}.get(
        style["text-anchor"], (0.0, "left")
    )
    rules = {
        "left": f"{foot[0] * scale - before * width:.1f}px",
        "top": f"{foot[1] * scale - _BASELINE * size:.1f}px",
        "width": f"{width:.0f}px",
        "text-align": align,
        "font-family": style["font-family"] or "inherit",
        "font-size": f"{size:.2f}px",
        "font-weight": style["font-weight"] or "400",
        "color": style["fill"] or "#000000",
    }
    written = "; ".join(f"{key}: {value}" for key, value in rules.items())
    return f'<p style="{escape(written)}">{escape(text)}</p>'
