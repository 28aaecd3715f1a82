"""The layer that causes an error ranks first, however the error propagates."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from random_networks import Node, compare, engine_of, random_network

from trexreport.analyzer import analyze
from trexreport.analyzer.accuracy.flow import Flow, FlowNode
from trexreport.analyzer.accuracy.increase import KnownError, explain_errors
from trexreport.analyzer.accuracy.plan import plan_precision
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy


def accuracy(network, results, **options):
    return analyze(engine_of(network, results, **options), with_blocks=False).accuracy


@pytest.mark.parametrize("with_model", [True, False], ids=["ONNX graph", "engine"])
def test_the_perturbed_layer_ranks_first_by_increase(with_model):
    networks = [random_network(seed) for seed in range(1000, 1025)]
    found = [accuracy(each, compare(each), with_model=with_model).tensors[0] for each in networks]
    right = [
        each.figures.name == f"t{network.perturbed}" for each, network in zip(found, networks, strict=True)
    ]
    assert sum(right) >= 0.95 * len(right)


def test_the_largest_error_is_often_elsewhere():
    """So that ranking by the error alone would not do."""
    networks = [random_network(seed) for seed in range(1000, 1025)]
    largest = [max(compare(each).tensors, key=lambda one: one.relative_error).name for each in networks]
    right = [name == f"t{network.perturbed}" for name, network in zip(largest, networks, strict=True)]
    assert sum(right) < 0.5 * len(right)


def test_without_some_tensors_the_layers_between_are_stated():
    network = random_network(1003)
    results = compare(network)
    known = {f"t{len(network.nodes) - 1}"}
    facts = accuracy(
        network,
        replace(results, tensors=tuple(each for each in results.tensors if each.name in known)),
        with_model=True,
    )
    (only,) = facts.tensors
    assert only.increase == only.error
    assert only.steps > 1
    assert network.perturbed in only.between or only.error == 0


def chain(*tensors, count=4):
    """Return an engine whose layer n writes "tN", with what is known of its tensors."""
    network = random_network(1)
    network.nodes = [replace(network.nodes[0], inputs=[at - 1]) for at in range(count)]
    return accuracy(network, AccuracyResults("polygraphy-outputs", ("a",), tensors=tensors), with_model=False)


def test_an_overflow_is_found_where_it_begins():
    facts = chain(
        TensorAccuracy("t0", relative_error=0.5, candidate_non_finite=False),
        TensorAccuracy("t1", candidate_non_finite=True, reference_non_finite=False, reference_range=(0, 1e5)),
        TensorAccuracy("t2", candidate_non_finite=True, reference_non_finite=False),
        TensorAccuracy("t3", relative_error=0.1, candidate_non_finite=True, reference_non_finite=True),
    )
    first = facts.tensors[0]
    assert (first.figures.name, first.state, first.begins_non_finite) == ("t1", "not-finite", True)
    assert not facts.tensors[1].begins_non_finite
    assert facts.layers[1].begins_non_finite
    assert not facts.layers[2].begins_non_finite


def test_other_names_are_another_model():
    facts = chain(TensorAccuracy("a", relative_error=0.5), TensorAccuracy("b", relative_error=0.5))
    assert (facts.match, facts.joined) == ("other", 0)
    facts = chain(TensorAccuracy("t1", relative_error=0.5), TensorAccuracy("b"), TensorAccuracy("c"))
    assert facts.match == "unproven"


def test_tensors_of_other_sizes_are_of_another_model():
    network = random_network(1)
    network.nodes = [replace(network.nodes[0], inputs=[at - 1]) for at in range(3)]

    def match(factor, iterations):
        engine = engine_of(network, AccuracyResults("polygraphy-outputs", ("a",)), with_model=False)
        written = [tensor for layer in engine.layers for tensor in layer.outputs]
        sizes = {each.name: math.prod(each.dimensions) for each in written}
        tensors = tuple(
            TensorAccuracy(f"t{at}", relative_error=0.1, elements=round(sizes[f"t{at}"] * factor))
            for at in range(3)
        )
        results = AccuracyResults("polygraphy-outputs", ("a",), tensors=tensors, iterations=iterations)
        return accuracy(network, results, with_model=False).match

    assert match(1, 1) == "same"
    assert match(4, 4) == "same"
    # How many inputs were compared is not known.
    assert match(4, None) == "same"
    assert match(4, 1) == "other"
    assert match(0.5, None) == "other"


def test_names_of_layers_join_too():
    facts = chain(TensorAccuracy("/MatMul_2", value=3.0), TensorAccuracy("t1", value=1.0))
    joins = {each.figures.name: (each.join, list(each.layers)) for each in facts.tensors}
    assert joins["t1"] == ("tensor", [1])
    assert facts.measure == "own"


def test_absolute_errors_have_no_increase():
    facts = chain(TensorAccuracy("t0", mean_abs_error=1.0), TensorAccuracy("t1", mean_abs_error=9.0))
    assert facts.measure == "absolute"
    assert [each.increase for each in facts.tensors] == [None, None]


def test_the_measure_is_one_that_most_tensors_have():
    facts = chain(
        TensorAccuracy("t0", relative_error=0.1, cosine_similarity=0.9),
        TensorAccuracy("t1", cosine_similarity=0.8),
        TensorAccuracy("t2", cosine_similarity=0.8),
    )
    assert facts.measure == "cosine"
    assert facts.tensors[0].error == pytest.approx(0.2**0.5) or facts.tensors[0].figures.name != "t0"


def test_long_ways_are_counted_and_bounded(monkeypatch):
    """So that thousands of tensors behind one long chain need neither hours nor gigabytes."""
    facts = chain(TensorAccuracy("t299", relative_error=0.5), count=300)
    (only,) = facts.tensors
    assert (only.steps, only.between_count, len(only.between)) == (300, 300, 100)
    assert only.between[-1] == 299
    monkeypatch.setattr("trexreport.analyzer.accuracy.increase._MAX_STEPS", 50)
    (only,) = chain(TensorAccuracy("t299", relative_error=0.5), count=300).tensors
    assert only.increase is None


def planned(known, precision="INT8", seed=1003):
    """Return the analysis of a network of which the file has some tensors only, by their numbers."""
    network = random_network(seed)
    results = compare(network)
    names = {f"t{at % len(network.nodes)}" for at in known}
    tensors = tuple(each for each in results.tensors if each.name in names)
    engine = engine_of(network, replace(results, tensors=tensors), with_model=False, precision=precision)
    return analyze(engine, with_blocks=False)


def test_a_step_has_all_layers_of_which_one_adds_the_error():
    analysis = planned([-1])
    (tensor,), (step,) = analysis.accuracy.tensors, analysis.accuracy.plan
    assert tensor.steps > 1
    assert list(step.among) == list(tensor.between)
    assert step.layer == tensor.layers[-1]
    assert step.removed_percent == pytest.approx(100)
    assert analysis.accuracy.layers[step.layer].among == len(step.among)
    assert set(step.nodes) == {name for at in step.among for name in analysis.layers[at].origins}


def test_an_error_of_no_known_layer_is_a_part_that_nothing_removes():
    """Of two equal increases a plan removes half, if only one of them is of a layer that can be wider."""
    analysis = planned(range(5))
    facts = [
        replace(each, increase=0.1, steps=1, layers=[1] if at else [], figures=TensorAccuracy(f"u{at}"))
        for at, each in enumerate(analysis.accuracy.tensors[:2])
    ]
    (step,) = plan_precision(facts, analysis.layers, None)
    assert (step.layer, step.share_percent, step.removed_percent) == (1, pytest.approx(50), pytest.approx(50))


def test_layers_that_are_chosen_cost_once():
    analysis = planned(range(5))
    layers = [replace(each, avg_ms=1.0) for each in analysis.layers]
    first = replace(analysis.accuracy.tensors[0], increase=0.1, steps=2, between=[0, 1], between_count=2)
    second = replace(first, between=[1, 2])
    steps = plan_precision([first, second], layers, None)
    assert [list(each.among) for each in steps] == [[0, 1], [1, 2]]
    assert steps[0].cost_ms == pytest.approx(2 * steps[1].cost_ms)
    cut = replace(first, between_count=200)
    assert plan_precision([cut], layers, None) == []


def explained(reads, kind, known, **options):
    """Return what explains the last of three tensors: a node writes "a" and "b", another one reads some."""
    first = FlowNode("first", [], ["a", "b"], [0], [], "plain")
    second = FlowNode("second", [0], ["c"], [1], reads, kind, **options)
    flow = Flow([first, second], is_model=True)
    return explain_errors(flow, {name: KnownError(*each) for name, each in known.items()}, ["c"])["c"].error


def test_a_tensor_that_is_added_to_itself_counts_twice():
    known = {"a": (0.1, 10.0, True), "b": (0.9, 10.0, True), "c": (0.1, 20.0, True)}
    assert explained(["a", "a"], "sum", known) == pytest.approx(0.1)
    assert explained(["a"], "limited", known | {"c": (0.1, 10.0, True)}) == pytest.approx(1.13 * 0.1)


def test_outputs_of_one_node_are_known_apart():
    known = {"a": (0.1, 10.0, True), "b": (0.3, 10.0, True), "c": (0.2, 200**0.5, True)}
    assert explained(["a", "b"], "joined", known) == pytest.approx(((1 + 9) / 200) ** 0.5)
    assert explained(["b"], "plain", known) == pytest.approx(1.5 * 0.3)
    # One of them is not known: the node is as wrong as the other one.
    del known["b"]
    assert explained(["a", "b"], "joined", known) == pytest.approx(1.5 * 0.1)


def test_a_mean_that_is_subtracted_leaves_little_of_almost_equal_values():
    known = {"a": (0.001, 10.0, True, 200.0), "b": (0.0, 1.0, True), "c": (1.0, 10.0, True)}
    centering = {"is_steep": True, "is_centering": True}
    assert explained(["a"], "plain", known, **centering) == pytest.approx(8 * 200 * 0.001)
    known["a"] = (0.001, 10.0, True, 0.3)
    assert explained(["a"], "plain", known, **centering) == pytest.approx(8 * 0.001)


def test_ranges_and_norms_show_how_far_values_are_from_zero():
    tensors = (
        TensorAccuracy(
            "t0", elements=100, relative_error=0.001, reference_norm=50.0, reference_range=(4.9, 5.1)
        ),
        TensorAccuracy(
            "t1", elements=100, relative_error=0.3, reference_norm=10.0, reference_range=(-3.0, 3.0)
        ),
    )
    network = random_network(1)
    network.nodes = [replace(network.nodes[0], inputs=[-1]), Node("Norm", [0])]
    results = AccuracyResults("polygraphy-outputs", ("a",), tensors=tensors)
    found = {each.figures.name: each for each in accuracy(network, results, with_model=True).tensors}
    assert found["t1"].input_error == pytest.approx(8 * 50 * 0.001)
