"""What is known of each layer."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import pytest
from figure_plans import engine, entry, tensor

from trexreport.analyzer import GpuChoice, analyze
from trexreport.analyzer.flops import count_flops
from trexreport.analyzer.grouping import LayerGroups, group_layers
from trexreport.analyzer.layers import BY_ATTRIBUTES, FormCosts
from trexreport.analyzer.operations import count_operations
from trexreport.model import DataFormat, Engine, Layer, LayerTime, Tensor, Weights
from trexreport.reader import read_engine

FOLDER = Path(__file__).parents[2] / "samples"
SAMPLES = ("detector-trt11", "resnet18-int8-after", "resnet18-int8-before", "transformer-trt10-myelin")


def of_shape(*dimensions, data_type="FP16"):
    return Tensor("t", dimensions, DataFormat(data_type, data_type))


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

    @pytest.mark.parametrize(
        ("of_type", "operations", "written", "moved"),
        [
            # 500 rows of 64 elements, of which 8 are read and written, and 8 indices.
            ("Gather", (), (8, 64), 2 * (2 * 8 * 64 + 8)),
            ("kgen", ("Gather", "Cast"), (8, 64), 2 * (2 * 8 * 64 + 8)),
            ("kgen", ("Gather", "Gather", "Add"), (8, 64), 2 * (3 * 8 * 64 + 8)),
            ("Slice", (), (8, 32), 2 * (2 * 8 * 32 + 8)),
            # What it writes shows nothing of the rows that it reads.
            ("kgen", ("Gather", "Sum"), (8, 1), 2 * (500 * 64 + 8 + 8)),
            ("kgen", ("Add",), (8, 64), 2 * (500 * 64 + 8 * 64 + 8)),
            ("Gather", (), (600, 64), 2 * (500 * 64 + 600 * 64 + 8)),
        ],
    )
    def test_a_lookup_reads_the_rows_that_it_writes(self, of_type, operations, written, moved):
        half = DataFormat("FP16", "FP16")
        tensors = Tensor("table", (500, 64), half), Tensor("at", (8,), half)
        layer = Layer(0, "g", "g", of_type, inputs=tensors, outputs=(Tensor("y", written, half),))
        layer = replace(layer, operations=operations)
        (facts,) = analyze(Engine("e", (layer,))).layers
        assert facts.moved_bytes == moved
        assert facts.input_bytes == 2 * (500 * 64 + 8)
        # A table may be listed as a constant, as generated kernels have it.
        (facts,) = analyze(Engine("e", (replace(layer, inputs=tensors[1:], constants=tensors[:1]),))).layers
        assert facts.moved_bytes == moved
        assert facts.input_bytes == 2 * 8

    def test_a_lookup_that_adds_up_rows_reads_one_for_each_index(self):
        single, index = DataFormat("FP32", "FP32"), DataFormat("INT32", "INT32")
        tensors = Tensor("table", (5000, 64), single), Tensor("at", (8, 20), index)
        layer = Layer(0, "g", "g", "kgen", inputs=tensors, outputs=(Tensor("y", (8, 64), single),))
        layer = replace(layer, operations=("Gather", "Sum"))
        (facts,) = analyze(Engine("e", (layer,)), gpu=GpuChoice("A10")).layers
        assert facts.moved_bytes == 4 * (160 * 64 + 160 + 8 * 64)
        # Equal rows may be in the cache.
        assert facts.roof is None

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

    @pytest.mark.parametrize("name", SAMPLES)
    def test_what_layers_do_is_counted_once_for_all_of_a_form(self, name):
        costs, layers = FormCosts(), read_engine(FOLDER / name).layers
        assert layers
        for layer in layers:
            work = count_operations(layer)
            found = costs.of(layer)
            assert (found.work, found.flops) == (work, count_flops(layer, work))
            assert (found.precision, found.output_precision) == (layer.precision, layer.output_precision)

    def test_layers_that_differ_in_one_part_are_of_different_forms(self):
        first = Layer(
            *(0, "a", "a", "gemm", "gemm"),
            inputs=(of_shape(2, 8),),
            outputs=(of_shape(2, 4),),
        )
        changes = (
            {"type": "kgen"},
            {"inputs": (of_shape(4, 8),), "outputs": (of_shape(4, 4),)},
            {"inputs": (of_shape(2, 8), of_shape(8, 4))},
            {"inputs": (of_shape(2, 8, data_type="INT8"),)},
            {"constants": (of_shape(8, 4),)},
            {"weights": (Weights("weights", "FP16", 3),)},
        )
        costs = FormCosts()
        costs.of(first)
        for change in changes:
            layer = replace(first, **change)
            assert costs.of(layer) == FormCosts().of(layer)

    @pytest.mark.parametrize("name", SAMPLES)
    def test_attributes_matter_only_to_types_that_are_listed(self, name):
        layers = [each for each in read_engine(FOLDER / name).layers if each.type not in BY_ATTRIBUTES]
        assert layers
        for layer in layers:
            bare = replace(layer, attributes={})
            work = count_operations(layer)
            assert count_operations(bare) == work
            assert count_flops(bare, work) == count_flops(layer, work)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("property_name", ["type", "precision", "output_precision", "tactic"])
def test_groups_of_several_properties_are_those_of_each(name, property_name):
    layers = analyze(read_engine(FOLDER / name)).layers
    assert LayerGroups(layers).by(property_name) == group_layers(layers, attrgetter(property_name))


def test_groups_by_stream_have_its_number():
    layers = [Layer(at, name, name, "A", stream=at or None) for at, name in enumerate("abc")]
    layers.append(replace(layers[0], index=3, stream=0))
    groups = analyze(Engine("e", tuple(layers))).by_stream
    assert [(each.name, each.count) for each in groups] == [
        ("not stated", 1),
        ("stream 0", 1),
        ("stream 1", 1),
        ("stream 2", 1),
    ]
