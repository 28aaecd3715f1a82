"""What is kept and stated when something fails on the way."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from collected import (
    DATA,
    MANIFEST,
    UNWATCHED,
    WHOLE,
    Progress,
    contents,
    manifest,
    names,
)

from trexreport.collector import collect as collect_module
from trexreport.collector import process
from trexreport.errors import InputError, OutputError, ToolFailedError, UsageError
from trexreport.reader import read_engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")


# What goes wrong.

FAILURES = {
    "build": "could not be built",
    "onnx": "plugin .* was not found",
    "memory": "not enough memory",
    "no_gpu": "driver",
    "crash": r"crashed \(SIGSEGV\)",
    "killed": "ran out of memory",
    "empty": "is missing or empty",
}


@pytest.mark.parametrize(
    ("fails", "version"),
    [
        *((fails, "10.16.0") for fails in FAILURES),
        ("build", "8.6.1"),
        ("build", "11.1.0"),
        ("no_gpu", "8.6.1"),
    ],
)
def test_a_build_that_fails_leaves_its_log_and_no_engine(run, tmp_path, fails, version):
    with pytest.raises(ToolFailedError, match=FAILURES[fails]) as error:
        run(version=version, fails=fails, **{"in": "build"})
    assert names(tmp_path / "out") == {"m.engine.build.log", MANIFEST}
    written = manifest(tmp_path / "out")
    assert written["complete"] is False
    assert set(written["missing"]) >= DATA
    assert written["failure"] in str(error.value)
    assert error.value.details[-1] == f"The whole log: {tmp_path / 'out' / 'm.engine.build.log'}"


@pytest.mark.parametrize("fails", ["crash", "killed", "empty", "cut", "missing", "partial"])
@pytest.mark.parametrize("stage", ["profile", "timing"])
def test_a_measurement_that_fails_keeps_what_was_finished(run, tmp_path, fails, stage):
    with pytest.raises(ToolFailedError) as error:
        run(fails=fails, **{"in": stage})
    assert f"The {stage} run" in str(error.value)
    kept = {"m.engine", *(() if stage == "profile" else ("m.engine.graph.json", "m.engine.profile.json"))}
    assert names(tmp_path / "out") & DATA == kept
    written = manifest(tmp_path / "out")
    assert written["complete"] is False
    assert set(written["missing"]) & DATA == DATA - kept
    if stage == "timing":
        notes = [note.slug for note in read_engine(tmp_path / "out").notes]
        assert "capture-incomplete" in notes


def test_the_lines_of_the_log_that_show_most_come_with_the_error(run):
    with pytest.raises(ToolFailedError) as error:
        run(fails="onnx")
    assert error.value.details[0].startswith("In node 7 with name: /head/Foo")
    assert "Failed to parse onnx file" in error.value.details


def test_why_a_run_failed_comes_before_why_that_cannot_be_written_down(run, monkeypatch):
    def full(*_arguments):
        raise OutputError("The disk is full.")

    class Filling(Progress):
        def begin(self, title):
            super().begin(title)
            monkeypatch.setattr(collect_module.Workspace, "write_manifest", full)
            monkeypatch.setattr(collect_module._Collection, "_keep", lambda *_: Path("out"))

    with pytest.raises(ToolFailedError, match="The build run failed"):
        run(fails="build", progress=Filling())


def test_what_was_made_is_kept_where_it_cannot_be_moved(run, tmp_path, monkeypatch):
    run(version="8.6.1")
    earlier = contents(tmp_path / "out")

    def full(path, *arguments, **options):
        if Path(path).parent == tmp_path / "out":
            raise OutputError("The disk is full.")
        return written(path, *arguments, **options)

    written = collect_module.write_output
    monkeypatch.setattr("trexreport.collector.workspace.write_output", full)
    with pytest.raises(OutputError, match="The disk is full") as error:
        run(options=replace(UNWATCHED, force=True))
    working = tmp_path / "out" / "m.engine.incomplete"
    assert str(working) in error.value.details[0]
    assert contents(tmp_path / "out") == earlier
    assert names(working) >= WHOLE
    assert manifest(working)["complete"] is False


def test_what_was_finished_is_kept_where_it_cannot_be_moved(run, tmp_path, monkeypatch):
    def full(*_arguments, **_options):
        raise OutputError("The disk is full.")

    monkeypatch.setattr(collect_module.Workspace, "keep", full)
    with pytest.raises(ToolFailedError, match="The timing run failed") as error:
        run(**{"fails": "crash", "in": "timing"})
    working = tmp_path / "out" / "m.engine.incomplete"
    assert str(working) in error.value.details[-1]
    assert (working / "m.engine").exists()
    assert manifest(working)["complete"] is False


def test_an_engine_of_another_version(run, tmp_path):
    run(version="10.13.3")
    with pytest.raises(
        ToolFailedError, match=r"The engine is of TensorRT 10\.13\.3\.0, and what loads it is of 10\.16"
    ):
        run(source=tmp_path / "out" / "m.engine", options=replace(UNWATCHED, force=True))


def test_a_file_that_is_no_engine(run, tmp_path):
    (tmp_path / "e.engine").write_text("no plan")
    with pytest.raises(ToolFailedError, match="not an engine that this TensorRT can read"):
        run(source=tmp_path / "e.engine")


def test_a_run_that_takes_too_long(run, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "GRACE_S", 0.2)
    with pytest.raises(ToolFailedError, match=r"The build run failed: .* was ended after 1 s"):
        run(options=replace(UNWATCHED, timeout_s=1.0), fails="deaf")
    assert names(tmp_path / "out") == {"m.engine.build.log", MANIFEST}
    assert manifest(tmp_path / "out")["complete"] is False


def test_bad_arguments_are_refused_before_anything_runs(run, tmp_path, double):
    for arguments, message in [(("fp16",), "no longer takes"), (("shapes=x:axb",), "is not a shape")]:
        with pytest.raises(UsageError, match=message):
            run(*arguments, version="11.1.0")
    assert double.command_lines() == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: None, "does not exist"),
        (lambda path: path.touch(), "is empty"),
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "is not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
    ],
)
def test_a_model_that_is_not_there(run, tmp_path, make, message):
    path = tmp_path / "other.onnx"
    make(path)
    with pytest.raises(InputError, match=message):
        run(source=path)
    assert not (tmp_path / "out").exists()


def test_an_engine_that_goes_away_before_it_is_hashed(run, tmp_path, monkeypatch):
    class Removing(Progress):
        def end(self, title):
            if title == "timing done":
                next((tmp_path / "out").rglob("m.engine")).unlink()

    with pytest.raises(InputError, match=r"m\.engine can't be read: No such file"):
        run(progress=Removing())
    assert manifest(tmp_path / "out")["complete"] is False


def test_a_model_for_another_program(run, tmp_path):
    (tmp_path / "m.PT").write_text("x")
    with pytest.raises(InputError, match=r"not a model that TensorRT reads\. Export it to ONNX"):
        run(source=tmp_path / "m.PT")


def test_a_full_disk_is_the_cause_whatever_trtexec_prints(run, monkeypatch):
    monkeypatch.setattr("trexreport.collector.trtexec._NO_ROOM_BYTES", 2**80)
    with pytest.raises(ToolFailedError, match=r"The disk is full\."):
        run(**{"fails": "build", "in": "build"})
