"""What a program that failed prints in place of measurements, and what TensorRT warns it of."""

from __future__ import annotations

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.roles import role_of_content
from trexreport.reader.trtexec_log import read_trtexec_log

ERROR = "[01/04/2026-14:04:20] [TRT] [E] CaffeParser: Could not open file net.prototxt\n"
SUMMARY = (
    "[01/04/2026-14:04:20] [I] === Performance summary ===\n[01/04/2026-14:04:20] [I] Throughput: 5 qps\n"
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{ERROR}Average time of only GPU: 0\nAverage time of both: 0.00 ms\n", "2 averages of 0"),
        (f"{ERROR}Average latency: 0\n", "1 average of 0"),
        (f"{ERROR}Average time: 0.5 ms\n", None),
        (f"{ERROR}Average number: 0\n", None),
        # trtexec measured the run itself.
        (f"{SUMMARY}Average time of copies: 0\n", None),
    ],
)
def test_averages_of_0_are_no_measurements(text, count):
    notes = [each for each in read_trtexec_log(text, "a.log").notes if each.slug == "log-zero-averages"]
    assert len(notes) == (count is not None)
    assert all(each.message.replace("\N{NO-BREAK SPACE}", " ").startswith(count or "") for each in notes)


def test_an_implicit_batch_is_noted():
    line = "[01/04/2026-14:04:20] [TRT] [W] The implicit batch dimension mode has been deprecated. Please …\n"
    slugs = [[each.slug for each in read_trtexec_log(text, "a.log").notes] for text in (line + ERROR, ERROR)]
    assert ["log-implicit-batch" in each for each in slugs] == [True, False]


PYTHON = (
    '[01/04/2026-14:04:20] [TRT] [I] Parsing\nTraceback (most recent call last):\n  File "a.py", line 1\n'
)
MEMORY = (
    "[01/04/2026-14:04:20] [TRT] [E] 2: [a.cpp::f::1] Error Code 2: OutOfMemory (no further information)\n"
)
BUILT = "[01/04/2026-14:04:21] [TRT] [I] Engine generation completed in 92.4 seconds.\n"
PADDLE = "I0519 06:51:26.4 31 analysis_predictor.cc:8] TensorRT subgraph engine is enabled\n"
OTHER_VERSION = (
    "E0530 23:11:46.299486 1 logging.cc:43] The engine plan file is not compatible with this version of "
    "TensorRT, expecting library version 8.6.1 got 8.5.3, please rebuild.\n"
)
DEEPSTREAM = (
    "0:00:07.1 4765 0x1 ERROR nvinfer gstnvinfer.cpp:640:gst_nvinfer_logger:<a> build engine file failed"
)
SKIPPED = (
    "[01/04/2026-14:04:20] [W] [TRT] Skipping tactic 0x{} due to exception an illegal memory access was x\n"
)
NO_KERNEL = (
    "[01/04/2026-14:04:20] [E] Error[10]: [a.cpp::f::1] Error Code 10: Internal Error (Could not find any "
    "implementation for node /conv.)\n"
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # What ends a program of which TensorRT says nothing.
        (f"{BUILT}a.sh: line 4: 123 Killed   llm_build --x 1\n", "the operating system ended it"),
        (f"{PYTHON}Killed\n", "the operating system ended it"),
        (f"{PYTHON}Error: process exited with code 137\n", "the operating system ended it"),
        (f"{PYTHON}slurmstepd: error: *** JOB 1 ON n1 DUE TO TIME LIMIT ***\n", "its time was over"),
        (
            f"{PYTHON}subprocess.TimeoutExpired: Command 'b' timed out after 600 seconds\n",
            "its time was over",
        ),
        (
            f"{BUILT}host kernel: Killed\n",
            "the operating system ended it",
        ),
        # What was killed, or timed out, was something else.
        (f"{BUILT}0 jobs Killed\n", None),
        (f"{BUILT}request 3 timed out after 5 s\nFPS: 30.1\n", None),
        # Exceptions of Python that say why, and those that follow from something else.
        (
            f'{PYTHON}RuntimeError: Failed to parse onnx, In node 8 (f): "Plugin not found"\n',
            "a plugin that the model or the engine needs was not found",
        ),
        (f"{PYTHON}AttributeError: 'NoneType' object has no attribute 'create_execution_context'\n", None),
        # Errors that a build outlived.
        (f"{MEMORY}{BUILT}", None),
        (f"{MEMORY}{BUILT}{MEMORY}", "there was not enough memory"),
        # Errors of TensorRT 7 without a number.
        (
            "[TensorRT] ERROR: INVALID_ARGUMENT: getPluginCreator could not find plugin Swish_TRT\n",
            "the plugin Swish_TRT, which",
        ),
        # Programs around TensorRT.
        (f"ERROR: Failed to get cuda engine from custom library API\n{DEEPSTREAM}\n", "the custom library"),
        (
            "[node-1] ERROR: infer_trtis_server.cpp:994 Triton: err_msg:failed to stat file /m/models\n",
            "Triton found no folder of models: /m/models",
        ),
        (
            OTHER_VERSION,
            "the engine is of TensorRT 8.5.3, and what loads it is of 8.6.1",
        ),
        (
            f"{PADDLE}ValueError: (InvalidArgument) TRT runtime input shape of x is invalid. Expect …\n",
            "Paddle Inference was given a shape outside of the ranges",
        ),
        # Once a kernel failed, no other is found.
        (f"{SKIPPED.format(1)}{NO_KERNEL}", "after a kernel failed on the GPU while tactics were timed"),
    ],
)
def test_what_ended_a_program_is_its_failure(text, says):
    failed = [each.message for each in read_trtexec_log(text, "a.log").notes if each.slug == "log-failed"]
    assert [says in each for each in failed] == ([True] if says else [])


@pytest.mark.parametrize(
    "line", ["Failed to get cuda engine from custom library API", "failed to build network."]
)
def test_a_log_of_errors_of_deepstream_alone_is_one(line):
    assert role_of_content(f"ERROR: {line}\n".encode()) == "log"


def test_a_log_of_paddle_is_none_of_triton(tmp_path):
    (tmp_path / "a.log").write_text(PADDLE)
    with pytest.raises(InputError, match="is a log of Paddle Inference"):
        read_engine(tmp_path)


@pytest.mark.parametrize(
    "prefix", ["", "2025-06-01T10:00:00.1234567Z ", "Jun  1 10:00:00 host run[7]: ", "server-1  | "]
)
def test_what_a_container_or_the_journal_writes_before_lines_does_not_matter(prefix):
    raised = "[TRT] [I] Parsing\nRuntimeError: Failed to parse onnx, In node 8 (f): Plugin not found\n"
    logged = "[TensorRT] ERROR: a.cpp (41) - Serialization Error in f: 0 (Version tag does not match)"
    for text in (raised, logged):
        lines = "".join(f"{prefix}{line}\n" for line in text.splitlines())
        assert "log-failed" in {each.slug for each in read_trtexec_log(lines, "a.log").notes}
