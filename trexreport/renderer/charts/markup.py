"""SVG elements as text. Only this module writes angle brackets, so only it has to escape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType
from xml.sax.saxutils import escape, quoteattr

from trexreport.renderer.charts.text import clean

Markup = NewType("Markup", str)
Attribute = str | float | None
#: Of texts; a page's own style sheet has the last word, since presentation attributes weigh least.
FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def element(name: str, *children: Markup, **attributes: Attribute) -> Markup:
    """Write an element. `class_` is the class; other underscores become hyphens; None is left out."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_value(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(children)
    return Markup(f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>")


def words(text: str) -> Markup:
    """Escape a text from anywhere."""
    return Markup(escape(clean(text)))


def lines(texts: Iterable[str]) -> Markup:
    """Escape the lines of a tooltip."""
    return Markup("\n".join(words(text) for text in texts))


def path(*parts: str | float) -> str:
    """Write the description of a path: letters as they are, numbers as coordinates."""
    return " ".join(part if isinstance(part, str) else coordinate(part) for part in parts)


def coordinate(value: float) -> str:
    """Write a number of pixels with one decimal at most, alike on every machine."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _value(value: Attribute) -> str:
    return clean(value) if isinstance(value, str) else coordinate(value or 0.0)
