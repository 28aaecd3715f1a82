"""Copies and waits of a DLA have rows in a profile, whether or not the layer information lists them."""

from __future__ import annotations

import json

import pytest

from trexreport.reader import read_engine

PART = "{ForeignNode[conv1...relu9]}"
TIMES = {
    "x to nvm": 0.02,
    PART: 1.5,
    "x copy finish": 0.01,
    "a from nvm": 0.03,
    "a copy finish": 0.01,
    "resize": 0.2,
}


def capture(folder, names, times):
    layers = [
        {"Name": name, "LayerType": "DLA" if name == PART else "Resize", "Inputs": [], "Outputs": []}
        for name in names
    ]
    rows = [{"count": 100}] + [
        {
            "name": name,
            "timeMs": 100 * ms,
            "averageMs": ms,
            "medianMs": ms,
            "percentage": 100 * ms / sum(times.values()),
        }
        for name, ms in times.items()
    ]
    (folder / "m.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    (folder / "m.profile.json").write_text(json.dumps(rows))
    return read_engine(folder)


def slugs(engine):
    return {note.slug for note in engine.notes}


@pytest.mark.parametrize("names", [[PART, "resize"], list(TIMES)])
def test_they_count_as_layers_and_contradict_nothing(tmp_path, names):
    engine = capture(tmp_path, names, TIMES)
    assert {layer.name: layer.time.avg_ms for layer in engine.layers} == TIMES
    assert engine.contradictions == ()
    assert slugs(engine).isdisjoint({"profile-without-layer", "layers-not-profiled"})
    assert ("dla-copies" in slugs(engine)) is (len(names) == 2)


def test_other_rows_are_still_of_another_engine(tmp_path):
    others = {f"conv{at}": 0.1 for at in range(6)}
    engine = capture(tmp_path, [PART, "resize"], {PART: 1.5, "resize": 0.2, **others})
    assert [each.code for each in engine.contradictions] == ["layer-names"]
    assert "profile-without-layer" in slugs(engine)
