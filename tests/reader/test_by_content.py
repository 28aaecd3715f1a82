"""Files without the names of the convention, beside an engine whose files have them."""

import json

import pytest
from front_ends import edge_llm_end_to_end, edge_llm_layers, ort_profile, torch_dryrun, torch_trace

from trexreport.reader import read_engine

LAYERS = [f"layer{number}" for number in range(4)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": LAYERS}))
    return tmp_path


def slugs(engine):
    return {note.slug for note in engine.notes}


def test_where_nodes_run_is_read_from_the_folder(folder):
    (folder / "onnxruntime_profile.json").write_bytes(ort_profile())
    assert read_engine(folder).execution.framework == "onnx-runtime"


def test_times_of_another_producer_are_read_unless_the_engine_has_its_own(folder):
    trace = torch_trace(dict.fromkeys(LAYERS, 10.0))
    (folder / "any.trace").write_bytes(trace)
    assert read_engine(folder).layers[0].time is not None
    own = [{"count": 1}, {"name": "layer0", "timeMs": 1, "averageMs": 1, "percentage": 100}]
    (folder / "x.profile.json").write_text(json.dumps(own))
    assert "any.trace" not in {source.name for source in read_engine(folder).sources}


def test_of_several_files_of_one_kind_none_is_read(folder):
    for name in ("a.txt", "b.txt"):
        (folder / name).write_bytes(torch_dryrun())
    engine = read_engine(folder)
    assert engine.execution is None
    (note,) = [note for note in engine.notes if note.slug == "several-of-one-kind"]
    assert "a.txt and b.txt" in note.message


def test_files_beside_layers_of_another_engine_are_left_alone(folder):
    (folder / "other_layers.json").write_text(json.dumps({"Layers": ["a", "b"]}))
    (folder / "any.trace").write_bytes(torch_trace({"a": 1.0, "b": 2.0}))
    engine = read_engine(folder)
    assert [layer.time for layer in engine.layers] == [None] * 4
    assert not engine.contradictions


def test_only_the_end_to_end_times_of_the_table_count(folder):
    (folder / "layer_decode.csv").write_bytes(edge_llm_layers([(name, "", "gemm", 1.0) for name in LAYERS]))
    for name in ("e2e_decode.csv", "e2e_prefill.csv"):
        (folder / name).write_bytes(edge_llm_end_to_end())
    engine = read_engine(folder)
    assert engine.layers[0].time.avg_ms == 1
    assert {source.name for source in engine.sources} == {
        "x.graph.json",
        "layer_decode.csv",
        "e2e_decode.csv",
    }


@pytest.mark.parametrize(
    ("name", "data"),
    [("nodes.json", ort_profile()), ("dry.txt", torch_dryrun()), ("e2e_x.csv", edge_llm_end_to_end())],
)
def test_what_a_report_extracts_is_read_again(folder, tmp_path, name, data):
    other = tmp_path / "other"
    other.mkdir()
    (other / name).write_bytes(data)
    engine = read_engine(folder / "x.graph.json", other / name)
    written = tmp_path / "written"
    written.mkdir()
    for source in engine.sources:
        (written / source.name).write_bytes(source.data)
    again = read_engine(written)
    assert {each.name for each in again.sources} == {each.name for each in engine.sources}
    assert again.execution == engine.execution
    assert slugs(again) == slugs(engine)


def test_files_named_after_the_model_belong_to_its_engine(tmp_path):
    (tmp_path / "x.engine.graph.json").write_text(json.dumps({"Layers": LAYERS}))
    (tmp_path / "x.accuracy.json").write_text(json.dumps({"layer1": 0.5}))
    (tmp_path / "y.accuracy.json").write_text(json.dumps({"layer1": 0.7}))
    (tensor,) = read_engine(tmp_path).accuracy.tensors
    assert tensor.value == 0.5
    (tmp_path / "x.engine.accuracy.json").write_text(json.dumps({"layer1": 0.9}))
    (tensor,) = read_engine(tmp_path).accuracy.tensors
    assert tensor.value == 0.9
