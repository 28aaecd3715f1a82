"""`trexreport compare`: verdict, waterfalls, kinds of files, and what can't be compared."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture
def pair(tmp_path):
    for name in ("before", "after"):
        shutil.copytree(SAMPLES / f"resnet18-int8-{name}", tmp_path / name)
    return [str(tmp_path / name) for name in ("before", "after")]


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["compare", *arguments])
    assert result.exit_code == code, result.output
    return result


def test_the_verdict_comes_first_and_the_steps_add_up(pair):
    text = run(*pair).stdout
    lines = [line for line in text.splitlines() if line and not line.startswith("<!--")]
    assert lines[0].startswith("## ")
    assert lines[2] == "**Verdict: faster (provisional), −27.6% in GPU compute time.**"
    assert lines[3] == "These captures are synthetic: they were not measured on a GPU."
    assert "| reformats removed |" in text


def test_json_holds_all_and_sums(pair, tmp_path):
    target = tmp_path / "compare.json"
    run(*pair, "-o", str(target))
    document = json.loads(target.read_text())
    assert document["engines"][0]["verdict"] is None
    assert document["engines"][1]["verdict"]["verdict"] == "faster"
    waterfalls = document["engines"][1]["waterfalls"]
    assert len(waterfalls) == 4
    for waterfall in waterfalls:
        steps = math.fsum(step["difference_ms"] for step in waterfall["steps"])
        assert steps == pytest.approx(waterfall["candidate_ms"] - waterfall["baseline_ms"], abs=1e-9)


def test_several_outputs_are_written_at_once(pair, tmp_path):
    targets = [tmp_path / f"compare.{ending}" for ending in ("html", "md", "json")]
    result = run(*pair, *(part for target in targets for part in ("-o", str(target))))
    assert [line.split(" (")[0] for line in result.stderr.splitlines()[:3]] == [f"Wrote {t}" for t in targets]
    for target in targets:
        alone = target.with_stem("alone")
        run(*pair, "-o", str(alone))
        assert alone.read_bytes() == target.read_bytes()


def test_the_baseline_can_be_another(pair):
    mirrored = json.loads(run(*pair, "--format", "json", "--baseline", "2").stdout)
    assert mirrored["baseline"] == 1
    assert mirrored["engines"][0]["verdict"]["verdict"] == "slower"
    by_path = run(*pair, "--format", "json", "--baseline", pair[1]).stdout
    assert json.loads(by_path) == mirrored


def test_an_engine_is_the_same_as_itself(pair):
    document = json.loads(run(pair[0], pair[0], "--format", "json").stdout)
    assert document["engines"][1]["verdict"]["verdict"] == "no-change"
    assert {row["sides"][1]["status"] for row in document["rows"]} <= {"within noise", "unknown"}


def test_a_larger_minimum_makes_a_difference_count_less(pair):
    document = json.loads(run(*pair, "--format", "json", "--minimum-effect", "900").stdout)
    assert document["engines"][1]["verdict"]["verdict"] in ("no-change", "inconclusive")


def test_names_are_text_and_nothing_else(pair, tmp_path):
    layers = json.loads((tmp_path / "after" / "resnet18-int8-after.engine.graph.json").read_text())
    layers["Layers"][3]["Name"] = "<script>alert(1)</script>|`x`\n# heading"
    (tmp_path / "after" / "resnet18-int8-after.engine.graph.json").write_text(json.dumps(layers))
    text = run(*pair).stdout
    assert "<script>" not in text
    assert "\n# heading" not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "There is nothing to compare."),
        (("one",), "There is nothing to compare."),
        (("PAIR", "--baseline", "3"), "--baseline: '3' is not one of the compared captures."),
        (("PAIR", "--baseline", "0"), "--baseline: '0' is not one of the compared captures."),
        (("PAIR", "--focus", "3"), "--focus: '3' is not one of the compared captures."),
        (("PAIR", "--focus", "1"), "--focus: '1' is the baseline."),
        (("PAIR", "--baseline", "2", "--focus", "2"), "--focus: '2' is the baseline."),
        (("PAIR", "-o", "one.md", "-o", "./one.md"), "An output is named twice."),
        (("PAIR", "-o", "one.md", "-o", "one.html", "--format", "md"), "--format applies to one output"),
        (("PAIR", "-o", "compare.txt"), "Known endings: .html, .pdf, .md, .json, .xlsx."),
    ],
)
def test_what_can_not_be_compared_is_stated_in_a_line(pair, arguments, says):
    given = [part for each in arguments for part in (pair if each == "PAIR" else [each])]
    result = run(*given, code=2)
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_capture_is_bad_input(pair):
    assert "nowhere" in run(pair[0], "nowhere", code=3).stderr


def test_no_input_is_overwritten(pair):
    graph = f"{pair[0]}/resnet18-int8-before.engine.graph.json"
    before = Path(graph).read_bytes()
    assert (
        "is one of the input files"
        in run(graph, pair[1], "-o", graph, "--format", "md", "--force", code=2).stderr
    )
    assert Path(graph).read_bytes() == before


def test_the_library_compares_what_it_loads(pair):
    import trexreport

    comparison = trexreport.compare([trexreport.load(path) for path in pair])
    assert comparison.engines[1].verdict.verdict == "faster"


def test_obstacles_are_stated_with_the_verdict(pair):
    for kind in ("build", "profile"):
        file = Path(pair[1]) / f"resnet18-int8-after.engine.{kind}.metadata.json"
        file.write_text(file.read_text().replace("NVIDIA A100", "NVIDIA H100"))
    assert "Different test conditions: GPU" in run(*pair).stdout


def test_a_workbook_is_written_and_replaced(pair, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    target = tmp_path / "compare.xlsx"
    run(*pair, "-o", str(target))
    first = target.read_bytes()
    assert openpyxl.load_workbook(target).sheetnames[:2] == ["engines", "waterfalls"]
    # Its own file, so without --force.
    run(*pair, "-o", str(target))
    assert target.read_bytes() == first


def test_a_workbook_is_not_of_phases(pair, tmp_path):
    folders = []
    for path in map(Path, pair):
        listed = {"phases": [{"name": "decode", "path": "."}], "schema_version": 1}
        text = json.dumps({"schema": "trexreport-phases", **listed})
        (path / "trexreport-phases.json").write_text(text)
        folders.append(str(path))
    result = run(*folders, "-o", str(tmp_path / "x.xlsx"), code=2)
    assert "A workbook compares engines, not folders with phases." in result.stderr


def test_a_terminal_gets_a_text_and_a_pipe_gets_markdown(pair, monkeypatch):
    piped = run(*pair).stdout
    # The runner of the tests replaces the stream.
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    printed = run(*pair).stdout
    assert "**Verdict: faster" in piped
    assert "Verdict: faster (provisional), −27.6% in GPU compute time." in printed
    assert [mark for mark in ("**", "| ", "<!--", "## ") if mark in printed] == []
    assert run(*pair, "--format", "md").stdout == piped
