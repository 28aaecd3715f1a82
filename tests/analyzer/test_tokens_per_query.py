"""Tokens that a query of a language model computes."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.tokens import tokens_per_query
from trexreport.reader import read_engine


def tensor(name, kind, *extents):
    return {"Name": name, "Dimensions": list(extents), "Format/Datatype": kind}


def tokens(folder, indices, rows, classes=32000):
    """Return the tokens of two products of some rows, the second of which writes scores."""
    head = {"Name": "/lm_head/MatMul_myl0_2", "LayerType": "gemm"}
    layers = [
        {
            "Name": "__myl_Gath_myl0_0",
            "LayerType": "kgen",
            "Inputs": [tensor("ids", "Int64", *indices)],
            "Outputs": [tensor("h", "Half", rows, 64)],
        },
        {
            "Name": "/fc/MatMul_myl0_1",
            "LayerType": "gemm",
            "Inputs": [tensor("h", "Half", rows, 64)],
            "Constants": [tensor("w", "Half", 64, 64)],
            "Outputs": [tensor("y", "Half", rows, 64)],
        },
        head
        | {
            "Inputs": [tensor("y", "Half", rows, 64)],
            "Constants": [tensor("v", "Half", 64, classes)],
            "Outputs": [tensor("logits", "Half", rows, classes)],
        },
    ]
    (folder / "a.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["ids", "logits"]}))
    return tokens_per_query(analyze(read_engine(folder)))


@pytest.mark.parametrize(("indices", "rows"), [((1, 1), 1), ((8, 1), 8), ((2, 256), 512), ((512,), 512)])
def test_indices_and_rows_show_the_tokens(tmp_path, indices, rows):
    assert tokens(tmp_path, indices, rows) == rows


def test_unknown_extents_show_none(tmp_path):
    assert tokens(tmp_path, (-1, -1), 1) is None


def test_a_mask_of_more_tokens_does_not_show_them(tmp_path):
    assert tokens(tmp_path, (1, 1025), 1) is None


def test_scores_of_few_classes_are_no_vocabulary(tmp_path):
    assert tokens(tmp_path, (1, 1), 1, classes=1000) is None
