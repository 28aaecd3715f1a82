"""Nothing outside of the given folders is read, whatever an assistant asks for and whatever lies in them."""

from __future__ import annotations

import os
import shutil

import pytest
from sets_of_phases import write_set

from trexreport.assistant import places
from trexreport.assistant.places import Captures, Places
from trexreport.errors import InputError, UsageError
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


@pytest.fixture
def root(tmp_path):
    """A folder "engines" with one capture "a", beside a folder that must not be read."""
    shutil.copytree(SAMPLE, tmp_path / "engines" / "a")
    shutil.copytree(SAMPLE, tmp_path / "secret")
    return tmp_path / "engines"


def test_captures_are_found_by_their_names(root):
    assert Places([str(root)]).captures().names == ["engines/a"]
    found = Places([str(root)]).find("engines/a")
    assert found.path == root / "a"
    assert {name for name, _, _ in found.version} == {path.name for path in SAMPLE.iterdir()}
    graph = next(path for path in (root / "a").iterdir() if path.name.endswith(".graph.json"))
    assert Places([str(root)]).find(f"engines/a/{graph.name}").path == graph


def test_phases_of_a_set_are_captures_and_the_set_is_not(root):
    write_set(root / "set", {"prefill": 2.0, "decode": 1.0})
    places = Places([str(root)])
    names = places.captures().names
    assert names == ["engines/a", "engines/set/phase-0", "engines/set/phase-1"]
    assert [places.find(name).path.name for name in names] == ["a", "phase-0", "phase-1"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "/etc",
        "a",
        "engines/../secret",
        "engines/a/../../secret",
        "engines/./a",
        "engines\\a",
        "engines/C:/x",
        "engines/a\0",
        "engines/" + "x" * 300,
        "enginesx/a",
        "~/secret",
    ],
)
def test_other_names_are_refused(root, name):
    with pytest.raises(InputError, match="is not a capture below the folders"):
        Places([str(root)]).find(name)


def test_an_absolute_path_is_refused_even_if_it_is_inside(root):
    with pytest.raises(InputError, match="is not a capture"):
        Places([str(root)]).find(str(root / "a"))


def test_what_is_not_there_and_what_is_no_capture(root):
    (root / "a.trexa").write_bytes(b"PK\x03\x04")
    (root / "a.engine").write_bytes(b"ptrt")
    for name, error in {"b": "does not exist", "a.trexa": "not a folder", "a.engine": "not a folder"}.items():
        with pytest.raises(InputError, match=error):
            Places([str(root)]).find(f"engines/{name}")
    assert Places([str(root)]).captures().names == ["engines/a"]


def test_links_out_of_the_folders_are_refused(root):
    secret = root.parent / "secret"
    (root / "link").symlink_to(secret)
    with pytest.raises(InputError, match="engines/link leads out of the folders"):
        Places([str(root)]).find("engines/link")
    (root / "a" / "more").mkdir()
    (root / "a" / "more" / "x.log").symlink_to(next(secret.iterdir()))
    with pytest.raises(InputError, match="engines/a has a link that leads out"):
        Places([str(root)]).find("engines/a")
    assert Places([str(root)]).captures() == Captures(["engines/a"], was_cut=False, left_out=2)


def test_links_within_the_folders_are_followed(root):
    (root / "b").symlink_to(root / "a")
    assert Places([str(root)]).find("engines/b").path == root / "a"


def test_pipes_are_refused(root):
    os.mkfifo(root / "a" / "x.log")
    with pytest.raises(InputError, match="pipe, socket or device"):
        Places([str(root)]).find("engines/a")
    os.mkfifo(root / "y.log")
    with pytest.raises(InputError, match="does not exist"):
        Places([str(root)]).find("engines/y.log")
    assert Places([str(root)]).captures().names == ["engines/a"]


def test_too_much_is_refused(root, monkeypatch):
    monkeypatch.setattr(places, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="too much for an answer"):
        Places([str(root)]).find("engines/a")
    monkeypatch.setattr(places, "MAX_CAPTURE_ENTRIES", 2)
    with pytest.raises(InputError, match="has more than 2 files"):
        Places([str(root)]).find("engines/a")
    monkeypatch.setattr(places, "MAX_ENTRIES", 3)
    assert Places([str(root)]).captures().was_cut


def test_a_changed_file_is_another_version(root):
    first = Places([str(root)]).find("engines/a")
    assert Places([str(root)]).find("engines/a") == first
    file = next((root / "a").iterdir())
    file.write_bytes(file.read_bytes() + b" ")
    assert Places([str(root)]).find("engines/a") != first


def test_folders_have_labels_of_their_own(root, tmp_path):
    shutil.copytree(root, tmp_path / "old" / "engines")
    shown = Places([str(root), str(tmp_path / "old" / "engines")]).captures().names
    assert shown == ["old/engines/a", f"{tmp_path.name}/engines/a"]


@pytest.mark.parametrize(
    ("folders", "error"),
    [([], "no folder to read"), (["https://example.com/x"], "URL"), (["missing"], "does not exist")],
)
def test_folders_that_can_not_be_served(folders, error):
    with pytest.raises((InputError, UsageError), match=error):
        Places(folders)
