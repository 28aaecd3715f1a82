"""Painted lines are where WeasyPrint has them, with the same glyphs, each in the document's structure."""

from __future__ import annotations

import io
import re

import pytest
from graph_plans import analysis_of, chain

from trexreport.errors import MissingToolError
from trexreport.renderer.pdf import check_pdf_tools, writer
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings, write_pdf

pypdf = pytest.importorskip("pypdf")

NAMES = [
    "conv_1",
    "AVATAR To.fi",
    "שכבת קונבולוציה/12",
    "طبقة الالتفاف 7",
    "卷积层/块.3/注意力",
    "🧠 conv",
    "e\u0301" * 5,
    "\U000f1234 unknown",
    "  a \t b",
]
_TEXT = re.compile(rb"\[(.*?)\] TJ", re.DOTALL)
_PLACE = re.compile(rb"1 0 0 -1 ([-0-9.]+) ([-0-9.]+) Tm")
_MOVED = re.compile(rb"1 0 0 1 ([-0-9.]+) ([-0-9.]+) cm")


@pytest.fixture(scope="module", autouse=True)
def _pango():
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))


def document_of(version, monkeypatch):
    monkeypatch.setattr(writer, "_PAINTED_WITH", version)
    drawings = Drawings()
    page = report_page(analysis_of(chain(NAMES)), drawings, frozenset(), carries_inputs=False)
    return pypdf.PdfReader(io.BytesIO(write_pdf(page, drawings)))


def texts_in(data):
    """Return the glyphs of each text; WeasyPrint also says where nothing moves."""
    return [re.sub(rb">0$", b">", text.replace(b">0<", b"")) for text in _TEXT.findall(data)]


def last_page(document):
    return document.pages[-1].get_contents().get_data()


def places(data):
    """Return where each text of a page begins; a painted one is relative to where its drawing is moved."""
    found, moved = [], (0.0, 0.0)
    for line in data.split(b"\n"):
        if match := _MOVED.fullmatch(line):
            moved = tuple(map(float, match.groups()))
        elif line == b"Q":
            moved = (0.0, 0.0)
        elif match := _PLACE.fullmatch(line):
            found.append(tuple(map(sum, zip(moved, map(float, match.groups()), strict=True))))
    return found


def texts_of_elements(document, data):
    """Return the glyphs of each element of the structure on the last page, in the order of the structure."""
    marked = {
        int(number): b"".join(texts_in(content))
        for number, content in re.findall(rb"<</MCID (\d+)>>\nBDC\n(.*?)\nEMC", data, re.DOTALL)
    }
    page = document.pages[-1].indirect_reference

    def texts(element):
        for kid in element.get("/K", []):
            if isinstance(kid, int):
                if element["/Pg"].indirect_reference == page:
                    yield marked[kid]
            else:
                yield from texts(kid.get_object())

    return [text for text in texts(document.trailer["/Root"]["/StructTreeRoot"]) if text]


def test_painted_lines_are_those_that_weasyprint_lays_out(monkeypatch):
    theirs, ours = document_of("none", monkeypatch), document_of("70", monkeypatch)
    assert len(theirs.pages) == len(ours.pages)
    before, after = last_page(theirs), last_page(ours)
    assert b"embed" not in after
    assert len(b"".join(texts_in(before))) > 1000
    assert texts_in(before) == texts_in(after)
    assert len(places(before)) > len(NAMES)
    for where, expected in zip(places(after), places(before), strict=True):
        # WeasyPrint moves a line whose letters come from another font by a part of a pixel.
        assert where == pytest.approx(expected, abs=1)


def test_each_painted_line_is_an_element_as_before(monkeypatch):
    theirs, ours = document_of("none", monkeypatch), document_of("70", monkeypatch)
    expected = texts_of_elements(theirs, last_page(theirs))
    assert len(expected) > len(NAMES)
    assert texts_of_elements(ours, last_page(ours)) == expected


def test_streams_are_packed_before_they_are_written(monkeypatch):
    """Pydyf packs what is left to it twice: when it writes it, and for the hash of the file."""
    import pydyf

    packed = []
    data = pydyf.Stream.data.fget
    monkeypatch.setattr(
        pydyf.Stream, "data", property(lambda self: packed.append(self.compress) or data(self))
    )
    write_pdf("<html lang=en><title>x</title><p>words", Drawings())
    # Only the small objects, twice, and the list of their places are left: they are made while it writes.
    assert packed.count(True) == 3
    assert packed.count(False) > 6
