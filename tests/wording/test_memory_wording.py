"""A size of which some parts are unknown never reads as complete."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer.analysis.engine import Memory
from trexreport.wording.memory import memory_amounts, memory_headline


def memory(**figures):
    names = Memory.__dataclass_fields__
    return Memory(
        **{
            **dict.fromkeys(names, 0),
            "weights_by_type": [],
            "live_bytes": [],
            "stated": {},
            "stated_for": {},
            **figures,
        }
    )


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"weights_bytes": 12}, "12 B"),
        (
            {"weights_bytes": 12, "layers_without_weights": 1275, "layers_with_weights": 1275},
            "at least 12 B (1,275 layers do not state theirs)",
        ),
        # What a few layers state says nothing of the engine.
        ({"weights_bytes": 12, "layers_without_weights": 171, "layers_with_weights": 1}, "unknown"),
        (
            {
                "weights_bytes": 12,
                "layers_without_weights": 171,
                "stated": {"Total Weights Memory": "608841728 bytes"},
            },
            "581 MiB (stated by TensorRT’s log)",
        ),
        (
            {
                "weights_bytes": 12,
                "weights_unknown": 2,
                "layers_without_weights": 1,
                "layers_with_weights": 4,
            },
            "at least 12 B (2 parts of unknown size; 1 layer does not state theirs)",
        ),
        ({"layers_without_weights": 2}, "unknown"),
        (
            {"layers_without_weights": 2, "stated": {"Loaded engine size": "5 MiB"}},
            "unknown (engine: 5.00 MiB)",
        ),
        # A tied embedding is stated by two layers; logs round to whole MiB.
        (
            {"weights_bytes": 7 * 2**20, "stated": {"Loaded engine size": "5 MiB"}},
            "at most 5.00 MiB (size of the engine)",
        ),
        ({"weights_bytes": 5 * 2**20 + 9, "stated": {"Loaded engine size": "5 MiB"}}, "5.00 MiB"),
        # An engine that was built without its weights.
        ({"weights_bytes": 70 * 2**20, "stated": {"Loaded engine size": "5 MiB"}}, "70.0 MiB"),
        (
            {"weights_bytes": 7 * 2**20, "stated": {"Total Weights Memory": "5242880 bytes"}},
            "5.00 MiB (stated by TensorRT’s log)",
        ),
        ({"weights_bytes": 12, "weights_unknown": 2}, "at least 12 B (2 parts of unknown size)"),
    ],
)
def test_weights(figures, expected):
    assert memory_amounts(memory(**figures))["weights"].replace("\u00a0", " ") == expected


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ({}, "about 6.00 MiB in 2 matrix multiplications, by their extents"),
        ({"Loaded engine size": "7 MiB"}, "about 6.00 MiB in 2 matrix multiplications, by their extents"),
        # Narrower weights than the inputs.
        ({"Loaded engine size": "2 MiB"}, "unknown (engine: 2.00 MiB)"),
    ],
)
def test_weights_that_the_extents_of_products_show(engine, expected):
    hidden = {"hidden_weights_bytes": 6 << 20, "products_with_hidden_weights": 2}
    amounts = memory_amounts(memory(layers_without_weights=3, stated=engine, **hidden))
    assert amounts["weights"].replace("\u00a0", " ") == expected


def test_io_tensors_are_unknown_without_any():
    assert memory_amounts(memory())["bindings"] == "unknown"
    assert memory_amounts(memory(bindings=1, bindings_bytes=4))["bindings"].replace("\u00a0", " ") == "4 B"


def headline(tensors=(), **figures):
    identity = SimpleNamespace(names_only=False)
    facts = SimpleNamespace(memory=memory(**figures), tensors=tensors, identity=identity)
    return tuple(text.replace("\u00a0", " ") for text in memory_headline(facts))


def test_what_the_log_states_is_shown_where_the_tensors_are_not_known():
    stated = {"stated_activation_bytes": 2 * 1024**3, "stated": {"Loaded engine size": "21.5352 MiB"}}
    note = "activation memory stated by TensorRT’s log"
    assert headline(**stated) == ("2.00 GiB", f"{note}; engine: 21.5 MiB")
    assert headline(stated={"Engine size": "about 21 MiB"}) == ("–", "tensors unknown; engine: about 21 MiB")
    partly = {"peak_live_bytes": 12, "activations_unknown": 3, "weights_bytes": 8}
    assert headline((1,), **stated, **partly) == ("2.00 GiB", f"{note}; weights: 8 B")
    assert headline((1,), **partly) == ("≥ 12 B", "peak of live tensors (3 of unknown size); weights: 8 B")


def test_known_tensors_are_shown_rather_than_what_the_log_states():
    found = headline((1,), peak_live_bytes=12, weights_bytes=8, stated_activation_bytes=99)
    assert found == ("12 B", "peak of live tensors; weights: 8 B")
    assert headline() == ("–", "tensors unknown")
