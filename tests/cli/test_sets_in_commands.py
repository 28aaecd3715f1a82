"""`archive`, `extract`, `export`, `draw`, `mail` and `compare` of several phases."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import zipfile
from pathlib import Path

import pytest
from sets_of_phases import write_set

from trexreport.archive import verify
from trexreport.reader.archive_file import list_hash
from trexreport.reader.marks import ARCHIVE_LIST

COUNTS = {"prefill": 1, "decode": 128}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_set(tmp_path_factory.mktemp("set") / "asr", {"prefill": 1.0, "decode": 0.9}, COUNTS)


@pytest.fixture
def archived(run, folder, tmp_path):
    run("archive", folder, "-o", "asr.trexa", "--charts", "static")
    return tmp_path / "asr.trexa"


def document(run, *arguments):
    return json.loads(run("report", *arguments, "--format", "json", "-o", "-").stdout)


def test_an_archive_of_a_set_is_the_set(run, folder, archived, tmp_path):
    assert verify(archived).faults == ()
    assert document(run, archived) == document(run, folder)
    run("archive", archived, "-o", "again.trexa", "--charts", "static")
    assert (tmp_path / "again.trexa").read_bytes() == archived.read_bytes()
    run("extract", archived, "-o", "out")
    listed = json.loads(Path("out/trexreport-phases.json").read_text())
    assert [(each["name"], each["times"]) for each in listed["phases"]] == [("prefill", 1), ("decode", 128)]
    for at, name in enumerate(COUNTS):
        for file in (folder / f"phase-{at}").iterdir():
            assert (Path("out") / name / file.name).read_bytes() == file.read_bytes()
    assert document(run, "out")["together"] == document(run, folder)["together"]


def test_a_page_of_a_set_is_extracted_as_a_set(run, folder):
    run("report", folder, "-o", "asr.html", "--charts", "static")
    run("extract", "asr.html", "-o", "out")
    assert sorted(each.name for each in Path("out").iterdir()) == [
        "decode",
        "prefill",
        "trexreport-phases.json",
    ]
    assert document(run, "out")["together"] == document(run, folder)["together"]


def test_phases_of_equal_files_are_archived(run, tmp_path):
    names = ["a/b", "a_b", "../x", "CON", "trexreport-phases.json"]
    folder = write_set(tmp_path / "odd", dict.fromkeys(names, 1.0))
    for at in range(1, len(names)):
        for file in (folder / f"phase-{at}").iterdir():
            file.rename(file.with_name(file.name.replace(f"engine-{at}", "engine-0")))
    run("archive", folder, "-o", "odd.trexa", "--no-report")
    phases = document(run, "odd.trexa")["together"]["phases"]
    assert [each["name"] for each in phases] == names
    run("extract", "odd.trexa", "-o", "out")
    assert not (tmp_path / "x").exists()
    assert [each["name"] for each in document(run, "out")["together"]["phases"]] == names


def edited(archive, change):
    """Write an archive again with another list."""
    with zipfile.ZipFile(archive) as old:
        files = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(files[ARCHIVE_LIST])
    change(manifest)
    manifest["sha256"] = list_hash(manifest)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in {**files, ARCHIVE_LIST: json.dumps(manifest).encode()}.items():
            new.writestr(name, data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda listed: listed["files"][0].update(phase=7), "belongs to no phase"),
        (lambda listed: listed["files"][0].pop("phase"), "belongs to no phase"),
        (lambda listed: listed["files"][0].update(name="../evil"), "is refused"),
        (lambda listed: listed["files"][0].update(name=""), "is refused"),
        (lambda listed: listed["phases"].append({"name": "x"}), "no files of the phase x"),
        (lambda listed: listed["phases"][0].update(name="decode"), "two phases 'decode'"),
        (lambda listed: listed["phases"][0].update(times=-1), "not a whole number"),
        (lambda listed: listed.update(schema_version=3), "newer trexreport"),
    ],
)
def test_a_list_of_phases_that_no_archive_has(run, archived, tmp_path, change, message):
    edited(archived, change)
    assert message in run("summary", archived, code=3).stderr


def test_two_files_for_one_place_are_not_extracted(run, archived, tmp_path):
    edited(archived, lambda listed: listed["files"][0].update(name=listed["files"][1]["name"].upper()))
    assert "two of its files would go to one place" in run("extract", archived, "-o", "out", code=3).stderr
    assert not (tmp_path / "out").exists()


def test_an_engine_is_kept_of_one_phase_only(run, folder, tmp_path):
    (tmp_path / "x.engine").write_bytes(b"plan")
    reported = run("archive", folder, "-o", "x.trexa", "--engine", "x.engine", code=2).stderr
    assert "--engine keeps one engine" in reported
    run("archive", folder, "--phase", "decode", "-o", "x.trexa", "--engine", "x.engine", "--no-report")
    assert document(run, "x.trexa")["identity"]["name"] == "engine-1"


def test_tables_have_a_column_for_the_phase(run, folder):
    rows = list(csv.DictReader(io.StringIO(run("export", folder, "-o", "-").stdout)))
    assert [row["phase"] for row in rows] == ["prefill", "prefill", "decode", "decode"]
    run("export", folder, "-o", "x.json")
    written = json.loads(Path("x.json").read_text())
    assert written["engine"] == "asr"
    assert [row["phase"] for row in written["rows"]] == [row["phase"] for row in rows]
    run("export", folder, "--phase", "decode", "-o", "one.json")
    assert "phase" not in json.loads(Path("one.json").read_text())["rows"][0]
    assert "prefill: The table of nodes needs" in run("export", folder, "--table", "nodes", code=2).stderr


def test_every_sheet_of_a_workbook_has_the_phase(run, folder):
    openpyxl = pytest.importorskip("openpyxl")
    run("export", folder, "-o", "x.xlsx")
    book = openpyxl.load_workbook("x.xlsx")
    names = {sheet.title: [row[0].value for row in sheet.iter_rows()] for sheet in book}
    assert list(names) == ["layers", "by type", "by precision", "bindings"]
    assert names["layers"] == ["phase", "prefill", "prefill", "decode", "decode"]
    assert all({"prefill", "decode"} < set(column) for column in names.values())


@pytest.mark.parametrize(
    "command", [("draw", "-o", "x.svg"), ("export", "-o", "trace.json"), ("export", "-o", "x.node-data.json")]
)
def test_what_is_of_one_engine_asks_for_the_phase(run, folder, command):
    name, *options = command
    reported = run(name, folder, *options, code=2).stderr
    assert "the phases prefill, decode. Choose one with --phase NAME." in reported


def test_one_phase_is_drawn(run, folder):
    run("draw", folder, "--phase", "decode", "-o", "decode.svg")
    run("draw", folder / "phase-1", "-o", "alone.svg")
    assert Path("decode.svg").read_bytes() == Path("alone.svg").read_bytes()


def mailed(run, *arguments):
    run("mail", *arguments, "--to", "a@example.com", "--from", "b@example.com", "--eml", "x.eml", "--force")
    return email.message_from_bytes(Path("x.eml").read_bytes(), policy=email.policy.default)


def test_a_mail_is_about_all_phases(run, folder):
    message = mailed(run, folder, "--attach", "md,html")
    assert message["Subject"].replace("\xa0", " ").startswith("TensorRT engines asr: 1")
    text = message.get_body(("plain",)).get_content()
    assert "prefill" in text
    assert "decode" in text
    assert [each.get_filename() for each in message.iter_attachments()] == [
        "asr.report.md",
        "asr.report.html",
    ]


def test_a_mail_compares_sets(run, folder, tmp_path):
    old = write_set(tmp_path / "old", {"prefill": 1.0, "decode": 0.8})
    message = mailed(run, old, folder, "--attach", "md")
    assert message["Subject"].startswith("asr vs. old: +1")
    assert "decode" in message.get_body(("plain",)).get_content()
    assert (
        "of one set"
        in run(
            "mail",
            old,
            folder,
            "--phase",
            "decode",
            "--to",
            "a@b.c",
            "--from",
            "a@b.c",
            "--eml",
            "y.eml",
            code=2,
        ).stderr
    )


@pytest.mark.slow
def test_compared_sets_are_one_pdf(run, pdf_pair, folder, tmp_path):
    del pdf_pair  # It skips where there is no WeasyPrint.
    old = write_set(tmp_path / "old", {"prefill": 1.0, "decode": 0.8})
    run("compare", old, folder, "-o", "x.pdf")
    first = Path("x.pdf").read_bytes()
    assert first.startswith(b"%PDF-1.7")
    run("compare", old, folder, "-o", "x.pdf")
    assert Path("x.pdf").read_bytes() == first
    run("extract", "x.pdf", "-o", "out")
    names = sorted(each.name for each in Path("out").iterdir())
    assert names == ["asr-decode", "asr-prefill", "old-decode", "old-prefill"]
