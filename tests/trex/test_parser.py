"""TREx's functions that read files: what they return, and that damage is one line."""

from __future__ import annotations

import io
import json

import pytest

from trexreport import EnginePlan
from trexreport.errors import InputError
from trexreport.trex import parser
from trexreport.trex.archiving import EngineArchive

TENSORS = {
    "Inputs": [{"Name": "in", "Dimensions": [1], "Format/Datatype": "Half"}],
    "Outputs": [{"Name": "out", "Dimensions": [1], "Format/Datatype": "Half"}],
}


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "x.graph.json"
    layers = [
        {"Name": "a\x1eb", "LayerType": "NoOp", **TENSORS},
        {"Name": "d", "LayerType": "CaskDeconvolutionV2", "ParameterType": "Convolution", **TENSORS},
        {"Name": "d", "LayerType": "signal", **TENSORS},
        {"Name": "d", "LayerType": "Shuffle", **TENSORS},
        {"Name": "e [profile 1]", "LayerType": "Shuffle", **TENSORS},
    ]
    path.write_text(json.dumps({"Layers": layers, "Bindings": ["in", "out"]}), encoding="utf-8")
    return path


LOG = """\
[06/01/2022-10:00:00] [I] === Build Options ===
[06/01/2022-10:00:00] [I] Precision: FP32+FP16
[06/01/2022-10:00:00] [I] Input build shapes: x:0=1x8
[06/01/2022-10:00:00] [I]
[06/01/2022-10:00:01] [I] === Performance summary ===
[06/01/2022-10:00:01] [I] Throughput: 100 qps
[06/01/2022-10:00:01] [I] Latency: min = 1 ms, max = 4 ms, mean = 2 ms, median = 2 ms, percentile(99%) = 3 ms
"""


def test_logs_of_trtexec_become_the_sections_of_trexs_metadata(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(LOG, encoding="utf-8")
    # TREx cuts a value at its second colon.
    assert parser.parse_build_log(path)["build_options"] == {
        "Precision": "FP32+FP16",
        "Input build shapes": "x:0=1x8",
    }
    measured = parser.parse_profiling_log(str(path))
    assert measured["performance_summary"] == {"Throughput": 100.0, "Latency": [1.0, 4.0, 2.0, 2.0, 3.0]}
    with EngineArchive(tmp_path / "x.tea") as archive:
        archive.writef_txt("x.log", LOG)
    with EngineArchive(tmp_path / "x.tea") as archive:
        assert parser.parse_profiling_log("x.log", archive) == measured
    with pytest.raises(InputError, match=r"y\.log does not exist"):
        parser.parse_build_log(tmp_path / "y.log")


def test_graph(graph):
    layers, bindings = parser.import_graph_file(str(graph))
    assert [each["Name"] for each in layers] == ["a+b", "d", "d_2"]
    assert layers[1]["ParameterType"] == "Deconvolution"
    assert bindings == ["in", "out"]
    raw, names = parser.read_graph_file(graph)
    assert [each["Name"] for each in raw] == ["a\x1eb", "d", "d", "d", "e [profile 1]"]
    assert names == ["in", "out"]
    assert [each["Name"] for each in parser.import_graph_file(graph, 1)[0]] == ["e [profile 1]"]


def test_profile_and_times(tmp_path):
    path = tmp_path / "x.json"
    row = {"name": "a", "timeMs": 4.0, "averageMs": 2.0, "medianMs": 2.0, "percentage": 100.0}
    path.write_text(json.dumps([{"count": 2}, row]), encoding="utf-8")
    assert parser.read_profiling_file(path) == [row]
    path.write_text(json.dumps([{"latencyMs": 1.5}, {"latencyMs": 2.5}]), encoding="utf-8")
    assert parser.read_timing_file(path) == [1.5, 2.5]


def test_metadata(tmp_path):
    path = tmp_path / "x.json"
    sections = {"device_information": {"SMs": 8.0}, "performance_summary": {"Throughput": 1.0}}
    path.write_text(json.dumps(sections | {"model_options": {"a": "b"}, "build_options": {"c": "d"}}))
    assert parser.get_device_properties(path) == {"SMs": 8.0}
    assert parser.get_performance_summary(path) == {"Throughput": 1.0}
    assert parser.get_builder_config(path) == {"a": "b", "c": "d"}
    assert parser.read_perf_metadata_file(path, "model_options") == {"a": "b"}
    with pytest.raises(KeyError):
        parser.read_perf_metadata_file(path, "other")
    path.write_text(json.dumps([{"Name": "GPU"}]), encoding="utf-8")
    assert parser.read_metadata_file(path) == {"Name": "GPU"}
    with pytest.raises(InputError, match="1 GPUs"):
        parser.read_metadata_file(path, 1)
    for text, value in (("[1]", [1]), ("null", None), ("3", 3)):
        assert parser.read_json(io.StringIO(text)) == value


@pytest.mark.parametrize(
    ("read", "content", "left"),
    [
        (parser.read_graph_file, '{"Layers": [3, {"Name": "a"}]}', ([{"Name": "a"}], [])),
        (
            parser.import_graph_file,
            '{"Layers": [3, {"Name": "a"}]}',
            ([{"Name": "a", "LayerType": "", "Inputs": [], "Outputs": []}], []),
        ),
        (parser.read_profiling_file, '[{"name": "a", "averageMs": -2}]', []),
        (parser.read_timing_file, '[{"latencyMs": 1.5}, {"latencyMs": -1}]', [1.5]),
        (parser.get_device_properties, '{"device_information": {"SMs": 8, "SMs": 9}}', {"SMs": None}),
    ],
)
def test_what_is_left_out_is_a_warning(tmp_path, read, content, left):
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.warns(UserWarning, match=r"x\.json"):
        assert read(path) == left


@pytest.mark.parametrize("absent", [None, "", "no-such.json"])
def test_metadata_that_is_not_there_is_empty(absent):
    assert parser.get_device_properties(absent) == {}
    assert parser.get_performance_summary(absent) == {}
    assert parser.get_builder_config(absent) == {}


@pytest.mark.filterwarnings("ignore")
def test_a_plan_without_the_metadata_that_is_named(graph):
    with pytest.warns(UserWarning, match=r"no\.metadata\.json does not exist"):
        plan = EnginePlan(graph, "", graph.with_name("no.metadata.json"))
    assert (plan.device_properties, plan.performance_summary) == ({}, {})


@pytest.mark.parametrize(
    "reader", [parser.import_graph_file, parser.read_profiling_file, parser.read_timing_file]
)
def test_damage_is_one_line_that_names_the_file(reader, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InputError, match=r"odd\.json"):
        reader(path)
    with pytest.raises(InputError, match=r"none\.json does not exist"):
        reader(tmp_path / "none.json")
