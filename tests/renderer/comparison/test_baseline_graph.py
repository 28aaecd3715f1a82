"""The graph of the baseline in the page of a comparison."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Blocks
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison import baseline_graph
from trexreport.renderer.comparison.baseline_graph import baseline_graph_values

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


@pytest.fixture(scope="module")
def compared():
    engines = [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]
    analyses = [analyze(engine) for engine in engines]
    return compare(engines, analyses=analyses), analyses


def unpacked(values):
    return json.loads(gzip.decompress(base64.b64decode(values["baseline_graph"])))


def test_a_small_baseline_is_a_drawing_with_the_rows_of_its_layers(compared):
    comparison, analyses = compared
    read = unpacked(baseline_graph_values(comparison, analyses, 1))
    assert read["svg"].startswith("<svg")
    assert read["rowOf"] == comparison.row_of[0]
    assert read["data"]["layers"]["count"] == len(analyses[0].layers)
    assert {"name", "type", "inputs"} <= {key for key, *_ in read["data"]["layers"]["columns"]}


def test_a_large_one_is_blocks_and_none_where_they_are_not_known(compared, monkeypatch):
    comparison, analyses = compared
    monkeypatch.setattr(baseline_graph, "opens_as_blocks", lambda _: True)
    assert unpacked(baseline_graph_values(comparison, analyses, 1))["plan"]["blocks"]
    bare = [dataclasses.replace(each, blocks=Blocks()) for each in analyses]
    assert baseline_graph_values(comparison, bare, 1)["baseline_graph"] == ""


def test_the_engine_that_is_shown_is_not_drawn_twice(compared):
    comparison, analyses = compared
    assert baseline_graph_values(comparison, analyses, 0)["baseline_graph"] == ""


def test_what_would_make_the_page_too_large_is_left_out_and_stated(compared, monkeypatch):
    comparison, analyses = compared
    monkeypatch.setattr(baseline_graph, "_MAX_PACKED", 100)
    values = baseline_graph_values(comparison, analyses, 1)
    assert values == {"baseline_graph": "", "baseline_graph_layers": len(analyses[0].layers)}
