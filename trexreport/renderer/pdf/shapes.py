"""The shapes of drawings, written to a stream of WeasyPrint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from trexreport.regex import regex

NUMBER = r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?"
#: A number of a path: nothing but a letter, a separator or its own sign before it, and no digit behind it.
_NEXT = rf"(?:[\s,]+|(?=-)|(?<=[A-Za-z])){NUMBER}(?![0-9.])"
#: Paths that are drawn here.
PATH = (
    rf"\s*(?:[MmLl](?:{_NEXT}{_NEXT})+\s*|[HhVv](?:{_NEXT})+\s*|[Qq](?:(?:{_NEXT}){{4}})+\s*"
    rf"|[Cc](?:(?:{_NEXT}){{6}})+\s*|[Zz]\s*)*"
)
_PATH_PART = regex(rf"[A-Za-z]|{NUMBER}")
_NUMBERS_OF = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "Z": 0}
#: Distance of the control points of a quarter of a circle, as a part of its radius.
_ARC = 0.5523


def _values(element: ET.Element, *names: str) -> Iterator[float]:
    return (float(element.get(name, "0")) for name in names)


def _rect(stream: Any, element: ET.Element, left: float, top: float) -> None:
    x, y, width, height, radius = _values(element, "x", "y", "width", "height", "rx")
    x, y = x + left, y + top
    radius = min(radius, width / 2, height / 2)
    if radius <= 0:
        stream.rectangle(x, y, width, height)
        return
    right, bottom, near = x + width, y + height, radius * (1 - _ARC)
    stream.move_to(x + radius, y)
    stream.line_to(right - radius, y)
    stream.curve_to(right - near, y, right, y + near, right, y + radius)
    stream.line_to(right, bottom - radius)
    stream.curve_to(right, bottom - near, right - near, bottom, right - radius, bottom)
    stream.line_to(x + radius, bottom)
    stream.curve_to(x + near, bottom, x, bottom - near, x, bottom - radius)
    stream.line_to(x, y + radius)
    stream.curve_to(x, y + near, x + near, y, x + radius, y)
    stream.close()


def _circle(stream: Any, element: ET.Element, left: float, top: float) -> None:
    x, y, r = _values(element, "cx", "cy", "r")
    x, y, far = x + left, y + top, r * _ARC
    stream.move_to(x + r, y)
    stream.curve_to(x + r, y + far, x + far, y + r, x, y + r)
    stream.curve_to(x - far, y + r, x - r, y + far, x - r, y)
    stream.curve_to(x - r, y - far, x - far, y - r, x, y - r)
    stream.curve_to(x + far, y - r, x + r, y - far, x + r, y)
    stream.close()


def _line(stream: Any, element: ET.Element, left: float, top: float) -> None:
    x1, y1, x2, y2 = _values(element, "x1", "y1", "x2", "y2")
    stream.move_to(x1 + left, y1 + top)
    stream.line_to(x2 + left, y2 + top)


def _path(stream: Any, element: ET.Element, left: float, top: float) -> None:
    """Write the lines and curves of a path; a curve with one control point becomes one with two."""
    parts = _PATH_PART.findall(element.get("d", ""))
    x, y = left, top
    start = x, y
    command, at = "", 0
    while at < len(parts):
        if parts[at].isalpha():
            command, at = parts[at], at + 1
        kind = command.upper()
        numbers = [float(each) for each in parts[at : at + _NUMBERS_OF[kind]]]
        at += len(numbers)
        from_x, from_y = (x, y) if command.islower() else (left, top)
        if kind == "H":
            x = from_x + numbers[0]
        elif kind == "V":
            y = from_y + numbers[0]
        elif kind != "Z":
            points = [
                (from_x + right, from_y + down)
                for right, down in zip(numbers[::2], numbers[1::2], strict=True)
            ]
            begun = x, y
            x, y = points[-1]
        if kind == "Z":
            stream.close()
            x, y = start
        elif kind == "M":
            stream.move_to(x, y)
            start = x, y
            # Further pairs are lines.
            command = "l" if command == "m" else "L"
        elif kind == "C":
            stream.curve_to(*points[0], *points[1], x, y)
        elif kind == "Q":
            control = points[0]
            first, second = (
                [end + 2 / 3 * (middle - end) for end, middle in zip(point, control, strict=True)]
                for point in (begun, (x, y))
            )
            stream.curve_to(*first, *second, x, y)
        else:
            stream.line_to(x, y)


Shape = Callable[[Any, ET.Element, float, float], None]
SHAPES: Mapping[str, Shape] = {"circle": _circle, "line": _line, "path": _path, "rect": _rect}
