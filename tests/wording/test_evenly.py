"""Where all layers take longer alike, the state of the GPU is a likelier reason than the engine."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.wording.evenly import evenly_changed


def compare(ratios, batches=(None, None), gpus=("", ""), reasons=(), **row):
    row = {"changes": [], "causes": {}} | row
    rows = [
        SimpleNamespace(
            sides=[
                SimpleNamespace(ratio=None, time_ms=1.0, changes=[], causes={}),
                SimpleNamespace(ratio=ratio, time_ms=ratio, **row),
            ]
        )
        for ratio in ratios
    ]
    engines = [
        SimpleNamespace(
            identity=SimpleNamespace(gpu=gpu, batch=batch),
            verdict=SimpleNamespace(reasons=[SimpleNamespace(code=code) for code in reasons]),
        )
        for gpu, batch in zip(gpus, batches, strict=True)
    ]
    return evenly_changed(SimpleNamespace(baseline=0, engines=engines, rows=rows), 1)


def test_all_layers_slower_alike():
    text = compare([1.5, 1.45, 1.55] * 5)
    assert text.startswith("All layers take 1.50 times as long, alike: a lower clock")


def test_all_layers_faster_alike():
    assert compare([0.7, 0.72, 0.69] * 5).startswith(
        "All layers take 0.700 of the time, alike: a higher clock"
    )


def test_a_larger_batch_counts_per_item():
    assert compare([3.4] * 12, batches=(64, 128)).startswith("All layers take 1.70 times as long per item")
    assert compare([2.0] * 12, batches=(64, 128)) == ""


def test_more_items_use_the_gpu_better():
    assert compare([0.31] * 12, batches=(32, 8)) == ""
    assert compare([3.2] * 12, batches=(8, 32)) == ""
    assert "0.800 of the time per item" in compare([0.2] * 12, batches=(32, 8))


@pytest.mark.parametrize(
    "arguments",
    [
        {"ratios": [1.5] * 9},  # few layers
        {"ratios": [1.05] * 12},  # hardly slower
        {"ratios": [1.0] * 6 + [2.0] * 6},  # some only
        {"ratios": [1.5] * 12, "gpus": ("A10", "T4")},
        {"ratios": [1.5] * 12, "changes": ["kernel"]},
        {"ratios": [4.0] * 12, "causes": {"different shapes": 1.0}},
        {"ratios": [4.0] * 12, "reasons": ["unknown-work"]},
    ],
)
def test_other_differences_are_of_the_engine(arguments):
    assert compare(**arguments) == ""


def test_most_of_the_time_has_to_be_known_of_both():
    rows = [SimpleNamespace(sides=[None, SimpleNamespace(ratio=None, time_ms=100.0, changes=[], causes={})])]
    identity = SimpleNamespace(gpu="", batch=None)
    known = [
        SimpleNamespace(sides=[None, SimpleNamespace(ratio=1.5, time_ms=1.5, changes=[], causes={})])
    ] * 12
    engines = [SimpleNamespace(identity=identity, verdict=None)] * 2
    assert evenly_changed(SimpleNamespace(baseline=0, engines=engines, rows=known), 1)
    assert not evenly_changed(SimpleNamespace(baseline=0, engines=engines, rows=known + rows), 1)
