"""Rules on a profile that lacks layers say nothing of the ends of the network."""

from __future__ import annotations

import dataclasses
import json

import pytest

from trexreport.analyzer import analyze
from trexreport.model import InputWarning
from trexreport.reader import read_engine

REGION = "{ForeignNode[conv1...fc1000]}"
QDQ = ("QuantizeLinear_2", "Conv_12", "QuantizeLinear_16")
DOMINANT = ("Conv_0", *(f"Conv_{number}" for number in range(1, 12)))


@pytest.mark.parametrize(
    ("names", "code", "text"),
    [
        (QDQ, "TRX301", "at the ends of the network"),
        ((REGION, "prob"), "TRX902", "Myelin or a DLA"),
        (DOMINANT, "TRX914", "layer time"),
    ],
)
def test_only_a_whole_profile_shows_the_ends(names, code, text, tmp_path):
    assert text in _messages(names, code, tmp_path, is_cut=False)
    assert text not in _messages(names, code, tmp_path, is_cut=True)


def test_layers_that_may_be_inside_are_still_found(tmp_path):
    messages = _messages(QDQ, "TRX301", tmp_path, is_cut=True)
    assert "By name, 2 layers may only quantize or dequantize (" in messages


def _messages(names, code, folder, *, is_cut):
    records = [{"count": 100}]
    for at, name in enumerate(names):
        time_ms = 0.1 if at else 1.0
        records.append({"name": name, "timeMs": 100 * time_ms, "averageMs": time_ms})
    (folder / "x.profile.json").write_text(json.dumps(records))
    engine = read_engine(folder)
    if is_cut:
        note = InputWarning("degraded", "profile-cut-off", "It lacks layers.", "x.profile.json")
        engine = dataclasses.replace(engine, notes=(*engine.notes, note))
    found = analyze(engine).lint.findings
    return " ".join(place.message for each in found if each.code == code for place in each.places)
