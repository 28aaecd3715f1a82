"""Making a site, and what is made again when something changes."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from site_captures import build, capture_files, files_of, options, write_capture, write_history

from trexreport.analyzer import GpuChoice
from trexreport.errors import InputError, OutputError
from trexreport.reader import read_engine
from trexreport.site.discovery import MANIFEST_NAME
from trexreport.site.jobs import make_page
from trexreport.site.workers import Processes, SerialWorkers


class Counting(SerialWorkers):
    """Notes what was done."""

    def __init__(self):
        self.done = []

    def run(self, function, tasks):
        for key, result in super().run(function, tasks):
            self.done.append(key if isinstance(key, str) else key.place)
            yield key, result


def test_an_engine_has_its_folder_beside_a_name_that_says_little(tmp_path):
    write_capture(tmp_path / "captures" / "alexnet-int8", name="model_0")
    write_capture(tmp_path / "captures", name="at_the_top", seed=3)
    write_capture(tmp_path / "captures" / "a100-resnet18-fp16", name="resnet18_fp16", seed=2)
    build(tmp_path / "captures", tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '<span class="muted">alexnet-int8</span>' in index
    assert '<span class="muted">a100-resnet18-fp16</span>' not in index


def pages(output, kind="engines"):
    return sorted(path.name for path in (output / kind).glob("*.html"))


@pytest.fixture
def captures(tmp_path):
    for each in ("a", "b", "c"):
        write_capture(tmp_path / "captures" / each, name=each, seed=ord(each))
    return tmp_path / "captures"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "site"


def test_each_engine_has_its_report(captures, output):
    site = build(captures, output)
    assert [entry.summary.name for entry in site.entries] == ["a", "b", "c"]
    assert len(pages(output)) == 3
    for entry in site.entries:
        page = output / entry.page
        assert page.stat().st_size == entry.page_bytes
        assert read_engine(page).name == entry.summary.name
        assert b'href="../index.html"' in page.read_bytes()
    assert sorted(path.name for path in output.iterdir()) == [
        "compare.html",
        "engines",
        "history",
        "index.html",
        MANIFEST_NAME,
    ]
    # All three are builds of one model.
    assert len(pages(output, "history")) == 1


def test_nothing_is_made_twice(captures, output):
    build(captures, output)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()}
    counting = Counting()
    site = build(captures, output, workers=counting)
    assert (counting.done, site.made, len(site.entries)) == ([], 0, 3)
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.is_file()} == before


def test_files_that_were_only_touched_are_not_made_again(captures, output):
    build(captures, output)
    for path in captures.rglob("*.json"):
        os.utime(path, ns=(1, 1))
    counting = Counting()
    build(captures, output, workers=counting)
    assert counting.done == []


def test_only_what_changed_is_made_again(captures, output):
    first = build(captures, output)
    write_capture(captures / "b", name="b", ms=3.0)
    write_capture(captures / "d", name="d")
    counting = Counting()
    second = build(captures, output, workers=counting)
    assert counting.done == ["captures/b/b.engine", "captures/d/d.engine"]
    addresses = {entry.place: entry.address for entry in second.entries}
    assert all(addresses[entry.place] == entry.address for entry in first.entries)
    again = output.with_name("again")
    build(captures, again)
    assert files_of(again) == files_of(output)


def test_a_page_that_is_gone_or_made_otherwise_is_made_again(captures, output):
    site = build(captures, output)
    (output / site.entries[1].page).unlink()
    counting = Counting()
    build(captures, output, workers=counting)
    assert counting.done == ["captures/b/b.engine"]
    counting = Counting()
    memory = json.loads((output / MANIFEST_NAME).read_text())
    memory["version"] = "0.0.1"
    (output / MANIFEST_NAME).write_text(json.dumps(memory, separators=(",", ":")))
    build(captures, output, workers=counting)
    assert len(counting.done) == 3


def test_pages_of_captures_that_are_gone_go(captures, output):
    site = build(captures, output)
    (output / "notes.txt").write_text("mine")
    shutil.rmtree(captures / "a")
    again = build(captures, output)
    assert again.removed == 1
    assert site.entries[0].page not in files_of(output)
    assert len(pages(output)) == 2
    assert (output / "notes.txt").read_text() == "mine"


def test_a_manifest_can_not_have_other_files_removed(captures, output, tmp_path):
    build(captures, output)
    victim = tmp_path / "victim.html"
    victim.write_text("mine")
    (output / "mine.txt").write_text("mine")
    memory = json.loads((output / MANIFEST_NAME).read_text())
    memory["content"]["pages"] += ["../victim.html", "mine.txt", "engines/../../victim.html"]
    (output / MANIFEST_NAME).write_text(json.dumps(memory, separators=(",", ":")))
    build(captures, output)
    assert victim.exists()
    assert (output / "mine.txt").exists()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b'{"generator":"trexreport","schema":"trexreport-site"',
        b'{"generator":"trexreport","schema":"trexreport-site","schema_version":1,"content":[]}',
        b'{"generator":"trexreport","schema":"trexreport-site","schema_version":9}',
    ],
)
def test_a_damaged_manifest_costs_only_time(captures, output, damage):
    build(captures, output)
    expected = files_of(output)
    (output / MANIFEST_NAME).write_bytes(damage)
    counting = Counting()
    build(captures, output, workers=counting, force=not damage)
    assert len(counting.done) == 3
    assert files_of(output) == expected


def test_two_captures_of_one_name_are_two(tmp_path, output):
    for each in ("x", "y"):
        write_capture(tmp_path / "captures" / each, seed=ord(each))
    site = build(tmp_path / "captures", output)
    assert len({entry.address for entry in site.entries}) == len(pages(output)) == 2
    assert {entry.summary.name for entry in site.entries} == {"net"}
    index = (output / "index.html").read_text()
    assert '<span class="muted">x</span>' in index
    assert '<span class="muted">y</span>' in index


def test_equal_captures_at_two_places_are_two_runs(tmp_path, output):
    for each in ("x", "y"):
        write_capture(tmp_path / "captures" / each)
    assert len(build(tmp_path / "captures", output).entries) == 2


def test_a_corrupt_capture_is_listed_and_stops_nothing(captures, output):
    (captures / "b" / "b.engine.graph.json").write_text('{"Layers": [')
    site = build(captures, output)
    assert [entry.summary.name for entry in site.entries] == ["a", "c"]
    (failure,) = site.failures
    assert failure.place == "captures/b/b.engine"
    assert "\n" not in failure.error
    index = (output / "index.html").read_text()
    assert "captures/b/b.engine" in index
    # Next time it may be well again.
    write_capture(captures / "b", name="b")
    assert build(captures, output).failures == []
    assert "captures/b/b.engine</td>" not in (output / "index.html").read_text()


def test_a_folder_that_can_not_be_read_is_listed_and_stops_nothing(captures, output, monkeypatch):
    scandir, refused = os.scandir, {str(captures / "b")}

    def refuse(path):
        if str(path) in refused:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    # A user who may read everything can't be refused otherwise.
    monkeypatch.setattr(os, "scandir", refuse)
    site = build(captures, output)
    assert [entry.summary.name for entry in site.entries] == ["a", "c"]
    assert [failure.place for failure in site.failures] == ["captures/b"]
    refused.add(str(captures))
    with pytest.raises(InputError, match="can't be read"):
        build(captures, output)


def test_a_job_that_raises_is_listed_and_stops_nothing(captures, output):
    class Failing(SerialWorkers):
        def run(self, function, tasks):
            for at, (key, result) in enumerate(super().run(function, tasks)):
                yield key, result if at else KeyError("x\ny")

    (failure,) = build(captures, output, workers=Failing()).failures
    assert failure.place == "captures/a/a.engine"
    assert "KeyError" in failure.error
    assert "\n" not in failure.error


def test_reports_are_captures_too(tmp_path, captures, output):
    first = build(captures, output)
    reports = tmp_path / "reports"
    reports.mkdir()
    shutil.copy(output / first.entries[0].page, reports / "report.html")
    (reports / "other.html").write_text("<html>no report</html>")
    (reports / "paper.pdf").write_bytes(b"%PDF-1.7 no report")
    site = build(reports, tmp_path / "second")
    assert [entry.summary.name for entry in site.entries] == ["a"]
    assert site.entries[0].kind == "report"
    assert site.failures == []
    assert build(reports, tmp_path / "second").made == 0


def test_a_report_beside_its_capture_is_not_listed_twice(captures, output):
    first = build(captures, output)
    shutil.copy(output / first.entries[0].page, captures / "a" / "report.html")
    for _ in range(2):
        site = build(captures, output)
        assert [entry.kind for entry in site.entries] == ["capture"] * 3
    for path in (captures / "a").glob("*.json"):
        path.unlink()
    site = build(captures, output)
    assert [entry.place for entry in site.entries if entry.kind == "report"] == ["captures/a/report.html"]


def test_a_damaged_report_fails_and_a_page_that_is_none_is_passed_over(tmp_path, captures, output):
    first = build(captures, output)
    page = (output / first.entries[0].page).read_bytes()
    cut = page.index(b'<script type="application/xz;base64"')
    (captures / "damaged.html").write_bytes(page[:cut])
    site = build(captures, output)
    assert [failure.place for failure in site.failures] == ["captures/damaged.html"]


def test_a_folder_of_another_program_is_left_alone(captures, output):
    output.mkdir()
    (output / "index.html").write_text("mine")
    with pytest.raises(OutputError, match="not empty"):
        build(captures, output)
    assert (output / "index.html").read_text() == "mine"
    build(captures, output, force=True)
    assert (output / "index.html").read_text() != "mine"
    build(captures, output)


def test_an_empty_folder_is_taken(captures, output):
    output.mkdir()
    assert len(build(captures, output).entries) == 3


def test_a_file_is_no_folder(captures, output):
    output.write_text("")
    with pytest.raises(OutputError, match="is a file"):
        build(captures, output)


def test_links_do_not_lead_out_of_the_site(captures, output, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    output.mkdir()
    (output / "engines").symlink_to(outside)
    with pytest.raises(OutputError, match="is a link to another folder"):
        build(captures, output, force=True)
    assert list(outside.iterdir()) == []


def test_no_capture_at_all_is_an_error(tmp_path, output):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no capture below empty"):
        build(tmp_path / "empty", output)
    assert not output.exists()


def test_a_site_of_captures_that_went_is_left_alone(captures, output):
    build(captures, output)
    before = files_of(output)
    shutil.rmtree(captures)
    captures.mkdir()
    with pytest.raises(InputError):
        build(captures, output)
    assert files_of(output) == before


class Interrupted(SerialWorkers):
    """Does this many jobs, and is interrupted in the next."""

    def __init__(self, jobs):
        self.jobs = jobs

    def run(self, function, tasks):
        for at, outcome in enumerate(super().run(function, tasks)):
            if at == self.jobs:
                raise KeyboardInterrupt
            yield outcome


def test_captures_that_share_a_place_are_both_in_the_site(tmp_path, output):
    folder = write_capture(tmp_path / "captures", name="a")
    (folder / "net").mkdir()
    for name, content in capture_files(name="net").items():
        (folder / name.replace(".engine", "")).write_bytes(content)
    # Its name follows no convention, so that it is a capture by what is in it.
    (folder / "net" / "layers.json").write_bytes(
        capture_files()["net.engine.graph.json"].replace(b"conv", b"unlike")
    )
    site = build(tmp_path / "captures", output)
    assert [entry.place for entry in site.entries] == [
        "captures/a.engine",
        "captures/net",
        "captures/net 2",
    ]
    assert len(pages(output)) == 3
    assert build(tmp_path / "captures", output).made == 0


def test_what_was_made_before_an_interruption_is_not_made_again(captures, output):
    with pytest.raises(KeyboardInterrupt):
        build(captures, output, workers=Interrupted(2))
    counting = Counting()
    build(captures, output, workers=counting)
    assert counting.done == ["captures/c/c.engine"]


def test_what_an_interruption_did_not_come_to_is_not_made_again(captures, output):
    write_history(captures / "z", [1.0, 1.0, 1.2, 1.2], name="run", model="run.onnx")
    build(captures, output)
    before = files_of(output)
    write_capture(captures / "a", name="a", seed=9)
    with pytest.raises(KeyboardInterrupt):
        build(captures, output, workers=Interrupted(0))
    assert files_of(output) == before
    counting = Counting()
    build(captures, output, workers=counting)
    assert counting.done == ["captures/a/a.engine"]


def test_what_an_interruption_did_not_come_to_is_made_again_with_other_options(captures, output):
    build(captures, output)
    write_capture(captures / "a", name="a", seed=9)
    with pytest.raises(KeyboardInterrupt):
        build(captures, output, workers=Interrupted(1), gpu=GpuChoice("NVIDIA L4"))
    counting = Counting()
    build(captures, output, workers=counting, gpu=GpuChoice("NVIDIA L4"))
    assert counting.done == ["captures/b/b.engine", "captures/c/c.engine"]


def test_a_site_whose_making_was_killed_is_made_to_its_end(captures, output, monkeypatch):
    monkeypatch.setattr("trexreport.site.published.Published.finish", lambda *_, **__: None)
    build(captures, output)
    monkeypatch.undo()
    site = build(captures, output)
    assert (site.made, len(site.entries)) == (3, 3)


def test_the_site_does_not_depend_on_who_makes_it(captures, output, tmp_path):
    write_history(captures / "runs", [1.0, 1.0, 1.2, 1.2], name="run", model="run.onnx")
    build(captures, output)
    pool = Processes(2)
    try:
        other = build(captures, tmp_path / "other", workers=pool)
    finally:
        pool.close()
    assert other.made == 8  # seven engines, a comparison of the step
    assert files_of(tmp_path / "other") == files_of(output)


def test_the_site_inside_of_the_captures_is_not_a_capture(captures):
    for _ in range(2):
        site = build(captures, captures / "site")
        assert len(site.entries) == 3


def test_progress_is_reported(captures, output):
    reported = []
    build(captures, output, progress=lambda *each: reported.append(each))
    assert reported == [
        (1, 3, "captures/a/a.engine"),
        (2, 3, "captures/b/b.engine"),
        (3, 3, "captures/c/c.engine"),
    ]


def test_hostile_names_are_texts_everywhere(tmp_path, output):
    evil = "</script><img src=x onerror=alert(1)>\u202e\x1b[31m"
    write_capture(tmp_path / "captures", name="net", model=evil, gpu=evil, precision=evil)
    write_capture(tmp_path / "captures" / "x", name="net", model=evil, gpu=evil, precision=evil, seed=1)
    build(tmp_path / "captures", output)
    # The pages of engines are those of reports, which have tests of their own.
    written = {name: data for name, data in files_of(output).items() if not name.startswith("engines/")}
    assert {"index.html", "compare.html"} < set(written)
    for name, data in written.items():
        assert b"<img" not in data, name
        assert "\u202e".encode() not in data, name
        assert b"\x1b" not in data, name


def test_a_job_returns_the_error_of_a_capture():
    from trexreport.model import Source
    from trexreport.reader.capture import Capture

    made = make_page(Capture("x", (Source("graph", "x.graph.json", b"[]"),)), "x", options().page)
    assert made.summary is None
    assert made.error
    good = capture_files()["net.engine.graph.json"]
    made = make_page(Capture("x", (Source("graph", "x.graph.json", good),)), "x", options().page)
    assert made.error == ""
    assert made.summary.name == "x"


def test_a_comparison_among_the_captures_is_passed_over(tmp_path):
    pytest.importorskip("weasyprint")
    from click.testing import CliRunner

    from trexreport.cli import main

    top = tmp_path / "captures"
    for name in ("one", "two"):
        write_capture(top / name)
    pages = [argument for kind in ("pdf", "html") for argument in ("-o", str(top / f"compare.{kind}"))]
    done = CliRunner().invoke(main, ["compare", str(top / "one"), str(top / "two"), *pages])
    assert done.exit_code == 0, done.output
    site = build(top, tmp_path / "site")
    assert not site.failures
    assert len(site.entries) == 2
