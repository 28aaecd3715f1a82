"""The analyzer's figures on plans small enough to check by hand."""

from __future__ import annotations

import json

import pytest
from figure_plans import engine, entry, tensor
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.stability import describe_stability
from trexreport.model import (
    Engine,
    QueryTimes,
)
from trexreport.wording.sections import section_sentences


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
