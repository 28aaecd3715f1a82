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


INFO = "2026-01-02 03:04:05.678901234 [I:onnxruntime:Default, tensorrt_execution_provider.cc:3839 operator()]"
OPTIONS = "TensorRT provider options: device_id: 0, trt_fp16_enable: 0, trt_profile_min_shapes: , trt_x: a,b"
BUILT = "TensorRT engine build for TensorrtExecutionProvider_TRTKernel_graph_g_1_{0}_{0} took: {1}ms"
COPIES = (
    "[W:onnxruntime:, transformer_memcpy.cc:74 ApplyImpl] 7 Memcpy nodes are added to the graph g for CUDA."
)


def test_a_session_states_options_builds_and_copies():
    text = "\n".join([f"{INFO} {OPTIONS}", *(f"{INFO} {BUILT.format(*each)}" for each in ((0, 9), (1, 20)))])
    execution, nodes, notes = of(f"{text}\n{INFO} {BUILT.format(1, 30)}\n{COPIES}\n")
    assert (nodes, notes) == ([], [])
    assert execution.options == {
        "trt_fp16_enable": "0",
        "trt_profile_min_shapes": "",
        "trt_x": "a,b",
    }
    found = describe_execution(execution)
    assert (found.builds, found.built_engines, found.build_ms, found.copies) == (3, 2, 59.0, 7)
    assert execution_sentence(found) == "The log of ONNX Runtime does not list where nodes run."
    assert any("built 3 engines" in each for each in execution_remarks(found))
    of_python = of(ort_log(PLACED).decode() + "{'TensorrtExecutionProvider': {'trt_fp16_enable': '1'}}\n")
    assert describe_execution(of_python[0]).states("trt_fp16_enable") is True


ERROR = (
    "[E:onnxruntime:Default, tensorrt_execution_provider.h:90 {}log] [2026-01-02 03:04:05 "
    "  ERROR] 10: [optimizer.cpp::computeCosts::1] Error Code 10: Internal Error (Could not find any "
    "implementation for node /conv.)"
)
NO_LIBRARY = (
    "2026-01-02 03:04:05.6 [E:onnxruntime:Default, provider_bridge_ort.cc:1480 Get] a.cc:1 Get() "
    "[ONNXRuntimeError] : 1 : FAIL : Failed to load library libp.so with error: libnvinfer.so.8: cannot open "
    "shared object file: No such file or directory"
)
NO_RANGES = (
    "terminate called after throwing an instance of 'Ort::Exception'\n  what():  User needs to provide all "
    "the dynamic shape inputs. Following input(s) has no associated shape profiles provided: /rpn/a"
)


@pytest.mark.parametrize("before", ["", f"{COPIES}\n", ort_log(PLACED).decode()])
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ERROR.format(""), "TensorRT found no kernel for /conv"),
        (ERROR.format("onnxruntime::TensorrtLogger::"), "TensorRT found no kernel for /conv"),
        (NO_LIBRARY, "did not find libnvinfer.so.8"),
        (f"[W:onnxruntime:, a.cc:1 f] x\n{NO_RANGES}", "and not for all"),
    ],
)
def test_an_error_of_a_session_is_its_failure(tmp_path, before, error, says):
    (tmp_path / "a.log").write_text(f"{before}{error}\n")
    if "[E:" not in error and not before:
        before = COPIES
        (tmp_path / "a.log").write_text(f"{before}\n{error}\n")
    failed = [each for each in read_engine(tmp_path).notes if each.slug == "log-failed"]
    assert [says in each.message for each in failed] == [True]


def test_layers_of_a_session_are_asked_of_its_parts(tmp_path):
    (tmp_path / "a.log").write_bytes(ort_log(PLACED))
    hints = [each.hint for each in read_engine(tmp_path).notes if each.slug == "no-graph"]
    assert ["trt_dump_subgraphs" in each for each in hints] == [True]
