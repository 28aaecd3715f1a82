"""Bytes of weights and activations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from figure_plans import FLOAT, engine, entry, tensor

from trexreport.analyzer import analyze
from trexreport.analyzer.memory import describe_memory
from trexreport.analyzer.tensors import TensorTable
from trexreport.model import (
    Binding,
    DataFormat,
    Engine,
    Layer,
    Setup,
    Weights,
)
from trexreport.reader import read_engine
from trexreport.reader.trtexec_facts import read_build_fact
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentence


def dynamic_io(*command, **shapes):
    run = Setup(io_shapes=shapes, input_names=("x",), commands=command)
    layers = ("A", (entry("x", -1, 4),), (tensor("y", -1, 2),), 1.0)
    memory = analyze(engine(layers, setup=run)).memory
    return memory.bindings_bytes, memory.bindings_in_run, memory.bindings_unknown


@pytest.mark.parametrize(
    ("command", "shapes", "expected"),
    [
        ("", {"x": "3x4", "y": "3x2"}, (36, 2, 0)),
        ("trtexec --shapes=x:3x4", {}, (24, 1, 1)),
        # Of another engine, or not of a run.
        ("", {"x": "3x5"}, (0, 0, 2)),
        ("trtexec --optShapes=x:3x4", {}, (0, 0, 2)),
    ],
)
def test_dynamic_inputs_and_outputs_have_the_shapes_of_the_run(command, shapes, expected):
    assert dynamic_io(command, **shapes) == expected


class TestMemory:
    def test_the_peak_is_what_lives_at_one_time(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t", 10),), 1.0),
                ("B", (tensor("t", 10),), (tensor("u", 20),), 1.0),
                ("C", (tensor("u", 20),), (tensor("v", 5),), 1.0),
                ("D", (tensor("v", 5),), (tensor("y"),), 1.0),
            )
        )
        assert analysis.memory.live_bytes == [20, 60, 50, 10]
        assert (analysis.memory.peak_live_bytes, analysis.memory.peak_layer) == (60, 1)
        assert analysis.memory.activations_bytes == 70

    def test_only_layers_that_may_have_weights_lack_them(self):
        def memory(*weights):
            plan = engine(
                ("a", (entry("x"), *weights), (tensor("s", 10),), 1.0),
                ("b", (tensor("s", 10),), (tensor("z", 10),), 1.0),
                ("c", (tensor("z", 10), tensor("s", 10)), (tensor("u", 10),), 1.0),
                ("d", (tensor("u", 10),), (tensor("y"),), 1.0),
            )
            kinds = ("gemm", "kgen", "gemm", "gemm")
            layers = [replace(layer, type=kind) for layer, kind in zip(plan.layers, kinds, strict=True)]
            return analyze(replace(plan, layers=tuple(layers))).memory

        known = memory(entry("w", 7))
        # Of the last product the second factor is unknown.
        assert (known.weights_bytes, known.layers_without_weights) == (14, 1)
        assert memory().layers_without_weights == 4

    @pytest.mark.parametrize(
        ("result", "hidden"), [((1, 1, 64, 64), 0), ((1, 12, 64, 64), 0), ((1, 64, 48), 1)]
    )
    def test_a_product_of_rows_with_each_other_has_no_weights(self, result, hidden):
        """Q and K are parts of one input: what is written has a row and a column for each of its rows."""
        plan = engine(
            ("gemm", (entry("x", 64, 32), entry("w", 32, 96)), (tensor("s", 1, 64, 96),), 1.0),
            ("gemm", (tensor("s", 1, 64, 96),), (tensor("y", *result),), 1.0),
        )
        assert analyze(plan).memory.layers_without_weights == hidden

    def test_weights(self):
        weights = (Weights("weights", "FP16", 10), Weights("bias", "odd", 3))
        layers = (
            Layer(0, "a", "a", "Convolution", weights=weights),
            Layer(1, "b", "b", "kgen"),
            Layer(2, "c", "c", "signal"),  # in lower case, too, but it can hold none
        )
        memory = analyze(Engine("e", layers)).memory
        assert (memory.weights_bytes, memory.weights_unknown, memory.layers_without_weights) == (20, 1, 1)
        assert [(each.name, each.count) for each in memory.weights_by_type] == [("FP16", 10), ("odd", 3)]

    @pytest.mark.parametrize(
        ("kind", "source", "hidden"),
        [
            ("DLA", "", 1),
            ("Myelin", "", 1),
            ("PointWise", "", 0),
            ("Convolution", "", 0),
            # Of a verbose log, where types are those of implementations.
            ("i8816cudnn", "verbose log", 1),
            ("Convolution", "verbose log", 1),
            ("Reformat", "verbose log", 0),
            ("NoOp", "verbose log", 0),
        ],
    )
    def test_weights_that_no_layer_states_are_unknown(self, kind, source, hidden):
        attributes = {"Source": source} if source else {}
        inputs, outputs = (tensor("x", 4),), (tensor("y", 4),)
        layer = Layer(0, "a", "a", kind, inputs=inputs, outputs=outputs, attributes=attributes)
        memory = analyze(Engine("e", (layer,))).memory
        assert (memory.weights_bytes, memory.layers_without_weights) == (0, hidden)
        assert memory_amounts(memory)["weights"] == "unknown"

    def test_constants_are_weights_and_count_once(self):
        table = entry("table", 100)
        layers = (
            Layer(0, "a", "a", "kgen", inputs=(entry("x"), table), outputs=(tensor("t"),)),
            Layer(1, "b", "b", "kgen", inputs=(tensor("t"), table, entry("l2_cache_policy_inputs_0", 9))),
            Layer(2, "c", "c", "kgen", constants=(tensor("k", 5, kind=FLOAT, version=0),)),
            Layer(3, "d", "d", "kgen", constants=(tensor("k", 5, kind=FLOAT, version=0),)),
            Layer(4, "e", "e", "Convolution", weights=(Weights("weights", "FP16", 10),)),
        )
        memory = analyze(Engine("e", layers, (Binding("x", "input", entry("x")),))).memory
        assert (memory.constants, memory.constants_bytes, memory.weights_bytes) == (2, 220, 240)
        assert [(each.name, each.count) for each in memory.weights_by_type] == [("FP16", 110), ("FP32", 5)]

    def test_unknown_sizes_never_read_as_exact(self):
        odd = DataFormat("odd")
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t", kind=odd), tensor("u", 2048)), 1.0),
                ("B", (tensor("t", kind=odd), tensor("u", 2048)), (tensor("y", -1),), 1.0),
            )
        )
        memory = analysis.memory
        assert (memory.bindings_bytes, memory.bindings, memory.bindings_unknown) == (16, 2, 1)
        assert memory_amounts(memory) == {
            "weights": "unknown",
            "peak": "at least 4.00\u00a0KiB (1 tensor of unknown size)",
            "activations": "at least 4.00\u00a0KiB (1 tensor of unknown size)",
            "bindings": "at least 16\u00a0B (1 tensor of unknown size)",
        }
        assert "at least 4.00\u00a0KiB (1 tensor of unknown size) at the peak" in section_sentence(
            analysis, "memory"
        )

    def test_nothing_known_is_unknown(self):
        odd = DataFormat("odd")
        analysis = analyze(
            engine(
                ("kgen", (entry("x", kind=odd),), (tensor("t", kind=odd),), 1.0),
                ("kgen", (tensor("t", kind=odd),), (tensor("y", -1),), 1.0),
            )
        )
        assert set(memory_amounts(analysis.memory).values()) == {"unknown"}
        assert section_sentence(analysis, "memory") == (
            "The size of the weights is unknown: no file states it; "
            "1 tensor between the layers has an unknown size."
        )

    @pytest.mark.parametrize(
        "line",
        [
            "Created engine with size: 12.5744 MiB",
            "Loaded engine size: 12 MiB",
            "Total Activation Memory: 5 bytes",
            "Total Weights Memory: 5 bytes",
            "Max Scratch Memory: 5 bytes",
            "Total Host Persistent Memory: 5 bytes",
            "Total Device Persistent Memory: 5 bytes",
            "Created execution context with device memory size: 0.119629 MiB",
            "[MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: CPU 0 MiB, GPU 13 MiB",
        ],
    )
    def test_figures_of_the_log_are_shown(self, line):
        key, value = read_build_fact(line)
        found = analyze(Engine("e", (), setup=Setup(build_facts={key: value, "Parse time": "1 s"})))
        assert found.memory.stated == {key: value}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"Total Activation Memory": "125440 bytes"}, 125440),
        ({"Execution context device memory": "0.119629 MiB"}, 125440),
        ({"Execution context device memory": "4 MiB", "Total Activation Memory": "3 bytes"}, 3),
        ({"Execution context device memory": "0 MiB"}, None),
        ({}, None),
    ],
)
def test_activation_memory_is_that_of_the_build_or_else_of_the_context(stated, expected):
    found = analyze(Engine("e", (), setup=Setup(build_facts=stated))).memory.stated_activation_bytes
    assert found == (expected and pytest.approx(expected, rel=1e-5))


def test_weights_that_no_file_states_are_counted_with_their_products():
    sample = read_engine(Path(__file__).parents[2] / "samples" / "transformer-trt10-myelin")
    layers = analyze(sample).layers
    first, second, *others = [each for each in layers if each.work]
    for layer, size in ((first, 2), (second, 4)):
        layer.work = replace(layer.work, hidden_weights_bytes=size)
    assert others
    found = describe_memory(sample, TensorTable(sample), layers)
    assert (found.hidden_weights_bytes, found.products_with_hidden_weights) == (6, 2)
