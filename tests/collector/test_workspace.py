"""Check that a capture appears whole or not at all, whenever its collector is killed."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

from trexreport.collector import workspace as module
from trexreport.collector.flags import Stage
from trexreport.collector.jobs import Command, Job
from trexreport.collector.journal import Journal, Run
from trexreport.collector.workspace import Workspace
from trexreport.errors import OutputError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

EARLIER = (
    "",
    ".build.log",
    ".graph.json",
    ".profile.json",
    ".timing.json",
    ".timing.2.json",
    ".metadata.json",
)
NEW = ("", ".build.log", ".graph.json", ".profile.json", ".timing.json", ".gpu.json", ".samples.json")
FINISHED = Journal(
    runs=[Run(Command(Stage.BUILD, "build", (), "m.engine.build.log", ("m.engine",)), finished=True)]
)


class Death(BaseException):
    """What no program survives."""


@pytest.fixture
def place(tmp_path):
    """A folder with a whole earlier capture and a workspace over it, a whole new one in work."""
    folder = tmp_path / "out"
    folder.mkdir()
    for ending in EARLIER:
        (folder / f"m.engine{ending}").write_text("earlier")
    (folder / "m.engine.capture.json").write_bytes(manifest_bytes("earlier", complete=True))
    (folder / "thesis.txt").write_text("mine")
    return Workspace(Job("m.onnx", str(folder)))


def manifest_bytes(by, *, complete):
    return json.dumps({"complete": complete, "by": by}).encode()


def make(workspace):
    workspace.write_manifest(manifest_bytes("new", complete=False))
    for ending in NEW:
        (workspace.working / f"m.engine{ending}").write_text("new")


def publish(workspace):
    with workspace.opened(force=True):
        make(workspace)
        workspace.publish(
            FINISHED,
            incomplete=manifest_bytes("new", complete=False),
            complete=manifest_bytes("new", complete=True),
        )


def captures(folder):
    return {
        path.name: path.read_text()
        for path in folder.iterdir()
        if path.name.startswith("m.engine") and path.is_file()
    }


def die_at(step, monkeypatch):
    """Let the process "die" before the given change to the disk; return the counter of changes."""
    count = itertools.count()

    def mortal(function):
        def call(*arguments, **options):
            if next(count) == step:
                raise Death
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(Path, "replace", mortal(Path.replace))
    monkeypatch.setattr(Path, "unlink", mortal(Path.unlink))
    monkeypatch.setattr(module.shutil, "rmtree", mortal(module.shutil.rmtree))
    monkeypatch.setattr(module, "write_output", mortal(module.write_output))
    return count


def test_a_new_capture_takes_the_place_of_the_earlier_one(place):
    publish(place)
    assert captures(place.folder) == {
        **{f"m.engine{ending}": "new" for ending in NEW},
        "m.engine.capture.json": manifest_bytes("new", complete=True).decode(),
    }
    assert (place.folder / "thesis.txt").read_text() == "mine"
    assert not place.working.exists()


def test_a_death_at_any_step_leaves_nothing_that_reads_as_complete_and_is_not(place, monkeypatch):
    for step in itertools.count():
        with monkeypatch.context() as patched:
            steps = die_at(step, patched)
            try:
                publish(place)
                break
            except Death:
                pass
        found = captures(place.folder)
        manifest = json.loads(found.pop("m.engine.capture.json"))
        if manifest["complete"]:
            assert set(found.values()) == {manifest["by"]}, step
            assert len(found) == len(EARLIER if manifest["by"] == "earlier" else NEW), step
        # Nothing of the new one is lost, either.
        new = {name for name, content in found.items() if content == "new"}
        if place.working.exists() and manifest["by"] == "new":
            new |= {path.name for path in place.working.iterdir() if path.name != "m.engine.capture.json"}
        assert manifest["by"] == "earlier" or new == {f"m.engine{ending}" for ending in NEW}, step
    assert next(steps) > 10


def test_a_death_while_leftovers_are_kept_is_no_better(place, monkeypatch):
    for path in list(place.folder.iterdir()):
        path.unlink()
    for step in range(40):
        with monkeypatch.context() as patched:
            die_at(step, patched)
            try:
                with place.opened(force=True):
                    make(place)
                    place.keep(FINISHED, incomplete=manifest_bytes("new", complete=False))
            except Death:
                pass
        for folder in (place.folder, place.working):
            manifest = folder / "m.engine.capture.json"
            if folder.exists() and manifest.exists():
                assert json.loads(manifest.read_text())["complete"] is False, step
            elif folder.exists():
                assert captures(folder) == {}, step
    assert set(captures(place.folder)) == {"m.engine", "m.engine.capture.json"}


def test_only_what_was_finished_is_kept(place):
    for path in list(place.folder.iterdir()):
        path.unlink()
    with place.opened(force=False):
        make(place)
        journal = Journal(
            runs=[
                *FINISHED.runs,
                Run(Command(Stage.PROFILE, "profile", (), "x/m.engine.build.log", ("m.engine.graph.json",))),
            ]
        )
        assert place.keep(journal, incomplete=manifest_bytes("new", complete=False)) == place.folder
    assert set(captures(place.folder)) == {"m.engine", "m.engine.build.log", "m.engine.capture.json"}


def test_a_lock_ends_with_its_holder(place):
    with (
        place.opened(force=True),
        pytest.raises(OutputError, match="Another trexreport"),
        place.opened(force=True),
    ):
        pass
    with place.opened(force=True):
        pass


def test_a_folder_that_cannot_be_locked_is_used_all_the_same(place, monkeypatch):
    def unsupported(*_arguments):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(module.fcntl, "flock", unsupported)
    publish(place)
    assert captures(place.folder)["m.engine"] == "new"


@pytest.mark.parametrize(
    "left", ["m.engine.graph.json", ".m.engine.capture.json.abc.tmp", "timing.cache.lock"]
)
def test_what_a_killed_collector_left_is_cleared(place, left):
    place.working.mkdir()
    (place.working / left).write_text("left")
    publish(place)
    assert not place.working.exists()


@pytest.mark.parametrize("kind", ["file", "link", "other"])
def test_what_is_not_ours_is_in_the_way(place, tmp_path, kind):
    if kind == "file":
        place.working.write_text("mine")
    elif kind == "link":
        place.working.symlink_to(tmp_path)
    else:
        place.working.mkdir()
        (place.working / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="in the way"):
        publish(place)
    assert captures(place.folder)["m.engine.graph.json"] == "earlier"
