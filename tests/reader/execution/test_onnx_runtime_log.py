"""Verbose logs of ONNX Runtime: where nodes were placed, in the forms of several versions."""

from __future__ import annotations

import pytest
from front_ends import ort_log

from trexreport.analyzer.execution import describe_execution
from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.execution import read_execution
from trexreport.wording.execution import execution_remarks, execution_sentence

TRT, CPU = "TensorrtExecutionProvider", "CPUExecutionProvider"
PLACED = {TRT: [("TRTKernel_graph_g_1_0", f"{TRT}_TRTKernel_graph_g_1_0_0")], CPU: [("NonZero", "/n (2)")]}
WHERE = "[V:onnxruntime:, inference_session.cc:153 VerifyEachNodeIsAssignedToAnEp]"


def of(text):
    execution, notes = read_execution(text if isinstance(text, str) else text.decode(), "ort.log")
    nodes = [(node.operator, node.name, node.provider) for node in execution.nodes]
    return execution, nodes, [note.slug for note in notes]


def test_nodes_by_provider():
    execution, nodes, notes = of(ort_log(PLACED))
    assert nodes == [
        ("TRTKernel_graph_g_1_0", f"{TRT}_TRTKernel_graph_g_1_0_0", TRT),
        ("NonZero", "/n (2)", CPU),
    ]
    assert notes == []
    found = describe_execution(execution)
    assert execution_sentence(found) == "1 node runs outside of TensorRT."
    assert execution_remarks(found) == []
    assert found.switches is None


def test_all_nodes_on_one_provider():
    execution, nodes, notes = of(ort_log({TRT: [("a", "b"), ("c", "d")]}))
    assert nodes == [("", "", TRT)] * 2
    assert notes == []
    assert (
        execution_sentence(describe_execution(execution)) == "ONNX Runtime runs the whole model on TensorRT."
    )


def test_logs_of_earlier_versions():
    whole = f"{WHERE} Node placements\n{WHERE} All nodes have been placed on [{TRT}].\n"
    assert of(whole)[1] == [("", "", TRT)]
    listed = f"{WHERE} Node placements\n{WHERE}  Provider: [{CPU}]: [Conv (/c), Add (a)]\n"
    assert of(listed)[1] == [("Conv", "/c", CPU), ("Add", "a", CPU)]


def test_emphasis_of_a_forum_is_left_out():
    text = ort_log(PLACED).decode().replace(" Node(s)", " **Node(s)").replace("nodes: 1", "nodes: 1**")
    assert of(text)[1] == of(ort_log(PLACED))[1]


def test_nodes_that_are_counted_and_not_listed_are_noted():
    assert of(ort_log(PLACED, stated=40))[2] == ["execution-listed"]


def test_of_several_sessions_the_first_is_read():
    _, nodes, notes = of(ort_log(PLACED) + ort_log({CPU: [("a", "b")]}))
    assert len(nodes) == 2
    assert notes == ["execution-sessions"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[I:onnxruntime:, inference_session.cc:1 f] x", "does not say where nodes were placed"),
        (ort_log({CPU: [("a", "b")]}, stated=10**8).decode(), "more nodes than a model can"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        of(text)


def test_it_is_recognized_by_its_content(tmp_path):
    (tmp_path / "ort.log").write_bytes(ort_log(PLACED))
    assert len(read_engine(tmp_path / "ort.log").execution.nodes) == 2


def test_nodes_that_an_excerpt_does_not_list_are_where_the_counts_state():
    text = "\n".join(
        f"{WHERE} {message}"
        for message in (
            "Node placements",
            f" Node(s) placed on [{TRT}]. Number of nodes: 2",
            f" Node(s) placed on [{CPU}]. Number of nodes: 3",
            "   NonZero (/n)",
        )
    )
    _, nodes, notes = of(text)
    assert [provider for _, _, provider in nodes] == [CPU, TRT, TRT, CPU, CPU]
    assert notes == ["execution-listed"]


@pytest.mark.parametrize("lines_between", [0, 2_000])
def test_placements_far_behind_an_error_of_tensorrt_are_read(tmp_path, lines_between):
    error = b"[E:onnxruntime:Default, tensorrt_execution_provider.h:88 log] [x] 4: a\n"
    between = b"[I:onnxruntime:, inference_session.cc:533 TraceSessionOptions] x\n" * lines_between
    (tmp_path / "ort.log").write_bytes(error + between + ort_log(PLACED))
    assert len(read_engine(tmp_path).execution.nodes) == 2


def test_counts_of_a_provider_that_is_there_twice_are_added():
    message = f"{WHERE}  Node(s) placed on [{TRT}]. Number of nodes: 2"
    assert len(of("\n".join([f"{WHERE} Node placements", message, message]))[1]) == 4
