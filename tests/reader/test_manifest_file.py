"""Check what a report learns from the manifest of a capture, and that nothing in it is taken on trust."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from trexreport.reader import read_engine
from trexreport.reader.manifest_file import read_manifest
from trexreport.reader.roles import role_of_name

MANIFEST = {
    "schema": "trexreport-capture",
    "schema_version": 1,
    "generator": "trexreport",
    "complete": True,
    "missing": {"x.engine.gpu.json": "The GPU was not watched."},
    "backend": "trtexec",
    "versions": {"tensorrt": "10.16.1", "trexreport": "0.1.0", "driver": "550.54"},
    "gpu": {"name": "NVIDIA L4", "driver": "550.54", "power_limit_w": 72.0, "SMs": "58", "unknown": {}},
    "source": {"path": "x.onnx", "sha256": "aa"},
    "engine": {"path": "x.engine", "sha256": "bb"},
    "started": "2026-01-02T03:04:05+00:00",
    "runs": [{"title": "build", "exit_status": 0}],
    "notes": ["Shapes were left out."],
}
GRAPH = {"Layers": [{"Name": "a", "LayerType": "Convolution", "Inputs": [], "Outputs": []}], "Bindings": []}


def facts(**changes):
    return read_manifest({**MANIFEST, **changes}, "x.engine.capture.json")


def slugs(found):
    return [note.slug for note in found.notes]


def test_the_setup_is_what_the_manifest_says():
    found = facts()
    assert found.setup.device == {
        "Selected Device": "NVIDIA L4",
        "Driver": "550.54",
        "Power limit": "72 W",
        "SMs": "58",
    }
    assert found.setup.tensorrt_version == "10.16.1"
    assert found.extra == {
        "Collected": "2026-01-02T03:04:05+00:00",
        "Collected by": "trexreport 0.1.0 with trtexec",
        "Model SHA-256": "aa",
        "Engine SHA-256": "bb",
    }
    assert slugs(found) == ["collector-note"]


def test_an_engine_that_was_not_built_has_one_hash():
    assert "Model SHA-256" not in facts(source={"sha256": "bb"}).extra


def test_an_incomplete_capture_is_called_so_with_the_reason():
    found = facts(
        complete=False, failure="The build run failed: no GPU.", missing={"x.engine.graph.json": "…"}
    )
    (note,) = [note for note in found.notes if note.slug == "capture-incomplete"]
    assert note.severity == "degraded"
    assert "The build run failed: no GPU." in note.message
    assert "x.engine.graph.json" in note.message


def test_whatever_is_not_true_counts_as_incomplete():
    for value in (False, None, "true", 1, []):
        assert "capture-incomplete" in slugs(facts(complete=value))


def test_a_failed_run_contradicts_a_complete_capture():
    assert "manifest-contradicts" in slugs(facts(runs=[{"title": "timing", "exit_status": -11}]))


def test_a_later_version_is_noted():
    assert "manifest-version" in slugs(facts(schema_version=2))


def test_the_engine_has_the_facts(capture):
    folder = capture(graph=GRAPH, capture=MANIFEST)
    assert role_of_name("x.capture.json") == "manifest"
    engine = read_engine(folder)
    assert engine.setup.device["Power limit"] == "72 W"
    assert engine.engine_metadata["Engine SHA-256"] == "bb"
    assert "metadata-unknown" not in [note.slug for note in engine.notes]


def test_an_incomplete_manifest_reaches_the_notes_of_the_engine(capture):
    folder = capture(graph=GRAPH, capture={**MANIFEST, "complete": False, "failure": "It was killed."})
    assert any("It was killed." in note.message for note in read_engine(folder).notes)


def test_a_damaged_manifest_costs_the_report_nothing_else(capture):
    folder = capture(graph=GRAPH, capture=json.dumps(MANIFEST)[:100])
    engine = read_engine(folder)
    assert [layer.name for layer in engine.layers] == ["a"]
    assert any(note.severity == "degraded" for note in engine.notes)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(MANIFEST)), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(MANIFEST)), values))
def test_any_values_are_read(changes):
    found = facts(**changes)
    assert all(isinstance(value, str) for value in (*found.setup.device.values(), *found.extra.values()))
    assert all(isinstance(note.message, str) for note in found.notes)
