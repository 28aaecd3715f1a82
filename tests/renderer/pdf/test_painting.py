"""Drawings are painted as WeasyPrint draws them, and only those of which everything is known."""

from __future__ import annotations

import io
from pathlib import Path

import pypdf
import pytest
import weasyprint

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.pdf import writer
from trexreport.renderer.pdf.painting import Pens, painting_of
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings, write_pdf

BEFORE = Path(__file__).parents[3] / "samples" / "resnet18-int8-before"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100"{}>{}</svg>'
PENS = Pens(None)


class Recorder:
    """A stream that keeps what is called: names and numbers."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *given, **named: self.calls.append((name, *given, *named.values()))

    def named(self, *names):
        return [call for call in self.calls if call[0] in names]


def painted(content, more=""):
    stream = Recorder()
    painting_of(SVG.format(more, content), PENS).draw(stream, 200, 100, None)
    return stream


@pytest.mark.parametrize(
    "content",
    [
        "<ellipse/>",
        "<text>a<tspan>b</tspan></text>",
        "<rect><title>a</title></rect>",
        '<rect style="fill:red"/>',
        '<rect fill="red"/>',
        '<rect fill="url(#a)"/>',
        '<rect width="50%"/>',
        '<rect width="1e9"/>',
        '<rect width="nan"/>',
        '<g transform="rotate(5)"/>',
        '<g opacity="0.5"/>',
        '<path d="M0 0A1 1 0 0 0 5 5"/>',
        '<path d="M0"/>',
        '<path d="M0 0L1 2 3"/>',
        '<path d="M0 0Z5"/>',
        '<path d="5 5"/>',
        '<path d="M0 0Q1 1 2"/>',
        '<path d="' + "1" * 5000 + '"/>',
        '<svg width="1" height="1"/><use href="#a"/>',
        "&a;",
    ],
)
def test_what_is_not_known_is_left_to_weasyprint(content):
    assert painting_of(SVG.format("", content), PENS) is None


@pytest.mark.parametrize(
    "size", ['width="0" height="1"', 'height="1"', 'width="1" height="1" viewBox="0 0 0 1"']
)
def test_a_drawing_without_a_size_is_left_to_weasyprint(size):
    assert painting_of(f'<svg xmlns="http://www.w3.org/2000/svg" {size}/>', PENS) is None


def test_shapes_are_placed_and_styled_as_their_parents_say():
    stream = painted(
        '<g transform="translate(10 20)" stroke="#ff0000" stroke-dasharray="3 2">'
        '<rect x="1" y="2" width="30" height="40" fill="none"/>'
        '<line x1="0" y1="0" x2="5" y2="6" stroke-linecap="round"/></g>'
        '<circle cx="5" cy="6" r="2" fill-opacity="0.5"/><rect width="9" height="9" fill="none"/>'
    )
    assert stream.named("rectangle", "move_to", "line_to") == [
        ("rectangle", 11, 22, 30, 40),
        ("move_to", 10, 20),
        ("line_to", 15, 26),
        ("move_to", 7, 6),
    ]
    assert stream.named("set_dash", "set_line_cap") == [
        ("set_dash", [3, 2], 0),
        ("set_line_cap", 0),
        ("set_dash", [3, 2], 0),
        ("set_line_cap", 1),
    ]
    # A line has a fill too, as SVG has it; what has neither is not drawn.
    assert stream.named("fill", "stroke", "fill_and_stroke") == [("stroke",), ("fill_and_stroke",), ("fill",)]
    assert [round(call[1].alpha, 3) for call in stream.named("set_color")] == [1, 1, 1, 0.5]


def test_the_lines_and_curves_of_a_path():
    stream = painted('<path d="M1 2 3 4h5v-6H0V0l1-1Z m2,2q3 0 3 3 C1 1 2 2 3 3"/>')
    drawn = stream.named("move_to", "line_to", "curve_to", "close")
    assert [call[0] for call in drawn] == [
        *("move_to", "line_to", "line_to", "line_to", "line_to", "line_to", "line_to", "close"),
        *("move_to", "curve_to", "curve_to"),
    ]
    assert [call[1:] for call in drawn[1:7]] == [(3, 4), (8, 4), (8, -2), (0, -2), (0, 0), (1, -1)]
    # From where the closed part began.
    assert drawn[8] == ("move_to", 3, 4)
    assert drawn[9][1:] == pytest.approx((5, 4, 6, 5, 6, 7))
    assert drawn[10][1:] == (1, 1, 2, 2, 3, 3)


def test_rounded_corners_are_no_larger_than_half_the_box():
    stream = painted('<rect width="10" height="4" rx="50"/>')
    assert stream.named("move_to") == [("move_to", 2, 0)]
    assert len(stream.named("curve_to")) == 4


def page_of(svg, monkeypatch, version):
    monkeypatch.setattr(writer, "_PAINTED_WITH", version)
    drawings = Drawings()
    page = f"<html lang=en><title>x</title><p>{drawings.add(svg, 'words')}"
    return pypdf.PdfReader(io.BytesIO(write_pdf(page, drawings))).pages[0]


def test_texts_are_where_weasyprint_puts_them_and_whole(monkeypatch):
    texts = "".join(
        f'<text x="100" y="{20 * place}" text-anchor="{anchor}">  conv_{place}  relu </text>'
        for place, anchor in enumerate(("start", "middle", "end"), 1)
    )
    svg = SVG.format(' font-size="12" font-family="sans-serif" fill="#123456"', texts)
    # WeasyPrint has a group for each text that does not begin at its place, which hides them from pypdf.
    place = page_of(svg.replace("middle", "start").replace('"end"', '"start"'), monkeypatch, "none")
    own = page_of(svg, monkeypatch, "70")

    def found(page):
        places = []
        page.extract_text(visitor_text=lambda text, _, matrix, *__: places.append((text.strip(), matrix[4:])))
        return {text: where for text, where in places if text}

    theirs, ours = found(place), found(own)
    assert list(ours) == ["conv_1 relu", "conv_2 relu", "conv_3 relu"]
    assert list(ours["conv_1 relu"]) == pytest.approx(theirs.get("conv_1 relu", ours["conv_1 relu"]), abs=0.5)
    start, middle, end = (ours[each][0] for each in ours)
    assert start > middle > end
    assert start - middle == pytest.approx(middle - end, rel=0.1)


def test_every_drawing_of_a_report_is_painted():
    analysis = analyze(read_engine(BEFORE))
    drawings = Drawings()
    report_page(analysis, drawings, frozenset(), carries_inputs=True)
    left = [svg for svg in drawings.contents.values() if painting_of(svg.decode(), PENS) is None]
    assert len(drawings.contents) > 8
    assert left == []


def test_the_installed_weasyprint_is_the_one_that_is_painted_with():
    """Another draws all by itself, more slowly: look at what `painting.py` uses of it first."""
    assert weasyprint.__version__.partition(".")[0] == writer._PAINTED_WITH
