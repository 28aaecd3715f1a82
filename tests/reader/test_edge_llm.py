"""TensorRT Edge-LLM's tables: layers with times, end-to-end times beside them, several phases."""

from __future__ import annotations

import json

import pytest
from front_ends import EDGE_LAYERS, KERNEL, edge_llm_end_to_end, edge_llm_layers, edge_llm_log

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.reader import assemble, locate, read_engine
from trexreport.reader.edge_llm import read_end_to_end, read_layer_table
from trexreport.reader.latency_file import read_latencies
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import Redaction

NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "layer_decode_pastkvlen768.csv").write_bytes(edge_llm_layers())
    (tmp_path / "e2e_decode_pastkvlen768.csv").write_bytes(edge_llm_end_to_end())
    return tmp_path


def test_layers_in_their_order_with_times_kernels_and_origins(folder):
    engine = read_engine(folder / "layer_decode_pastkvlen768.csv")
    rows = [(layer.name, layer.type, layer.tactic, layer.time.avg_ms) for layer in engine.layers]
    assert rows == [(name, kind, KERNEL, ms) for name, _, kind, ms in EDGE_LAYERS]
    assert engine.layers[0].origins == ("/layers.0/mlp/up_proj/MatMul",)
    assert engine.layers[0].attributes["Input data types"] == "Half,FP8"
    assert engine.name == "decode_pastkvlen768"
    assert engine.bindings == ()
    assert engine.profiled_iterations is None


def test_what_was_measured_is_among_the_options(folder):
    assert read_engine(folder).setup.inference_options == {
        "Mode": "decode",
        "Batch": "1",
        "Past KV length": "768",
        "Output length": "1",
        "End-to-end time": f"27.4{NBSP}ms",
        "Time per token": f"27.4{NBSP}ms",
        "Throughput": "36.4964 tokens/s",
    }


def test_without_end_to_end_times_the_mode_is_that_of_the_name(tmp_path):
    path = tmp_path / "layer_eagle_verify_treesize60_pastkvlen256.csv"
    path.write_bytes(edge_llm_layers(conditions=(("verify_tree_size", 60), ("past_kv_len", 256))))
    assert read_engine(path).setup.inference_options == {
        "Mode": "eagle verify",
        "Batch": "1",
        "Past KV length": "256",
        "Verify tree size": "60",
    }


def test_precisions_and_memory_are_unknown_and_stated_as_such(folder):
    analysis = analyze(read_engine(folder))
    assert {group.name for group in analysis.by_precision} == {"not stated"}
    assert analysis.latency.layer_sum_ms == 2.0
    note = next(note for note in analysis.notes if note.slug == "no-tensor-names")
    assert note.affects == ("graph", "memory", "precision")


def test_of_several_phases_one_is_given(folder):
    (folder / "layer_prefill_inputlen128.csv").write_bytes(edge_llm_layers(conditions=(("input_len", 128),)))
    (folder / "e2e_prefill_inputlen128.csv").write_bytes(edge_llm_end_to_end("prefill", 80))
    with pytest.raises(InputError, match="holds 2 engines") as raised:
        read_engine(folder)
    assert "layer_prefill_inputlen128.csv" in raised.value.hint
    sources = locate([folder / "layer_prefill_inputlen128.csv"]).sources
    assert [source.name for source in sources] == [
        "layer_prefill_inputlen128.csv",
        "e2e_prefill_inputlen128.csv",
    ]


def test_end_to_end_times_of_another_phase_are_left_out(folder):
    (folder / "e2e_prefill_inputlen128.csv").write_bytes(edge_llm_end_to_end("prefill", 80))
    assert read_engine(folder).setup.inference_options["Mode"] == "decode"


def test_layer_information_beside_gives_the_layers_and_the_table_the_times(folder):
    names = [name for name, *_ in EDGE_LAYERS]
    listed = ", ".join(f'{{"Name": "{name}", "LayerType": "kgen", "Inputs": []}}' for name in names)
    (folder / "llm.json").write_text(f'{{"Layers": [{listed}]}}')
    engine = read_engine(folder / "llm.json", folder / "layer_decode_pastkvlen768.csv")
    assert [(layer.type, layer.time.avg_ms) for layer in engine.layers] == [
        ("kgen", 1.25),
        ("kgen", 0.5),
        ("kgen", 0.25),
    ]


