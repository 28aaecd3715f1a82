"""A size of which some parts are unknown never reads as complete."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.engine import Memory
from trexreport.model import Binding, DataFormat, Engine, Layer, Tensor
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.document import Figures
from trexreport.wording.memory import beside_bindings, memory_amounts, memory_headline
from trexreport.wording.sections import section_sentence


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


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"weights_bytes": 8, "layers_with_weights": 2, "layers_without_weights": 1}, "weights: ≥ 8 B"),
        (
            {"layers_without_weights": 3, "hidden_weights_bytes": 6 << 20, "products_with_hidden_weights": 2},
            "weights: ≈ 6.00 MiB",
        ),
        ({"layers_without_weights": 3}, "weights: unknown"),
    ],
)
def test_the_figure_of_the_weights_is_short(figures, expected):
    assert headline((1,), peak_live_bytes=12, **figures)[1] == f"peak of live tensors; {expected}"


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"bindings": 2, "bindings_bytes": 3 << 20}, "beside 3.00\u00a0MiB of inputs and outputs"),
        ({"bindings": 2, "bindings_bytes": 0, "bindings_unknown": 2}, ""),
        ({"bindings": 2, "bindings_bytes": 3 << 20, "peak_live_bytes": 3 << 20, "activations": 1}, ""),
        (
            {"bindings": 2, "bindings_bytes": 3 << 20, "peak_live_bytes": 8, "activations": 1},
            "beside 3.00\u00a0MiB of inputs and outputs",
        ),
        ({"bindings": 2, "bindings_bytes": 3 << 20, "activations": 1, "activations_unknown": 1}, ""),
    ],
)
def test_no_peak_is_without_inputs_and_outputs_that_take_more(figures, expected):
    assert beside_bindings(memory(**figures)) == expected


def test_an_engine_of_one_layer_has_inputs_and_outputs_alone():
    ends = [Tensor(name, (1, 512), DataFormat("Row major linear FP32 format", "FP32")) for name in "xz"]
    only = Layer(0, "a", "a", "Plugin", inputs=(ends[0],), outputs=(ends[1],))
    analysis = analyze(
        Engine("e", (only,), bindings=(Binding("x", "input", ends[0]), Binding("z", "output", ends[1])))
    )
    beside = "beside 4.00\u00a0KiB of inputs and outputs"
    assert section_sentence(analysis, "memory").endswith(f"; no tensor is between the layers {beside}.")
    assert memory_headline(analysis)[1].startswith(f"peak of live tensors {beside}")
    (figures,) = [each for each in engine_summary(analysis).blocks if isinstance(each, Figures)]
    (peak,) = [each for each in figures.figures if each.label == "Peak of live tensors"]
    assert (peak.value, peak.note) == ("0\u00a0B", beside)
