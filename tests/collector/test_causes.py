"""Check that a log's own words become one line of cause, and that what it warns of is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trtexec_forms import DYNAMIC, DYNAMIC_ENGINE

from trexreport.collector.causes import error_lines, explain_failure
from trexreport.collector.flags import Stage
from trexreport.collector.log_notes import notes_on_log, warnings_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"
TIME = "[11/21/2026-07:39:40]"


def error(text, severity="E"):
    return f"{TIME} [{severity}] {text}\n"


#: What trtexec, TensorRT or CUDA says, and what that is called.
ERRORS = (
    ("Unknown option: --bogus 1", "does not know --bogus"),
    ("[TRT] Cuda Runtime (out of memory)", "not enough memory"),
    ("[TRT] 2: [virtualMemoryBuffer.cpp] Error Code 2: OutOfMemory", "not enough memory"),
    ("Error opening engine file: e.plan", "could not open"),
    ("[TRT] 1: Serialization assertion stdVersionRead == kVERSION failed.", "another version of TensorRT"),
    ("[TRT] Version tag does not match. Note: Current Version: 239", "another version of TensorRT"),
    ("[TRT] expecting library version 8.6.1.6 got 8.5.3.1, please", "of TensorRT 8.5.3.1, and what loads it"),
    ("[TRT] The engine plan file is generated on an incompatible device", "another kind of GPU"),
    ("[TRT] No importer registered for op: GridSample. Attempting", "no operator GridSample"),
    ("[TRT] ModelImporter.cpp:83: ERROR: onnx2trt_utils.cpp:2: bad", "ONNX model can't be parsed"),
    ("[TRT] inputs, but no optimization profile has been defined.)", "dynamic shapes and none were given"),
    ("[TRT] Could not find any implementation for node {Foreign[a...b]}.", "no kernel for {Foreign[a...b]}."),
    ("[TRT] Could not find any implementation for node {ForeignNode[a...b]}.", "could not build {Forei"),
    ("[TRT] Error Code 4: (/Sub: SUB must have same input types. But", "inputs of /Sub have different types"),
    ("[TRT] Target GPU SM 61 is not supported by this TensorRT release.", "does not support the GPU"),
    ("[TRT] Calibration failure occurred with no scaling factors detected.", "without scales"),
    ("[TRT] layer conv_a is not supported on DLA and fallback is off", "conv_a does not run on the DLA"),
    ("[TRT] DLA validation failed", "A layer does not run on the DLA"),
    (
        "[TRT] ForeignNode does not support data-dependent shape for now.",
        "Sizes in the network depend on data",
    ),
    ("[TRT] [myelinBuilderUtils.cpp::get::11] Error Code 2", "Myelin could not build a part"),
    ("[TRT] (/a_TRT: could not find any supported formats consistent with", "plugin of /a_TRT supports none"),
    ("[TRT] Unsupported ONNX data type: UINT8 (2)", "tensors of type UINT8"),
    ("[TRT] Error writing plan: No space left on device", "disk is full"),
    ("stoi", "could not read a number"),
    ("Selected profile index 5 exceeds the number of profiles", "no optimization profile 5"),
    ("Set optimization profile failed. ", "no such optimization profile"),
    ("[TRT] Cuda Runtime (an illegal memory access was encountered)", "A kernel failed on the GPU"),
    ("Saving engine to file failed.", "could not write a file"),
    ("[TRT] IPluginRegistry::getCreator: could not find plugin: A_1 version: 1", "plugin A_1,"),
    ("Static model does not take explicit shapes since the shape of inference tensors", "have fixed sizes"),
    ("Required optimization profile is invalid", "no valid optimization profile"),
    ("Cannot create DLA engine, 1 not available", "no DLA core 1"),
    (
        "Uncaught exception detected: Unable to open library: p.so due to p.so: undefined symbol",
        "library could",
    ),
)
#: What is written past trtexec's logger.
BARE = (
    ("Cuda failure: CUDA driver version is insufficient for CUDA runtime version", "driver is too old"),
    ("Cannot find any available devices (GPUs)!", "no GPU"),
    ("Cuda failure at a.h:1: no CUDA-capable device is detected", "no GPU"),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "not enough memory"),
    (
        "trtexec: error while loading shared libraries: libnvinfer.so.10: cannot",
        "lacks a library: libnvinfer",
    ),
    ('docker: Error response from daemon: could not select device driver ""', "no GPU"),
    ("docker: Cannot connect to the Docker daemon at unix:///docker.sock.", "container could not"),
    ("Cuda failure: an illegal memory access was encountered", "A kernel failed on the GPU"),
    ("ssh: connect to host jetson port 22: No route to host", "could not be reached over ssh"),
)


@pytest.mark.parametrize(
    ("stated", "message"), [*((error(text), message) for text, message in ERRORS), *BARE]
)
def test_causes(stated, message):
    failure = explain_failure(f"{TIME} [I] Starting\n{stated}", 1)
    assert message in failure.message
    assert failure.lines
    assert failure.message.count("\n") == 0


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (-11, "crashed (SIGSEGV)"),
        (139, "crashed (SIGSEGV)"),
        (-6, "crashed (SIGABRT)"),
        (-9, "was killed"),
        (137, "was killed"),
        (127, "not found by the shell"),
        (3, "exit status 3"),
        (255, "exit status 255"),
    ],
)
def test_without_words_the_status_must_do(status, message):
    failure = explain_failure(f"{TIME} [I] First\n{TIME} [I] Last\n", status)
    assert message in failure.message
    assert failure.lines == ("First", "Last")


def test_errors_of_tensorrt_and_of_trtexec_come_first_and_once():
    log = (
        error("[TRT] a")
        + f"{TIME} [I] b\n"
        + error("c")
        + error("[TRT] a")
        + "Cuda failure: x\n"
        + error("d", "W")
    )
    assert error_lines(log) == ("a", "c", "Cuda failure: x")


def test_a_log_of_errors_is_cut():
    assert len(error_lines("".join(error(str(number)) for number in range(100)))) < 10


def test_warnings_are_kept_once_and_joined():
    log = (
        error("* GPU compute time is unstable, with coefficient of variance = 5.1%.", "W")
        + error("  Lock the clocks.", "W")
        + error("[TRT] other", "W") * 2
    )
    assert warnings_of(log) == [
        "GPU compute time is unstable, with coefficient of variance = 5.1%. Lock the clocks.",
        "other",
    ]


@pytest.mark.parametrize("name", ["x", "image:0", "a, b"])
@pytest.mark.parametrize("stated", [DYNAMIC, DYNAMIC_ENGINE])
def test_shapes_that_trtexec_made_up_are_noted(stated, name):
    log = error(stated.format(name=name, shape="1x1x28x28"), "W")
    (note,) = notes_on_log(log, builds=True)
    assert f"took 1x1x28x28 for {name}." in note
    assert "--minShapes" in note
    (note,) = notes_on_log(log, builds=False)
    assert "--minShapes" not in note


def test_the_cause_is_found_behind_many_errors():
    lines = "".join(error(f"[TRT] node {number}") for number in range(1000))
    failure = explain_failure(lines + error("[TRT] could not find plugin: MyOp version: 1"), 1)
    assert "The plugin MyOp" in failure.message
    assert "MyOp" in failure.lines[0]
    assert len(failure.lines) < 10


def test_a_build_that_reads_damaged_data_reads_the_timing_cache():
    log = error("[TRT] Serialization assertion magicTagRead == kMAGIC_TAG failed.")
    assert "timing cache" in explain_failure(log, 1, Stage.BUILD).message
    assert "engine" in explain_failure(log, 1, Stage.TIMING).message


@pytest.mark.engines
@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("06_unknown_option", "does not know --bogus"),
        ("07_build_fails", "engine could not be built"),
        ("08_missing_onnx", "could not open a file"),
        ("09_missing_engine", "could not open a file"),
        ("15_no_gpu", "driver is too old for this CUDA, or there is none"),
    ],
)
def test_failures_of_trtexec_itself_are_explained(scenario, message):
    logs = sorted(SHARED.glob(f"writer-*/{scenario}.stdout.log"))
    assert len(logs) >= 5
    for stdout in logs:
        stderr = stdout.with_name(stdout.name.replace("stdout", "stderr"))
        stated = (stdout.read_text(), stderr.read_text())
        # Standard error may come first, or last.
        for log in ("".join(stated), "".join(stated[::-1])):
            assert message in explain_failure(log, 1).message, stdout


@given(st.text(max_size=300), st.integers(-70, 300))
def test_any_log_and_status_have_a_cause(log, status):
    failure = explain_failure(log, status)
    assert re.search(r"\w", failure.message)
    assert "{" not in failure.message or "{" in log
