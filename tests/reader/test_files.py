"""Files that are larger than any of a capture, or have no end."""

from __future__ import annotations

import json
import os
import threading
import zipfile

import pytest

from trexreport import input_file
from trexreport.errors import InputError
from trexreport.reader import files, read_engine
from trexreport.reader.locate import locate

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]})
LOG = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec\n"
MOST = 1000


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(files, "LARGEST_BYTES", MOST)
    monkeypatch.setattr(files, "LARGEST_LOG_BYTES", MOST)


@pytest.fixture
def capture(tmp_path):
    (tmp_path / "x.engine.graph.json").write_text(GRAPH)
    return tmp_path


@pytest.mark.parametrize("name", ["x.engine.timing.log", "x.engine.profile.json", "output.txt"])
def test_a_file_that_was_not_named_is_left_out_with_a_note(capture, name):
    (capture / name).write_text(LOG + "x" * MOST)
    engine = read_engine(capture)
    assert [source.name for source in engine.sources] == ["x.engine.graph.json"]
    (note,) = [note for note in engine.notes if note.slug == "file-too-large"]
    assert note.message == f"{name} is larger than 1\u00a0kB, and no file of a capture is. It was left out."
    if name != "output.txt":
        assert "file-too-large" in [note.slug for note in locate([capture / "x.engine.graph.json"]).notes]


def test_one_that_was_named_is_an_error(capture):
    (capture / "x.log").write_text(LOG + "x" * MOST)
    for named in (([capture / "x.log"],), ([capture], {"log": capture / "x.log"})):
        with pytest.raises(InputError, match="x\\.log is larger than 1\u00a0kB"):
            locate(*named)


def test_without_the_layers_there_is_nothing(capture):
    (capture / "x.engine.graph.json").write_text(GRAPH + " " * MOST)
    for named in (capture, capture / "x.engine.graph.json"):
        with pytest.raises(InputError, match="is larger than 1\u00a0kB"):
            locate([named])


def test_other_large_texts_in_the_folder_are_no_matter(capture):
    (capture / "notes.txt").write_text("buy milk " * MOST)
    assert not locate([capture]).notes


def test_an_archive_may_hold_an_engine_of_any_size(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.tea", "w") as archive:
        archive.writestr("x.engine.graph.json", GRAPH)
        archive.writestr("x.engine", os.urandom(3 * MOST))
    assert [source.role for source in locate([tmp_path / "x.tea"]).sources] == ["graph"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(input_file, "_PART_BYTES", MOST // 4)
    os.mkfifo(tmp_path / "pipe")

    def pour():
        # The reader leaves.
        try:
            with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
                while True:
                    pipe.write(b"x" * 100)
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=pour, daemon=True)
    thread.start()
    with pytest.raises(InputError, match="is larger than 1\u00a0kB"):
        locate([tmp_path / "pipe"])
    thread.join(120)
    assert not thread.is_alive()
