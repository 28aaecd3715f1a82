"""Figures come in lists of objects, by measure, and in tables of more columns, as scripts write them."""

from __future__ import annotations

import json
import re

import pytest

from trexreport.errors import InputError
from trexreport.model.accuracy import TensorAccuracy
from trexreport.reader.accuracy.read import read_accuracy


def errors(document, name="a.json"):
    data = document if isinstance(document, str) else json.dumps(document)
    found, _ = read_accuracy(name, data.encode())
    return {each.name: each.relative_error for each in found.tensors}


ROWS = [{"tensor": "t1", "sqnr_db": 40.0}, {"tensor": "t2", "sqnr_db": 20.0}]
EXPECTED = {"t1": pytest.approx(0.01), "t2": pytest.approx(0.1)}


@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {"lowest_sqnr_db": ROWS, "frames": 32, "units": "dB"},
        {"settings": {"n": 32}, "metrics": {"tensors_in_graph_order": ROWS, "first_below": ROWS[0]}},
        {"ranked_nodes": [{**each, "rank": 1, "node_name": "n", "op_type": "Conv"} for each in ROWS]},
        {"snr_db": {"t1": 40.0, "t2": 20.0}, "cosine_similarity": {"t1": 1.0, "t2": 0.99}},
        "tensor,snr_db\nt1,40\nt2,20\n",
        "tensor;snr_db\nt1;40\nt2;20\n",
        "tensor\tsnr_db\nt1\t40\nt2\t20\n",
        "index,op,output,snr_db,elements\n0,Conv,t1,40,7\n1,Relu,t2,20,9\n",
    ],
)
def test_the_error_of_each_tensor_is_read(document):
    assert errors(document) == EXPECTED


def test_both_errors_of_the_quantization_debugger_are_known():
    row = {"tensor": "t1", "qdq_sqnr_db": 60.0, "xmodel_sqnr_db": 40.0}
    # That since the input of the model counts, not that of one pair of Q and DQ.
    assert errors({"lowest": [row]}) == {"t1": pytest.approx(0.01)}


def test_the_tensor_names_a_row_before_its_node():
    assert list(errors([{"node_name": "n", "name": "x", "tensor_name": "t1", "snr_db": 1.0}])) == ["t1"]


@pytest.mark.parametrize(
    "document",
    [
        [{"name": "conv1", "timeMs": 1.0, "averageMs": 1.0, "percentage": 5.0}],
        {"rows": [{"tensor": "t1", "rank": 1}]},
        [{"snr_db": 40.0}],
        [["t1", 40.0]],
        {"a": {"b": {"c": {"d": {"e": ROWS}}}}},
        "index,op,time_ms\n0,Conv,1.0\n",
    ],
)
def test_other_lists_are_no_accuracy(document):
    with pytest.raises(InputError):
        errors(document)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ('{"a": -5, "b": 3}', "1 tensor, whose error is unknown: a."),
        ('{"measure": "cosine_similarity", "tensors": {"a": 1.5, "b": 0.9}}', "1 tensor, .*: a"),
        ('{"measure": "relative_error_percent", "tensors": {"a": 1e300, "b": 1}}', "1 tensor, .*: a"),
        ('tensor,snr_db\na,"1,234.5"\nb,20\nc,\nd,x\ne,\n', "4 tensors, .*: a, c, d and 1 more"),
    ],
)
def test_figures_that_can_not_be_errors_are_named(content, names):
    results, notes = read_accuracy("figures", content.encode())
    assert [each.name for each in results.tensors if each == TensorAccuracy(each.name)]
    assert [note.slug for note in notes] == ["accuracy-impossible"]
    assert re.search(names, notes[0].message)


def test_figures_that_are_all_usable_need_no_note():
    assert read_accuracy("figures", b'{"a": NaN, "b": 3, "c": 0}')[1] == []
