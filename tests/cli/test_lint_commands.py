"""Findings on the command line: lint, rules, explain, and the options that other commands share with them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from trexreport.api import analyze, load
from trexreport.renderer.findings_page import findings_page

SAMPLES = Path(__file__).parents[2] / "samples"
BEFORE = SAMPLES / "resnet18-int8-before"
DETECTOR = SAMPLES / "detector-trt11"
CODE, NAME = "TRX102", "convolution.float-output"

FAILED = "&&&& FAILED TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=net_int8.engine\n"


def lint_json(run, *arguments, code=0):
    return json.loads(run("lint", BEFORE, "--format", "json", *arguments, code=code).stdout)


def test_lint_says_what_is_wrong_and_sums_up(run):
    lines = run("lint", BEFORE, "--select", CODE).stdout.splitlines()
    assert lines[2] == f"warning {CODE} {NAME}"
    assert re.search(r"Savings: est\. [\d.–]+% \([\d.–]+\sms\)\.", lines[3])
    assert any(line.startswith("  Recommendation: ") for line in lines)
    assert re.fullmatch(
        r"Found 1 warning\. 1 rule ran\. Savings are in percent of layer time \([\d.]+\sms\)\.", lines[-1]
    )
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_the_exit_code_is_that_of_the_most_severe_finding(run, fail_on, code):
    run("lint", BEFORE, "--select", CODE, "--fail-on", fail_on, code=code)


def test_the_configuration_says_when_to_fail_and_the_command_line_has_the_last_word(run):
    Path("trexreport.toml").write_text(f'lint.fail-on = "warning"\nlint.select = ["{CODE}"]')
    run("lint", BEFORE, code=1)
    run("lint", BEFORE, "--fail-on", "never")
    run("lint", BEFORE, "--isolated", "--select", CODE)
    Path("trexreport.toml").write_text(f'[lint]\nselect = ["{CODE}"]\n[lint.severity]\n{CODE} = "error"')
    run("lint", BEFORE, code=1)


@pytest.mark.parametrize("kind", ["text", "json", "sarif", "junit", "markdown", "html", "github"])
def test_every_format_is_the_same_each_time_and_replaces_itself(run, kind):
    arguments = ("lint", BEFORE, "--select", CODE, "--format", kind)
    run(*arguments, "-o", "out")
    first = Path("out").read_bytes()
    result = run(*arguments, "-o", "out")
    assert Path("out").read_bytes() == first
    assert "Wrote out (" in result.stderr
    if kind == "json":
        assert json.loads(first)["schema"] == "trexreport.lint"
    elif kind == "sarif":
        assert json.loads(first)["version"] == "2.1.0"
    elif kind == "junit":
        assert ET.fromstring(first).get("tests") == "1"  # noqa: S314 - our own output
    else:
        assert CODE.encode() in first


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("x.sarif", b"{"),
        ("x.XML", b"<?xml"),
        ("x.html", b"<!DOCTYPE html"),
        ("x.md", b"<!-- "),
        ("x.log", b"Generated"),
    ],
)
def test_the_ending_of_the_output_names_its_format(run, name, begin):
    run("lint", BEFORE, "--select", CODE, "-o", name)
    assert Path(name).read_bytes().startswith(begin)
    run("lint", BEFORE, "--select", CODE, "--format", "json", "-o", name)
    assert json.loads(Path(name).read_bytes())["schema"] == "trexreport.lint"


@pytest.mark.parametrize("name", ["x.pdf", "x.docx", "x"])
def test_an_ending_without_a_format_is_an_error(run, name):
    result = run("lint", BEFORE, "--select", CODE, "-o", name, code=2)
    assert f"The ending of {name} names no format. Known endings: .txt, .log, .json" in result.stderr
    assert not Path(name).exists()


def test_findings_are_not_written_over_an_input(run, tmp_path):
    (tmp_path / "x.graph.json").write_bytes(next(BEFORE.glob("*.graph.json")).read_bytes())
    result = run("lint", "x.graph.json", "-o", "x.graph.json", "--force", code=2)
    assert "one of the input files" in result.stderr


@pytest.mark.parametrize(
    ("read", "written"),
    [("x.graph.json", "link.json"), ("link.json", "x.graph.json"), ("here/link.json", "here/x.graph.json")],
)
def test_links_hide_no_input(run, tmp_path, read, written):
    content = next(BEFORE.glob("*.graph.json")).read_bytes()
    (tmp_path / "x.graph.json").write_bytes(content)
    (tmp_path / "link.json").symlink_to("x.graph.json")
    (tmp_path / "here").symlink_to(".")
    result = run("lint", read, "-o", written, "--force", code=2)
    assert "one of the input files" in result.stderr
    assert (tmp_path / "x.graph.json").read_bytes() == content


def test_notes_are_reported(run, tmp_path):
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [{"Name": "a"}, 3]}))
    # What a finding states is not repeated.
    result = run("lint", "x.graph.json")
    assert "TRX907" in result.stdout
    (stated,) = {*run("lint", "x.graph.json", "--ignore", "TRX907").stderr.splitlines()} - {
        *result.stderr.splitlines()
    }
    assert stated.startswith("  input warning: ")


def test_notes_that_a_longer_finding_states_are_not_repeated(run, tmp_path):
    command = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=net_int8.engine\n"
    (tmp_path / "x.log").write_text(f"{command}[I] Throughput: 30 qps\n")
    result = run("lint", "x.log")
    assert "Whether they compute in INT8" in " ".join(result.stdout.split())
    assert "input warning: There is no layer information" not in result.stderr
    (tmp_path / "y.log").write_text(f"{command}[E] Engine deserialization failed\n{FAILED}")
    result = run("lint", "y.log", code=1)
    assert "TRX921" in result.stdout
    assert "There is no layer information" not in result.stderr


def test_select_and_ignore_take_lists(run):
    everything = {each["code"] for each in lint_json(run)["rules"]}
    chosen = {
        each["code"]
        for each in lint_json(run, "--select", f"{CODE},convolution", "--select", "TRX1")["rules"]
    }
    assert chosen == {code for code in everything if code.startswith("TRX1")}
    left = {each["code"] for each in lint_json(run, "--ignore", f"{CODE}, {NAME}")["rules"]}
    assert left == everything - {CODE}


def test_a_suppression_keeps_places_quiet_and_one_that_does_nothing_is_reported(run):
    Path("trexreport.toml").write_text(
        f'[lint]\nselect = ["{CODE}"]\n'
        f'[[lint.suppress]]\nrule = "{CODE}"\nlayers = "layer4.1*"\nreason = "the last block"\n'
        f'[[lint.suppress]]\nrule = "{CODE}"\nlayers = "nowhere"\nreason = "r"\n'
        f'[[lint.suppress]]\nrule = "{CODE}"\nreason = "r"\nuntil = 2020-01-01\n'
    )
    document = lint_json(run)
    assert [(each["code"], each["reason"]) for each in document["suppressed"]] == [(CODE, "the last block")]
    assert document["remarks"] == [
        f"trexreport.toml: lint.suppress 2 of {CODE} in layers 'nowhere' matches nothing; remove it.",
        f"trexreport.toml: lint.suppress 3 of {CODE} expired on 2020-01-01.",
    ]
    assert "lint.suppress 3" in run("lint", BEFORE).stdout


def test_expiry_goes_by_the_day_of_the_source(run, monkeypatch):
    Path("trexreport.toml").write_text(
        f'[lint]\nselect = ["{CODE}"]\n[[lint.suppress]]\nrule = "{CODE}"\nreason = "r"\nuntil = 2023-11-14\n'
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert lint_json(run)["findings"] == []
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700100000")
    assert lint_json(run)["findings"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--select", "TRX12"), '--select: there is no rule "TRX12". Did you mean TRX'),
        (("--ignore", "nonsense"), '--ignore: there is no rule "nonsense".'),
        (("--config", "x.toml", "--isolated"), "--config and --isolated contradict each other."),
        (("--config", "missing.toml"), "missing.toml can't be read: No such file or directory."),
        (("--config", "x.toml"), 'x.toml: lint.fail-on must be error, warning, info or never, not "fatal".'),
        (("--gpu", "A1000000"), 'No GPU of the table is called "A1000000".'),
        (("--gpu", " "), "--gpu is empty. Leave it out"),
        (("--select", ""), "--select is empty. Leave it out to run all rules."),
        (("--select", " , "), "--select is empty. Leave it out to run all rules."),
    ],
)
@pytest.mark.parametrize("command", ["lint", "summary", "report"])
def test_wrong_usage_is_one_line_and_reported_before_the_capture_is_read(run, command, arguments, expected):
    Path("x.toml").write_text('lint.fail-on = "fatal"')
    result = run(command, "missing-capture", *arguments, code=2)
    assert result.stderr.startswith(f"Error: {expected}")
    assert result.stderr.count("\n") == 1


def test_a_mistake_in_the_users_gpu_names_the_file(run):
    Path("trexreport.toml").write_text('[gpus."My GPU"]\nsms = "many"')
    result = run("lint", BEFORE, code=2)
    assert result.stderr.startswith('Error: trexreport.toml: gpu "My GPU": sms must be a whole number')


@pytest.mark.parametrize("name", ["A1000000", "RTX"])
def test_a_gpu_of_the_configuration_that_is_not_in_the_table_names_the_file(run, name):
    Path("trexreport.toml").write_text(f'gpu = "{name}"')
    result = run("lint", BEFORE, code=2)
    assert result.stderr.startswith("Error: trexreport.toml: gpu: ")
    assert result.stderr.count("\n") == 1


def test_the_users_gpu_is_the_roof(run):
    Path("trexreport.toml").write_text(
        'gpu = "My GPU"\n[gpus."My GPU"]\nbandwidth_gbs = 100\npeaks = {fp32 = 1, fp16 = 2, int8 = 4}\n'
    )
    run("report", BEFORE, "-o", "a.json")
    assert json.loads(Path("a.json").read_text())["roofline"]["gpu"]["name"] == "My GPU"


def test_report_and_summary_take_the_options(run):
    # The summary lists the top findings, of which this is the largest.
    top = "TRX302"
    Path("trexreport.toml").write_text(f'[lint]\nignore = ["{top}"]')
    for arguments, expected in (
        ((), False),
        (("--isolated",), True),
        (("--select", top, "--isolated"), True),
    ):
        run("report", BEFORE, "-o", "a.json", *arguments)
        findings = json.loads(Path("a.json").read_text())["lint"]["findings"]
        assert (top in {each["code"] for each in findings}) is expected
        assert (f" {top} " in run("summary", BEFORE, *arguments).stdout) is expected
    run("report", BEFORE, "-o", "a.html", "--charts", "static", "--select", CODE)
    assert Path("a.html").stat().st_size > 10_000


def test_summary_lists_the_top_findings_in_the_order_of_the_page(run):
    text = run("summary", DETECTOR).stdout
    table = text[text.index("Top findings") : text.index("Where the time goes")]
    analysis = analyze(load(DETECTOR))
    page = [view.finding for view in findings_page(analysis).first]
    assert len(page) > 2
    rows = re.findall(r" (?:warning|error|info) +(TRX\d+) ", table)
    assert rows == [finding.code for finding in page]
    others = sum(each.about == "engine" for each in analysis.lint.findings) - len(page)
    more = "1 more finding is" if others == 1 else f"{others} more findings are"
    assert f"{more} not shown; `trexreport lint` lists all." in text
    assert "Est. savings" not in run("summary", DETECTOR, "--select", CODE, "--ignore", CODE).stdout


def test_rules_lists_all(run):
    text = run("rules").stdout
    document = json.loads(run("rules", "--format", "json").stdout)
    page = run("rules", "--format", "markdown").stdout
    assert len(document["rules"]) >= 1
    for each in document["rules"]:
        assert each["code"] in text
        assert f"### {each['code']}\n" in page


@pytest.mark.parametrize("word", [CODE, NAME])
def test_explain_says_all_of_a_rule(run, word):
    text = run("explain", word).stdout
    assert text.startswith(f"{CODE} {NAME} (warning)\n")
    for part in ("Cost", "Recommendation", "False alarm", "Est. savings"):
        assert f"\n{part}\n" in text


@pytest.mark.parametrize("word", ["TRX12", "trx102", "convolution.float-outptu"])
def test_explain_suggests_the_nearest(run, word):
    result = run("explain", word, code=2)
    assert re.fullmatch(rf'Error: There is no rule "{word}"\. Did you mean \S+\?\n', result.stderr)


@pytest.mark.parametrize("word", ["reformat", "TRX2"])
def test_explain_lists_the_rules_of_a_family_or_of_the_start_of_a_code(run, word):
    result = run("explain", word, code=2)
    start = f'Error: There is no rule "{word}". It selects TRX201, TRX202, '
    assert result.stderr.startswith(start)
    assert "TRX207" in result.stderr
    assert "TRX3" not in result.stderr


def test_explain_without_a_word_names_no_rule(run):
    error = run("explain", "", code=2).stderr
    assert error == 'Error: There is no rule "". The command `trexreport rules` lists all.\n'


def test_a_failed_run_that_wrote_a_file_says_what_it_found(run):
    failed = run("lint", BEFORE, "--select", CODE, "--fail-on", "warning", "-o", "findings.txt", code=1)
    assert failed.stderr.splitlines()[-1].startswith("Found 1 warning. 1 rule ran. Savings are in percent")
    met = run("lint", BEFORE, "--select", CODE, "-o", "met.txt")
    assert "Found" not in met.stderr


def lint_at(columns, *arguments, terminal=False):
    environment = {**os.environ, "COLUMNS": columns, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    if terminal:
        environment["FORCE_COLOR"] = "1"
    command = [sys.executable, "-m", "trexreport", "lint", str(BEFORE), "--isolated", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_colors_are_the_terminals_and_the_width_is_stated(tmp_path):
    plain, colored = lint_at("60"), lint_at("60", terminal=True)
    assert "\x1b[" not in plain
    assert "\x1b[" in colored
    shown = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert max(map(len, plain.splitlines())) == max(map(len, shown.splitlines())) <= 60
    # Without a width a pipe has room for tables, as a file always has.
    unknown = lint_at("wide")
    assert 60 < max(map(len, unknown.splitlines())) <= 120
    lint_at("60", "-o", str(tmp_path / "lint.txt"))
    assert 60 < max(map(len, (tmp_path / "lint.txt").read_text("utf-8").splitlines())) <= 120


@pytest.mark.parametrize("width", [20, 59])
def test_a_table_is_never_a_tower_of_letters(width):
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "xterm-256color", "FORCE_COLOR": "1"}
    for command in (("summary", str(BEFORE), "--isolated"), ("rules",)):
        reported = subprocess.run(
            [sys.executable, "-m", "trexreport", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert re.search(r"^ TRX[0-9]+ +(warning|info) |^ +warning · TRX[0-9]+", reported, re.MULTILINE)


COMMANDS = {
    "lint": ("lint", BEFORE, "--isolated"),
    "lint as JSON": ("lint", BEFORE, "--isolated", "--format", "json"),
    "summary": ("summary", BEFORE, "--isolated"),
    "summary as JSON": ("summary", BEFORE, "--isolated", "--json"),
    "rules": ("rules",),
    "explain": ("explain", CODE),
    "help": ("--help",),
}


def reported_with(command, **streams):
    arguments = [sys.executable, "-m", "trexreport", *map(str, COMMANDS[command])]
    return subprocess.run(arguments, check=False, text=True, **streams)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_reported_in_one_line(command):
    with Path("/dev/full").open("w") as full:
        reported = reported_with(command, stdout=full, stderr=subprocess.PIPE)
    assert reported.stderr == "Error: Standard output can't be written: No space left on device.\n"
    assert reported.returncode == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_messages_that_can_not_be_read_change_no_result(run):
    with Path("/dev/full").open("w") as full:
        reported = reported_with("lint as JSON", stdout=subprocess.PIPE, stderr=full)
        missing = subprocess.run(
            [sys.executable, "-m", "trexreport", "lint", "missing"], stderr=full, check=False
        )
    assert json.loads(reported.stdout)["schema"] == "trexreport.lint"
    assert (reported.returncode, missing.returncode) == (0, 3)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("command", [each for each in COMMANDS if each != "help"])
def test_a_pipe_without_reader_is_no_failed_gate(command):
    reads, writes = os.pipe()
    os.close(reads)
    try:
        reported = reported_with(command, stdout=writes, stderr=subprocess.PIPE)
    finally:
        os.close(writes)
    assert (reported.returncode, reported.stderr) == (141, "")


def test_no_name_moves_the_cursor_or_turns_the_text(run):
    names = ["\x9b2J\x1b[31mred", "\u202eevil\u2066", "a\nb", "\x85\u2028"]
    layers = [{"Name": name, "LayerType": name, "Inputs": [], "Outputs": []} for name in names]
    Path("x.graph.json").write_text(json.dumps({"Layers": layers}))
    Path("x.profile.json").write_text(
        json.dumps([{"count": 9}, *({"name": name, "averageMs": 1.0} for name in names)])
    )
    for arguments in (("summary",), ("lint", "--verbose")):
        reported = run(*arguments, "x.graph.json", "--isolated", "--name", "".join(names))
        assert {each for each in reported.output if not each.isprintable()} == {"\n"}
        assert "evil" in reported.stdout


def test_a_terminal_without_unicode_gets_plain_spaces():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "trexreport", "summary", str(BEFORE), "--isolated"]
    reported = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "71.2%" in reported
    assert not re.search(r"\\xa0|\\u202f", reported)
