"""Check captures that are made from logs only."""

from __future__ import annotations

import json
import subprocess

import pytest
from click.testing import CliRunner

from trexreport.analyzer import analyze
from trexreport.cli import main
from trexreport.collector.from_log import capture_from_logs
from trexreport.errors import InputError, OutputError
from trexreport.reader import read_engine


@pytest.fixture
def logs(double, model, tmp_path):
    """The logs of a build and of a timing run, under names of no convention."""
    words = {
        "first.txt": ["--onnx=m.onnx", "--saveEngine=out dir/resnet.plan", "--skipInference"],
        "second.txt": ["--loadEngine=out dir/resnet.plan", "--exportTimes=t.json"],
    }
    (tmp_path / "out dir").mkdir()
    for name, options in words.items():
        done = subprocess.run(
            [*double.program, *options], capture_output=True, check=True, cwd=tmp_path, timeout=60
        )
        (tmp_path / name).write_bytes(done.stdout + done.stderr)
    return [str(tmp_path / name) for name in words]


def test_logs_get_the_names_of_a_capture(logs, tmp_path):
    capture_from_logs(logs[::-1], str(tmp_path / "c"), force=False)
    assert {path.name for path in (tmp_path / "c").iterdir()} == {
        *("resnet.engine.build.log", "resnet.engine.timing.log", "resnet.engine.capture.json"),
        *("resnet.engine.build.metadata.json", "resnet.engine.profile.metadata.json"),
    }
    assert (tmp_path / "c" / "resnet.engine.build.log").read_bytes() == (tmp_path / "first.txt").read_bytes()


def test_the_manifest_says_what_there_is_not(logs, tmp_path):
    capture_from_logs(logs, str(tmp_path / "c"), force=False)
    written = json.loads((tmp_path / "c" / "resnet.engine.capture.json").read_text())
    assert written["complete"] is False
    assert set(written["missing"]) >= {"resnet.engine.graph.json", "resnet.engine.profile.json"}
    assert written["versions"]["tensorrt"] == "10.16.0"
    assert [run["title"] for run in written["runs"]] == ["build", "timing"]
    assert written["runs"][0]["command"][1] == "--onnx=m.onnx"


def test_a_report_has_what_the_logs_say(logs, tmp_path):
    capture_from_logs(logs, str(tmp_path / "c"), force=False)
    engine = read_engine(tmp_path / "c")
    assert engine.setup.device["Selected Device"] == "NVIDIA L4"
    assert engine.measurement.throughput_qps > 0
    assert any(note.slug == "logs-alone" for note in engine.notes)


def test_a_log_of_windows(logs, tmp_path):
    text = (tmp_path / "second.txt").read_text().replace("out dir/resnet.plan", r"C:\engines\bert.plan")
    (tmp_path / "w.txt").write_bytes(text.replace("\n", "\r\n").encode())
    capture_from_logs([str(tmp_path / "w.txt")], str(tmp_path / "c"), force=False)
    assert (tmp_path / "c" / "bert.engine.timing.log").exists()


def test_errors_of_a_log_become_notes(double, tmp_path):
    done = subprocess.run(
        [*double.program, "--onnx=nope.onnx", "--saveEngine=e"], capture_output=True, check=False, timeout=60
    )
    (tmp_path / "x.log").write_bytes(done.stdout + done.stderr)
    journal = capture_from_logs([str(tmp_path / "x.log")], str(tmp_path / "c"), force=False)
    assert any("Could not open file nope.onnx" in note for note in journal.notes)


def test_what_is_no_log_is_refused(logs, tmp_path):
    (tmp_path / "x.txt").write_text("no log\n")
    for paths, message in [
        ([str(tmp_path / "x.txt")], "is not a log of trtexec"),
        ([str(tmp_path / "nowhere")], "can't be read"),
        ([str(tmp_path)], "can't be read"),
        ([logs[0], logs[0]], "both logs of a build run"),
    ]:
        with pytest.raises(InputError, match=message):
            capture_from_logs(paths, str(tmp_path / "c"), force=False)
    assert not (tmp_path / "c").exists()


def test_an_earlier_capture_is_left_alone(logs, tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "resnet.engine.graph.json").write_text("earlier")
    with pytest.raises(OutputError, match="earlier capture"):
        capture_from_logs(logs, str(tmp_path / "c"), force=False)
    assert (tmp_path / "c" / "resnet.engine.graph.json").read_text() == "earlier"


def test_nothing_of_logs_alone_is_called_damaged(logs, tmp_path):
    capture_from_logs(logs, str(tmp_path / "c"), force=False)
    engine = read_engine(tmp_path / "c")
    assert "capture-incomplete" not in {note.slug for note in engine.notes}
    assert "TRX907" not in {finding.code for finding in analyze(engine).lint.findings}
    shown = CliRunner().invoke(main, ["summary", str(tmp_path / "c")])
    assert shown.exit_code == 0
    assert "By type" not in shown.stdout
