"""The corpus is as large as it says, and its texts get everywhere."""

from __future__ import annotations

import json

import pytest
from hostile_corpus import (
    BY_KIND,
    CLEAN,
    LONG,
    SAMPLES,
    STRINGS,
    Names,
    as_file_name,
    replaced,
    write_capture,
)
from output_parsers import json_texts

ALL_SAMPLES = sorted(path.name for path in SAMPLES.iterdir() if list(path.glob("*.graph.json")))


def values_of(value):
    if isinstance(value, dict):
        return [text for each in value.values() for text in values_of(each)]
    if isinstance(value, list):
        return [text for each in value for text in values_of(each)]
    return [value] if isinstance(value, str) else []


def objects_of(value):
    """Return all objects in JSON."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [
        *([value] if isinstance(value, dict) else []),
        *(found for each in inner for found in objects_of(each)),
    ]


def test_no_text_is_repeated():
    assert len(STRINGS) == len(set(STRINGS)) == sum(map(len, BY_KIND.values())) + len(LONG)
    assert len(STRINGS) >= 500
    assert len(BY_KIND) >= 20


def test_the_same_text_becomes_the_same_and_no_two_become_one():
    names = Names(["a", "b"])
    assert [names(text) for text in ("x", "y", "z", "x", "")] == ["a", "b", "a 1", "a", ""]


@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_every_field_of_every_file_is_reached(sample):
    marked = Names([f"\x01{text}" for text in CLEAN])
    folders = list((SAMPLES / sample).iterdir())
    assert folders
    for path in folders:
        found = replaced(json.loads(path.read_text()), marked, everything=True)
        texts = [text for text in values_of(found) if text]
        objects = list(objects_of(found))
        assert texts
        assert objects
        assert [text for text in texts if not text.startswith("\x01")] == []
        assert [each for each in objects if not list(each)[-1].startswith("\x01")] == []


def test_one_capture_holds_all_of_them(tmp_path):
    folder = write_capture(tmp_path / "x", STRINGS, sample="transformer-trt10-myelin")
    written = [next(folder.glob("*.log")).read_bytes().decode()]
    for path in folder.glob("*.json"):
        document = json.loads(path.read_text())
        written += [*json_texts(document)]
    everything = "\0\0".join(written)
    assert [text for text in STRINGS if text not in everything] == []


def test_file_names_can_be_written(tmp_path):
    names = {as_file_name(text) for text in STRINGS}
    assert len(names) > 400
    for name in names:
        (tmp_path / name).write_text("x")
