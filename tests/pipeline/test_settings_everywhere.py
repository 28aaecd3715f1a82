"""A configuration applies to every command and every output: the same GPU, thresholds and suppressions."""

from __future__ import annotations

import base64
import csv
import email
import gzip
import importlib
import io
import json
import re
import shutil
import zipfile
from email import policy
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.analyzer import GpuChoice, analyze
from trexreport.analyzer.rules import LintSettings, Suppression
from trexreport.analyzer.rules.registry import all_rules
from trexreport.assistant.answers import Answers
from trexreport.assistant.places import Places
from trexreport.cli import main
from trexreport.pipeline import settings as pipeline_settings
from trexreport.reader import read_engine

SAMPLES = Path(__file__).parents[2] / "samples"
BEFORE, AFTER = SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after"
CONFIGURATION = """
gpu = "Lab board"
[gpus."Lab board"]
compute_capability = "8.0"
sms = 54
boost_ghz = 1.2
bandwidth_gbs = 700.0
[lint.thresholds.TRX206]
share-percent = 99
[lint.severity]
TRX303 = "error"
[[lint.suppress]]
rule = "TRX302"
reason = "accepted"
[budget]
compute-ms = 100
"""
OWN_GPU = {
    "name": "Lab board", "compute_capability": "8.0", "sms": 54, "boost_ghz": 1.2, "bandwidth_gbs": 700.0,
}  # fmt: skip
#: Commands that analyze nothing.
WITHOUT_ANALYSIS = {"rules", "explain", "extract", "verify", "collect", "doctor"}
MAIL = ("mail", BEFORE, "--to", "a@example.com", "--from", "b@example.com")
RUNS = {
    "report-html": ("report", BEFORE, "-o", "x.html", "--charts", "static"),
    "report-json": ("report", BEFORE, "-o", "x.json"),
    "report-md": ("report", BEFORE, "-o", "x.md"),
    "report-pdf": ("report", BEFORE, "-o", "x.pdf"),
    "summary": ("summary", BEFORE),
    "summary-json": ("summary", BEFORE, "--json"),
    "mcp": ("mcp", "captures"),
    "lint": ("lint", BEFORE, "--format", "json", "-o", "lint.json"),
    "check": ("check", BEFORE, "--baseline", AFTER, "-o", "check.json"),
    "check-suggest": ("check", BEFORE, "--suggest"),
    "compare-json": ("compare", AFTER, BEFORE, "-o", "compare.json"),
    "compare-md": ("compare", AFTER, BEFORE),
    "compare-html": ("compare", AFTER, BEFORE, "-o", "compare.html"),
    "export-csv": ("export", BEFORE, "-o", "x.csv"),
    "export-json": ("export", BEFORE, "-o", "x.json"),
    "export-xlsx": ("export", BEFORE, "-o", "x.xlsx"),
    "draw": ("draw", BEFORE, "-o", "x.dot", "--color-by", "findings"),
    "archive": ("archive", BEFORE, "-o", "x.trexa", "--charts", "static"),
    "mail": (*MAIL, "--attach", "json,html", "--eml", "x.eml"),
    "mail-comparison": (*MAIL[:2], AFTER, *MAIL[2:], "--attach", "json", "--eml", "x.eml"),
    "site": ("site", "captures", "-o", "site", "--jobs", "1"),
    "demo": ("demo", "-o", "x.html"),
    "run": ("run", "resnet18-int8-before.engine", "-o", "x.json"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder with the configuration, in which captures are made by copying a sample."""
    monkeypatch.chdir(tmp_path)
    Path("trexreport.toml").write_text(CONFIGURATION)
    Path("captures").mkdir()
    shutil.copytree(BEFORE, "captures/before")
    Path("resnet18-int8-before.engine").write_bytes(b"")
    module = importlib.import_module("trexreport.cli.run")
    monkeypatch.setattr(
        module, "make_capture", lambda _request, _source, folder, **_: shutil.copytree(BEFORE, folder)
    )
    server = importlib.import_module("trexreport.assistant.server")
    monkeypatch.setattr(server, "serve", _answer)
    return tmp_path


def _answer(folders, settings):
    Answers(Places(folders), settings).summary("captures/before", 900)


@pytest.fixture
def analyses(monkeypatch):
    """How each analysis was made, and what came of it."""
    made = []

    def recorded(engine, **options):
        made.append((options, analyze(engine, **options)))
        return made[-1][1]

    monkeypatch.setattr(pipeline_settings, "analyze", recorded)
    return made


@pytest.fixture(scope="module")
def expected():
    """The analysis by the configuration's values, without any file."""
    lint = LintSettings(
        thresholds={"TRX206": {"share_percent": 99}},
        severities={"TRX303": "error"},
        suppressions=(Suppression("TRX302", "accepted"),),
    )
    gpu = GpuChoice("Lab board", {"gpu": [OWN_GPU]})
    return analyze(read_engine(BEFORE), settings=lint, registry=all_rules(), gpu=gpu)


def invoke(*arguments):
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code in {0, 1}, result.output
    return result


def findings(analysis):
    return {(each.code, each.severity) for each in analysis.lint.findings}


def headrooms(analysis):
    return {each.name: each.roof.headroom_ms for each in analysis.layers if each.roof is not None}


def test_every_command_is_tried():
    assert {arguments[0] for arguments in RUNS.values()} | WITHOUT_ANALYSIS == set(main.commands)


def test_the_configuration_changes_every_kind_of_fact(expected):
    plain = analyze(read_engine(BEFORE))
    assert findings(plain) - findings(expected) >= {("TRX302", "warning"), ("TRX206", "info")}
    assert ("TRX303", "error") in findings(expected) - findings(plain)
    assert headrooms(plain) != headrooms(expected)
    assert any(headrooms(expected).values())


@pytest.mark.parametrize("name", RUNS)
def test_every_analysis_is_made_with_the_configuration(name, place, analyses, expected):
    if name == "report-pdf":
        pytest.importorskip("weasyprint")
    invoke(*RUNS[name])
    assert analyses
    for options, analysis in analyses:
        assert options["gpu"].name == analysis.roofline.gpu.name == "Lab board"
        assert options["settings"].severities == {"TRX303": "error"}
        assert options["settings"].thresholds == {"TRX206": {"share_percent": 99}}
        assert [each.rule for each in options["settings"].suppressions] == ["TRX302"]
    of_before = [analysis for _, analysis in analyses if analysis.identity.name == expected.identity.name]
    assert of_before
    for analysis in of_before:
        assert findings(analysis) == findings(expected)
        assert headrooms(analysis) == headrooms(expected)


def of_report(text):
    document = json.loads(text)
    return (
        {(each["code"], each["severity"]) for each in document["lint"]["findings"]},
        {each["name"]: each["roof"]["headroom_ms"] for each in document["layers"] if each["roof"]},
    )


def of_page(data):
    (packed,) = re.findall(rb'<script[^>]* id="trexreport-data"[^>]*>([^<]*)</script>', data)
    layers = json.loads(gzip.decompress(base64.b64decode(packed)))["layers"]
    columns = {}
    for key, values, *at in layers["columns"]:
        columns[key] = [values[number] for number in at[0]] if at else values
    names, bounds, headroom = (columns[key] for key in ("name", "bound", "headroom_ms"))
    known = zip(names, bounds, headroom, strict=True)
    return {name: ms for name, bound, ms in known if bound is not None}


def attached(kind):
    message = email.message_from_bytes(Path("x.eml").read_bytes(), policy=policy.default)
    (content,) = (
        each.get_content() for each in message.iter_attachments() if each.get_filename().endswith(kind)
    )
    return content


def of_table(rows):
    return {
        row["name"]: None if row["headroom_ms"] in {"", None} else float(row["headroom_ms"]) for row in rows
    }


def test_reports_carry_the_same_findings_and_figures(place, expected):
    invoke(*RUNS["report-json"])
    assert of_report(Path("x.json").read_text()) == (findings(expected), headrooms(expected))
    invoke(*RUNS["run"])
    assert of_report(Path("x.json").read_text()) == (findings(expected), headrooms(expected))
    invoke(*RUNS["mail"])
    assert of_report(attached(".json")) == (findings(expected), headrooms(expected))


def test_pages_carry_the_same_figures(place, expected):
    known = {
        name: None if ms is None else pytest.approx(ms, rel=1e-5) for name, ms in headrooms(expected).items()
    }
    invoke(*RUNS["report-html"])
    assert of_page(Path("x.html").read_bytes()) == known
    invoke(*RUNS["demo"])
    assert of_page(Path("x.html").read_bytes()) == known
    invoke(*RUNS["archive"])
    with zipfile.ZipFile("x.trexa") as archive:
        (report,) = (name for name in archive.namelist() if name.endswith(".html"))
        assert of_page(archive.read(report)) == known
    invoke(*RUNS["mail"])
    assert of_page(attached(".html").encode()) == known
    invoke(*RUNS["site"])
    (page,) = Path("site/engines").glob("*.html")
    assert of_page(page.read_bytes()) == known


def test_tables_carry_the_same_figures(place, expected):
    known = headrooms(expected)
    invoke(*RUNS["export-csv"])
    of_csv = of_table(csv.DictReader(io.StringIO(Path("x.csv").read_text())))
    assert {name: of_csv[name] for name in known} == known
    invoke(*RUNS["export-json"])
    of_json = of_table(json.loads(Path("x.json").read_text())["rows"])
    assert {name: of_json[name] for name in known} == known


def test_lists_of_findings_are_the_same(place, expected):
    invoke(*RUNS["lint"])
    document = json.loads(Path("lint.json").read_text())
    assert {(each["code"], each["severity"]) for each in document["findings"]} == findings(expected)
    summary = json.loads(invoke(*RUNS["summary-json"]).stdout)
    assert {(each["code"], each["severity"]) for each in summary["lint"]["findings"]} == findings(expected)
    invoke(*RUNS["compare-json"])
    text = Path("compare.json").read_text()
    assert "TRX302" not in text
    assert "TRX302" in invoke("compare", AFTER, BEFORE, "--format", "json", "--isolated").stdout
