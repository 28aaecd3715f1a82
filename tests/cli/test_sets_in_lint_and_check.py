"""`lint` and `check` of several phases: every phase, labeled, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from sets_of_phases import write_set

DOCS = Path(__file__).parents[2] / "docs"
COUNTS = {"prefill": 1, "decode": 128}
RULES = "TRX206,TRX302,TRX904"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_set(tmp_path_factory.mktemp("set") / "asr", {"prefill": 1.0, "decode": 0.9}, COUNTS)


@pytest.fixture
def budget(tmp_path):
    """Return a function that writes the budget that the command finds."""
    return (tmp_path / "trexreport.toml").write_text


def schema(name):
    return json.loads((DOCS / f"{name}.schema.json").read_text())


def test_findings_of_each_phase_are_labeled(run, folder):
    text = run("lint", folder, "--fail-on", "never").stdout
    assert "prefill: " in text
    assert "decode: " in text
    assert text.splitlines()[-1].startswith("2 phases: ")


def test_json_has_the_document_of_each_phase(run, folder):
    document = json.loads(run("lint", folder, "--format", "json", "--fail-on", "never").stdout)
    jsonschema.validate(document, schema("phases-lint"))
    assert [each["name"] for each in document["phases"]] == ["prefill", "decode"]
    one = run("lint", folder / "phase-1", "--format", "json", "--fail-on", "never").stdout
    assert document["phases"][1]["lint"] == json.loads(one)
    assert document["counts"]["checked"] == 2 * json.loads(one)["counts"]["checked"]


def test_sarif_has_a_run_of_its_own_category_for_each_phase(run, folder):
    document = json.loads(run("lint", folder, "--format", "sarif", "--fail-on", "never").stdout)
    names = [each["automationDetails"]["id"] for each in document["runs"]]
    assert names == ["trexreport/prefill/engine-0", "trexreport/decode/engine-1"]


def test_junit_names_the_phase_in_suites_and_cases(run, folder):
    root = ET.fromstring(run("lint", folder, "--format", "junit", "--fail-on", "never").stdout)  # noqa: S314 - ours
    assert root.get("name") == "prefill + decode"
    cases = [each.get("name") for each in root.iter("testcase")]
    assert len(cases) == len(set(cases)) > 0
    assert {each.partition(":")[0] for each in cases} == {"prefill", "decode"}


def test_the_worst_phase_decides(run, folder):
    document = json.loads(run("lint", folder, "--format", "json", "--fail-on", "never").stdout)
    counts = document["counts"]
    worst = next(each for each in ("error", "warning", "info") if counts[each])
    assert run("lint", folder, "--fail-on", worst, code=1).stdout
    better = [each for each in ("error", "warning") if not counts[each]]
    assert not better or run("lint", folder, "--fail-on", better[0]).stdout


def test_one_phase_is_chosen_by_its_name(run, folder):
    one = run("lint", folder, "--phase", "decode", "--format", "json", "--fail-on", "never").stdout
    assert json.loads(one)["schema"] == "trexreport.lint"
    assert json.loads(one)["engine"]["name"] == "engine-1"
    wrong = run("lint", folder, "--phase", "decoder", code=2).stderr
    assert "there is no phase 'decoder'. Known: prefill, decode." in wrong


def test_a_single_engine_has_no_phases(run, folder):
    assert "is one engine" in run("lint", folder / "phase-0", "--phase", "decode", code=2).stderr


BUDGET = """
[budget]
latency-ms = 3
layers = 0
[budget.phase.decode]
latency-ms = 0.1
layers = 1000
[budget.total]
time-ms = 1
"""


def test_limits_of_a_phase_replace_shared_ones(run, folder, budget):
    budget(BUDGET)
    document = json.loads(run("check", folder, "--format", "json", code=1).stdout)
    jsonschema.validate(document, schema("phases-check"))
    states = {
        (each["name"], outcome["id"]): (outcome["limit"], outcome["state"])
        for each in document["phases"]
        for outcome in each["check"]["outcomes"]
    }
    assert states == {
        ("prefill", "latency-ms"): (3, "held"),
        ("prefill", "layers"): (0, "broken"),
        ("decode", "latency-ms"): (0.1, "broken"),
        ("decode", "layers"): (1000, "held"),
    }
    (total,) = document["total"]
    assert (total["id"], total["state"]) == ("total.time-ms", "broken")
    assert total["value"] == pytest.approx(document["together"]["total_ms"])


@pytest.mark.parametrize("kind", ["text", "markdown", "sarif", "junit", "github"])
def test_every_format_has_phases_and_total(run, folder, budget, kind):
    budget(BUDGET)
    text = run("check", folder, "--format", kind, code=1).stdout
    assert "prefill" in text
    assert "decode" in text
    assert "Total time of all phases" in text


def test_counts_on_the_command_line_come_first(run, folder, budget):
    budget("[budget.total]\ntime-ms = 5")
    run("check", folder, "--times", "decode=3")
    run("check", folder, "--times", "decode=10", code=1)


def test_a_total_without_counts_is_unknown(run, tmp_path, budget):
    budget('[budget]\nunknown = "error"\n[budget.total]\ntime-ms = 1000')
    folder = write_set(tmp_path / "asr", {"prefill": 1.0, "decode": 0.9}, {"decode": 128})
    text = run("check", folder, code=1).stdout
    assert "How often prefill runs is not stated" in " ".join(text.split())


def test_a_total_of_chosen_phases_is_unknown(run, folder, budget):
    budget("[budget.total]\ntime-ms = 1\n[budget.phase.decode]\nlatency-ms = 3")
    text = run("check", folder, "--phase", "decode").stdout
    assert "Not checked: prefill." in text
    assert "2 limits met, 1 unknown" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[budget.phase.decoder]\nlatency-ms = 1", "limits of 'decoder', and there is no such phase"),
        ("[budget.phase.decode]\nlatency = 1", "budget.phase.decode.latency is not a known key"),
        ("[budget.phase.decode]\nlevel = 'warn'", "budget.phase.decode has no limit"),
        ("[budget.phase]\ndecode = 1", "budget.phase.decode must be a table"),
        ("[budget.total]\nlayers = 1", "budget.total.layers is not a known key"),
        ("[budget.total]\ntime-ms = -1", "budget.total.time-ms must be"),
        ("[budget]\nlevel = 'warn'", "has no limit"),
    ],
)
def test_mistakes_in_a_budget_of_phases(run, folder, budget, text, message):
    budget(text)
    assert message in run("check", folder, code=2).stderr


@pytest.mark.parametrize("text", ["[budget.phase.a]\nlayers = 1", "[budget.total]\ntime-ms = 1"])
def test_budgets_of_phases_are_refused_for_one_engine(run, folder, budget, text):
    budget(text)
    assert "is for several phases" in run("check", folder / "phase-0", code=2).stderr


def test_a_set_is_compared_with_the_phases_of_a_baseline(run, folder, tmp_path, budget):
    budget("[budget.regression]\ntime-percent = 2\n[budget.total]\ntime-percent = 5")
    old = write_set(tmp_path / "old", {"prefill": 1.0, "decode": 0.8})
    text = " ".join(run("check", folder, "--baseline", old, code=1).stdout.split())
    assert "Total time against the baseline +12" in text
    assert "without a test of significance" in text
    other = write_set(tmp_path / "other", {"prefill": 1.0, "encode": 0.8})
    text = " ".join(run("check", folder, "--baseline", other).stdout.split())
    assert "The baseline has no phase of this name." in text
    assert "Only one of the sets has decode, encode." in text
    assert "Only the baseline has encode." in text


def test_a_set_and_one_engine_are_not_compared(run, folder, budget):
    budget("[budget.regression]\ntime-percent = 2")
    for pair in ((folder, folder / "phase-0"), (folder / "phase-0", folder)):
        assert "one is one engine" in run("check", pair[0], "--baseline", pair[1], code=2).stderr


def test_runs_of_a_set_show_the_spread_of_each_phase(run, folder, budget, tmp_path):
    budget("[budget.regression]\ntime-percent = 5")
    again = write_set(tmp_path / "again", {"prefill": 1.01, "decode": 0.91})
    options = ("--baseline", folder, "--runs", again, "--baseline-runs", again, "--format", "json")
    document = json.loads(run("check", folder, *options).stdout)
    jsonschema.validate(document, schema("phases-check"))
    assert [each["name"] for each in document["phases"]] == ["prefill", "decode"]
    error = run("check", folder, "--runs", folder / "phase-0", code=2).stderr
    assert "is one engine, so it is not a further run of several phases." in error


def test_the_step_summary_has_every_phase(run, folder, budget, tmp_path, monkeypatch):
    budget("[budget]\nlayers = 1000")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    run("check", folder)
    text = (tmp_path / "summary.md").read_text()
    assert "prefill" in text
    assert "decode" in text


def test_suggested_limits_of_a_set_are_met(run, tmp_path):
    odd = 'a "b"\\ é😀.c\x7f'
    folder = write_set(tmp_path / "asr", {odd: 1.0, "decode": 0.9}, {odd: 3, "decode": 2})
    Path("trexreport.toml").write_text(run("check", folder, "--suggest").stdout)
    document = json.loads(run("check", folder, "--format", "json", "--baseline", folder).stdout)
    assert document["counts"]["broken"] == 0
    assert [each["state"] for each in document["total"]] == ["held"]


def test_names_in_two_spellings_are_one_phase(run, tmp_path, budget):
    folder = write_set(tmp_path / "asr", {"caf\u00e9": 1.0, "decode": 0.9})
    budget('[budget.phase."cafe\u0301"]\nlatency-ms = 3')
    assert "1 of 1 limit met" in run("check", folder, "--times", "cafe\u0301=1").stdout
    twice = write_set(tmp_path / "twice", {"caf\u00e9": 1.0, "cafe\u0301": 0.9})
    assert "two phases" in run("check", twice, code=3).stderr
