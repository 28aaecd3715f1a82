"""`trexreport site` as a user runs it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from site_captures import files_of, write_capture, write_history

from trexreport.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["site", *map(str, arguments)])


@pytest.fixture
def captures(tmp_path):
    return write_history(tmp_path / "captures", [1.0, 1.0, 1.2, 1.2])


@pytest.fixture
def output(tmp_path):
    return tmp_path / "site"


def test_it_says_what_it_made(captures, output):
    result = run(captures, "-o", output, "--jobs", 1)
    assert result.exit_code == 0
    assert result.stderr == (
        "  slower: +19.9% GPU compute time, net.onnx on NVIDIA L4: captures/run-3/net.engine\n"
        f"Wrote {output}/index.html (4 engines, 5 pages made, 1 regression).\n"
    )
    assert result.stdout == ""
    assert run(captures, "-o", output, "--jobs", 1, "-q").stderr == ""


def test_processes_make_it_too(captures, output, tmp_path):
    assert run(captures, "-o", output, "--jobs", 2).exit_code == 0
    assert run(captures, "-o", tmp_path / "other", "--jobs", 1).exit_code == 0
    assert files_of(output) == files_of(tmp_path / "other")


def test_a_corrupt_capture_is_reported_and_fails_only_if_asked(captures, output):
    (captures / "run-2" / "net.engine.graph.json").write_text("{")
    result = run(captures, "-o", output, "--jobs", 1)
    assert result.exit_code == 0
    assert "failed: captures/run-2/net.engine: " in result.stderr
    assert "3 engines" in result.stderr
    assert "1 failed" in result.stderr
    strict = run(captures, "-o", output, "--jobs", 1, "--strict")
    assert strict.exit_code == 3
    assert "1 capture can't be read" in strict.stderr
    quiet = run(captures, "-o", output, "--jobs", 1, "--strict", "-q")
    assert quiet.exit_code == 3
    assert quiet.stderr.startswith("  failed: captures/run-2/net.engine: ")
    assert quiet.stderr.count("\n") == strict.stderr.count("\n") - 2
    assert run(captures, "-o", output, "--jobs", 1, "-q").stderr == ""
    assert (output / "index.html").is_file()


def test_many_failures_are_not_all_reported(tmp_path, output):
    for number in range(25):
        write_capture(tmp_path / "captures" / str(number))
        (tmp_path / "captures" / str(number) / "net.engine.graph.json").write_text("{")
    result = run(tmp_path / "captures", "-o", output, "--jobs", 1)
    assert result.stderr.count("  failed: ") == 20
    assert "and 5 more, which the index lists" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-o", "site"], (2, "There are no folders to read")),
        (["nothing", "-o", "site"], (3, "nothing does not exist")),
        (["captures", "-o", "captures"], (2, "is inside of captures, or the same folder")),
        (["captures/run-1", "-o", "captures"], (2, "is inside of captures")),
        (["captures", "captures/run-1", "-o", "site"], (3, "is inside of captures")),
        (["captures", "-o", "site", "--dask", "tcp://127.0.0.1:9", "--jobs", "2"], (2, "contradict")),
        (["captures", "-o", "site", "--jobs", "0"], (2, "0 is not in the range")),
        (["captures", "-o", "file"], (3, "file is a file")),
        (["captures", "-o", "mine"], (3, "mine is not empty")),
        (["empty", "-o", "site"], (3, "no capture below empty")),
    ],
)
def test_mistakes_are_one_line(captures, tmp_path, monkeypatch, arguments, expected):
    code, words = expected
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").write_text("")
    before = sorted(tmp_path.rglob("*"))
    result = run(*arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_rules_and_titles_are_the_users(captures, output):
    assert run(captures, "-o", output, "--jobs", 1, "--title", "Nightly", "--ignore", "TRX").exit_code == 0
    assert '<h1 id="overview-title" class="name">Nightly</h1>' in (output / "index.html").read_text()
    # Other rules make other pages; the same rules make none.
    assert "4 engines, 5 pages made" in run(captures, "-o", output, "--jobs", 1).stderr
    assert "4 engines, 0 pages made" in run(captures, "-o", output, "--jobs", 1).stderr


def test_pages_of_interactive_charts_can_be_had(captures, output):
    assert run(captures / "run-1", "-o", output, "--jobs", 1, "--charts", "interactive").exit_code == 0
    (page,) = (output / "engines").iterdir()
    assert page.stat().st_size > 1_000_000
