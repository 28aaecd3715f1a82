"""A layer that computes takes time: a time of 0 is unknown, and no sum with it agrees with the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.model import IMPOSSIBLE
from trexreport.numbers import middle_ellipsis
from trexreport.reader import read_engine

SAMPLES = Path(__file__).parents[2] / "samples"
SAMPLE = SAMPLES / "resnet18-int8-before"


def with_zeros(tmp_path, chosen):
    """Return the engine of a sample in whose profile the chosen layers take no time."""
    for path in SAMPLE.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        if path.name.endswith(".profile.json"):
            rows = json.loads(text)
            for row in rows:
                if row.get("name") in chosen:
                    row.update(timeMs=0, averageMs=0, medianMs=0, percentage=0)
            timed = [row for row in rows if "name" in row]
            for row in timed:
                row["percentage"] = 100 * row["timeMs"] / sum(each["timeMs"] for each in timed)
            text = json.dumps(rows)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    return read_engine(tmp_path)


@pytest.mark.parametrize("place", [0, 1, 5, -1])
def test_a_layer_that_computes_and_takes_no_time_is_unknown(place, tmp_path):
    original = analyze(read_engine(SAMPLE))
    slowest_first = sorted(
        (each for each in original.layers if each.avg_ms and each.tactic), key=lambda each: -each.avg_ms
    )
    chosen = slowest_first[place]
    engine = with_zeros(tmp_path, {chosen.name})
    (note,) = [each for each in engine.notes if each.slug == IMPOSSIBLE]
    assert middle_ellipsis(chosen.name, 60) in note.message
    analysis = analyze(engine)
    assert analysis.layers[chosen.index].avg_ms is None
    codes = [reason.code for reason in analysis.latency.gap_reasons]
    assert "agreement" not in codes
    assert analysis.latency.profiled_layers == original.latency.profiled_layers - 1


@pytest.mark.parametrize(
    ("layer", "is_known"),
    [
        ({"LayerType": "NoOp"}, True),
        ({"LayerType": "Constant"}, True),
        ({"LayerType": "Shuffle"}, True),
        ({"LayerType": "PluginV2"}, True),
        ({}, True),
        ({"LayerType": "Convolution"}, False),
        ({"LayerType": "gemm"}, False),
        ({"LayerType": "PluginV2", "TacticName": "sm80_xmma_gemm"}, False),
        ({"LayerType": "NoOp", "TacticName": "0x0"}, True),
        ({"LayerType": "Pooling", "empty": True}, True),
    ],
)
def test_what_may_take_no_time_keeps_it(layer, is_known, tmp_path):
    def tensor(name, *, is_empty):
        return {
            "Name": name,
            "Dimensions": [0 if is_empty else 1, 8],
            "Format/Datatype": "Row major linear FP32",
        }

    is_empty = layer.pop("empty", False) if "empty" in layer else False
    first = {
        "Name": "a",
        "Inputs": [tensor("x", is_empty=is_empty)],
        "Outputs": [tensor("y", is_empty=is_empty)],
    }
    second = {"Name": "b", "LayerType": "Convolution", "Inputs": [tensor("y", is_empty=False)], "Outputs": []}
    graph = {"Layers": [{**first, **layer}, second], "Bindings": ["x"]}
    times = [
        {"name": name, "timeMs": ms * 10, "averageMs": ms, "medianMs": ms, "percentage": ms * 100}
        for name, ms in (("a", 0), ("b", 1))
    ]
    (tmp_path / "x.graph.json").write_text(json.dumps(graph))
    (tmp_path / "x.profile.json").write_text(json.dumps([{"count": 10}, *times]))
    engine = read_engine(tmp_path)
    assert (engine.layers[0].time is not None) == is_known
    assert (IMPOSSIBLE in [note.slug for note in engine.notes]) != is_known
