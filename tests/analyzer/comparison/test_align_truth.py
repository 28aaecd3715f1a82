"""Alignment finds the matching layers in pairs of plans with known matches."""

from __future__ import annotations

import pytest
from alignment_plans import analysis_of, check_is_partition, f1, found_pairs
from generator.models import encoder, residual_network
from generator.pairs import MUTATIONS, make_pair, true_pairs

from trexreport.analyzer.comparison.align import align

NETWORKS = {"residual": residual_network(2), "encoder": encoder(3)}
LEAST_WITH_METADATA = 0.98
LEAST_WITHOUT = 0.93


def score(network, mutation, **options):
    left, right = make_pair(NETWORKS[network], mutation, **options)
    analyses = [analysis_of(plan.engine.graph_json()) for plan in (left, right)]
    assert [len(each.layers) for each in analyses] == [len(left.groups), len(right.groups)]
    alignment = align(analyses)
    check_is_partition(alignment, analyses)
    return f1(found_pairs(alignment), true_pairs(left.groups, right.groups))


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("names", ["paths", "serial"])
@pytest.mark.parametrize("network", NETWORKS)
def test_metadata_identifies_what_belongs_together(network, names, mutation):
    for seed in (1, 2, 3):
        assert score(network, mutation, metadata=True, names=names, seed=seed) >= LEAST_WITH_METADATA


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("names", ["paths", "serial"])
@pytest.mark.parametrize("network", NETWORKS)
def test_without_metadata_names_flow_and_shapes_do(network, names, mutation):
    for seed in (1, 2, 3):
        assert score(network, mutation, metadata=False, names=names, seed=seed) >= LEAST_WITHOUT
