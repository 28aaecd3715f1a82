"""JSON documents hold all that an analysis or a comparison says, each item in a line of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport import __version__
from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json, members
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.json_document import render_json, render_summary_json
from trexreport.wording.json_sentences import members_and_sentences

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def engines():
    return [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]


@pytest.fixture(scope="module")
def analysis(engines):
    return analyze(engines[0])


@pytest.fixture(scope="module")
def comparison(engines):
    return compare(engines)


@pytest.fixture(params=["analysis", "comparison"])
def document(request):
    """A document and the value that it was made of."""
    value = request.getfixturevalue(request.param)
    return render_json(value), value


def test_nothing_is_left_out(document):
    data, value = document
    found = json.loads(data)
    assert found.pop("version") == __version__
    assert found == as_json(value, members_and_sentences)


def test_each_item_of_a_list_is_a_line(document):
    data, value = document
    lines = data.decode("ascii").splitlines()
    content = as_json(value, members_and_sentences)
    assert len(content) > 10
    for name, items in content.items():
        if not isinstance(items, list):
            assert any(line.startswith(f'"{name}": ') for line in lines)
        elif items:
            first = lines.index(f'"{name}": [') + 1
            found = lines[first : first + len(items)]
            assert [json.loads(line.removesuffix(",")) for line in found] == items
            assert lines[first + len(items)] in {"]", "],"}
        else:
            assert any(line.removesuffix(",") == f'"{name}": []' for line in lines)


def test_the_summary_leaves_out_what_is_long(analysis):
    found = json.loads(render_summary_json(analysis))
    whole = as_json(analysis, members_and_sentences)
    assert found.pop("layer_count") == len(whole["layers"])
    assert found.pop("version") == __version__
    del whole["memory"]["live_bytes"]
    assert found == {
        key: value
        for key, value in whole.items()
        if key not in ("layers", "tensors", "reformats", "tactics", "kernels", "counters")
    }


def test_an_unknown_type_of_value_is_refused():
    with pytest.raises(TypeError):
        members(object())
