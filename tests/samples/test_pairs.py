"""Pairs of plans differ as they say, and their truth is a truth."""

from __future__ import annotations

import json

import pytest
from generator.models import encoder, residual_network
from generator.pairs import MUTATIONS, make_pair, true_pairs

NETWORKS = {"residual": residual_network(2), "encoder": encoder(2)}


def layers_of(plan):
    return json.loads(plan.engine.graph_json())["Layers"]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_every_layer_has_a_partner_and_every_tensor_a_writer(network, mutation):
    left, right = make_pair(NETWORKS[network], mutation, metadata=True)
    pairs = true_pairs(left.groups, right.groups)
    for side, plan in enumerate((left, right)):
        layers = layers_of(plan)
        assert len(layers) > 5
        assert {pair[side] for pair in pairs} == set(range(len(layers)))
        known = {"input"}
        for layer in layers:
            assert {tensor["Name"] for tensor in layer["Inputs"]} <= known, layer["Name"]
            known |= {tensor["Name"] for tensor in layer["Outputs"]}


def test_layers_of_one_group_share_an_onnx_node():
    left, right = make_pair(NETWORKS["encoder"], "fused", metadata=True, part=0.0)
    nodes = [[set(layer["Metadata"].split("\x1f")) for layer in layers_of(plan)] for plan in (left, right)]
    pairs = true_pairs(left.groups, right.groups)
    sharing = {
        (one, other)
        for one, ours in enumerate(nodes[0])
        for other, theirs in enumerate(nodes[1])
        if ours & theirs
    }
    assert sharing <= pairs
    assert len(pairs) < 2 * len(sharing)


def test_metadata_is_left_out_on_request():
    left, right = make_pair(NETWORKS["residual"], "fused", metadata=False)
    assert {layer["Metadata"] for layer in (*layers_of(left), *layers_of(right))} == {""}


def test_the_mutations_do_what_they_say():
    net = NETWORKS["residual"]
    plans = {name: make_pair(net, name, metadata=True) for name in MUTATIONS}
    names = {
        key: [[layer["Name"] for layer in layers_of(plan)] for plan in pair] for key, pair in plans.items()
    }
    assert not set(names["renamed"][0][1:]) & set(names["renamed"][1])
    assert len(names["fused"][0]) > len(names["fused"][1])
    assert len(names["split"][0]) < len(names["split"][1])
    assert sorted(names["reordered"][0]) == sorted(names["reordered"][1])
    assert names["reordered"][0] != names["reordered"][1]
    assert any("QuantizeLinear" in name for name in names["precision"][1])
    reformats = [sum(name.startswith("Reformatting") for name in side) for side in names["reformats"]]
    assert reformats[1] > reformats[0] + 5


def test_the_same_pair_is_made_of_the_same_bytes():
    first, second = (make_pair(NETWORKS["encoder"], "mixed", metadata=True, seed=3) for _ in range(2))
    assert [plan.engine.graph_json() for plan in first] == [plan.engine.graph_json() for plan in second]
    assert [plan.groups for plan in first] == [plan.groups for plan in second]
