"""A log of another program than trtexec states what failed, and its calibration the version of TensorRT."""

from __future__ import annotations

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.reader.wrapper_results import stated_failures

BUILD = "[TRT] [I] Total Activation Memory: 7168000\n"


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("result=FAIL\nbuild_return_code=1\n", "result=FAIL, build_return_code=1"),
        ("Exit code: 3\r\nExit code: 3\r\n", "Exit code=3"),
        ("final_status: FAILED\n", "final_status=FAILED"),
        ("result=PASS\nreturn_code=0\nexit code: 0\n", ""),
        ("the result=FAIL of a test\nmy_return_code=12345\n", ""),
    ],
)
def test_stated_failures(text, stated):
    assert stated_failures(text) == stated


def failures(text):
    return [note for note in read_trtexec_log(text, "a.log").notes if note.slug == "log-failed"]


def test_a_build_that_another_program_calls_failed_without_an_error_of_tensorrt():
    (note,) = failures(f"result=FAIL\n{BUILD}")
    assert "(result=FAIL), and no line is an error" in note.message
    assert note.hint
    assert failures(f"result=PASS\n{BUILD}") == []


@pytest.mark.parametrize(
    "more",
    [
        "&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx\n",
        "[I] GPU Compute Time: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms, percentile(99%) = 1 ms\n",
    ],
)
def test_what_trtexec_measured_did_not_fail(more):
    assert failures(f"result=FAIL\n{BUILD}{more}") == []


@pytest.mark.parametrize(("packed", "version"), [("100300", "10.3.0"), ("8601", "8.6.1")])
def test_a_calibration_cache_states_the_version(packed, version):
    line = f"[TRT] [I] Writing Calibration Cache for calibrator: TRT-{packed}-EntropyCalibration2\n"
    assert read_trtexec_log(line, "a.log").setup.tensorrt_version == version
    stated = "&&&& RUNNING TensorRT.trtexec [TensorRT v101401] # trtexec --onnx=a.onnx\n"
    assert read_trtexec_log(stated + line, "a.log").setup.tensorrt_version == "10.14.1"


def test_the_last_batch_of_a_calibration_is_a_fact_of_the_build():
    lines = "".join(f"[TRT] [I]   Calibrated batch {at} in 0.47 seconds.\n" for at in range(3))
    assert read_trtexec_log(lines, "a.log").setup.build_facts == {"Last calibration batch": "2"}