def test_names_may_hold_commas_and_quotes_without_spoiling_the_rest():
    layers = (("a, b", "", "gemm", 1.0), ('say "x", y', "", "gemm", 2.0), ("c", "", "mha", 3.0))
    table = read_layer_table(edge_llm_layers(layers).decode(), "layer_x.csv")
    assert [row.name for row in table.profile.rows][0::2] in (["a, b", "c"], ["a, b"])
    assert "c" in [row.name for row in table.profile.rows]


@pytest.mark.parametrize("value", ["nan", "-1", "1e99", "x", ""])
def test_a_time_that_is_none_is_not_measured(value):
    text = edge_llm_layers().decode().replace("gemm,1.2500", f"gemm,{value}")
    table = read_layer_table(text, "layer_x.csv")
    assert table.profile.rows[0].time is None
    assert table.profile.rows[1].time.avg_ms == 0.5
    assert "impossible-values" in {note.slug for note in table.profile.notes}


def test_lines_that_are_cut_off_are_left_out_with_a_note():
    table = read_layer_table(edge_llm_layers().decode()[:-30], "layer_x.csv")
    assert len(table.graph.layers) == 2
    assert "profile-records" in {note.slug for note in table.profile.notes}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (edge_llm_layers(()), "holds no layers"),
        (b"a,b\n1,2\n", "not a table of TensorRT Edge-LLM"),
        (b"", "not a table of TensorRT Edge-LLM"),
        (edge_llm_layers().replace(b"gemm", b"x" * 200_000), "not readable CSV"),
    ],
)
def test_what_is_refused(data, says):
    with pytest.raises(InputError, match=says):
        read_layer_table(data.decode(), "layer_x.csv")


def test_end_to_end_times_without_a_time_are_refused():
    with pytest.raises(InputError, match="states no time"):
        read_end_to_end(edge_llm_end_to_end().decode().replace("27.4000", "nan"), "e2e_x.csv")


def test_end_to_end_times_are_a_latency_to_compare_with(folder):
    (found,) = read_latencies([f"Edge={folder / 'e2e_decode_pastkvlen768.csv'}"])
    assert found.runs_ms == ((27.4,),)


def test_redaction_keeps_times_and_conditions(folder):
    capture = locate([folder / "layer_decode_pastkvlen768.csv"])
    redacted = redact_capture(capture, Redaction(frozenset({"names", "paths", "host"}), b"key"))
    one, other = assemble(capture), assemble(redacted)
    assert other.setup == one.setup
    assert [layer.time for layer in other.layers] == [layer.time for layer in one.layers]


def test_the_printed_table_of_a_stage(tmp_path):
    (tmp_path / "run.log").write_bytes(edge_llm_log("LLM Prefill"))
    engine = read_engine(tmp_path / "run.log")
    assert [(layer.name, layer.time.avg_ms) for layer in engine.layers] == [
        (name, ms) for name, _, _, ms in EDGE_LAYERS
    ]
    assert engine.profiled_iterations == 10
    assert not {"log-help", "log-several-stages"} & {note.slug for note in engine.notes}


def test_of_several_printed_tables_the_first_is_shown_with_a_note(tmp_path):
    (tmp_path / "run.log").write_bytes(edge_llm_log("LLM Prefill", "LLM Decode"))
    engine = read_engine(tmp_path / "run.log")
    assert len(engine.layers) == 3
    (note,) = [note for note in engine.notes if note.slug == "log-several-stages"]
    assert "2 tables of layers; the first one is shown, of LLM Prefill" in note.message


def test_a_table_beside_a_profile_is_noted_and_compared_with_the_layers(tmp_path):
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [f"layer{at}" for at in range(8)]}))
    profile = [{"count": 1}, {"name": "layer0", "timeMs": 1, "averageMs": 1, "percentage": 100}]
    (tmp_path / "x.profile.json").write_text(json.dumps(profile))
    (tmp_path / "layer_decode.csv").write_bytes(edge_llm_layers())
    engine = read_engine(tmp_path / "x.graph.json", tmp_path / "layer_decode.csv")
    assert "layer-table-not-used" in {note.slug for note in engine.notes}
    assert [each.code for each in engine.contradictions] == ["layer-names"]
    assert engine.layers[0].time.avg_ms == 1
