"""Objects that are written once are those that pydyf would write twice."""

from __future__ import annotations

import pytest
from graph_plans import analysis_of, chain

from trexreport.errors import MissingToolError
from trexreport.renderer.pdf import check_pdf_tools, writer
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import AttachedFile, Drawings, write_pdf


@pytest.fixture(scope="module", autouse=True)
def _pango():
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))


def document():
    drawings = Drawings()
    page = report_page(analysis_of(chain(["conv_1", "Größe"])), drawings, frozenset(), carries_inputs=False)
    return write_pdf(page, drawings, [AttachedFile("a.json", b"{}", "An input.")])


def test_the_file_is_the_same_as_without(monkeypatch):
    written = []

    class Counted(writer._Written):
        def __init__(self, made):
            written.append(made)
            super().__init__(made)

    monkeypatch.setattr(writer, "_Written", Counted)
    once = document()
    assert written
    monkeypatch.setattr(writer, "_Written", lambda made: made)
    assert document() == once
