"""Conditions of advice visit each connection of layers a few times, also where one layer feeds all."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.caches import orders_cache
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.copy_kinds import COPY_CONDITIONS
from trexreport.analyzer.rules.move_kinds import serve_normalizations
from trexreport.analyzer.rules.moves import PARTS, moves_by_kind, parts_beside
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.analyzer.rules.unrolled_steps import are_unrolled_steps
from trexreport.reader import read_engine

COUNT = 200


def _tensor(name):
    return {
        "Name": name,
        "Location": "Device",
        "Dimensions": [1, 8],
        "Format/Datatype": "Row major linear FP32",
    }


def _layer(name, reads, writes):
    return {
        "Name": name,
        "LayerType": "PointWise",
        "Inputs": list(map(_tensor, reads)),
        "Outputs": [_tensor(writes)],
    }


@pytest.fixture
def context(tmp_path, monkeypatch):
    """An engine in which one layer reads what many write, and as many read its result; it counts visits."""
    before, after = [f"a{i}" for i in range(COUNT)], [f"b{i}" for i in range(COUNT)]
    layers = [
        *(_layer(f"/norm/LayerNorm_{name}", ["x"], name) for name in before),
        _layer("middle", before, "c"),
        *(_layer(f"after {name}", ["c"], name) for name in after),
        _layer("last", after, "y"),
    ]
    (tmp_path / "e.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["x", "y"]}))
    visited = []

    def counted(original):
        def walk(*args):
            found = original(*args)
            visited.extend(found)
            return found

        return walk

    for name in ("producing", "_consuming"):
        monkeypatch.setattr(Context, name, counted(getattr(Context, name)))
    made = Context(analyze(read_engine(tmp_path), registry=Registry(())))
    visited.clear()
    return made, visited


@pytest.mark.parametrize(
    "condition",
    [serve_normalizations, are_unrolled_steps, COPY_CONDITIONS["casts-between"][0]],
    ids=["normalizations", "steps", "casts"],
)
def test_each_connection_is_visited_a_few_times(context, condition):
    made, visited = context
    condition(made, made.layers)
    connections = sum(len(layer.inputs) + len(layer.outputs) for layer in made.layers)
    assert 0 < len(visited) < 4 * connections


@pytest.fixture
def joined(tmp_path):
    """An engine in which many copies write one tensor, beside copies of another kind."""
    layers = [
        _layer(name, [f"a{i}"], result) | {"LayerType": "Reformat"}
        for i in range(COUNT)
        for name, result in (
            (f"Reformatting CopyNode for Input Tensor 0 to l{i}", f"b{i}"),
            (f"a{i} copy", "cat"),
        )
    ]
    layers.append(_layer("last", ["cat"], "y"))
    (tmp_path / "e.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["y"]}))
    times = [{"name": each["Name"], "averageMs": 0.01, "percentage": 1.0} for each in layers]
    (tmp_path / "e.profile.json").write_text(json.dumps([{"count": 1}, *times]))
    return Context(analyze(read_engine(tmp_path), registry=Registry(())))


def test_kinds_of_copies_are_found_without_comparing_layers(joined, monkeypatch):
    compared = []
    monkeypatch.setattr(LayerFacts, "__eq__", lambda *both: compared.append(both) or both[0] is both[1])
    assert len(moves_by_kind(joined)[PARTS]) == COUNT
    assert not compared


def test_writers_of_a_joined_tensor_are_visited_a_few_times(joined, monkeypatch):
    visited, original = [], Context.producers
    monkeypatch.setattr(Context, "producers", lambda *args: visited.extend(found := original(*args)) or found)
    parts = parts_beside(joined, [joined.layers[-1]])
    assert len(parts[joined.layers[-1].index]) == COUNT
    assert len(visited) <= 2 * COUNT


def test_boundaries_of_types_visit_no_pairs_of_what_writes_and_reads_one_tensor(tmp_path, monkeypatch):
    int8 = {"Format/Datatype": "Row major linear INT8"}
    parts = [_layer(f"q{at}", ["x"], "joined") for at in range(COUNT)]
    for part in parts:
        part["Outputs"][0] |= int8
    readers = [_layer(f"r{at}", ["joined"], f"y{at}") for at in range(COUNT)]
    for reader in readers:
        reader["Inputs"][0] |= int8
    graph = {"Layers": [*parts, *readers], "Bindings": ["x", *(f"y{at}" for at in range(COUNT))]}
    (tmp_path / "engine.graph.json").write_text(json.dumps(graph))
    context = Context(analyze(read_engine(tmp_path)))
    visited = []
    producing = Context.producing
    monkeypatch.setattr(Context, "producing", lambda self, layer: _counted(producing(self, layer), visited))
    rule = next(each for each in built_in_rules() if each.code == "TRX305")
    list(rule.check(context, **{each.name: each.default for each in rule.thresholds}))
    assert sum(visited) < 20 * COUNT


def test_a_join_of_many_caches_is_looked_at_once(tmp_path, monkeypatch):
    orders = [_layer(f"/Gather_{at}", ["past", "beams"], f"g{at}") for at in range(COUNT)]
    join = _layer("/Concat", [f"g{at}" for at in range(COUNT)], "present") | {"LayerType": "Concat"}
    # Too many extents differ for a cache to which one entry is appended.
    join["Outputs"][0] |= {"Dimensions": [2, 9]}
    for layer in orders:
        layer["LayerType"] = "Gather"
    graph = {"Layers": [*orders, join], "Bindings": ["past", "beams", "present"]}
    (tmp_path / "engine.graph.json").write_text(json.dumps(graph))
    context = Context(analyze(read_engine(tmp_path), registry=Registry(())))
    asked = []
    is_input = Context.is_input
    monkeypatch.setattr(Context, "is_input", lambda *args: asked.append(args) or is_input(*args))
    assert not any(orders_cache(context, each) for each in context.layers)
    assert COUNT < len(asked) < 5 * COUNT


def _counted(found, visited):
    visited.append(len(found))
    return found
