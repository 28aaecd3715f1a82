"""The commands as a user runs them, in one process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trexreport import __version__
from trexreport.cli.demo import demo
from trexreport.pipeline.settings import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
BEFORE, AFTER = SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after"


def test_version(run):
    assert run("--version").output.strip() == f"trexreport, version {__version__}"


@pytest.mark.parametrize("command", ["report", "summary", "draw", "export", "extract", "demo"])
def test_every_command_has_help(run, command):
    text = run(command, "--help").output
    assert f"{command} [OPTIONS]" in text
    assert len(text.split("\n\n")[1].strip()) > 20


def test_report_says_where_and_how_large(run):
    result = run("report", BEFORE, "-o", "out.html", "--charts", "static")
    page = Path("out.html").read_bytes()
    assert page.startswith(b"<!DOCTYPE html>")
    assert "Wrote out.html (" in result.stderr
    assert list(Path().iterdir()) == [Path("out.html")], "a temporary file was left"


def test_report_writes_several_files(run):
    result = run("report", BEFORE, "-o", "a.json", "-o", "a.md")
    assert result.stderr.count("Wrote a.") == 2
    assert json.loads(Path("a.json").read_text())["generator"] == "trexreport"
    assert run("summary", BEFORE, "--format", "md").stdout == Path("a.md").read_text(encoding="utf-8")
    # What can't be done is refused before anything is written.
    for refused in (
        ("-o", "b.md", "-o", "c", "--format", "md"),
        ("-o", "b.md", "-o", "b.md"),
        ("-o", "b.md", "-o", "b.x"),
    ):
        run("report", BEFORE, *refused, code=2)
    assert not Path("b.md").exists()


@pytest.mark.parametrize(
    "paths", [[BEFORE], ["--phase", f"prefill={BEFORE}", "--phase", f"decode={AFTER}"]], ids=["one", "phases"]
)
def test_an_engine_is_analyzed_once_for_files_that_are_as_if_alone(run, monkeypatch, paths):
    analyzed = []

    def analyze(settings, engine, **options):
        analyzed.append(engine.name)
        return original(settings, engine, **options)

    original = Settings.analyze
    monkeypatch.setattr(Settings, "analyze", analyze)
    run("report", *paths, "-o", "a.md", "-o", "a.json", "-o", "a.html", "--charts", "static")
    assert len(analyzed) == len(set(analyzed))
    for kind in ("md", "json", "html"):
        run("report", *paths, "-o", f"alone.{kind}", "--charts", "static")
        assert Path(f"a.{kind}").read_bytes() == Path(f"alone.{kind}").read_bytes()


def test_the_same_inputs_give_the_same_bytes(run):
    run("report", BEFORE, "-o", "a.html")
    run("report", BEFORE, "-o", "b.html")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


def test_report_as_json(run):
    run("report", BEFORE, "-o", "out.json")
    document = json.loads(Path("out.json").read_text())
    assert document["generator"] == "trexreport"
    assert len(document["layers"]) == 37


def test_a_report_is_an_input(run):
    run("report", BEFORE, "-o", "a.html", "--charts", "static")
    run("report", "a.html", "-o", "b.html", "--charts", "static")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()
    from_folder = json.loads(run("summary", BEFORE, "--json").stdout)
    from_report = json.loads(run("summary", "a.html", "--json").stdout)
    assert from_folder == from_report


def test_a_report_remembers_its_optimization_profile(run):
    run("report", SAMPLES / "detector-trt11", "--profile", "1", "-o", "a.html", "--charts", "static")
    again = json.loads(run("summary", "a.html", "--json").stdout)
    assert again["identity"]["optimization_profile"] == 1
    first = json.loads(run("summary", "a.html", "--profile", "0", "--json").stdout)
    assert first["identity"]["optimization_profile"] == 0


def test_extract_gives_identical_files(run):
    run("report", BEFORE, "-o", "a.html", "--charts", "static")
    run("extract", "a.html", "-o", "back")
    inputs = {path.name: path.read_bytes() for path in BEFORE.iterdir()}
    assert {path.name: path.read_bytes() for path in Path("back").iterdir()} == inputs


def test_extract_does_not_overwrite_other_content(run):
    run("report", BEFORE, "-o", "a.html", "--charts", "static")
    target = Path("back") / next(BEFORE.iterdir()).name
    target.parent.mkdir()
    target.write_text("mine")
    result = run("extract", "a.html", "-o", "back", code=3)
    assert "--force" in result.stderr
    assert target.read_text() == "mine"
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    run("extract", "a.html", "-o", "back", "--force")
    assert target.read_bytes() == (BEFORE / target.name).read_bytes()


def test_own_reports_are_replaced_and_others_only_with_force(run):
    output = Path("out.html")
    run("report", BEFORE, "-o", output, "--charts", "static")
    run("report", BEFORE, "-o", output, "--charts", "static")
    output.write_text("<html>mine</html>")
    result = run("report", BEFORE, "-o", output, code=3)
    assert "--force" in result.stderr
    assert output.read_text() == "<html>mine</html>"
    run("report", BEFORE, "-o", output, "--charts", "static", "--force")
    assert output.read_bytes().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("ending", ["csv", "json", "svg", "dot"])
def test_other_outputs_are_replaced_too(run, ending):
    command = "draw" if ending in ("svg", "dot") else "export"
    run(command, BEFORE, "-o", f"out.{ending}")
    first = Path(f"out.{ending}").read_bytes()
    run(command, BEFORE, "-o", f"out.{ending}")
    assert Path(f"out.{ending}").read_bytes() == first
    assert first


def test_summary_in_the_terminal(run):
    text = run("summary", BEFORE).stdout
    assert "resnet18-int8-before" in text
    assert "Convolution" in text
    assert "Slowest layers" in text
    assert "synthetic" in text


def test_a_summary_of_a_profile_alone(run, tmp_path):
    (profile,) = BEFORE.glob("*.profile.json")
    (tmp_path / profile.name).write_bytes(profile.read_bytes())
    assert re.search(
        r"^Total layer time +0\.848 ms  ", run("summary", tmp_path / profile.name).stdout, re.MULTILINE
    )


def test_summary_cannot_be_made_to_send_escape_sequences(run, tmp_path):
    layer = {"Name": "\x1b]0;owned\x07\x1b[2J", "LayerType": "\x1b[31m", "Inputs": [], "Outputs": []}
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [layer]}))
    assert "\x1b" not in run("summary", "x.graph.json").stdout


def test_notes_cannot_send_escape_sequences(run, tmp_path):
    layer = {"Name": "\x1b]0;owned\x07", "LayerType": "x", "Inputs": [], "Outputs": []}
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [layer]}))
    (tmp_path / "x.profile.json").write_text(
        json.dumps([{"name": "\x1b[2J other", "timeMs": 1, "averageMs": 1, "percentage": 1}])
    )
    result = run("report", "x.graph.json", "-o", "x.html", "--charts", "static")
    assert "input warning" in result.stderr
    assert not set("\x1b\x07") & set(result.stderr)


def test_draw_by_precision_differs(run):
    run("draw", BEFORE, "-o", "a.svg")
    run("draw", BEFORE, "-o", "b.svg", "--color-by", "precision")
    assert Path("a.svg").read_bytes() != Path("b.svg").read_bytes()
    assert b"Generated by trexreport" in Path("a.svg").read_bytes()[:200]


def test_demo_uses_a_bundled_sample(run):
    result = run("demo", "-o", "demo.html")
    assert b"synthetic" in Path("demo.html").read_bytes()
    assert "demo.html" in result.stderr


def test_the_help_of_demo_names_the_samples_that_there_are(run):
    known = run("demo", "--sample", "no-such-sample", code=2).stderr.partition("Known samples: ")[2]
    names = known.strip(" .\n").split(", ")
    assert len(names) > 3
    text = next(each.help for each in demo.params if each.name == "sample")
    assert names == text.removeprefix("The bundled sample: ").rstrip(".").replace(" or ", ", ").split(", ")


def test_demo_compares_an_engine_in_both_precisions_with_its_accuracy(run):
    run("demo", "--sample", "resnet18-fp16-to-int8", "-o", "demo.html")
    page = Path("demo.html").read_text()
    assert "Time saved and error added" in page
    # The top-1 of both, beside their latencies.
    assert ">69.75<" in page
    assert ">69.21<" in page


def test_files_may_be_given_one_by_one(run):
    graph = next(BEFORE.glob("*.graph.json"))
    profile = next(BEFORE.glob("*.profile.json"))
    named = json.loads(run("summary", "--graph", graph, "--profile", profile, "--json").stdout)
    assert named["latency"]["layer_sum_ms"] > 0
    assert named["stability"] is None


def test_profile_also_takes_the_number_of_an_optimization_profile(run):
    detector = SAMPLES / "detector-trt11"
    second = json.loads(run("summary", detector, "--profile", "1", "--json").stdout)
    assert second["identity"]["optimization_profile"] == 1
    assert second == json.loads(run("summary", detector, "--profile-index", "1", "--json").stdout)


def one_line(result) -> str:
    assert "Traceback" not in result.output
    text = result.stderr.strip()
    assert text.startswith("Error: ")
    assert "\n" not in text
    return text


def test_bad_input_is_one_line_and_exit_code_3(run, tmp_path):
    (tmp_path / "not.json").write_text("hello")
    (tmp_path / "cut.graph.json").write_text('{"Layers": [{"Name": "a", "Lay')
    (tmp_path / "deep.graph.json").write_bytes(b"[" * 2_000_000)
    (tmp_path / "empty.graph.json").write_text("")
    (tmp_path / "folder").mkdir()
    cases = {
        ("report", "missing.graph.json"): "does not exist",
        ("report", "not.json"): "not a file that trexreport knows",
        ("report", "cut.graph.json"): "cut off",
        ("report", "deep.graph.json"): "nested",
        ("report", "empty.graph.json"): "empty",
        ("report", "folder"): "no capture",
        ("report", "--graph", "folder"): "folder where a file is expected",
        ("summary", SAMPLES / "detector-trt11", "--profile", "12"): "no optimization profile 12",
        ("extract", "not.json", "-o", "x"): "not a report",
        ("report", BEFORE, "-o", "nowhere/out.html"): "does not exist",
        ("report", BEFORE, "-o", "folder"): "names no format",
    }
    for arguments, words in cases.items():
        code = 2 if words == "names no format" else 3
        assert words in one_line(run(*arguments, code=code)), arguments
    assert not Path("report.html").exists()


def test_a_path_where_a_command_is_expected(run):
    Path("my engine\x1b[2J").mkdir()
    text = run("my engine\x1b[2J", code=2).output
    assert "is a path and no command. For a report: trexreport report 'my engine" in text
    assert "\x1b" not in text
    assert "No such command 'absent'" in run("absent", code=2).output
    Path("report").mkdir()
    assert "Wrote report.html" in run("report", BEFORE, "--charts", "static").stderr


def test_an_input_is_never_the_output(run, tmp_path):
    folders = list(BEFORE.iterdir())
    assert folders
    for source in folders:
        (tmp_path / source.name).write_bytes(source.read_bytes())
    for target in tmp_path.iterdir():
        before = target.read_bytes()
        kind = ("--format", "html") if target.suffix == ".json" else ()
        run("report", tmp_path, "-o", target, *kind, "--force", code=2)
        assert target.read_bytes() == before


def test_a_terminal_without_unicode_is_no_failure(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "trexreport", "summary", str(BEFORE)],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Slowest layers" in done.stdout


def test_a_full_device_is_one_line():
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "trexreport", "report", str(BEFORE), "-o", "-", "--charts", "static"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_usage_errors_exit_with_2(run):
    endings = (("report", BEFORE, "-o", "x.docx"), ("draw", BEFORE, "-o", "x.gif"))
    for arguments in (("report",), ("nonsense",), *endings):
        run(*arguments, code=2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_missing_rights_are_named(run, tmp_path):
    path = tmp_path / "x.graph.json"
    path.write_text("{}")
    path.chmod(0)
    assert "may not be read" in one_line(run("report", path, code=3))


def test_a_hostile_file_name_stays_on_one_line(run, tmp_path):
    path = tmp_path / "a\nError: all is well\x1b[31m.graph.json"
    path.write_text("{")
    assert "\x1b" not in one_line(run("report", path, code=3))


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from click.testing import CliRunner; from trexreport.cli import main;"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0;"
        "heavy = {'pandas', 'numpy', 'plotly', 'jinja2', 'weasyprint', 'tensorrt', 'rich', 'pydot'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def loaded_by(*arguments):
    """Return the modules that a command loads in a process of its own."""
    script = (
        "import sys; from trexreport.cli import main;"
        f"main({list(arguments)}, standalone_mode=False);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_lint_of_a_folder_loads_only_what_it_needs():
    """Each module costs 0.2 ms at every start."""
    loaded = loaded_by("lint", str(BEFORE), "--isolated", "--fail-on", "never")
    unneeded = {
        *(
            "importlib.metadata",
            "email",
            "zipfile",
            "lzma",
            "xml",
            "ssl",
            "asyncio",
            "http",
            "urllib.request",
        ),
        *("jinja2", "pandas", "numpy", "secrets", "logging"),
        *(f"trexreport.cli.{name}" for name in ("report", "compare", "site", "mail", "collect")),
        *(
            "trexreport.collector",
            "trexreport.site",
            "trexreport.renderer.html",
            "trexreport.analyzer.blocks",
        ),
        *("trexreport.analyzer.comparison", "trexreport.analyzer.analysis.comparison"),
        *("trexreport.reader.archive_file", "trexreport.reader.report_file", "trexreport.reader.tactics"),
        *("trexreport.renderer.check_results.sarif", "trexreport.wording.json_sentences"),
    }
    assert not unneeded & loaded
    rules = {name for name in loaded if name.startswith("trexreport.analyzer.rules.")}
    own = {name for name in loaded if name.partition(".")[0] == "trexreport"} - rules
    assert 100 < len(own) < 260


@pytest.mark.parametrize(
    ("command", "ending"), [("report", "json"), ("report", "md"), ("compare", "json"), ("compare", "md")]
)
def test_what_is_no_page_loads_nothing_that_draws_one(tmp_path, command, ending):
    """A quarter of the modules of a page, which a large comparison spends a hundredth of its time on."""
    captures = [str(BEFORE)] if command == "report" else [str(BEFORE), str(AFTER)]
    loaded = loaded_by(command, *captures, "-o", str(tmp_path / f"x.{ending}"))
    assert "trexreport.renderer.html_options" in loaded
    assert not {"jinja2", "trexreport.renderer.html", "trexreport.renderer.graph.drawing"} & loaded


def test_a_report_loads_neither_pandas_nor_the_python_side_of_plotly(tmp_path):
    script = (
        "import sys; from trexreport.cli import main;"
        f"main(['report', {str(BEFORE)!r}, '-o', {str(tmp_path / 'x.html')!r}], standalone_mode=False);"
        "print(sorted({'pandas','numpy','plotly','weasyprint','rich','pydot','zipfile','email',"
        "'trexreport.renderer.graph.viewer_data','trexreport.renderer.model_graph'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (("lint", "{}", "-o", "{}"), "r.html"),
        (("mail", "{}", "--eml", "{}", "--from", "a@b.c", "--to", "a@b.c"), "r.html"),
        (("report", "{}", "-o", "{}", "--redact", "names"), "r.html"),
        (("report", "{}", "-o", "{}", "--max-size", "500kB"), "r.html"),
        (("archive", "{}", "-o", "{}"), "r.trexa"),
    ],
)
def test_a_file_that_carries_inputs_is_not_replaced_by_what_lacks_some(run, tmp_path, arguments, file):
    (tmp_path / "model.plan").write_bytes(b"an engine")
    run("report", BEFORE, "-o", "r.html")
    run("archive", BEFORE, "--engine", "model.plan", "--no-report", "-o", "r.trexa")
    held = (tmp_path / file).read_bytes()
    result = run(*(word.replace("{}", file) for word in arguments), code=2)
    assert "is one of the input files" in result.stderr
    assert (tmp_path / file).read_bytes() == held


def test_a_report_can_be_written_again_in_its_place(run, tmp_path):
    run("report", BEFORE, "-o", "r.html", "--charts", "static")
    held = (tmp_path / "r.html").stat().st_size
    run("report", "r.html", "-o", "r.html")
    assert (tmp_path / "r.html").stat().st_size > held
    run("summary", "r.html")
