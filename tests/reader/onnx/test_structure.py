"""A model's structure as JSON is the same model again, and JSON of any other kind raises nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx_models import MODELS

from trexreport.analyzer.onnx.flat_graph import flatten
from trexreport.errors import InputError
from trexreport.reader.onnx import read_onnx
from trexreport.reader.onnx.structure import SCHEMA, read_structure, write_structure


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, make in MODELS.items():
        path = folder / f"{name}.onnx"
        onnx.save(make(), path)
        found[name] = replace(read_onnx(path), sha256="0" * 64)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_the_structure_is_the_model(models, name):
    model = models[name]
    written = write_structure(model)
    again = read_structure(written.decode(), "x")
    # The domain and the version of the model itself are not kept, nor attributes that JSON can't hold.
    assert name != "plain" or model.graph.nodes[0].attributes["scales"][1] == math.inf
    for node in model.graph.nodes:
        if "scales" in node.attributes:
            del node.attributes["scales"]
    assert again == replace(model, domain=again.domain, model_version=again.model_version)
    assert write_structure(again) == written


JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False),
        st.sampled_from(["", "a", "\ud800", "x" * 99]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "nodes", "graphs", "a"]), inner, max_size=3),
    ),
    max_leaves=6,
)


def places(value, path=()):
    """Yield the path of each value of a document."""
    yield path
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, each in members:
        yield from places(each, (*path, key))


def with_value(document, path, value):
    if not path:
        return value
    first, *rest = path
    changed = document.copy()
    changed[first] = with_value(document[first], rest, value)
    return changed


@pytest.fixture(scope="module")
def documents(models):
    """The structure of each model as a document, and the paths of its values in order."""
    made = [json.loads(write_structure(models[name])) for name in sorted(MODELS)]
    return [(document, sorted(places(document), key=str)) for document in made]


@given(data=st.data())
@settings(deadline=None, max_examples=300, derandomize=True)
def test_any_value_anywhere_is_read_or_refused(documents, data):
    document, paths = data.draw(st.sampled_from(documents))
    path = data.draw(st.sampled_from(paths))
    changed = with_value(document, path, data.draw(JSON_VALUES))
    try:
        model = read_structure(json.dumps(changed), "x")
    except InputError:
        return
    # What was read is of the kinds that are declared: it can be used and written.
    flatten(model)
    assert read_structure(write_structure(model).decode(), "x") == model


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", "[" * 5000, '{"trexreport-onnx-structure"'])
def test_what_is_no_structure_is_refused(content):
    with pytest.raises(InputError):
        read_structure(content, "x")


def test_a_deep_structure_is_refused_or_read():
    graph = {"nodes": []}
    for _ in range(3000):
        graph = {"nodes": [{"op_type": "If", "graphs": {"then_branch": graph}}]}
    content = f'{{"{SCHEMA}":1,"graph":' + nested_json(graph) + "}"
    try:
        model = read_structure(content, "x")
    except InputError:
        return
    flatten(model)


def nested_json(graph):
    """Return the JSON of graphs inside graphs, which the module of Python can't write."""
    before, after = "", ""
    while graph["nodes"]:
        before += '{"nodes":[{"op_type":"If","graphs":{"then_branch":'
        after += "}}]}"
        graph = graph["nodes"][0]["graphs"]["then_branch"]
    return f'{before}{{"nodes":[]}}{after}'
