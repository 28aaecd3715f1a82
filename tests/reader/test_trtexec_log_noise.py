"""Other programs write into logs, and logs are cut: what is left is read, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import processor_seconds
from stated_logs import (
    END,
    NEW_TABLE,
    STAMP,
    WHOLE,
    profile_row,
    read,
    stated,
)

from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.replace("\n", "\r\n"),
        WHOLE.replace("\n", "\r"),
        "".join(f"\x1b[1;32m{line}\x1b[0m\n" for line in WHOLE.split("\n")),
        "".join(f"\x1b]8;;http://a\x07{line}\x1b]8;;\x1b\\\n" for line in WHOLE.split("\n")),
        "".join(f"2026-07-07T02:10:45.1234567Z {line}\n" for line in WHOLE.split("\n")),
        "".join(f"[build 7] {line}\nEpoch 3: loss=0.1\n{{x: 1}}\n" for line in WHOLE.split("\n")),
        WHOLE.replace(f"{STAMP} [I] Through", f"{STAMP} {STAMP} [I] Through"),
        WHOLE.replace(f"{STAMP} [I] Through", f"cut{STAMP} [V] x{STAMP} [I] Through"),
        WHOLE.replace(f"\n{STAMP} [W]", f"{STAMP} [W]"),
        WHOLE.replace(f"\n{END}", END),
        WHOLE.replace(f"{STAMP} ", ""),
        "\ufeff" + WHOLE,
    ],
    ids=["crlf", "cr", "color", "link", "ci", "mixed", "twice", "glued", "warning", "end", "bare", "mark"],
)
def test_noise_changes_nothing(text):
    expected = read_trtexec_log(WHOLE, "a.log")
    assert expected.profile
    assert expected.setup.build_options == {"Precision": "FP16"}
    assert expected.measurement.warnings == ("odd",)
    assert read_trtexec_log(text, "a.log") == expected


def test_loggers_of_other_programs_are_understood():
    line = f"{STAMP} [TRT] [I] Engine generation completed in 2 seconds.\n{STAMP} [TRT] [W] not trtexec's\n"
    facts = read(line)
    assert facts.setup.build_facts == {"Engine generation completed in": "2 s"}
    assert facts.measurement.warnings == ()


def test_part_of_a_log():
    facts = read_trtexec_log(WHOLE[WHOLE.index("Throughput") - 30 :], "a.log")
    assert facts.measurement.throughput_qps == 5
    assert facts.finished is True
    assert facts.setup.commands == ("trtexec --onnx=m.onnx",)


FRAGMENTS = (
    *WHOLE.split("\n"),
    *stated("=== Inference Options ===", ":", "a<-b", "Throughput: 1e999 qps", "Latency: min = ").split("\n"),
    *(
        "\r",
        "\x1b[",
        "\x1b]",
        "&&&& ",
        "=== ",
        " ===",
        STAMP,
        "[E] ",
        "x",
        "percentile(",
        "\u0661",
        "\x1e",
        " ",
    ),
)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS)).map("".join), st.text(alphabet="&=[]I W\n:"))
)
def test_any_text_is_read(text):
    assert isinstance(read_trtexec_log(text, "a.log"), SetupFacts)


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0, max_value=len(WHOLE)))
def test_any_beginning_of_a_log_is_read(length):
    assert isinstance(read_trtexec_log(WHOLE[:length], "a.log"), SetupFacts)


@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "=== ",
        "\x1b[0;",
        "\x1b]",
        "&&&& RUNNING ",
        f"{STAMP} ",
        f"{STAMP} [W] ",
        "\n" + stated(profile_row("a")),
        "\n" + stated("Input build shape: x=1"),
        "percentile(",
        " ",
    ],
)
def test_time_is_linear(unit):
    """A quadratic reader would need minutes for these two million characters."""
    start = stated("=== Build Options ===", *NEW_TABLE) + f"{STAMP} [I] Latency: min = "
    with processor_seconds(20):
        read_trtexec_log(start + unit * (2_000_000 // len(unit)), "a.log")
