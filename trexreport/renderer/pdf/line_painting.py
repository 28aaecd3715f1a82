"""Paint pages of lines into a PDF.

WeasyPrint lays each line out three times and looks at all that follow: 1,300 lines took 1.5 of 7 seconds. As
an image that writes to the page by itself, the lines of a page are one box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.renderer.pdf.glyphs import Glyphs
from trexreport.renderer.pdf.lines import LEADING


class PaintedLines:
    """The lines of a page as WeasyPrint knows images: with a size, and a method that draws them.

    Args:
        lines: Texts without a line break.
        glyphs: Of the document.
    """

    def __init__(self, lines: Sequence[str], glyphs: Glyphs) -> None:
        self._lines = lines
        self._glyphs = glyphs

    def get_intrinsic_size(self, _resolution: object, font_size: float) -> tuple[float, float, None]:
        """Return width and height in pixels, and no ratio of them: the page states the width."""
        return 1.0, len(self._lines) * font_size * LEADING, None

    def draw(self, stream: Any, _width: float, _height: float, style: Any) -> None:
        """Draw the lines from the place where the stream is, in the font of the style."""
        from weasyprint.text.line_break import strut

        height, baseline = strut(style)
        line = _Line(style)
        stream.set_color(style["color"])
        # WeasyPrint has begun to mark the image as a whole, and ends what is begun last.
        elements = _elements(stream, style, self._lines)
        stream.end_marked_content()
        for place, element in enumerate(elements):
            line.set(self._lines[place])
            with stream.marked(element, "Span"):
                self._glyphs.show(stream, line, 0.0, place * height + baseline)
        stream.begin_marked_content("Artifact")


def _elements(stream: Any, style: Any, lines: Sequence[str]) -> Sequence[Any]:
    """Return a box for each line, so that it becomes an element in the structure of the document."""
    from weasyprint.formatting_structure.boxes import TextBox

    image = next(reversed(stream._tags))  # noqa: SLF001 - nothing else gives an image its box
    image.children = [TextBox(image.element_tag, style, image.element, text or " ") for text in lines]
    children: Sequence[Any] = image.children
    return children


class _Line:
    """A line of text as `Glyphs` and WeasyPrint's functions expect it."""

    def __init__(self, style: Any) -> None:
        from weasyprint.text.line_break import Layout

        self.style = style
        self.pango_layout = Layout(style)
        self.text = ""

    def set(self, text: str) -> None:
        self.text = text
        self.pango_layout.set_text(text)
