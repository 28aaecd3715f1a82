"""A comparison in PDF on the command line: written, taken apart, verified, never taken for a capture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trexreport.errors import MissingToolError


def _length(match):
    return match.end() - match.start()


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_extract_gives_each_engine_a_folder(run, pdf_comparison, before, after):
    result = run("extract", pdf_comparison, "-o", "files")
    assert sorted(path.name for path in Path("files").iterdir()) == [after.name, before.name]
    for capture in (before, after):
        assert contents(Path("files") / capture.name) == contents(capture)
    assert f"files/{before.name}/" in result.stderr
    run("compare", f"files/{before.name}", f"files/{after.name}", "-o", "again.pdf")
    assert Path("again.pdf").read_bytes() == pdf_comparison.read_bytes()


def test_nothing_is_extracted_where_a_file_would_be_replaced(run, pdf_comparison, before, after):
    name = next(after.iterdir()).name
    place = Path("files") / after.name
    place.mkdir(parents=True)
    (place / name).write_text("mine")
    assert "exists with different content" in run("extract", pdf_comparison, "-o", "files", code=3).stderr
    assert [path for path in Path("files").rglob("*") if path.is_file()] == [place / name]
    (Path("taken")).mkdir()
    (Path("taken") / before.name).write_text("no folder")
    assert f"{before.name} can't be created" in run("extract", pdf_comparison, "-o", "taken", code=3).stderr


def test_runs_of_an_engine_are_carried_too(run, before, after):
    timing = next(before.glob("*.timing.json"))
    run("compare", before, after, "--runs", f"1={timing}", "-o", "runs.pdf")
    run("extract", "runs.pdf", "-o", "files")
    found = sorted(path.name for path in (Path("files") / before.name).glob("*.timing.json"))
    assert found == [f"2.{timing.name}", timing.name]


def test_files_of_what_is_no_engine_are_carried_too(run, before, after):
    Path("eager.csv").write_text("latency_ms\n12.3\n12.5\n")
    Path("more.json").write_text('{"latency_ms": [12.4, 12.6]}')
    options = [f"--baseline-latency=PyTorch eager={name}" for name in ("eager.csv", "more.json")]
    run("compare", before, after, *options, "--baseline-latency=ORT=9ms", "-o", "others.pdf")
    run("extract", "others.pdf", "-o", "files")
    assert sorted(path.name for path in Path("files").iterdir()) == ["PyTorch_eager", after.name, before.name]
    for name in ("eager.csv", "more.json"):
        assert (Path("files") / "PyTorch_eager" / name).read_bytes() == Path(name).read_bytes()
    count = sum(1 for folder in (before, after) for _ in folder.iterdir()) + 2
    assert f"{count} files, unchanged" in run("verify", "others.pdf").stdout
    run("compare", before, after, *options, "--redact", "names", "-o", "secret.pdf")
    run("extract", "secret.pdf", "-o", "hidden")
    assert not list(Path("hidden").rglob("eager.csv"))


def test_it_is_verified_and_damage_is_found(run, pdf_comparison):
    assert "unchanged" in run("verify", pdf_comparison).stdout
    data = pdf_comparison.read_bytes()
    # The times are the largest file, and those of the two engines differ.
    place = (
        max(re.finditer(rb"/EmbeddedFile.*?stream\n.*?endstream", data, re.DOTALL), key=_length).end() - 1000
    )
    Path("edited.pdf").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    assert "edited.pdf is a damaged report" in run("verify", "edited.pdf", code=3).stdout


@pytest.mark.parametrize("command", ["report", "summary", "lint"])
def test_it_is_no_capture_and_the_way_out_is_reported(run, pdf_comparison, command):
    result = run(command, pdf_comparison, code=3)
    assert "compare.pdf is a comparison" in result.stderr
    assert "trexreport extract compare.pdf" in result.stderr
    assert len(result.stderr.strip().split("\n")) == 1


def test_page_and_pdf_can_be_written_at_once_and_again(run, pdf_comparison, before, after):
    run("compare", before, after, "-o", "both.html", "-o", "both.pdf")
    assert Path("both.pdf").read_bytes() == pdf_comparison.read_bytes()
    run("compare", after, before, "-o", "both.pdf")
    assert Path("both.pdf").read_bytes() != pdf_comparison.read_bytes()


def test_reports_in_pdf_are_compared_as_their_captures_are(run, pdf_reports, pdf_comparison):
    run("compare", pdf_reports / "before.pdf", pdf_reports / "after.pdf", "-o", "compare.pdf")
    assert Path("compare.pdf").read_bytes() == pdf_comparison.read_bytes()


def test_what_is_redacted_is_not_carried(run, before, after):
    run("compare", before, after, "--redact", "names", "-o", "secret.pdf")
    run("extract", "secret.pdf", "-o", "files")
    found = [path for path in Path("files").rglob("*") if path.is_file()]
    assert found
    assert not any("resnet18" in path.as_posix() or b"resnet18" in path.read_bytes() for path in found)


def test_what_is_missing_is_reported_before_anything_is_read(run, monkeypatch):
    def missing():
        raise MissingToolError("PDF needs the libraries of Pango.", "apt install libpango-1.0-0")

    monkeypatch.setattr("trexreport.renderer.pdf.writer._weasyprint", missing)
    result = run("compare", "nowhere", "nothing", "-o", "x.pdf", code=4)
    assert "apt install libpango-1.0-0" in result.stderr
    assert not Path("x.pdf").exists()
