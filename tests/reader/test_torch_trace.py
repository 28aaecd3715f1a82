"""Torch-TensorRT's trace of layers, its layer information as texts in JSON, and origins from its names."""

from __future__ import annotations

import json

import pytest
from front_ends import CONV, LAYERS, POOL, RELU, torch_layers, torch_trace

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.budget.check import uncertain
from trexreport.analyzer.budget.limits import MetricValue
from trexreport.analyzer.comparison.compare_engines import verdict_of
from trexreport.errors import InputError
from trexreport.model import PROFILE_SUMS
from trexreport.reader import read_engine
from trexreport.reader.graph_file import read_graph
from trexreport.reader.layer_names import torch_origins
from trexreport.reader.profile_file import read_profile
from trexreport.reader.roles import role_of_content

TIMES_US = dict(zip(LAYERS, (50.0, 200.5, 0.0), strict=True))


@pytest.fixture
def folder(tmp_path):
    """A folder as enable_profiling and dump_layer_info leave it, with other traces beside."""
    (tmp_path / "_run_on_acc_0_engine_layer_information.json").write_text(json.dumps(torch_layers()))
    (tmp_path / "_run_on_acc_0_engine_engine_execution_profile.trace").write_bytes(torch_trace(TIMES_US))
    other = {"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "aten::empty", "dur": 3}]}
    (tmp_path / "_run_on_acc_0_engine_enqueue_profile.trace").write_text(json.dumps(other))
    return tmp_path


def test_times_are_sums_of_all_runs():
    profile = read_profile(torch_trace(TIMES_US).decode(), "a.trace")
    assert [(row.name, row.time.avg_ms) for row in profile.rows] == [
        (LAYERS[0], 0.05),
        (LAYERS[1], 0.2005),
        (LAYERS[2], 0.0),
    ]
    assert profile.iterations is None
    assert profile.is_sum
    assert [note.slug for note in profile.notes] == [PROFILE_SUMS]


def test_names_with_quotes_and_backslashes_are_repaired():
    profile = read_profile(torch_trace({'a "b" \\c': 7, "d": 5}).decode(), "a.trace")
    assert [row.name for row in profile.rows] == ['a "b" \\c', "d"]
    assert [note.slug for note in profile.notes] == ["profile-names", PROFILE_SUMS]


@pytest.mark.parametrize("dur", ["-1", "1e99", '"x"', "null", "true"])
def test_an_impossible_duration_is_no_time(dur):
    text = torch_trace({"a": 1.5, "b": 2}).decode().replace('"dur": 1.5', f'"dur": {dur}')
    first, second = read_profile(text, "a.trace").rows
    assert first.time is None
    assert second.time.avg_ms == 0.002


def test_a_trace_that_is_cut_off_is_an_error():
    with pytest.raises(InputError, match="cut off"):
        read_profile(torch_trace(TIMES_US).decode()[:-40], "a.trace")


def test_the_folder_of_a_profile(folder):
    engine = read_engine(folder)
    assert engine.times_are_sums
    assert [layer.time.avg_ms for layer in engine.layers] == [0.05, 0.2005, 0.0]
    assert {source.role for source in engine.sources} == {"graph", "profile"}


def test_of_two_engines_one_is_given_by_its_file(folder):
    other = torch_layers((POOL,))
    (folder / "_run_on_acc_1_engine_layer_information.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="holds 2 engines"):
        read_engine(folder)
    engine = read_engine(folder / "_run_on_acc_0_engine_layer_information.json")
    assert engine.times_are_sums
    assert len(engine.layers) == 3


def test_sums_give_shares_and_no_rates_or_verdict(folder):
    engine = read_engine(folder)
    analysis = analyze(engine)
    assert analysis.roofline.obstacle.code == "times-are-sums"
    shares = [layer.share_percent for layer in analysis.layers]
    assert shares == [pytest.approx(19.96, abs=0.01), pytest.approx(80.04, abs=0.01), 0]
    (folder / "_run_on_acc_0_engine_engine_execution_profile.trace").write_bytes(torch_trace({POOL: 1.0}))
    verdict, _ = verdict_of((engine, read_engine(folder)), (analysis, analysis), VerdictSettings())
    assert verdict.verdict == "inconclusive"
    sides = [reason.role for reason in verdict.reasons if reason.code == "times-are-sums"]
    assert sides == ["baseline", "candidate"]


def test_no_budget_holds_on_sums(folder):
    analysis = analyze(read_engine(folder))
    known = uncertain(MetricValue(0.25), analysis, "latency")
    assert known.value is None
    assert [reason.code for reason in known.missing] == ["times-are-sums"]
    assert uncertain(MetricValue(3), analysis, "memory") == MetricValue(3)


def test_origins_are_the_paths_in_the_names(folder):
    origins = [layer.origins for layer in read_engine(folder).layers]
    assert origins == [(), ("/features/0/convolution", "/features/1/relu"), ("/features/2/max_pool2d",)]


@pytest.mark.parametrize(
    ("name", "origins"),
    [
        (f"{CONV} + {RELU} + {CONV}", ("/features/0/convolution", "/features/1/relu")),
        ("squeeze_after_[RELU]-[aten_ops.relu.default]-[/c/2/relu]", ("/c/2/relu",)),
        ("[RELU]_[acc_ops.relu]_[relu_1]", ("relu_1",)),
        ("[a]-[b]-[c]", ()),
        ("/conv1/Conv + /relu", ()),
        ("[RELU]-[aten_ops.relu.default]-[]", ()),
    ],
)
def test_what_is_an_origin_in_a_name(name, origins):
    assert torch_origins(name) == origins


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(json.dumps(torch_layers())),
        json.dumps([json.dumps(each) for each in torch_layers()["Layers"]]),
    ],
)
def test_layer_information_as_texts_inside_json(written):
    graph = read_graph(written, "a.json")
    assert [layer.name for layer in graph.layers] == list(LAYERS)
    assert not graph.names_only
    assert [note.slug for note in graph.notes] == ["json-in-json"]
    assert role_of_content(written.encode()) == "graph"


def test_names_that_look_like_json_are_names():
    graph = read_graph(json.dumps(["{ForeignNode[a...b]}", "{c}"]), "a.json")
    assert [layer.name for layer in graph.layers] == ["{ForeignNode[a...b]}", "{c}"]
    assert graph.names_only


def test_a_text_in_a_text_is_unwrapped_once():
    with pytest.raises(InputError, match="not of a kind"):
        read_graph(json.dumps(json.dumps(json.dumps(torch_layers()))), "a.json")
