"""The analysis of real engines compared with the results of TREx 0.2.1."""

from __future__ import annotations

import json

import pytest
from trex_oracle import ENGINES, SHARED

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

pytestmark = pytest.mark.engines


@pytest.fixture(params=ENGINES)
def pair(request):
    """What trexreport and what TREx say of one engine."""
    oracle = SHARED / "oracle" / f"{request.param}.json"
    if not oracle.exists():
        pytest.skip("the engines are not beside this checkout")
    analysis = analyze(read_engine(SHARED / "engines" / request.param))
    return analysis, json.loads(oracle.read_text(encoding="utf-8"))


def groups(found):
    return {group.name: (group.count, pytest.approx(group.time_ms)) for group in found}


def expected(rows, *keys):
    return {"/".join(row[key] for key in keys): (row["count"], row["latency_ms"]) for row in rows}


def test_the_sum_of_layer_times(pair):
    analysis, oracle = pair
    assert analysis.latency.layer_sum_ms == pytest.approx(oracle["total_latency_ms"])


def test_count_and_time_by_type_and_precision(pair):
    analysis, oracle = pair
    assert expected(oracle["by_type"], "type") == groups(analysis.by_type)
    assert expected(oracle["by_precision"], "precision") == groups(analysis.by_precision)
    assert expected(oracle["by_output_precision"], "output_precision") == groups(analysis.by_output_precision)
    both = {
        f"{each.type}/{each.precision}": (each.group.count, pytest.approx(each.group.time_ms))
        for each in analysis.by_type_and_precision
    }
    assert expected(oracle["by_type_precision"], "type", "precision") == both


def test_share_of_each_layer(pair):
    analysis, oracle = pair
    shares = {layer.name: layer.share_percent for layer in analysis.layers if not layer.structural}
    # The file's percentages are rounded to six digits.
    assert shares == pytest.approx({row["name"]: row["pct"] for row in oracle["layers"]}, rel=1e-4)


def test_weights_differ_from_trex_by_biases_and_by_what_it_overlooks(pair):
    analysis, oracle = pair
    bytes_of = {"Float": 4, "Half": 2, "Int8": 1, "Int32": 4}
    uncounted = 0
    for layer in analysis.layers:
        # TREx leaves biases, constants and the convolution of a ConvActPool out.
        for key in ("Bias", "ConvBias", "ConvWeights", "weights"):
            weights = layer.attributes.get(key)
            if weights and weights.get("Count"):
                uncounted += weights["Count"] * bytes_of[weights["Type"]]
    # TREx counts constant tensors that a layer reads as inputs of that layer, not as weights.
    owned = analysis.memory.weights_bytes - analysis.memory.constants_bytes
    assert owned == oracle["total_weights_bytes"] + uncounted
    assert analysis.memory.weights_unknown == 0


def test_work_of_each_convolution(pair):
    analysis, oracle = pair
    work = {layer.name: layer.work for layer in analysis.layers if layer.type == "Convolution"}
    assert work.keys() == {row["Name"] for row in oracle["convolutions"]}
    for row in oracle["convolutions"]:
        ours = work[row["Name"]]
        assert ours.macs == row["attr.macs"]
        assert (ours.m, ours.n, ours.groups) == (row["attr.M"], row["attr.N"], row["attr.groups"])
        # TREx does not divide K by the groups.
        assert ours.k * ours.groups == row["attr.K"]


def test_bindings(pair):
    analysis, oracle = pair
    assert [binding.name for binding in analysis.bindings] == oracle["bindings"]
    for mode in ("input", "output"):
        ours = [
            (binding.name, binding.dimensions, binding.size_bytes)
            for binding in analysis.bindings
            if binding.mode == mode
        ]
        theirs = [(row["name"], row["shape"], row["size_bytes"]) for row in oracle[f"{mode}s"]]
        assert ours == theirs
