"""Check that lists of phases are read, and that damaged ones are refused in one line."""

from __future__ import annotations

import json

import pytest

from trexreport.errors import InputError
from trexreport.reader.phase_set import LIST_NAME, MOST_PHASES, find_phases, phases_below


@pytest.fixture
def write(tmp_path):
    def write(phases, **members):
        for name in ("prefill", "decode"):
            (tmp_path / name).mkdir(exist_ok=True)
        document = {"schema": "trexreport-phases", "schema_version": 1, "phases": phases, **members}
        (tmp_path / LIST_NAME).write_text(json.dumps(document))
        return tmp_path

    return write


def phase(name="prefill", path="prefill", **members):
    return {"name": name, "path": path, **members}


def test_a_folder_with_a_list(write):
    folder = write([phase(times=1), phase("decode", "decode"), phase("again", "decode", times=0)])
    found = find_phases(folder)
    assert found.title == folder.name
    assert [(each.name, each.times, each.path) for each in found.phases] == [
        ("prefill", 1, str(folder / "prefill")),
        ("decode", None, str(folder / "decode")),
        ("again", 0, str(folder / "decode")),
    ]


def test_what_is_no_set(tmp_path):
    (tmp_path / "r.html").write_text("<p>")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "r.html"):
        assert find_phases(path).phases == ()


@pytest.mark.parametrize(
    ("phases", "members", "message"),
    [
        ([], {}, "lists 0 phases"),
        ([phase(str(number)) for number in range(MOST_PHASES + 1)], {}, "lists 65 phases"),
        ([phase(), phase()], {}, "two phases 'prefill'"),
        ([phase(" ")], {}, "names a phase ''"),
        ([phase("x" * 201)], {}, "names a phase"),
        ([phase(path="../prefill")], {}, "not a path below its folder"),
        ([phase(path="/etc")], {}, "not a path below its folder"),
        ([phase(path="C:\\x")], {}, "not a path below its folder"),
        ([phase(path="")], {}, "not a path below its folder"),
        ([phase(path="a\0b")], {}, "not a path below its folder"),
        ([phase(path="missing")], {}, "does not exist"),
        ([phase(times=-1)], {}, "not a whole number"),
        ([phase(times=1.5)], {}, "not a whole number"),
        ([phase(times=True)], {}, "not a whole number"),
        ([phase(times="many")], {}, "not a whole number"),
        ([phase(times=10**30)], {}, "not a whole number"),
        ([7], {}, "names a phase ''"),
        ({"a": 1}, {}, "not a list of phases"),
        ([phase()], {"schema": "other"}, "not a list of phases"),
        ([phase()], {"schema_version": 2}, "schema version 2"),
    ],
)
def test_damaged_lists(write, phases, members, message):
    with pytest.raises(InputError, match=message) as error:
        find_phases(write(phases, **members))
    assert "\n" not in str(error.value)


def test_captures_in_a_folder_are_phases(tmp_path):
    for name in ("decode", "prefill", "notes"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes" / "readme.txt").touch()
    with pytest.raises(InputError, match="neither two engines"):
        phases_below(tmp_path)
    for name in ("decode", "prefill"):
        (tmp_path / name / f"{name}.json").touch()
    assert [each.name for each in phases_below(tmp_path)] == ["decode", "prefill"]
    for name in ("vision", "text"):
        (tmp_path / f"{name}.engine.graph.json").touch()
    found = phases_below(tmp_path)
    assert [each.name for each in found] == ["text", "vision"]
    assert found[0].path == str(tmp_path / "text.engine.graph.json")
    with pytest.raises(InputError):
        phases_below(tmp_path / "missing")


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff\xfe", b" " * (2**20 + 1)])
def test_lists_that_are_no_json(tmp_path, content):
    (tmp_path / LIST_NAME).write_bytes(content)
    with pytest.raises(InputError, match="list of phases"):
        find_phases(tmp_path)
