"""The analyzer's figures on plans small enough to check by hand."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.timing import GapReason
from trexreport.analyzer.operations import count_operations
from trexreport.analyzer.percentiles import describe, median, percentile
from trexreport.analyzer.stability import describe_stability
from trexreport.model import (
    Binding,
    DataFormat,
    Engine,
    Layer,
    LayerTime,
    Measurement,
    QueryTimes,
    Setup,
    Statistic,
    Tensor,
    Weights,
)
from trexreport.reader.trtexec_facts import read_build_fact
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentence, section_sentences
from trexreport.wording.timing import measurement_warnings

HALF = DataFormat("Half", "FP16")
FLOAT = DataFormat("Float", "FP32")


def tensor(name, *dimensions, kind=HALF, version=1):
    return Tensor(name, dimensions or (8,), kind, version=version)


def entry(name, *dimensions, kind=HALF):
    return tensor(name, *dimensions, kind=kind, version=0)


def engine(*layers, inputs=("x",), outputs=("y",), **more):
    """Return an engine of (type, inputs, outputs, ms) in execution order."""
    made = [
        Layer(
            index,
            f"l{index}",
            f"l{index}",
            kind,
            inputs=reads,
            outputs=writes,
            time=None if time is None else LayerTime(time),
        )
        for index, (kind, reads, writes, time) in enumerate(layers)
    ]
    found = {each.name: each for layer in made for each in (*layer.inputs, *layer.outputs)}
    bindings = [Binding(name, "input", found.get(name)) for name in inputs]
    bindings += [Binding(name, "output", found.get(name)) for name in outputs]
    return Engine("e", tuple(made), tuple(bindings), **more)


def roles(analysis):
    return {f"{each.name}{each.version}": each.role for each in analysis.tensors}


class TestPercentiles:
    @pytest.mark.parametrize(
        ("count", "rank", "expected"),
        [
            (1, 99, 0),
            (10, 90, 8),
            (10, 99, 9),
            (100, 99, 98),
            (100, 90, 89),
            (1000, 99.9, 998),
            (10, 0, 0),
            (7, 100, 6),
        ],
    )
    def test_as_trtexec_counts(self, count, rank, expected):
        assert percentile(range(count), rank) == expected

    def test_median(self):
        assert median([1, 2, 9]) == 2
        assert median([1, 2, 4, 9]) == 3
        assert median([5]) == 5

    @given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
    def test_order(self, values):
        found = describe(values, "x")
        assert found.min_ms <= found.median_ms <= found.max_ms
        assert found.median_ms <= found.percentiles["99"] <= found.max_ms
        assert list(found.percentiles.values()) == sorted(found.percentiles.values())
        assert found.count == len(values)


class TestOperations:
    @staticmethod
    def count(kind, source, result, *more_inputs, **attributes):
        inputs = tuple(tensor("x", *dimensions) for dimensions in (source, *more_inputs))
        return count_operations(
            Layer(0, "a", "a", kind, inputs=inputs, outputs=(tensor("y", *result),), attributes=attributes)
        )

    def test_convolution(self):
        found = self.count("Convolution", (2, 16, 8, 8), (2, 32, 4, 4), Kernel=[3, 3], Groups=4)
        assert (found.m, found.n, found.k) == (2 * 4 * 4, 32, 4 * 9)
        assert found.macs == 2 * 32 * 4 * 4 * 4 * 9

    @pytest.mark.parametrize(
        ("source", "result", "kernel"),
        [((1, 4, 9), (1, 8, 9), [3]), ((1, 4, 5, 5, 5), (1, 8, 5, 5, 5), [3, 3, 3])],
    )
    def test_convolutions_in_one_and_three_dimensions(self, source, result, kernel):
        found = self.count("Convolution", source, result, Kernel=kernel, Groups=1)
        assert found.macs == math.prod(result) * 4 * math.prod(kernel)

    def test_deconvolution_goes_over_the_input(self):
        found = self.count("Deconvolution", (1, 8, 4, 4), (1, 16, 8, 8), Kernel=[2, 2], Groups=1)
        assert found.macs == 8 * 4 * 4 * 16 * 4

    def test_convolution_with_pooling_counts_before_the_pooling(self):
        found = self.count(
            "ConvActPool",
            (1, 3, 224, 224),
            (1, 64, 56, 56),
            ConvKernel=[7, 7],
            ConvOutMaps=64,
            ConvStride=[2, 2],
            ConvPrePadding=[3, 3],
            ConvPostPadding=[3, 3],
        )
        assert found.macs == 64 * 112 * 112 * 3 * 49

    def test_dilation_widens_the_window_before_the_pooling(self):
        """Of 20 columns with one more on each side, a window of 1 + 2 x 4 = 9 in steps of 2 has 7 places."""
        found = self.count(
            "ConvActPool",
            (1, 3, 20, 20),
            (1, 8, 3, 3),
            ConvKernel=[5, 5],
            ConvOutMaps=8,
            ConvStride=[2, 2],
            ConvDilation=[2, 2],
            ConvPrePadding=[1, 1],
            ConvPostPadding=[1, 1],
        )
        assert found.macs == 8 * 7 * 7 * 3 * 25

    @pytest.mark.parametrize(
        ("source", "others", "result", "macs"),
        [
            ((2, 5, 7), [], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 5, 7), [(2, 7, 9)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 5, 7), [(2, 9, 7)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 7, 5), [(2, 7, 9)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((5, 5), [(5, 5)], (5, 5), 125),
        ],
    )
    def test_matrix_multiplication(self, source, others, result, macs):
        assert self.count("gemm", source, result, *others).macs == macs

    @pytest.mark.parametrize(
        ("source", "others", "result", "expected"),
        [
            ((2, 3, 5, 7), [(2, 3, 7, 9)], (2, 3, 5, 9), (6, 5, 9, 7)),
            ((2, 3, 5, 7), [(7, 9)], (2, 3, 5, 9), (1, 30, 9, 7)),
            ((2, 3, 5, 7), [(1, 1, 7, 9)], (2, 3, 5, 9), (1, 30, 9, 7)),
            ((2, 5, 7), [], (2, 5, 9), (1, 10, 9, 7)),
        ],
        ids=["batched", "shared", "broadcast", "hidden"],
    )
    def test_extents_are_those_of_one_product_of_the_batch(self, source, others, result, expected):
        found = self.count("gemm", source, result, *others)
        assert (found.batch, found.m, found.n, found.k) == expected
        assert found.macs == math.prod(expected)

    @pytest.mark.parametrize(
        ("source", "result", "extents"),
        [
            ((1, 2048, 1, 1), (1, 1000, 1, 1), (1, 1000, 2048)),
            ((4, 512, 7, 7), (4, 10, 1, 1), (4, 10, 512 * 49)),
            ((2, 197, 768, 1, 1), (2, 197, 64, 1, 1), (394, 64, 768)),
            ((2048, 1, 1), (1000, 1, 1), (1, 1000, 2048)),
            ((3, 2048), (3, 1000), (3, 1000, 2048)),
        ],
    )
    def test_fully_connected(self, source, result, extents):
        found = self.count("FullyConnected", source, result)
        assert (found.m, found.n, found.k) == extents
        assert found.macs == math.prod(extents)

    @pytest.mark.parametrize(("stated", "macs"), [(2_048_000, 2_048_000), (1_000, None)])
    def test_stated_weights_must_fit_the_shapes(self, stated, macs):
        layer = Layer(
            0,
            "a",
            "a",
            "FullyConnected",
            inputs=(tensor("x", 1, 2048, 1, 1),),
            outputs=(tensor("y", 1, 1000, 1, 1),),
            weights=(Weights("weights", "FP16", stated), Weights("bias", "FP16", 1000)),
        )
        found = count_operations(layer)
        assert (found and found.macs) == macs

    def test_weights_inside_a_kernel_are_estimated(self):
        plan = engine(("gemm", (entry("x", 1, 1, 4096),), (tensor("y", 1, 1, 14336),), 1.0))
        layer = analyze(plan).layers[0]
        hidden = 4096 * 14336 * 2
        stated = 2 * (4096 + 14336)
        assert layer.work.hidden_weights_bytes == hidden
        assert layer.moved_bytes == stated
        assert layer.work.intensity == pytest.approx(2 * 4096 * 14336 / (stated + hidden))
        assert 0.9 < layer.work.intensity < 1
        assert layer.bandwidth_gbs == pytest.approx((stated + hidden) / 1e-3 / 1e9)

    def test_weights_of_half_a_byte_fill_whole_bytes(self):
        inputs = (tensor("x", 5, 7, kind=DataFormat("int4", "INT4")),)
        layer = Layer(0, "a", "a", "gemm", inputs=inputs, outputs=(tensor("y", 5, 9),))
        assert count_operations(layer).hidden_weights_bytes == 32  # 63 of 4 bits

    @pytest.mark.parametrize(
        "more",
        [
            {"weights": (Weights("weights", "FP16", 63),)},
            {"constants": (tensor("w", 7, 9),)},
            {"inputs": (tensor("x", 5, 7), tensor("w", 7, 9))},
            {"inputs": (tensor("x", 5, 7, kind=DataFormat("odd")),)},
        ],
        ids=["weights", "constant", "two-inputs", "unknown-type"],
    )
    def test_nothing_is_estimated_where_weights_are_stated_or_the_type_is_unknown(self, more):
        layer = Layer(
            0, "a", "a", "gemm", **{"inputs": (tensor("x", 5, 7),), "outputs": (tensor("y", 5, 9),), **more}
        )
        found = count_operations(layer)
        assert (found.macs, found.hidden_weights_bytes) == (315, 0)

    @pytest.mark.parametrize(
        ("kind", "source", "result", "more"),
        [
            ("FullyConnected", (1, 16, 8, 8), (1, 32, 8, 8), {}),
            ("FullyConnected", (1, 16, 8, 8), (2, 32, 1, 1), {}),
            ("Convolution", (1, 16, 8, 8), (1, 32, 8, 8), {}),
            ("Convolution", (1, -1, 8, 8), (1, 32, 8, 8), {"Kernel": [3, 3]}),
            ("Convolution", (16, 8, 8), (32, 8, 8), {"Kernel": [3, 3]}),
            ("Convolution", (1, 16, 8, 8), (1, 32, 8, 8), {"Kernel": [3, 3], "Groups": 5}),
            ("Convolution", (1, 2**48, 2**48, 8), (1, 2**48, 8, 8), {"Kernel": [3, 3]}),
            ("ConvActPool", (1, 3, 8, 8), (1, 8, 4, 4), {"ConvKernel": [3, 3], "ConvOutMaps": 8}),
            ("gemm", (5, 7), (9, 9), {}),
            ("PointWise", (5, 7), (5, 7), {}),
        ],
    )
    def test_what_is_not_certain_is_not_counted(self, kind, source, result, more):
        assert self.count(kind, source, result, **more) is None

    def test_operands_that_leave_a_doubt(self):
        assert self.count("gemm", (5, 7), (5, 9), (8, 9)) is None
        assert count_operations(Layer(0, "a", "a", "gemm")) is None


class TestTensors:
    def test_roles(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"), entry("c")), (tensor("t"),), 1.0),
                ("B", (tensor("t"),), (tensor("y"),), 1.0),
            )
        )
        assert roles(analysis) == {"x0": "input", "c0": "constant", "t1": "activation", "y1": "output"}

    def test_an_input_under_the_mark_of_a_profile(self):
        marked = entry("x [profile 1]")
        plan = engine(("A", (marked,), (tensor("y"),), 1.0), inputs=())
        plan = Engine("e", plan.layers, (Binding("x", "input", marked),))
        assert roles(analyze(plan))["x [profile 1]0"] == "input"

    def test_a_binding_that_is_updated_in_place(self):
        before, after = entry("cache"), tensor("cache")
        plan = engine(
            ("A", (entry("x"), before), (tensor("t"),), 1.0), ("B", (tensor("t"),), (after,), 1.0), outputs=()
        )
        bindings = (*plan.bindings, Binding("cache", "input", before), Binding("cache", "output", after))
        analysis = analyze(Engine("e", plan.layers, bindings))
        assert roles(analysis) == {"x0": "input", "cache0": "input", "t1": "activation", "cache1": "output"}
        assert [(each.name, each.mode) for each in analysis.bindings] == [
            ("x", "input"),
            ("cache", "input"),
            ("cache", "output"),
        ]
        picture = compose(analysis)
        assert [
            (box.key, [(row.kind, row.tensor) for row in box.rows]) for box in picture.boxes if box.rows
        ] == [
            ("above:layer:0", [("input", 0), ("input", 1)]),
            ("below:layer:1", [("output", 3)]),
        ]

    def test_what_a_loop_carries_over(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"), entry("state")), (tensor("t"),), 1.0),
                ("B", (tensor("t"),), (tensor("state"),), 1.0),
                ("C", (tensor("state"),), (tensor("y"),), 1.0),
            )
        )
        assert roles(analysis)["state0"] == "activation"
        carried = next(each for each in analysis.tensors if (each.name, each.version) == ("state", 0))
        assert carried.producers == [1]
        assert analysis.memory.activations_bytes == 32
        assert analysis.memory.constants_bytes == 0
        back = [(each.source, each.target) for each in compose(analysis).arrows if each.back]
        assert back == [("layer:1", "layer:0")]
        assert draw_graph(analysis).svg.startswith("<svg")

    def test_each_tensor_counts_once_with_its_largest_view(self):
        concat = engine(
            ("A", (entry("x", 4),), (tensor("t", 1, 10),), 1.0),
            ("B", (entry("x", 4),), (tensor("t", 1, 30),), 1.0),
            ("C", (tensor("t", 1, 40),), (tensor("y", 4),), 1.0),
            ("D", (tensor("t", 1, 40),), (tensor("y", 4),), 1.0),
        )
        analysis = analyze(concat)
        assert analysis.memory.activations_bytes == 80
        assert analysis.tensors[1].producers == [0, 1]
        assert analysis.tensors[1].consumers == [2, 3]
        assert analysis.memory.bindings_bytes == 16

    def test_a_no_op_shares_the_memory_of_its_input(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t"),), 1.0),
                ("NoOp", (tensor("t"),), (tensor("u"),), None),
                ("NoOp", (tensor("u"),), (tensor("v"),), None),
                ("B", (tensor("v"),), (tensor("y"),), 1.0),
            )
        )
        names = [each.name for each in analysis.tensors]
        aliases = {each.name: each.alias_of and names[each.alias_of] for each in analysis.tensors}
        assert aliases == {"x": None, "t": None, "u": "t", "v": "t", "y": None}
        assert analysis.memory.activations_bytes == 16
        assert analysis.memory.live_bytes == [16, 16, 16, 16]

    def test_what_a_no_op_hands_on_as_an_output_counts_with_the_outputs(self):
        analysis = analyze(
            engine(("A", (entry("x"),), (tensor("t"),), 1.0), ("NoOp", (tensor("t"),), (tensor("y"),), None))
        )
        assert analysis.memory.activations_bytes == 0
        assert analysis.memory.peak_live_bytes == 0
        assert analysis.memory.bindings_bytes == 32

    def test_a_buffer_that_several_no_ops_fill_is_a_buffer(self):
        analysis = analyze(
            engine(
                ("NoOp", (entry("x", 4),), (tensor("t", 4),), None),
                ("NoOp", (entry("z", 4),), (tensor("t", 4),), None),
                ("B", (tensor("t", 8),), (tensor("y"),), 1.0),
                inputs=("x", "z"),
            )
        )
        assert analysis.memory.activations_bytes == 16

    def test_a_tensor_that_is_read_twice_moves_once(self):
        views = (tensor("t", 4, 2), tensor("t", 2, 4), tensor("t", 1, 4))
        analysis = analyze(
            engine(("A", (entry("x"),), (tensor("t"),), 1.0), ("B", views, (tensor("y"),), 1.0))
        )
        assert analysis.layers[1].input_bytes == 16
        assert analysis.layers[1].moved_bytes == 32

    def test_unknown_is_counted_and_not_zero(self):
        odd = DataFormat("odd")
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t", kind=odd),), 1.0),
                ("B", (tensor("t", kind=odd),), (tensor("y", -1),), 1.0),
            )
        )
        assert analysis.memory.activations_unknown == 1
        assert [layer.moved_bytes for layer in analysis.layers] == [None, None]
        assert [layer.bandwidth_gbs for layer in analysis.layers] == [None, None]

    def test_padding(self):
        packed = DataFormat("x", "INT8", "NC/32HW32", 32)
        analysis = analyze(engine(("A", (entry("x", 1, 3, 4, 4, kind=packed),), (tensor("y"),), 1.0)))
        assert analysis.memory.padding_bytes == 29 * 16


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
            "weights": "0\u00a0B",
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


class TestLayers:
    def test_shares_and_rates(self):
        first, second = analyze(
            engine(
                ("A", (entry("x", 500),), (tensor("t", 500),), 1.0),
                ("B", (tensor("t", 500),), (tensor("y", 500),), 3.0),
            )
        ).layers
        assert (first.share_percent, second.share_percent) == (25, 75)
        assert first.moved_bytes == 2000
        assert first.bandwidth_gbs == pytest.approx(2000 / 1e-3 / 1e9)

    def test_no_time_is_not_zero(self):
        analysis = analyze(engine(("A", (entry("x"),), (tensor("y"),), None)))
        assert analysis.latency.layer_sum_ms is None
        assert analysis.layers[0].share_percent is None
        assert analysis.by_type[0].time_ms is None

    def test_all_times_zero(self):
        layer = Layer(0, "a", "a", "A", time=LayerTime(0.0))
        analysis = analyze(Engine("e", (layer,)))
        assert (analysis.latency.layer_sum_ms, analysis.layers[0].share_percent) == (0, None)

    def test_structural_layers_count_only_where_they_took_time(self):
        analysis = analyze(
            engine(
                ("NoOp", (entry("x"),), (tensor("t"),), None),
                ("shape_call", (), (), 1.0),
                ("Constant", (), (tensor("c"),), None),
                ("B", (tensor("t"),), (tensor("y"),), 3.0),
            )
        )
        assert [(each.name, each.count, each.share_percent) for each in analysis.by_type] == [
            ("B", 1, 75),
            ("shape_call", 1, 25),
        ]

    def test_spread_of_samples(self):
        samples = tuple(float(index) for index in range(1, 101))
        layer = Layer(0, "a", "a", "A", time=LayerTime(50.5, samples_ms=samples))
        assert analyze(Engine("e", (layer,))).layers[0].spread_ms == [10, 50, 90, 99]


class TestLatency:
    @staticmethod
    def latency(mean, *, options=None, enqueue=None, layers=(("A", (), (), 2.0),)):
        summary = {
            "GPU Compute Time": Statistic(1, 3, mean, mean, {90.0: 2.5, 99.0: 3}),
            "Latency": Statistic(11, 13, 12, 12, {99.0: 13}),
        }
        if enqueue:
            summary["Enqueue Time"] = Statistic(enqueue, enqueue, enqueue, enqueue)
        plan = engine(
            *layers,
            measurement=Measurement(summary=summary, throughput_qps=7.0),
            setup=Setup(inference_options=options or {}),
            profiled_iterations=1,
        )
        return analyze(plan).latency

    def test_percentiles_are_those_of_trtexec(self):
        found = self.latency(2.0).gpu_compute
        assert (found.min_ms, found.max_ms, found.mean_ms) == (1, 3, 2)
        assert found.percentiles == {"90": 2.5, "99": 3}
        assert self.latency(2.0).end_to_end.mean_ms == 12

    def test_agreement(self):
        assert self.latency(2.0).gap_percent == 0
        assert self.latency(2.0).gap_reasons == [GapReason("agreement")]

    def test_reasons_for_more(self):
        found = self.latency(1.0, options={"CUDA Graph": "Enabled"})
        assert found.gap_percent == pytest.approx(100)
        assert found.gap_reasons == [GapReason("profiling-overhead"), GapReason("single-iteration")]

    def test_reasons_for_less(self):
        missing = self.latency(4.0, enqueue=3.9, layers=(("A", (), (), 2.0), ("B", (), (), None)))
        assert missing.gap_reasons[:2] == [GapReason("unprofiled-layers", 1), GapReason("enqueue-bound")]

    def test_queries_stand_in_for_the_summary(self):
        found = analyze(Engine("e", (), queries=QueryTimes((1.0, 3.0)))).latency
        assert (found.end_to_end.mean_ms, found.end_to_end.count) == (2, 2)
        assert found.gpu_compute is None
        assert found.gap_percent is None

    def test_gpu_time_of_the_queries_is_what_layers_are_compared_with(self):
        found = analyze(engine(("A", (), (), 2.0), queries=QueryTimes((5.0, 5.0), (1.0, 3.0)))).latency
        assert (found.gpu_compute.mean_ms, found.gap_percent) == (2, 0)

    def test_any_percentile_that_trtexec_was_asked_for(self):
        summary = {"Latency": Statistic(1, 3, 2, 2, {99.9: 3, 50.0: 2, 75.0: 2.5})}
        found = analyze(Engine("e", (), measurement=Measurement(summary=summary))).latency.end_to_end
        assert list(found.percentiles.items()) == [("50", 2), ("75", 2.5), ("99.9", 3)]
        assert found.p99_ms is None

    def test_queries_give_what_no_summary_says(self):
        queries = QueryTimes((4.0, 6.0), (1.0, 3.0), (0.5, 0.5), (0.0, 0.0), (0.9, 1.1))
        found = analyze(Engine("e", (), queries=queries)).latency
        assert (found.enqueue.mean_ms, found.h2d.mean_ms, found.d2h) == (1, 0.5, None)

    def test_only_the_end_to_end_time_contains_transfers(self):
        found = analyze(engine(("A", (), (), 2.0), queries=QueryTimes((5.0, 5.0)))).latency
        assert GapReason("transfers-included") in found.gap_reasons

    @pytest.mark.parametrize(
        ("version", "counts"),
        [("8.4.3", True), ("8.2.1", True), ("8.5.1", False), ("10.1.0", False), ("", False)],
    )
    def test_warnings_about_the_measurement(self, version, counts):
        plan = Engine(
            "e",
            (),
            queries=QueryTimes((1.0,)),
            setup=Setup(tensorrt_version=version),
            measurement=Measurement(warnings=("GPU compute time is unstable.",)),
        )
        found = analyze(plan)
        assert list(found.measurement_warnings) == ["GPU compute time is unstable."]
        assert found.stability.includes_warm_up == counts
        assert measurement_warnings(found)[0] == "GPU compute time is unstable."
        assert any("warm-up" in warning for warning in measurement_warnings(found)) == counts


class TestStability:
    def test_nothing(self):
        assert describe_stability(None) is None
        assert describe_stability(QueryTimes(())) is None

    def test_figures(self):
        times = tuple([1.0] * 50 + [2.0] * 50)
        found = describe_stability(QueryTimes(times))
        assert found.variation_percent == pytest.approx(100 * 0.5 / 1.5)
        assert found.drift_percent == pytest.approx(100)

    def test_few_queries_have_no_drift(self):
        assert describe_stability(QueryTimes((1.0, 9.0) * 9)).drift_percent == 0

    def test_gpu_time_counts_before_latency(self):
        assert describe_stability(QueryTimes((9.0,), (1.0,))).percentiles.mean_ms == 1

    @given(st.lists(st.floats(0, 1e6), min_size=1, max_size=3000))
    def test_thinning_keeps_the_extremes_and_bins_hold_all(self, times):
        found = describe_stability(QueryTimes(tuple(times)))
        assert (min(found.times_ms), max(found.times_ms)) == (min(times), max(times))
        assert found.times_ms == [times[position] for position in found.positions]
        assert found.positions == sorted(set(found.positions))
        assert len(found.times_ms) <= 1500
        assert sum(found.histogram_counts) == len(times)
        assert len(found.histogram_edges_ms) == len(found.histogram_counts) + 1
        assert found.histogram_edges_ms == sorted(found.histogram_edges_ms)
        assert 0 <= found.outliers <= len(times)


class TestReformats:
    def test_what_changes_and_between_whom(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t"),), 1.0),
                ("Reformat", (tensor("t"),), (tensor("u", kind=DataFormat("", "FP32", "NHWC")),), 2.0),
                (
                    "Reformat",
                    (tensor("u", kind=DataFormat("", "FP32", "NHWC")),),
                    (tensor("v", kind=FLOAT),),
                    3.0,
                ),
                ("Reformat", (), (), None),
                ("Reformat", (tensor("v", kind=FLOAT),), (tensor("w", kind=HALF),), 0.5),
                ("B", (tensor("w", kind=HALF),), (tensor("y"),), 1.0),
            )
        )
        assert [(each.layer, each.change, each.producers, each.consumers) for each in analysis.reformats] == [
            (2, "not stated", [1], [4]),
            (1, "data type and layout", [0], [2]),
            (4, "data type", [2], [5]),
            (3, "not stated", [], []),
        ]

    @pytest.mark.parametrize(
        ("before", "after", "change"),
        [
            ("NCHW", "NCHW", "copy"),
            ("NCHW", "NHWC", "layout"),
            ("NC/4", "NC/32", "layout"),
            # Where a file omits a layout or the order of its channels, both may be the same or not.
            ("", "", "not stated"),
            ("", "NHWC", "not stated"),
            ("NHWC", "", "not stated"),
            ("NC/4", "NC/4", "not stated"),
        ],
    )
    def test_what_is_not_stated_is_no_copy(self, before, after, change):
        ends = (
            tensor("x", kind=DataFormat("", "FP16", before)),
            tensor("y", kind=DataFormat("", "FP16", after)),
        )
        analysis = analyze(engine(("Reformat", ends[:1], ends[1:], 1.0)))
        assert [each.change for each in analysis.reformats] == [change]


def test_nothing_at_all():
    analysis = analyze(Engine("e", ()))
    assert json.dumps(as_json(analysis), allow_nan=False)
    assert {type(sentence) for sentence in section_sentences(analysis).values()} == {str}


@given(st.lists(st.just(0.0) | st.floats(1e-12, 1e12), min_size=1, max_size=30))
def test_shares_add_up_and_no_figure_is_infinite(times):
    analysis = analyze(engine(*(("A", (entry("x"),), (tensor("y"),), time) for time in times)))
    shares = [layer.share_percent for layer in analysis.layers if layer.share_percent is not None]
    assert not shares or sum(shares) == pytest.approx(100)
    assert sum(group.share_percent or 0 for group in analysis.by_type) == pytest.approx(sum(shares))
    assert json.dumps(as_json(analysis), allow_nan=False)


@given(
    st.lists(st.floats(1e-12, 1e12), min_size=2, max_size=8, unique=True), st.randoms(use_true_random=False)
)
def test_the_order_of_layers_does_not_change_groups(times, chance):
    layers = [
        ("A" if index % 2 else "B", (entry("x"),), (tensor("y"),), time) for index, time in enumerate(times)
    ]
    before = analyze(engine(*layers))
    chance.shuffle(layers)
    assert analyze(engine(*layers)).by_type == before.by_type
