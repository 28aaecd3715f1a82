"""Outputs of other tools beside a capture are named as not read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine

SAMPLE = Path(__file__).parents[2] / "samples" / "resnet18-int8-before"
VLLM = "INFO vLLM API server version 0.5\n"
SMI = "timestamp, name, utilization.gpu [%]\n2026/11/02 14:20:10, NVIDIA A10, 99\n"


def notes_of(folder):
    return [note for note in read_engine(folder).notes if note.slug == "files-not-read"]


@pytest.mark.parametrize("renamed", [False, True])
def test_a_log_of_a_tool_beside_a_capture_is_named_once(renamed, tmp_path):
    for path in SAMPLE.glob("*.json"):
        if not renamed or path.name.endswith((".graph.json", ".profile.json")):
            name = path.name.replace(".graph.json", "_layers.json").replace(".profile.json", "_times.json")
            shutil.copy(path, tmp_path / (name if renamed else path.name))
    assert notes_of(tmp_path) == []
    (tmp_path / "notes.txt").write_text("Measured on a desk.\n", encoding="utf-8")
    (tmp_path / "serve.txt").write_text(VLLM, encoding="utf-8")
    (note,) = notes_of(tmp_path)
    assert note.severity == "info"
    assert note.message == "Not read, as it has no layers of an engine: serve.txt (a log of vLLM)."
    (tmp_path / "smi.csv").write_text(SMI, encoding="utf-8")
    (note,) = notes_of(tmp_path)
    assert "smi.csv (a table of nvidia-smi)" in note.message


def test_results_of_benchmarks_are_named(tmp_path):
    for path in SAMPLE.glob("*.json"):
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / "perf.txt").write_text("*** Measurement Settings ***\n  Batch size: 1\n")
    assert "perf.txt (a result of Triton's perf_analyzer)" in notes_of(tmp_path)[0].message


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"\x1f\x8b\x08", "compressed with gzip"),
        (b"version https://git-lfs.github.com/spec/v1", "a pointer of Git LFS"),
        (b"<html><body>404", "a web page"),
        (bytes(64), "begins with zeros"),
        (b"batch,price\n1,2\n", ""),
    ],
)
def test_a_table_that_became_something_else_is_named(content, what, tmp_path):
    for path in SAMPLE.glob("*.json"):
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / "counts.csv").write_bytes(content)
    message = f"Not read, as it has no layers of an engine: counts.csv ({what})."
    assert [note.message for note in notes_of(tmp_path)] == ([message] if what else [])


def a_loop(path):
    path.symlink_to(path.name)


def a_dangling_link(path):
    path.symlink_to("annex/objects/profile.json")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Path.mkdir, "a folder"),
        (os.mkfifo, "a pipe or a device"),
        (a_loop, "a link to a file that is not there"),
        (a_dangling_link, "a link to a file that is not there"),
    ],
)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="There are no pipes in folders.")
@pytest.mark.parametrize("ending", ["profile.json", "graph.json"])
def test_what_is_called_as_a_file_of_a_capture_and_is_not_a_file_is_noted(ending, make, what, tmp_path):
    for path in SAMPLE.glob("*.json"):
        if path.name.endswith((".graph.json", ".profile.json")):
            shutil.copy(path, tmp_path)
    (path,) = tmp_path.glob(f"*.{ending}")
    (graph,) = tmp_path.glob("*.graph.json")
    path.unlink()
    make(path)
    message = f"{path.name} was left out: it is {what}."
    for start in {tmp_path, graph} - {path}:
        assert message in [each.message for each in read_engine(start).notes]
    for other in tmp_path.glob("*.json"):
        if other != path:
            other.unlink()
    with pytest.raises(InputError) as raised:
        read_engine(tmp_path)
    assert str(raised.value).endswith(f"holds no capture: {message} Copy the file itself into the folder.")


def test_a_link_to_nothing_that_is_named_is_not_offered_again(tmp_path):
    path = tmp_path / "x.graph.json"
    a_dangling_link(path)
    with pytest.raises(InputError, match=r"does not exist\. It is a link to a file that is not there"):
        read_engine(path)
