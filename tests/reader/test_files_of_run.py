"""Files beside a log with several runs are of one of them: those of others are left out."""

from __future__ import annotations

import pytest

from trexreport.model import Source
from trexreport.reader.files_of_run import files_of_run
from trexreport.reader.log_runs import find_runs

FILES = ("timing", "profile", "graph")


def _kept(wanted, *commands):
    log = "".join(
        f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec {command}\n=== Performance summary ===\n"
        f"&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec {command}\n"
        for command in commands
    ).encode()
    runs = find_runs(log)
    sources = [Source("log", "all.log", log), *(Source(role, f"{role}.json", b"[]") for role in FILES)]
    kept, notes = files_of_run(sources, runs, runs[wanted - 1])
    assert len(notes) == (len(kept) < len(sources))
    return [source.role for source in kept if source.role != "log"]


@pytest.mark.parametrize(
    ("wanted", "commands", "kept"),
    [
        # No command names them: they are of the last run.
        (1, ("--onnx=m.onnx --batch=1", "--onnx=m.onnx --batch=2"), []),
        (2, ("--onnx=m.onnx --batch=1", "--onnx=m.onnx --batch=2"), ["timing", "profile", "graph"]),
        # Layers are of all runs of their engine.
        (1, ("--loadEngine=m.plan --shapes=x:1x3", "--loadEngine=m.plan --shapes=x:2x3"), ["graph"]),
        # A run of its own may have timed the layers.
        (
            1,
            ("--loadEngine=m.plan --exportTimes=timing.json", "--loadEngine=m.plan --exportProfile=p.json"),
            ["timing", "profile", "graph"],
        ),
        # The command names a file.
        (1, ("--onnx=a.onnx --exportTimes=timing.json", "--onnx=b.onnx --exportTimes=t.json"), ["timing"]),
        (2, ("--onnx=a.onnx --exportTimes=timing.json", "--onnx=b.onnx"), ["profile", "graph"]),
        (
            1,
            ("--onnx=a.onnx --exportProfile=profile.json", "--onnx=a.onnx --exportProfile=b.json"),
            ["profile", "graph"],
        ),
    ],
)
def test_files_are_of_the_run_that_names_them_else_of_the_last(wanted, commands, kept):
    assert _kept(wanted, *commands) == kept
