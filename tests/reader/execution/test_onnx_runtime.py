"""ONNX Runtime's profiles: providers, times of nodes by run, subgraphs, and files that are cut off."""

from __future__ import annotations

import json

import pytest
from front_ends import TRT_NODE, ort_event, ort_events, ort_profile

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.execution.onnx_runtime import read
from trexreport.reader.roles import role_of_content


def of(events, name="p.json"):
    execution, notes = read(ort_profile(events).decode(), name)
    times = {node.name: node.avg_ms for node in execution.nodes}
    return execution, times, [note.slug for note in notes]


def test_nodes_in_their_order_with_times_of_the_runs_after_the_first():
    execution, times, notes = of(ort_events(3))
    assert [(node.name, node.provider) for node in execution.nodes] == [
        (TRT_NODE, "TensorrtExecutionProvider"),
        ("Memcpy", "CUDAExecutionProvider"),
        ("/nms/NonMaxSuppression", "CPUExecutionProvider"),
        ("/resize/Resize", "CUDAExecutionProvider"),
        (TRT_NODE.replace("0_0", "1_1"), "TensorrtExecutionProvider"),
    ]
    assert list(times.values()) == [0.2, 0.004, 0.036, 0.01, 0.05]
    assert (execution.runs, execution.warm_up_runs, execution.run_ms) == (3, 1, 0.315)
    assert notes == []


def test_a_single_run_counts():
    execution, times, _ = of(ort_events(1))
    assert (execution.runs, execution.warm_up_runs) == (1, 0)
    assert times["/nms/NonMaxSuppression"] == 0.108


def test_a_node_that_runs_twice_in_a_run_has_the_time_of_both():
    run = ort_event("model_run", 0, 90, provider=None)
    _, times, _ = of([ort_event("a", 1, 20), ort_event("a", 30, 50), run])
    assert times == {"a": 0.07}


def test_a_node_that_runs_in_some_runs_has_its_mean_over_all():
    runs = [ort_event("model_run", begin, 90, provider=None) for begin in (0, 100, 200)]
    _, times, _ = of([ort_event("a", 10, 20), ort_event("b", 110, 30), *runs])
    assert times == {"a": 0.0, "b": 0.015}


def test_the_time_of_nodes_in_a_subgraph_is_not_counted_twice():
    events = [
        ort_event("inner", 12, 30, index=1),
        ort_event("inner2", 45, 10, index=2),
        ort_event("if", 10, 50, operator="If"),
        ort_event("after", 60, 7),
        ort_event("other thread", 12, 40, tid=8),
        ort_event("model_run", 0, 90, provider=None),
    ]
    _, times, _ = of(events)
    assert times == {"if": 0.01, "inner": 0.03, "other thread": 0.04, "inner2": 0.01, "after": 0.007}


def test_nodes_of_one_name_are_kept_apart_by_their_index():
    execution, _, _ = of([ort_event("", 1, 2, index=1), ort_event("", 4, 3, index=2)])
    assert [node.avg_ms for node in execution.nodes] == [0.002, 0.003]


def test_runs_at_the_same_time_all_count():
    runs = [ort_event("model_run", 0, 90, provider=None), ort_event("model_run", 50, 90, provider=None)]
    execution, times, _ = of([ort_event("a", 10, 20), ort_event("a", 60, 40), *runs])
    assert times == {"a": 0.03}
    assert execution.warm_up_runs == 0


def test_without_an_event_of_a_run_times_are_means_of_executions():
    execution, times, notes = of([ort_event("a", 10, 20), ort_event("a", 60, 40)])
    assert times == {"a": 0.03}
    assert execution.runs is None
    assert notes == ["execution-no-runs"]


def test_events_after_the_last_run_are_left_out_with_a_note():
    events = [ort_event("a", 1, 2), ort_event("model_run", 0, 9, provider=None), ort_event("a", 20, 5)]
    _, times, notes = of(events)
    assert times == {"a": 0.002}
    assert notes == ["execution-outside"]


def test_a_profile_of_a_killed_program_is_read_line_by_line():
    text = ort_profile().decode()
    execution, notes = read(text[: text.rindex("model_run") - 40], "p.json")
    assert len(execution.nodes) == 5
    assert execution.runs == 2
    assert [note.slug for note in notes] == ["execution-by-line", "execution-outside"]


def test_old_profiles_state_no_provider():
    old = json.dumps({"cat": "Node", "name": "_kernel_time", "dur": 3, "ts": 1, "args": {"op_name": "Conv"}})
    fence = old.replace("_kernel_time", "_fence_before")
    execution, _ = read(f"[{fence},\n{old}]", "p.json")
    assert [(node.name, node.operator, node.provider) for node in execution.nodes] == [("", "Conv", "")]
    assert not execution.nodes[0].is_on_tensorrt


@pytest.mark.parametrize("value", ["-1", '"x"', "null", "1e99", "true", "[]"])
def test_impossible_times_are_noted_and_left_out(value):
    bad = ort_event("a", 1, 2).replace('"dur" : 2', f'"dur" : {value}')
    _, times, notes = of([bad, ort_event("b", 5, 2), ort_event("model_run", 0, 9, provider=None)])
    assert times == {"b": 0.002}
    assert notes == ["impossible-values"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ort_profile([ort_event("model_run", 0, 9, provider=None)]).decode(), "no event of a node"),
        ("[]", "not of a kind"),
        ("[1]", "not of a kind"),
        ('{"cat": 1}', "not of a kind"),
        ("[\n", "cut off"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        read(text, "p.json")


@pytest.mark.parametrize("separators", [(",", " : "), (",", " :"), (", ", ": "), (",", ":")])
def test_it_is_recognized_by_its_content(tmp_path, separators):
    data = json.dumps(json.loads(ort_profile()), separators=separators).encode()
    assert role_of_content(data) == "execution"
    (tmp_path / "prof.json").write_bytes(data)
    engine = read_engine(tmp_path / "prof.json")
    assert engine.execution.runs == 3
    assert engine.layers == ()


def test_beside_layers_a_damaged_one_is_left_out(tmp_path):
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": ["a", "b"]}))
    (tmp_path / "prof.json").write_bytes(ort_profile()[:30])
    (tmp_path / "whole.json").write_bytes(ort_profile())
    engine = read_engine(tmp_path / "m.graph.json", tmp_path / "prof.json")
    assert engine.execution is None
    assert "file-left-out" in {note.slug for note in engine.notes}
    engine = read_engine(tmp_path / "m.graph.json", tmp_path / "whole.json")
    assert len(engine.layers) == 2
    assert len(engine.execution.nodes) == 5
