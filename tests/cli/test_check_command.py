"""`trexreport check`: exit codes, where the budget is, outputs, the baseline, the summary of a step."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
BEFORE, AFTER = (SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after"))
KEPT, BROKEN = "[budget]\nlatency-p99-ms = 0.6\n", "[budget]\nlatency-p99-ms = 0.5\n"


def budget(text, name="trexreport.toml"):
    Path(name).write_text(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (KEPT, 0),
        (BROKEN, 1),
        ('[budget]\nlatency-p99-ms = { max = 0.5, level = "warn" }', 0),
        ('[budget]\nlatency-p99-ms = { max = 0.5, level = "off" }', 0),
        ('[budget]\nlevel = "warn"\nlatency-p99-ms = 0.5', 0),
        ("[budget]\nengine-size-mib = 10", 0),
        ('[budget]\nunknown = "error"\nengine-size-mib = 10', 1),
        ('[budget]\nengine-size-mib = { max = 10, unknown = "off" }', 0),
        ("[budget.regression]\ntime-percent = 2", 0),
        ('[budget.regression]\nunknown = "error"\ntime-percent = 2', 1),
    ],
)
def test_the_exit_code_says_whether_the_budget_is_kept(run, text, code):
    budget(text)
    last = run("check", AFTER, code=code).stdout.splitlines()[-1]
    assert last.startswith(f"Budget check {'failed' if code else 'passed'}: ")


def test_a_slower_engine_than_the_baseline_breaks_the_budget(run):
    budget("[budget.regression]\ntime-percent = 2\nreformats = 0")
    reported = run("check", BEFORE, "--baseline", AFTER, code=1).stdout
    assert reported.splitlines()[1] == "Baseline: resnet18-int8-after · NVIDIA A100 80GB PCIe"
    assert "+38.1%" in reported
    run("check", AFTER, "--baseline", BEFORE)


def test_a_missing_baseline_is_stated_and_does_not_pass_in_silence(run):
    budget("[budget.regression]\ntime-percent = 2")
    assert "There is no baseline; --baseline names one." in run("check", AFTER).stdout


def test_further_runs_are_part_of_the_figures_and_of_the_verdict(run):
    """What one run each calls slower is less sure once runs are known to differ by more than that."""
    budget("[budget]\nlatency-ms = 100\n[budget.regression]\ntime-percent = 2")
    for factor in (0.85, 1.2):
        # The file of times alone: the metadata of the first run state its median.
        Path(f"run-{factor}").mkdir()
        queries = json.loads((BEFORE / "resnet18-int8-before.engine.timing.json").read_text())
        path = Path(f"run-{factor}", "resnet18-int8-before.engine.timing.json")
        path.write_text(json.dumps([{key: ms * factor for key, ms in each.items()} for each in queries]))
    others = ("--runs", "run-0.85", "--runs", "run-1.2")
    one = json.loads(run("check", BEFORE, "--baseline", AFTER, "--format", "json", code=1).stdout)
    several = json.loads(run("check", BEFORE, "--baseline", AFTER, *others, "--format", "json").stdout)
    assert [each["state"] for each in one["outcomes"]] == ["held", "broken"]
    assert [each["state"] for each in several["outcomes"]] == ["held", "unknown"]


def test_runs_of_no_baseline(run):
    budget(KEPT)
    stated = run("check", AFTER, "--baseline-runs", BEFORE, code=2).stderr
    assert "--baseline-runs needs a baseline." in stated


def test_an_earlier_report_is_an_engine_and_a_baseline(run):
    budget("[budget.regression]\ntime-percent = 2\n[budget]\nlayers = 25")
    run("report", BEFORE, "-o", "old.html", "--charts", "static")
    run("report", AFTER, "-o", "new.html", "--charts", "static")
    run("check", "new.html", "--baseline", "old.html")
    run("check", "old.html", "--baseline", "new.html", code=1)


def test_the_budget_is_in_the_nearest_configuration(run, tmp_path, monkeypatch):
    budget(BROKEN)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    run("check", AFTER, code=1)
    budget("[tool.trexreport.budget]\nlatency-p99-ms = 0.6", "pyproject.toml")
    run("check", AFTER)
    run("check", AFTER, "--config", "../../trexreport.toml", code=1)
    run("check", AFTER, "--budget", "../../trexreport.toml", code=1)


def rules_of(run, *arguments, code=0):
    return json.loads(
        run("check", SAMPLES / "detector-trt11", "--format", "json", *arguments, code=code).stdout
    )["outcomes"][0]["value"]


def test_a_file_of_limits_alone_goes_with_the_usual_configuration(run):
    text = "[budget.findings]\nwarning = 99\n"
    budget('[lint]\nignore = ["TRX"]')
    budget(text, "limits.toml")
    budget(f'{text}[lint.severity]\nTRX206 = "info"\n', "whole.toml")
    everything = rules_of(run, "--budget", "limits.toml", "--isolated")
    assert everything > 1
    assert rules_of(run, "--budget", "limits.toml") == 0
    assert rules_of(run, "--budget", "whole.toml") == everything - 1
    assert rules_of(run, "--budget", "whole.toml", "--config", "trexreport.toml") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (),
            "There is no budget. Write [budget] into trexreport.toml, or name its file with --budget. --sugg",
        ),
        (("--isolated",), "There is no budget."),
        (("--budget", "lint.toml"), "lint.toml: budget is missing."),
        (("--budget", "none.toml"), "none.toml can't be read: No such file or directory."),
        (("--budget", "odd.toml"), "odd.toml: budget.latncy-ms is not a known key. Did you mean latency-ms?"),
        (("--budget", "broken.toml"), "broken.toml is not valid TOML: "),
        (("--budget", "kept.toml", "-o", "check.pdf"), "The ending of check.pdf names no format."),
        (("--budget", "kept.toml", "-o", "a.md", "-o", "./a.md"), "An output is named twice."),
        (
            ("--budget", "kept.toml", "-o", "a.md", "-o", "b.md", "--format", "json"),
            "--format applies to one output only.",
        ),
        (("--config", "kept.toml", "--isolated"), "--config and --isolated contradict each other."),
    ],
)
def test_wrong_usage_is_one_line_and_reported_before_the_capture_is_read(run, arguments, message):
    budget("[lint]", "lint.toml")
    budget("[budget]\nlatncy-ms = 1", "odd.toml")
    budget("[budget", "broken.toml")
    budget(KEPT, "kept.toml")
    result = run("check", "missing-capture", *arguments, code=2)
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("missing",), (AFTER, "--baseline", "missing")])
def test_bad_input_is_no_broken_budget(run, arguments):
    budget(KEPT)
    result = run("check", *arguments, code=3)
    assert result.stderr.count("\n") == 1


def test_several_outputs_at_once_and_the_table_is_printed(run):
    budget(BROKEN)
    names = ["a.json", "b.sarif", "c.xml", "d.md", "e.txt"]
    result = run("check", AFTER, *(word for name in names for word in ("-o", name)), code=1)
    assert "p99 latency" in result.stdout
    assert json.loads(Path("a.json").read_text())["failed"] is True
    assert json.loads(Path("b.sarif").read_text())["version"] == "2.1.0"
    assert ET.parse("c.xml").getroot().get("failures") == "1"  # noqa: S314 - our own output
    assert "| **failed** |" in Path("d.md").read_text()
    assert result.stdout.rstrip() in Path("e.txt").read_text()
    assert [line.split()[1] for line in result.stderr.splitlines()] == names
    # What trexreport wrote it replaces, with the same bytes.
    before = {name: Path(name).read_bytes() for name in names}
    run("check", AFTER, *(word for name in names for word in ("-o", name)), code=1)
    assert {name: Path(name).read_bytes() for name in names} == before


def test_a_format_is_that_of_what_is_printed_or_of_one_file(run):
    budget(KEPT)
    assert json.loads(run("check", AFTER, "--format", "json").stdout)["schema"] == "trexreport.check"
    result = run("check", AFTER, "--format", "junit", "-o", "out")
    assert ET.parse("out").getroot().tag == "testsuites"  # noqa: S314 - our own output
    assert "Budget check passed" in result.stdout
    assert run("check", AFTER, "--format", "github", "-o", "-").stdout.startswith("Generated by trexreport")
    assert run("check", AFTER, "-o", "-", "-o", "a.md").stdout.count("Budget check passed") == 1


@pytest.mark.parametrize("which", ["PATH", "--baseline"])
def test_no_input_is_overwritten(run, which):
    budget(KEPT)
    shutil.copytree(AFTER, "in")
    graph = Path("in/resnet18-int8-after.engine.graph.json")
    before = graph.read_bytes()
    arguments = (graph,) if which == "PATH" else (BEFORE, "--baseline", graph)
    assert "is one of the input files" in run("check", *arguments, "-o", graph, "--force", code=2).stderr
    assert graph.read_bytes() == before


def test_another_programs_file_is_not_overwritten(run):
    budget(KEPT)
    Path("a.md").write_text("mine")
    assert "trexreport did not write it" in run("check", AFTER, "-o", "a.md", code=3).stderr
    run("check", AFTER, "-o", "a.md", "--force")


def test_the_summary_of_a_step_gets_the_markdown(run, monkeypatch):
    budget(BROKEN)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    run("check", AFTER, "-o", "a.md", code=1)
    assert Path("summary").read_bytes() == Path("a.md").read_bytes()
    run("check", AFTER, code=1)
    assert Path("summary").read_text().count("## resnet18-int8-after") == 2
    run("check", AFTER, "--no-summary", code=1)
    assert Path("summary").read_text().count("## resnet18-int8-after") == 2


def test_a_summary_that_can_not_be_written_changes_no_exit_code(run, monkeypatch):
    budget(KEPT)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/where")
    assert "The summary of this step can't be written" in run("check", AFTER).stderr


def test_names_of_layers_are_text_and_nothing_else(run):
    name = "<b>\x1b[31m|`\n::error::owned"
    layers = [{"Name": name, "LayerType": "Reformat", "Inputs": [], "Outputs": []}]
    Path("x.graph.json").write_text(json.dumps({"Layers": layers}))
    budget("[budget]\nreformats = 0")
    for kind in ("text", "markdown", "github"):
        reported = run("check", "x.graph.json", "--format", kind, code=1).stdout
        assert {each for each in reported if not each.isprintable()} == {"\n"}
        assert sum(line.startswith("::") for line in reported.splitlines()) == (kind == "github")
        assert kind != "markdown" or "``<b>" in reported


def test_the_outcome_is_the_same_each_time(run):
    budget(
        '[budget.regression]\ntime-percent = 2\n[[budget.part]]\nblock = "layer*"\neach = true\ntime-ms = 0.1'
    )
    first, second = (
        run("check", BEFORE, "--baseline", AFTER, "--format", "json", code=1).stdout for _ in range(2)
    )
    assert first == second


def test_what_is_suggested_is_a_budget_that_the_engine_keeps(run):
    budget(run("check", AFTER, "--suggest").stdout)
    assert "latency-p99-ms = 0.611" in Path("trexreport.toml").read_text()
    run("check", AFTER, "--baseline", AFTER)
    run("check", BEFORE, "--baseline", AFTER, code=1)


@pytest.mark.parametrize(
    "arguments",
    [
        *(("-o", "a.md"), ("--format", "json")),
        *(("--baseline", BEFORE), ("--runs", BEFORE), ("--baseline-runs", BEFORE)),
    ],
)
def test_a_suggestion_goes_alone(run, arguments):
    assert (
        "--suggest can't be combined with outputs, runs or a baseline."
        in run("check", AFTER, "--suggest", *arguments, code=2).stderr
    )


def test_the_walkthrough_as_a_gate(run, engines_folder):
    base = engines_folder / "a100-resnet18-fp16"
    # 2.4% of one run each are more than runs differ only where the user says so.
    budget('[budget.regression]\ntime-percent = 2\nunknown = "error"')
    assert "unknown" in run("check", engines_folder / "a100-resnet18-qat", "--baseline", base, code=1).stdout
    budget("[comparison]\nassumed-run-spread-percent = 0\n[budget.regression]\ntime-percent = 2")
    run("check", engines_folder / "a100-resnet18-qat", "--baseline", base, code=1)
    run("check", engines_folder / "a100-resnet18-qat-residual", "--baseline", base)


def test_a_budget_that_was_suggested_is_the_users_own(run, tmp_path):
    suggested = run("check", AFTER, "--suggest", "--isolated").stdout
    (tmp_path / "budget.txt").write_text(suggested)
    result = run("check", AFTER, "--budget", "budget.txt", "-o", "budget.txt", code=3)
    assert "trexreport did not write it" in result.stderr
    assert (tmp_path / "budget.txt").read_text() == suggested


def test_notes_name_their_engine_where_there_is_a_baseline(run):
    budget("[budget.regression]\ntime-percent = 2")
    for name, sample in (("now", AFTER), ("earlier", BEFORE)):
        shutil.copytree(sample, name)
        profile = next(Path(name).glob("*.engine.profile.json"))
        profile.write_text(profile.read_text()[:-500])
    notes = run("check", "now", "--baseline", "earlier").stderr.splitlines()
    assert {each.split(": input warning: ")[0].strip() for each in notes} == {
        "resnet18-int8-after",
        "baseline, resnet18-int8-before",
    }
    assert all(each.startswith("  input warning: ") for each in run("check", "now").stderr.splitlines())
