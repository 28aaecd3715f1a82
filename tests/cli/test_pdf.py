"""PDF on the command line: written, given back as an input, extracted, never written over another's."""

from __future__ import annotations

import json
from pathlib import Path

from trexreport.errors import MissingToolError


def test_extract_gives_the_inputs_back(run, pdf_reports, before):
    run("extract", pdf_reports / "before.pdf", "-o", "files")
    assert {path.name: path.read_bytes() for path in Path("files").iterdir()} == {
        path.name: path.read_bytes() for path in before.iterdir()
    }


def test_a_pdf_is_an_input_of_every_command(run, pdf_reports, before, after):
    assert json.loads(run("summary", pdf_reports / "before.pdf", "--json").stdout) == json.loads(
        run("summary", before, "--json").stdout
    )
    assert run("compare", pdf_reports / "before.pdf", pdf_reports / "after.pdf").stdout == (
        run("compare", before, after).stdout
    )


def test_a_report_of_a_pdf_is_the_same_pdf(run, pdf_reports):
    run("report", pdf_reports / "before.pdf", "-o", "again.pdf")
    assert Path("again.pdf").read_bytes() == (pdf_reports / "before.pdf").read_bytes()


def test_own_pdfs_are_replaced_others_are_not(run, pdf_reports, before):
    Path("own.pdf").write_bytes((pdf_reports / "after.pdf").read_bytes())
    run("report", before, "-o", "own.pdf")
    assert Path("own.pdf").read_bytes() == (pdf_reports / "before.pdf").read_bytes()
    Path("other.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<</Title (trexreport)>>\nendobj\n%%EOF\n")
    result = run("report", before, "-o", "other.pdf", code=3)
    assert "did not write it" in result.stderr
    assert Path("other.pdf").stat().st_size < 100


def test_the_input_is_not_written_over(run, pdf_reports):
    Path("own.pdf").write_bytes((pdf_reports / "before.pdf").read_bytes())
    run("report", "own.pdf", "-o", "own.pdf")
    assert Path("own.pdf").read_bytes() == (pdf_reports / "before.pdf").read_bytes()


def test_a_damaged_or_foreign_pdf_is_refused_in_one_line(run, pdf_reports):
    data = (pdf_reports / "before.pdf").read_bytes()
    Path("cut.pdf").write_bytes(data[: data.index(b"stream", data.index(b"/EmbeddedFile")) + 50])
    Path("other.pdf").write_bytes(b"%PDF-1.4\n%%EOF\n")
    for name in ("cut.pdf", "other.pdf"):
        for command in (("report", name, "-o", "x.html"), ("extract", name, "-o", "files")):
            result = run(*command, code=3)
            assert name in result.stderr
            assert len(result.stderr.strip().split("\n")) == 1
    assert not Path("files").exists()


def test_pdf_can_go_to_standard_output(run, pdf_reports, before):
    result = run("report", before, "-o", "-", "--format", "pdf")
    assert result.stdout_bytes == (pdf_reports / "before.pdf").read_bytes()


def test_what_is_missing_is_reported_before_anything_is_read(run, monkeypatch, before):
    def missing():
        raise MissingToolError("PDF needs the libraries of Pango.", "apt install libpango-1.0-0")

    monkeypatch.setattr("trexreport.renderer.pdf.writer._weasyprint", missing)
    result = run("report", "nowhere", "-o", "x.pdf", code=4)
    assert "apt install libpango-1.0-0" in result.stderr
    assert "nowhere" not in result.stderr
    assert not Path("x.pdf").exists()
    run("report", before, "-o", "x.html", "--charts", "static")
