"""The folder of a capture: what is replaced, kept and shared."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from collected import (
    UNWATCHED,
    WHOLE,
    Progress,
    contents,
    manifest,
    names,
)

from trexreport.collector.collect import collect
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version
from trexreport.errors import OutputError, ToolFailedError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")


# What was there before.


def test_an_earlier_capture_is_replaced_only_by_force(run, tmp_path):
    run()
    before = contents(tmp_path / "out")
    with pytest.raises(OutputError, match="earlier capture") as error:
        run()
    assert "--force" in error.value.hint
    assert contents(tmp_path / "out") == before
    run(options=replace(UNWATCHED, force=True), version="11.1.0")
    assert manifest(tmp_path / "out")["versions"]["tensorrt"] == "11.1.0"
    assert names(tmp_path / "out") == WHOLE


def test_a_new_capture_leaves_nothing_of_the_earlier_one(run, tmp_path):
    run(runs=3)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "m.engine.graph.json.svg").write_text("mine")
    run(options=replace(UNWATCHED, force=True))
    assert names(tmp_path / "out") == WHOLE | {"notes.txt", "m.engine.graph.json.svg"}


@pytest.mark.parametrize(("fails", "stage"), [("build", "build"), ("crash", "build"), ("crash", "timing")])
def test_a_failure_leaves_the_earlier_capture_as_it_was(run, tmp_path, fails, stage):
    run()
    before = contents(tmp_path / "out")
    with pytest.raises(ToolFailedError):
        run(options=replace(UNWATCHED, force=True), fails=fails, **{"in": stage})
    after = contents(tmp_path / "out")
    assert {name: after[name] for name in before if name != "timing.cache"} == {
        name: data for name, data in before.items() if name != "timing.cache"
    }
    left = tmp_path / "out" / "m.engine.incomplete"
    assert manifest(left)["complete"] is False
    assert manifest(tmp_path / "out")["complete"] is True
    run(options=replace(UNWATCHED, force=True))
    assert names(tmp_path / "out") == WHOLE


def test_what_came_to_nothing_is_replaced_without_asking(run, tmp_path):
    with pytest.raises(ToolFailedError):
        run(fails="build")
    run()
    assert names(tmp_path / "out") == WHOLE


def test_captures_of_several_engines_share_a_folder(run, tmp_path):
    (tmp_path / "n.onnx").write_text("another")
    run()
    run(source=tmp_path / "n.onnx")
    assert {"m.engine.capture.json", "n.engine.capture.json"} <= names(tmp_path / "out")


def test_a_folder_in_the_way_is_left_alone(run, tmp_path):
    mine = tmp_path / "out" / "m.engine.incomplete"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="in the way"):
        run()
    assert names(mine) == {"thesis.txt"}


def test_a_file_where_the_folder_should_be(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="out can't be made: something that is not a folder is there"):
        run()
    assert (tmp_path / "out").read_text() == "mine"


def test_two_collectors_do_not_share_a_folder(run, tmp_path, double, model):
    class Second(Progress):
        def begin(self, title):
            job = Job(str(model), str(tmp_path / "out"))
            with pytest.raises(OutputError, match="Another trexreport is collecting"):
                collect(job, TrtexecBackend(double.program, Version(10, 16)), Progress(), UNWATCHED)
            super().begin(title)

    second = Second()
    run(progress=second)
    assert "begin timing" in second.messages
    assert names(tmp_path / "out") == WHOLE


def test_a_name_that_is_no_text(run, tmp_path, model):
    odd = model.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.onnx"))
    run(source=odd)
    (path,) = (tmp_path / "out").glob("*.capture.json")
    assert json.loads(path.read_text())["source"]["path"] == str(odd)


def test_names_with_spaces_quotes_and_dollars(run, tmp_path, model):
    odd = model.rename(tmp_path / "my 'model' $HOME.onnx")
    run(source=odd)
    assert "my 'model' $HOME.engine.capture.json" in names(tmp_path / "out")
