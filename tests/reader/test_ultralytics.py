"""What Ultralytics writes before a plan."""

from __future__ import annotations

import json

import pytest
from front_ends import ultralytics_engine

from trexreport.reader.ultralytics import engine_metadata


def test_facts_and_the_place_of_the_plan():
    data = ultralytics_engine(b"ftrt1234")
    found = engine_metadata(data)
    assert data[found.plan_at :] == b"ftrt1234"
    assert str(found) == (
        "description Ultralytics YOLO11n model trained on coco.yaml, task detect, version 8.3.12, "
        "date 2025-01-16T21:05:27.412120, imgsz 640x480, batch 2, half True, int8 False"
    )


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"ftrt" + bytes(90),
        ultralytics_engine()[:40],
        b"\x02\x00\x00\x00[]",
        b"\xff\xff\xff\xff{}",
        b"\xff\xff\xff\x7f{" + bytes(90),
        b"\x04\x00\x00\x00{,,}",
        (200).to_bytes(4, "little") + b"{" * 200,
    ],
)
def test_other_files_have_no_metadata(head):
    assert engine_metadata(head) is None


@pytest.mark.parametrize("value", [None, [], {}, "x" * 999, -1, [1] * 99, {"batch": {}}, float("nan")])
def test_any_value_of_a_field(value):
    for key in ("description", "task", "imgsz", "batch", "args"):
        found = engine_metadata(ultralytics_engine(**{key: value}))
        assert all(len(text) <= 200 for text in found.facts.values())
        assert json.dumps(found.facts)
