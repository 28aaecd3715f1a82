"""Write a line of text that Pango has laid out to a stream of WeasyPrint.

WeasyPrint looks at each glyph with a dozen calls into Pango, which took a sixth of a report's time: pages of
layers have 200 characters a line. Here the glyphs of a run are read at once, and what is written for a glyph
is kept for the next. Texts with anything special in them are left to WeasyPrint.
"""

from __future__ import annotations

from typing import Any

#: A PangoGlyphInfo as integers: glyph, width, offsets in x and y, attributes.
_FIELDS, _GLYPH, _WIDTH, _X, _Y = 5, 0, 1, 2, 3
#: Glyphs from here on are none: empty, or of a character that no font has.
_NO_GLYPH = 0x0FFFFFFF
#: Before it, Pango states the wrong size of fonts.
_PANGO = 14802

Run = tuple[Any, float, str]


class Glyphs:
    """What is written for the glyphs of the fonts of a document."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, float], dict[tuple[int, int], str]] = {}

    def show(self, stream: Any, line: Any, x: float, y: float) -> None:
        """Write a line in the color that the stream has.

        Args:
            stream: Of a page.
            line: Has `pango_layout`, `text` and `style`, as a text box does.
            x: Where the line begins.
            y: Its baseline.
        """
        if not line.text.strip():
            return
        runs = self.runs(stream, line)
        if runs is None:
            leave_to_weasyprint(stream, line, x, y)
        else:
            show_runs(stream, runs, x, y)

    def runs(self, stream: Any, line: Any) -> list[Run] | None:
        """Return the runs of a line; None if one of them is special."""
        from weasyprint.text.ffi import ffi, pango

        if pango.pango_version() < _PANGO or ffi.sizeof("PangoGlyphInfo") != 4 * _FIELDS:
            return None
        pango.pango_layout_set_single_paragraph_mode(line.pango_layout.layout, True)
        first, _ = line.pango_layout.get_first_line()
        runs: list[Run] = []
        run = first.runs[0]
        while run != ffi.NULL:
            found = self._run(stream, run.data, line)
            if found is None:
                return None
            runs.append(found)
            run = run.next
        return runs

    def _run(self, stream: Any, item: Any, line: Any) -> Run | None:
        from weasyprint.text.ffi import ffi

        font, size = stream.add_font(item.item.analysis.font)
        if font.bitmap or font.png or font.svg or font.colr or item.item.analysis.level % 2:
            return None
        count = item.glyphs.num_glyphs
        data = memoryview(ffi.buffer(item.glyphs.glyphs, 4 * _FIELDS * count)).cast("I").tolist()
        glyphs, widths = data[_GLYPH::_FIELDS], data[_WIDTH::_FIELDS]
        if any(data[_X::_FIELDS]) or any(data[_Y::_FIELDS]) or max(glyphs, default=0) >= _NO_GLYPH:
            return None
        written = self._written.setdefault((font.hash, size), {})
        pairs = list(zip(glyphs, widths, strict=True))
        for place, pair in enumerate(pairs):
            if pair not in written:
                written[pair] = _written(stream, item, line, place, (font, size))
        # After the last glyph nothing is left to write.
        return font, size, f"<{''.join([written[pair] for pair in pairs])}>".replace("<>", "")


def show_runs(stream: Any, runs: list[Run], x: float, y: float) -> None:
    """Write the runs of a line that begins at x and whose baseline is y."""
    stream.begin_text()
    stream.set_text_matrix(1, 0, 0, -1, x, y)
    for font, size, text in runs:
        stream.set_font_size(font.hash, size)
        stream.show_text(text)
    stream.end_text()


def _written(stream: Any, item: Any, line: Any, place: int, sized: tuple[Any, float]) -> str:
    """Return what is written for a glyph, and note it in its font as `draw_first_line` of WeasyPrint does."""
    from weasyprint.text.ffi import FROM_UNITS, pango

    font, size = sized
    info = item.glyphs.glyphs[place]
    if info.glyph not in font.to_unicode:
        is_last = place == item.glyphs.num_glyphs - 1
        clusters, offset = item.glyphs.log_clusters, item.item.offset
        start, end = clusters[place], item.item.length if is_last else clusters[place + 1]
        font.to_unicode[info.glyph] = line.pango_layout.text.encode()[offset + start : offset + end].decode()
    if info.glyph not in font.widths:
        pango.pango_font_get_glyph_extents(
            item.item.analysis.font, info.glyph, stream.ink_rect, stream.logical_rect
        )
        font.widths[info.glyph] = round(stream.logical_rect.width * 1000 * FROM_UNITS / size)
    kerning = int(font.widths[info.glyph] - info.geometry.width * 1000 * FROM_UNITS / size)
    return f"{info.glyph:04x}>{kerning}<" if kerning else f"{info.glyph:04x}"


def leave_to_weasyprint(stream: Any, line: Any, x: float, y: float) -> None:
    """Let WeasyPrint write a line that begins at x and whose baseline is y."""
    from weasyprint.draw.text import draw_emojis, draw_first_line
    from weasyprint.matrix import Matrix

    stream.begin_text()
    emojis = draw_first_line(stream, line, "none", "none", Matrix(d=-1, e=x, f=y))
    stream.end_text()
    draw_emojis(stream, line.style, x, y, emojis)
