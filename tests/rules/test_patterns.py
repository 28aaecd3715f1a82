"""The groups of pointwise layers, over random graphs."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from case_files import analyze_case
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.patterns import (
    is_pointwise,
    operations,
    path_to_only_consumer,
    pointwise_groups,
)

TYPES = ("Activation", "ElementWise", "Reformat", "CaskConvolution", "NoOp")


@st.composite
def graphs(draw):
    """Draw layers that each read one or two results of earlier ones or the input of the network."""
    layers = []
    for index in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(TYPES))
        read = draw(
            st.lists(
                st.just(index - 1) | st.integers(-1, index - 1),
                min_size=1,
                max_size=2 if kind == "ElementWise" else 1,
            )
        )
        layers.append(
            {
                "Name": f"layer {index}",
                "LayerType": kind,
                "Inputs": [f"t{each} | Half | 4x4" for each in read],
                "Outputs": [f"t{index} | Half | 4x4"],
            }
        )
    return {"layers": layers, "bindings": ["t-1", f"t{len(layers) - 1}"]}


def context_of(case):
    with tempfile.TemporaryDirectory() as folder:
        return Context(analyze_case(json.loads(json.dumps(case)), Path(folder)))


@settings(max_examples=80)
@given(graphs())
def test_groups_are_disjoint_and_joined_by_sole_readers(case):
    context = context_of(case)
    groups = pointwise_groups(context)
    members = [layer.index for group in groups for layer in group]
    assert len(members) == len(set(members))
    joined = set(members)
    for layer in context.layers:
        between, reader = path_to_only_consumer(context, layer)
        if not is_pointwise(layer) or reader is None or not is_pointwise(reader):
            continue
        home = next(group for group in groups if layer in group)
        assert reader in home
        assert all(each in home for each in between)
        joined -= {each.index for each in (layer, reader, *between)}
    assert not joined, "a group has a layer without a pair in it"


@settings(max_examples=40)
@given(graphs())
def test_a_search_ends_at_what_it_does_not_look_through(case):
    context = context_of(case)
    assert context.layers
    for layer in context.layers:
        ends, passed = search([layer], context.predecessors, is_pointwise)
        assert all(is_pointwise(each) for each in passed)
        assert not any(is_pointwise(each) for each in ends)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("PointWise", "PWN(PWN(PWN(7 + (Unnamed Layer* 7) [Shuffle], Add_4), PWN(Sqrt_5)), D)", "Add Sqrt"),
        ("PointWise", "PWN(/layer3/0/Add, PWN(/layer3/0/relu2/Relu))", "Add Relu"),
        ("PointWise", "PWN(PWN(a.0/b.1/Sigmoid), a.0/b.1/Mul_2)", "Sigmoid Mul"),
        ("PointWise", "PWN(PWN(HardSigmoid_1), Mul_2)", "HardSigmoid Mul"),
        ("ElementWise", "Sub_44", "Sub"),
        ("ElementWise", "/Div/Add + /Relu", "Add Relu"),
        ("Unary", "/a/Sqrt_1_clone_2", ""),
        ("PointWise", "PWN((Unnamed Layer* 112) [ElementWise], PWN((Unnamed Layer* 113) [Unary]))", ""),
        ("PointWise", "PWN(Addition, Address_1, addMul, xSqrt)", ""),
        ("CaskConvolution", "Conv_1 + Add_2", ""),
        ("", "Sub_44", ""),
    ],
)  # fmt: skip
def test_operations_of_pointwise_layers_are_the_nodes_in_their_names(kind, name, expected):
    layers = [{"Name": name, "LayerType": kind, "Inputs": ["x | Half | 4"], "Outputs": ["y | Half | 4"]}]
    layer = context_of({"layers": layers, "bindings": ["x", "y"]}).layers[0]
    assert list(operations(layer)) == expected.split()
    layers[0] |= {"Operations": ["auto const t0 = pwgen::iMinus(a, b);"], "ParameterType": "PointWise"}
    if kind == "PointWise":
        stated = context_of({"layers": layers, "bindings": ["x", "y"]}).layers[0]
        assert list(operations(stated)) == ["Sub"]
