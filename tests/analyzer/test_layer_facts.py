"""What is known of each layer."""

from __future__ import annotations

import pytest
from figure_plans import engine, entry, tensor

from trexreport.analyzer import analyze
from trexreport.model import (
    Engine,
    Layer,
    LayerTime,
)


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
