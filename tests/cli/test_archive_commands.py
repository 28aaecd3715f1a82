"""`trexreport archive`, `verify`, and `extract` of an archive."""

from __future__ import annotations

import pytest

from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


@pytest.fixture
def archived(run, tmp_path):
    (tmp_path / "x.engine").write_bytes(b"plan")
    run("archive", SAMPLE, "-o", "x.trexa", "--engine", "x.engine", "--charts", "static")
    return tmp_path / "x.trexa"


def test_an_archive_is_written_twice_alike_and_read_by_the_commands(run, archived):
    first = archived.read_bytes()
    run("archive", SAMPLE, "-o", "x.trexa", "--engine", "x.engine", "--charts", "static")
    assert archived.read_bytes() == first
    assert run("summary", "x.trexa").output == run("summary", SAMPLE).output
    run("compare", SAMPLE, "x.trexa", "-o", "c.md")
    run("archive", "x.trexa", "-o", "again.trexa", "--engine", "x.engine", "--charts", "static")
    assert archived.with_name("again.trexa").read_bytes() == first


def test_an_archive_without_a_name_is_wrong_usage(run):
    assert "Missing option '-o' / '--output'" in run("archive", SAMPLE, code=2).output


def replaced_after(data, text, start):
    """Return the data with another byte behind a text."""
    at = data.index(text, start) + len(text)
    return data[:at] + (b"A" if data[at : at + 1] != b"A" else b"B") + data[at + 1 :]


def test_what_is_extracted_is_byte_for_byte_what_was_archived(run, archived, tmp_path):
    result = run("extract", "x.trexa", "-o", "out")
    assert "Wrote out/report.html" in result.output
    inputs = list(SAMPLE.glob("*.json"))
    assert len(inputs) > 2
    for path in inputs:
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()
    run("summary", "out")


def test_verify_shows_of_each_and_exits_by_the_worst(run, archived, tmp_path):
    run("report", SAMPLE, "-o", "r.html", "--charts", "static")
    result = run("verify", "x.trexa", "r.html")
    assert result.output == "x.trexa: 7 files, unchanged.\nr.html: 5 files, unchanged.\n"
    page = (tmp_path / "r.html").read_bytes()
    (tmp_path / "bad.html").write_bytes(page.replace(b'"size":', b'"size":1', 1))
    (tmp_path / "none.txt").write_text("text")
    lines = run("verify", "bad.html", "none.txt", "absent", "x.trexa", code=3).output.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("bad.html")
    assert "none.txt carries no hashes" in lines[1]
    assert "absent does not exist" in lines[2]
    assert lines[3].endswith("unchanged.")


def test_what_was_changed_is_neither_verified_nor_extracted(run, archived, tmp_path):
    run("report", SAMPLE, "-o", "r.html", "--charts", "static")
    page, archive = (tmp_path / "r.html").read_bytes(), (tmp_path / "x.trexa").read_bytes()
    listed = page.index(b'id="trexreport-inputs"')
    content = page.index(b'id="trexreport-input-0"')
    changed = {
        # A hash, the name of a file and the name of the engine in the list; and a file itself.
        "hash.html": replaced_after(page, b'"sha256":"', listed),
        "name.html": replaced_after(page, b'"name":"', listed),
        "engine.html": replaced_after(page, b'"engine":"', listed),
        "file.html": replaced_after(page, b">", content),
        "file.trexa": replaced_after(archive, b".json", 0),
        "end.trexa": archive[:-100],
    }
    for name, data in changed.items():
        assert data not in (page, archive)
        (tmp_path / name).write_bytes(data)
        run("verify", name, code=3)
        refused = run("extract", name, "-o", "out", "--force", code=3)
        assert name in refused.stderr
        assert not (tmp_path / "out").exists()
    run("extract", "r.html", "-o", "out")


def test_a_pdf_is_verified_too(run, tmp_path, before, pdf_reports):
    path = pdf_reports / "before.pdf"
    count = len(list(before.iterdir()))
    assert run("verify", path).output == f"{path}: {count} files, unchanged.\n"
    data = bytearray(path.read_bytes())
    at = data.index(b"/EmbeddedFile")
    at = data.index(b"stream", at) + 20
    data[at : at + 20] = bytes(20)
    (tmp_path / "bad.pdf").write_bytes(data)
    assert "bad.pdf" in run("verify", "bad.pdf", code=3).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.zip"), "Known endings: .trexa"),
        (("-o", "-"), "An archive can't be written to standard output"),
        (("-o", "x.trexa", "--engine", "e", "--redact", "names"), "An engine can't be redacted"),
    ],
)
def test_wrong_usage(run, arguments, message):
    assert message in run("archive", SAMPLE, *arguments, code=2).output


def test_an_engine_that_is_missing(run, tmp_path):
    assert (
        "e.engine can't be read"
        in run("archive", SAMPLE, "-o", "x.trexa", "--no-report", "--engine", "e.engine", code=3).output
    )
    assert not (tmp_path / "x.trexa").exists()


def test_the_engine_is_not_overwritten_by_its_archive(run, tmp_path):
    (tmp_path / "e.trexa").write_bytes(b"")
    run("archive", SAMPLE, "-o", "e.trexa", "--engine", "e.trexa", code=2)
    assert (tmp_path / "e.trexa").read_bytes() == b""
