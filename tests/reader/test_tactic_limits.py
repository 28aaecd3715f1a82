"""Tactics that a builder left out for lack of memory, as logs of several versions state them."""

from __future__ import annotations

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log

HEAD = "&&&& RUNNING TensorRT.trtexec [TensorRT v8205] # trtexec --onnx=m.onnx\n"
SMALL = {
    "Tactics without workspace": "4, up to 8954314752 bytes requested, 10485760 bytes available",
    "Sizes of workspace": "1 up to 1 MiB, 1 up to 32 MiB, 1 up to 128 MiB, 1 up to 16384 MiB",
}


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        (["Tactic 4 scratch requested: {}, available: 10485760"], SMALL),
        (
            ["Tactic: 0x0000000000000012 skipped. Scratch requested: {}, available: 10485760"],
            SMALL,
        ),
        (
            ["Some tactics do not have sufficient workspace memory to run. Increasing it may help."],
            {"Workspace": "not sufficient for some tactics"},
        ),
        (
            [
                "Tactic Device request: 538MB Available: 166MB. Device memory is insufficient to use tactic.",
                "Skipping tactic 3 due to insuficient memory on requested size of 538 detected for tactic 4.",
                "UNSUPPORTED_STATE: Skipping tactic 0 due to insufficient memory on requested size of 9",
            ],
            {"Tactics without GPU memory": "2, up to 538 MiB requested, 166 MiB available"},
        ),
        (
            ["Skipping tactic 3 due to insufficient memory on requested size of 538 detected for tactic 4."],
            {"Tactics without GPU memory": "1"},
        ),
        (
            [
                "Error Code: 9: Skipping tactic 0x0 due to exception [shape.cpp:136] Assertion failed.",
                "Skipping tactic0x00000000000003e8 due to exception no kernel image is available",
                "Skipping tactic 0x0 due to Myelin error: autotuning: CUDA error 3 allocating 0-byte buffer:",
            ],
            {"Tactics with errors": "3"},
        ),
        (["Tactic: 0x12 Time: 0.016384", "Fastest Tactic: 3 Time: 0.01"], {}),
    ],
)
@pytest.mark.parametrize("severity", "VIW")
def test_tactics_without_memory_are_counted(lines, facts, severity):
    sizes = [70778880, 8954314752, 0, 26216448] if "requested: {}" in lines[0] else [0]
    text = [line.format(size) for size in sizes for line in lines]
    log = HEAD + "".join(f"[07/25/2022-16:42:22] [{severity}] [TRT] {line}\n" for line in text)
    assert read_trtexec_log(log, "run.log").setup.build_facts == facts


@pytest.mark.parametrize(
    ("pairs", "sizes"),
    [
        # Each request with its own limit, not the largest of both.
        ([(1000, 10), (900, 800)], (1000, 10)),
        ([(900, 800), (1000, 10)], (1000, 10)),
        # A request within its limit was left out for another reason.
        ([(900, 5000), (100, 10)], (100, 10)),
        ([(900, 5000)], (900, 5000)),
    ],
)
def test_the_largest_request_is_stated_with_its_own_limit(pairs, sizes):
    lines = (f"Tactic 4 scratch requested: {one}, available: {other}" for one, other in pairs)
    log = HEAD + "".join(f"[07/25/2022-16:42:22] [V] [TRT] {line}\n" for line in lines)
    facts = read_trtexec_log(log, "run.log").setup.build_facts
    stated = f"{len(pairs)}, up to {sizes[0]} bytes requested, {sizes[1]} bytes available"
    assert facts["Tactics without workspace"] == stated


def test_a_tactic_with_an_error_is_no_error_of_the_build():
    line = (
        "[07/25/2022-16:42:22] [E] Error[9]: Error Code: 9: Skipping tactic 0x0 due to exception [a.cpp:1] x"
    )
    facts = read_trtexec_log(f"{HEAD}{line}\n{HEAD.replace('RUNNING', 'PASSED')}", "a.log")
    assert facts.errors == ()
    assert facts.setup.build_facts == {"Tactics with errors": "1"}
