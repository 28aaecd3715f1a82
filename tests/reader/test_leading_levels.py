"""Loggers that write the level before TensorRT's name, and errors of programs that load engines."""

from __future__ import annotations

import pytest

from trexreport.reader.failed_run import why_failed
from trexreport.reader.roles import role_of_marks
from trexreport.reader.trtexec_lines import Record, split_log
from trexreport.reader.trtexec_log import read_trtexec_log

ERROR = "1: [a.cpp::load::29] Error Code 1: Serialization (x)"


@pytest.mark.parametrize(
    "prefix",
    [
        "ERROR: [TRT]: ",
        "ERROR: [Torch-TensorRT] - ",
        "ERROR: [Torch-TensorRT TorchScript Conversion Context] - ",
        "ERROR:torch_tensorrt [TensorRT Conversion Context]:",
        "[2026-11-28 06:01:47   ERROR] ",
        "2026-11-28 06:01:47.1 [E:onnxruntime:Default, trt.h:88 log] [2026-11-28 06:01:47   ERROR] ",
        "E1128 06:01:47.123456 96 logging.cc:43] ",
        "ERROR: ",
        "E] ",
    ],
)
def test_an_error_is_one_of_tensorrt_whichever_logger_wrote_it(prefix):
    assert list(split_log(prefix + ERROR)) == [Record("E", prefix != "E] ", ERROR)]
    # A log of ONNX Runtime states where nodes run, too, and one line without a bracket shows no logger.
    if prefix != "E] " and "onnxruntime" not in prefix:
        assert role_of_marks((prefix + ERROR).encode()) == "log"


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("WARNING: [TRT]: a", "W"),
        ("INFO: [TRT]: a", "I"),
        ("W1128 06:01:47.123456 96 logging.cc:43] a", "W"),
        ("[2026-11-28 06:01:47 WARNING] a", "W"),
        ("[2026-11-28 06:01:47    INFO] a", "I"),
    ],
)
def test_other_levels(line, severity):
    assert list(split_log(line)) == [Record(severity, True, "a")]


@pytest.mark.parametrize(
    "line",
    ["ERROR: file not found", "E1128 06:01:47.123456 96 model.cc:43] a", "[2026-11-28 06:01:47 ERROR] a"],
)
def test_errors_of_other_programs_are_none(line):
    assert [record.severity for record in split_log(line)] == [""]


def test_an_error_of_tensorrt_7_has_no_number():
    text = "ERROR: ../rtSafe/safeRuntime.cpp (25) - Cuda Error in allocate: 2 (out of memory)\n"
    (note,) = read_trtexec_log(text, "a.log").notes
    assert (note.slug, "not enough memory" in note.message) == ("log-failed", True)


def test_a_log_of_onnx_runtime_that_failed_before_any_placement_states_why():
    prefix = "2026-11-28 06:01:47.1 [E:onnxruntime:Default, tensorrt_execution_provider.h:88 log] "
    text = f"{prefix}[2026-11-28 06:01:47   ERROR] 10: Could not find any implementation for node a.\n"
    assert role_of_marks(text.encode()) == "log"
    (note,) = read_trtexec_log(text, "a.log").notes
    assert "found no kernel for a" in note.message
    placed = "2026-11-28 [V:onnxruntime:, s.cc:9 VerifyEachNodeIsAssignedToAnEp] Node placements\n"
    assert role_of_marks((text + placed).encode()) == "execution"


def test_a_warning_of_tensorrt_7_on_a_dla_is_one():
    line = "WARNING: Default DLA is enabled but layer a is not running on DLA, falling back to GPU."
    assert list(split_log(line)) == [Record("W", True, line.removeprefix("WARNING: "))]
    assert role_of_marks(line.encode()) == "log"


def test_the_rest_of_a_message_states_that_no_kernel_was_found():
    text = (
        "[TRT] [E] Error Code: 9: Skipping tactic 0x0000000000000000 due to exception [shape.cpp:f:136]\n"
        "Error Code 10: Internal Error (Could not find any implementation for node a.)\n"
    )
    (note,) = read_trtexec_log(text, "a.log").notes
    assert "found no kernel for a" in note.message


@pytest.mark.parametrize(
    ("error", "cause", "remedy"),
    [
        (
            "Cannot deserialize plugin since corresponding IPluginCreator not found in Plugin Registry",
            "plugin",
            "initLibNvInferPlugins",
        ),
        ("Serialization assertion magicTagRead == kMAGIC_TAG failed.", "not an engine", "ONNX"),
        (
            "Serialization assertion stdVersionRead == version failed.Version tag does not match",
            "by another version",
            "two versions",
        ),
        ("Serialization assertion engineHeader failed", "or is damaged", "Build it again"),
        ("condition: bindings[x] || nullBindingOK", "no memory", "all outputs"),
        ("Error Code 1: Cuda Runtime (initialization error)", "this process", "spawn"),
        (
            "plugin node a/b requires 56405524864 bytes of scratch space, but only 47590277120 is available.",
            "plugin a/b needs more workspace",
            "smaller batch",
        ),
        ("Network must have at least one output.", "no output", "parser"),
        ("Error Code 1: Myelin (No Myelin Error exists)", "Myelin could not build", "fold constants"),
    ],
)
def test_what_programs_state_that_build_or_load_engines(error, cause, remedy):
    why = why_failed(error, [error], [], "10.3.0")
    assert cause in why.cause
    assert remedy in why.remedy
