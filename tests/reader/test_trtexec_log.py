"""Check the reader of trtexec's logs against hand-written logs and, where they are found, real ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import processor_seconds

from trexreport.model import LayerTime, Measurement, Setup, Statistic
from trexreport.reader.profile_file import ProfileRow
from trexreport.reader.setup_facts import SetupFacts, merge
from trexreport.reader.trtexec_lines import decode_version
from trexreport.reader.trtexec_log import read_trtexec_log

STAMP = "[01/02/2026-03:04:05]"
BEGIN = "&&&& RUNNING TensorRT.trtexec [TensorRT v101601] [b11] # trtexec --onnx=m.onnx"
END = BEGIN.replace("RUNNING", "PASSED")


def stated(*lines: str, severity: str = "I") -> str:
    return "".join(f"{STAMP} [{severity}] {line}\n" for line in lines)


def read(*parts: str) -> SetupFacts:
    return read_trtexec_log("\n".join(part.rstrip("\n") for part in parts) + "\n", "a.log")


def slugs(facts: SetupFacts) -> list[str]:
    return [note.slug for note in facts.notes]


def metric(name: str, *percentiles: str) -> str:
    more = "".join(f", percentile({rank}%) = 4 ms" for rank in percentiles)
    return f"{name}: min = 8.7738e-05 ms, max = 4 ms, mean = 2.5 ms, median = 3 ms{more}"


@pytest.mark.parametrize(
    ("packed", "version"),
    [
        ("8003", "8.0.3"),
        ("v8203", "8.2.3"),
        ("v8601", "8.6.1"),
        ("v9300", "9.3.0"),
        ("v100001", "10.0.1"),
        ("v100101", "10.1.1"),
        ("v101303", "10.13.3"),
        ("v110100", "11.1.0"),
        ("10.16.0", "10.16.0"),
        ("1" * 9, "1" * 9),
        ("", ""),
    ],
)
def test_versions_are_decoded(packed, version):
    assert decode_version(packed) == version


@pytest.mark.parametrize("build", ["", " [b11]"])
def test_banner_gives_version_and_command(build):
    facts = read(f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601]{build} # trtexec --a=x # y")
    assert facts.setup.tensorrt_version == "8.6.1"
    assert facts.setup.commands == ("trtexec --a=x # y",)


def test_printed_version_is_believed_over_the_banner():
    assert read(BEGIN, stated("TensorRT version: 10.16.0"), END).setup.tensorrt_version == "10.16.0"
    assert read(BEGIN, stated("TensorRT version: 8003"), END).setup.tensorrt_version == "8.0.3"


def test_sections_keep_values_with_colons_whole():
    pools = "workspace: 20000 MiB, dlaSRAM: default"
    setup = read(
        BEGIN,
        stated("=== Model Options ===", "Format: ONNX", "Model: a:b.onnx", "Output:"),
        stated(
            "=== Build Options ===", f"Memory Pools: {pools}", "Input(s)s format: fp32:CHW", "Calibration: "
        ),
        stated("=== System Options ===", "Device: 0", ""),
        stated("=== Inference Options ===", "Input inference shape : x:0=1x3", "Spin-wait: Enabled"),
        stated("=== Reporting Options ===", "Dump refittable layers:Disabled", ""),
        END,
    ).setup
    assert setup.model_options == {"Format": "ONNX", "Model": "a:b.onnx", "Output": ""}
    assert setup.build_options == {"Memory Pools": pools, "Input(s)s format": "fp32:CHW", "Calibration": ""}
    assert setup.inference_options == {"Input inference shape": "x:0=1x3", "Spin-wait": "Enabled"}


def test_a_key_printed_for_each_tensor_keeps_every_value():
    shapes = stated("=== Build Options ===", "Input build shape: x=1x3", "Input build shape: y=2", "Other: 1")
    inputs = stated("=== Inference Options ===", "Inputs:", "x<-C:/x.bin", "y<-y.bin")
    setup = read(BEGIN, shapes, inputs, END).setup
    assert setup.build_options == {"Input build shape": "x=1x3, y=2", "Other": "1"}
    assert setup.inference_options == {"Inputs": "x<-C:/x.bin, y<-y.bin"}


def test_old_device_block():
    block = ("Selected Device: A", "SMs: 82", "Compute Clock Rate: 1.41 GHz")
    bus = "Memory Bus Width: 5120 bits (ECC disabled)"
    setup = read(BEGIN, stated("=== Device Information ===", *block, bus, ""), END).setup
    assert setup.device == {
        "Selected Device": "A",
        "SMs": "82",
        "Compute Clock Rate": "1.41 GHz",
        "Memory Bus Width": "5120 bits (ECC disabled)",
    }


def test_new_device_block():
    block = ("Available Devices: ", '  Device 0: "N" UUID: GPU-1-2', "Selected Device: N", "SMs: 1", "")
    after = ("Note: The application clock rates do not", "", "TensorRT version: 10.0.1")
    setup = read(BEGIN, stated("=== Device Information ===", *block, *after), END).setup
    assert setup.device == {"Device 0": '"N" UUID: GPU-1-2', "Selected Device": "N", "SMs": "1"}


@pytest.mark.parametrize("ranks", [("99",), ("90", "95", "99"), ("90", "99.9"), ()])
def test_performance_summary(ranks):
    summary = stated(
        "=== Performance summary ===",
        "Throughput: 938.904 qps",
        metric("Latency", *ranks),
        metric("End-to-End Host Latency", *ranks),
        "Total Host Walltime: 1.00223 s",
        "Total GPU Compute Time: 9.64572e-01 s",
        "",
    )
    measurement = read(BEGIN, summary, END).measurement
    statistic = Statistic(8.7738e-05, 4, 2.5, 3, {float(rank): 4.0 for rank in ranks})
    assert measurement == Measurement(
        938.904, {"Latency": statistic, "End-to-End Host Latency": statistic}, 1.00223, 0.964572
    )


def test_explanations_of_the_metrics_are_no_metrics():
    explained = "Throughput: the observed throughput", "Latency: the summation of H2D Latency, and so on"
    text = stated("=== Explanations of the performance metrics ===", *explained, severity="V")
    assert read(BEGIN, text, END).measurement == Measurement()


def test_figures_that_are_no_numbers_are_noted():
    broken = stated(
        "Throughput: nan qps", metric("Latency").replace("2.5", "-nan"), "Enqueue Time: min = 1 ms"
    )
    facts = read(BEGIN, broken, END)
    assert facts.measurement == Measurement()
    assert slugs(facts) == ["log-not-a-number"]
    assert "Throughput, Latency, Enqueue Time" in facts.notes[0].message


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("Finished parsing network model. Parse time: 0.017", "Parse time", "0.017 s"),
        ("[TRT] Engine generation completed in 7.4 seconds.", "Engine generation completed in", "7.4 s"),
        ("Engine built in 9.7e-05 sec.", "Engine built in", "9.7e-05 s"),
        ("Created engine with size: 12.5744 MiB", "Engine size", "12.5744 MiB"),
        ("[TRT] Loaded engine size: 12 MB", "Loaded engine size", "12 MB"),
        ("Engine loaded in 0.01 sec.", "Engine loaded in", "0.01 s"),
        ("Engine deserialized in 0.02 sec.", "Engine deserialized in", "0.02 s"),
        ("[TRT] Total Activation Memory: 5 bytes", "Total Activation Memory", "5 bytes"),
        ("[TRT] Total Activation Memory: 5", "Total Activation Memory", "5 bytes"),
        ("[TRT] Total Weights Memory: 6 bytes", "Total Weights Memory", "6 bytes"),
        ("[TRT] Total Host Persistent Memory: 7", "Total Host Persistent Memory", "7 bytes"),
        ("[TRT] Total Device Persistent Memory: 0 bytes", "Total Device Persistent Memory", "0 bytes"),
        ("[TRT] Max Scratch Memory: 8 bytes", "Max Scratch Memory", "8 bytes"),
        ("[TRT] Total Scratch Memory: 8", "Max Scratch Memory", "8 bytes"),
        (
            "Created execution context with device memory size: 0.1 MiB",
            "Execution context device memory",
            "0.1 MiB",
        ),
        (
            "[TRT] [MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: CPU 0 MiB, GPU 13 MiB",
            "Peak memory of allocators",
            "CPU 0 MiB, GPU 13 MiB",
        ),
        (
            "[TRT] [MemUsageChange] Init CUDA: CPU +2, GPU +0, now: CPU 39, GPU 7363 (MiB)",
            "GPU memory in use at the start",
            "7363 MiB",
        ),
        ("[TRT] Saved 12 bytes of timing cache to a b", "Timing cache saved", "12 bytes to a b"),
        ("Loaded 12 bytes of timing cache from c", "Timing cache loaded", "12 bytes from c"),
        ("[TRT] Local timing cache in use. Profiling", "Timing cache", "local, not stored"),
    ],
)
def test_build_facts(line, name, value):
    assert read(BEGIN, stated(line), END).setup.build_facts == {name: value}


def test_missing_timing_cache_is_a_fact_and_no_warning():
    text = stated("Could not read timing cache from: a. A new timing cache will be written.", severity="W")
    facts = read(BEGIN, text, END)
    assert facts.setup.build_facts == {"Timing cache": "new: a"}
    assert facts.measurement.warnings == ()


def test_workspace_limit_of_verbose_logs_is_no_activation_memory():
    limit = stated("[TRT] Total Activation Memory: 1078224392", severity="V")
    facts = read(BEGIN, limit, stated("[TRT] Total Activation Memory: 2408456"), END)
    assert facts.setup.build_facts == {"Total Activation Memory": "2408456 bytes"}


def test_warnings_are_trtexecs_own_and_whole():
    warnings = stated(
        "* GPU compute time is unstable, with coefficient of variance = 7%.",
        "  If not already in use, lock the clock.",
        "--useSpinWait is deprecated. Spin wait is now enabled.",
        "[TRT] Make sure output z has Int64 binding.",
        "The engine uses 2 auxiliary streams",
        "The engine uses 2 auxiliary streams",
        severity="W",
    )
    first = "GPU compute time is unstable, with coefficient of variance = 7%."
    assert read(BEGIN, warnings, END).measurement.warnings == (
        f"{first} If not already in use, lock the clock.",
        "The engine uses 2 auxiliary streams",
    )


def profile_row(name: str, share: str = "20.0") -> str:
    return f"      103.50       0.1000       0.2000      {share}   {name}"


NEW_TABLE = ("=== Profile (1035 iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")


def test_table_of_layers():
    names = ("conv1 + relu1", 'a "b" \\c   d', " led by a space", "\x1e[x]", "Total", "Total")
    facts = read(
        BEGIN, stated("", *NEW_TABLE, *map(profile_row, names), ""), stated(profile_row("late")), END
    )
    assert facts.profile.rows == tuple(
        ProfileRow(name, LayerTime(0.1, 0.2, 103.5, 20.0)) for name in names[:-1]
    )
    assert facts.profile.iterations == 1035


def test_table_of_layers_cut_short():
    text = stated(*NEW_TABLE, profile_row("a")) + f"{STAMP} [I]    12.0"
    assert [row.name for row in read(BEGIN, text).profile.rows] == ["a"]


def test_table_of_layers_that_lacks_rows_is_noted():
    total = "      517.50       0.5000       1.0000      100.0   Total"
    facts = read(BEGIN, stated("", *NEW_TABLE, profile_row("a"), profile_row("b"), total, ""), END)
    assert "profile-rows-missing" in {note.slug for note in facts.profile.notes}
    assert facts.profile.unlisted_part == pytest.approx(1.5)
    whole = read(BEGIN, stated("", *NEW_TABLE, *[profile_row(name) for name in "abcde"], total, ""), END)
    assert "profile-rows-missing" not in {note.slug for note in whole.profile.notes}


def test_a_row_of_the_table_that_cannot_be_read_is_noted_with_its_place():
    damaged = profile_row("b").replace("103.50", "1o3.50")
    facts = read(BEGIN, stated("", *NEW_TABLE, profile_row("a"), damaged, profile_row("c"), ""), END)
    assert [row.name for row in facts.profile.rows] == ["a", "c"]
    (note,) = (each for each in facts.profile.notes if each.slug == "impossible-values")
    assert "row 2 of the profile = " in note.message
    assert note.affects == ("latency", "layers")


@pytest.mark.parametrize(("median_header", "median"), [("", None), ("   Median Time (ms)", 0.12)])
def test_old_table_of_layers_has_the_name_first(median_header, median):
    header = f"       Layer   Time (ms)   Avg. Time (ms){median_header}   Time %"
    cell = "" if median is None else "               0.12"
    row = f" conv 1 + fc        5.56             0.10{cell}      0.2"
    total = f"       Total        5.56             0.10{cell}    100.0"
    facts = read(BEGIN, stated("=== Profile (3 iterations ) ===", header, row, total, ""), END)
    assert facts.profile.rows == (ProfileRow("conv 1 + fc", LayerTime(0.1, median, 5.56, 0.2)),)
    assert facts.profile.iterations == 3


def test_profile_without_latency_is_explained():
    text = stated("The e2e network timing is not reported since it is inaccurate due to")
    assert slugs(read(BEGIN, text, END)) == ["log-profile-only"]


def test_finished_and_errors():
    failed = END.replace("PASSED", "FAILED")
    error = stated("Engine set up failed", "[TRT] bad", "Engine set up failed", severity="E")
    facts = read(BEGIN, error, failed)
    assert facts.finished is False
    assert facts.errors == ("Engine set up failed", "bad")
    assert slugs(facts) == ["log-failed"]
    assert facts.notes[0].message.endswith("Engine set up failed")
    assert facts.notes[0].source == "a.log"
    assert read(BEGIN, END).finished is True
    assert read(BEGIN, stated("x"), END, BEGIN, failed).finished is False
    assert read(BEGIN, failed, BEGIN, END).finished is False
    assert read(BEGIN, END, BEGIN).finished is None


def test_log_without_an_end():
    facts = read(BEGIN, stated("=== Device Information ==="), "Cuda failure at a.cpp:1: no driver")
    assert facts.finished is None
    assert facts.errors == ("Cuda failure at a.cpp:1: no driver",)
    assert slugs(facts) == ["log-unfinished"]


def test_empty_engine():
    text = stated("Created engine with size: 0 MiB") + stated("Assertion failure: false", severity="E")
    facts = read(BEGIN, text)
    assert slugs(facts) == ["log-empty-engine", "log-unfinished"]
    assert "log-empty-engine" not in slugs(read(BEGIN, stated("Created engine with size: 0.02 MiB"), END))


def test_help_has_headings_but_no_options():
    facts = read(BEGIN, "=== Model Options ===", "  --onnx=<file>     Model: ONNX", "=== Help ===")
    assert facts.setup.model_options == {}
    assert slugs(facts) == ["log-help"]


def test_text_of_another_program():
    assert slugs(read("hello", "=== Model Options ===", "Format: ONNX")) == ["log-not-trtexec"]
    assert [(note.slug, note.severity) for note in read(" ").notes] == [("log-empty", "info")]


def test_standard_error_alone():
    facts = read(stated("* odd", severity="W"), stated("bad", severity="F"))
    assert facts.measurement.warnings == ("odd",)
    assert facts.errors == ("bad",)
    assert facts.finished is None
    assert slugs(facts) == ["log-no-banner"]


WHOLE = "\n".join(
    (
        BEGIN,
        stated("=== Build Options ===", "Precision: FP16", "").rstrip("\n"),
        stated("=== Device Information ===", "Selected Device: A", "").rstrip("\n"),
        stated("* odd", severity="W").rstrip("\n"),
        stated("Throughput: 5 qps", metric("Latency", "99"), "").rstrip("\n"),
        stated(*NEW_TABLE, profile_row("a"), "").rstrip("\n"),
        END,
        "",
    )
)


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


def test_options_that_a_run_does_not_use_are_left_out():
    options = stated(
        "=== Build Options ===", "Precision: FP32", "Load engine: m.plan", "Skip inference: Disabled"
    )
    model = stated("=== Model Options ===", "Format: *")
    inference = stated("=== Inference Options ===", "Spin-wait: Enabled", "")
    facts = read(BEGIN, model, options, inference, END)
    assert facts.setup.model_options == {}
    assert facts.setup.build_options == {"Load engine": "m.plan"}
    assert facts.setup.inference_options == {"Spin-wait": "Enabled"}
    assert slugs(facts) == ["log-unused-options"]
    for key in ("Skip inference", "Build only"):
        facts = read(
            BEGIN, stated("=== Build Options ===", f"{key}: Enabled", "Load engine: "), inference, END
        )
        assert facts.setup.inference_options == {}
        assert key in facts.setup.build_options
        assert slugs(facts) == ["log-unused-options"]


def test_build_and_timing_run_in_one_log():
    build = stated("=== Build Options ===", "Precision: FP16", "Skip inference: Enabled", "Load engine: ")
    unused = stated("=== Inference Options ===", "Spin-wait: Disabled", "")
    load = BEGIN.replace("--onnx=m.onnx", "--loadEngine=m.plan")
    wrong = stated("=== Build Options ===", "Precision: FP32", "Load engine: m.plan")
    used = stated("=== Inference Options ===", "Spin-wait: Enabled", "")
    facts = read(BEGIN, build, unused, END, load, wrong, used, stated("Throughput: 5 qps"), END)
    assert facts.setup.build_options["Precision"] == "FP16"
    assert facts.setup.inference_options == {"Spin-wait": "Enabled"}
    assert facts.setup.commands == ("trtexec --onnx=m.onnx", "trtexec --loadEngine=m.plan")
    assert facts.measurement.throughput_qps == 5
    assert facts.finished is True


def test_of_several_measured_runs_the_last_complete_one_counts():
    facts = read(BEGIN, stated("Throughput: 5 qps"), END, BEGIN, stated("Throughput: 6 qps"), END)
    assert facts.measurement.throughput_qps == 6
    cut = read(BEGIN, stated("Throughput: 5 qps"), END, BEGIN, stated("Throughput: 6 qps"))
    assert cut.measurement.throughput_qps == 5
    assert slugs(facts) == ["log-several-runs"]


def test_of_complete_runs_one_that_does_not_profile_layers_meanwhile_counts():
    load = BEGIN.replace("--onnx=m.onnx", "--loadEngine=m.plan")
    profiled, build = f"{load} --dumpProfile", f"{BEGIN} --dumpProfile"
    plain = (load, stated("Throughput: 5 qps"), END)
    for other in (profiled, build):
        facts = read(*plain, other, stated("Throughput: 6 qps"), END)
        assert facts.measurement.throughput_qps == 5
    separate = f"{profiled} --separateProfileRun"
    assert read(*plain, separate, stated("Throughput: 6 qps"), END).measurement.throughput_qps == 6


def test_of_two_engines_without_first_lines_nothing_of_the_other_is_taken():
    def run(precision, qps, *more):
        return stated("=== Build Options ===", f"Precision: {precision}", *more, ""), stated(
            "=== Inference Options ===", f"Spin-wait: {precision}", "", f"Throughput: {qps} qps"
        )

    facts = read(*run("FP16", 5, "Refit: Enabled"), *run("FP32", 6))
    assert facts.measurement.throughput_qps == 6
    assert facts.setup.build_options == {"Precision": "FP32"}
    assert facts.setup.inference_options == {"Spin-wait": "FP32"}
    assert facts.profile is None


def test_merging_lets_the_earlier_win():
    first = Setup(device={"a": "1"}, tensorrt_version="", commands=("x",))
    second = Setup(device={"a": "2", "b": "3"}, tensorrt_version="8.6.1", commands=("x", "y"))
    assert merge([first, second]) == Setup(
        device={"a": "1", "b": "3"}, tensorrt_version="8.6.1", commands=("x", "y")
    )
    one, two = Statistic(1, 1, 1, 1), Statistic(2, 2, 2, 2)
    assert merge(
        [
            Measurement(throughput_qps=0.0, summary={"Latency": one}, warnings=("w",)),
            Measurement(5, {"Latency": two, "Enqueue Time": two}, 1, 2, ("v", "w")),
        ]
    ) == Measurement(0.0, {"Latency": one, "Enqueue Time": two}, 1, 2, ("w", "v"))


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


DOUBLE = Path(__file__).resolve().parents[1] / "collector" / "trtexec_double.py"
#: Runs of trtexec: what to call their logs, how they fail, and their words.
RUNS = {
    "01_build": ("", "--onnx=m.onnx --saveEngine=m.plan --skipInference --profilingVerbosity=detailed"),
    "02_profile": ("", "--loadEngine=m.plan --exportProfile=p.json --dumpProfile --separateProfileRun"),
    "03_measure": ("", "--loadEngine=m.plan --exportTimes=t.json --percentile=50,99.9"),
    "05_nasty": ("nasty", "--loadEngine=m.plan --exportProfile=p.json --dumpProfile --separateProfileRun"),
    "06_unknown_option": ("", "--onnx=m.onnx --bogus=1"),
    "07_build_fails": ("build", "--onnx=m.onnx --saveEngine=x.plan"),
    "08_missing_onnx": ("", "--onnx=nope.onnx --saveEngine=x.plan"),
    "09_missing_engine": ("", "--loadEngine=nope.plan"),
    "11_help": ("", "--help"),
    "15_no_gpu": ("no_gpu", "--onnx=m.onnx"),
}
#: What the logs in `../shared` are of; the test double writes all kinds of logs of each of its versions.
REAL = ("8.0.3", "8.2.3", "8.4.1", "8.6.1", "10.0.1", "10.13.3", "10.16.1", "11.1.0")
DOUBLED = ("8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.1", "11.0.0", "11.1.0")


#: Of both grammars of a log.
FEW = ("8.5.3", "10.7.0", "11.1.0")


@pytest.fixture(
    scope="module",
    params=[
        FEW,
        pytest.param(DOUBLED, marks=pytest.mark.slow),
        pytest.param(REAL, marks=pytest.mark.engines),
    ],
    ids=["few", "doubled", "real"],
)
def log_versions(request) -> tuple[str, ...]:
    return request.param


@pytest.fixture(scope="module")
def trtexec_logs(log_versions, tmp_path_factory) -> list[Path]:
    """Logs of every kind of failure: of trtexec, or of its double."""
    if log_versions == REAL:
        return sorted((Path(__file__).resolve().parents[3] / "shared" / "trtexec").rglob("*.log"))
    folder = tmp_path_factory.mktemp("logs")
    for version in log_versions:
        place = folder / f"writer-{version}"
        place.mkdir()
        (place / "m.onnx").write_text("a model")
        statuses = []
        for name, (failure, line) in RUNS.items():
            words = line
            if version == "8.5.3":
                words = words.replace("--skipInference", "--buildOnly")
            if version.startswith("11."):
                words = words.replace(" --separateProfileRun", "")
            wishes = {"version": version, "fails": failure}
            done = subprocess.run(
                [sys.executable, str(DOUBLE), *words.split()],
                capture_output=True,
                text=True,
                check=False,
                cwd=place,
                env={**os.environ, "TRTEXEC_DOUBLE": json.dumps(wishes)},
            )
            (place / f"{name}.stdout.log").write_text(done.stdout)
            (place / f"{name}.stderr.log").write_text(done.stderr)
            statuses.append(f"{name} rc={done.returncode}")
        (place / "rc.txt").write_text("\n".join(statuses))
    return sorted(folder.rglob("*.log"))


def texts(logs: list[Path]) -> list[tuple[Path, str]]:
    return [(log, log.read_text(encoding="utf-8", errors="replace")) for log in logs]


def test_versions_of_logs(trtexec_logs, log_versions):
    seen = set()
    for log, text in texts(trtexec_logs):
        version = read_trtexec_log(text, log.name).setup.tensorrt_version
        packed = re.search(r"\[TensorRT v(\d+)\]", text)
        if packed:
            major, minor, patch = map(int, version.split("."))
            base = 10000 if major >= 10 else 1000
            assert major * base + minor * 100 + patch == int(packed[1]), log
            seen.add(version)
        if log.parent.name.startswith("writer-") and packed:
            assert version.startswith(log.parent.name.removeprefix("writer-")), log
    assert set(log_versions) <= seen


def test_summaries_of_logs_equal_the_text(trtexec_logs, log_versions):
    figure = r"([\d.e+-]+) ms"
    measured = 0
    for log, text in texts(trtexec_logs):
        measurement = read_trtexec_log(text, log.name).measurement
        lines = re.findall(rf"\[I\] ([\w -]+): min = {figure}, max = {figure}(.*)", text)
        assert [line[0] for line in lines] == list(measurement.summary), log
        for name, least, most, rest in lines:
            statistic = measurement.summary[name]
            mean, median, *ranked = re.findall(rf"= {figure}", rest)
            ranks = re.findall(r"percentile\(([\d.]+)%\)", rest)
            assert (statistic.min_ms, statistic.max_ms) == (float(least), float(most))
            assert (statistic.mean_ms, statistic.median_ms) == (float(mean), float(median))
            assert statistic.percentiles == dict(zip(map(float, ranks), map(float, ranked), strict=True))
            assert ranks
        throughput = re.findall(r"Throughput: (\S+) qps", text)
        assert ([] if measurement.throughput_qps is None else [measurement.throughput_qps]) == [
            float(value) for value in throughput
        ]
        measured += bool(lines)
    assert measured > 2 * len(log_versions)


def test_tables_of_logs_equal_the_text(trtexec_logs, log_versions):
    compared = 0
    for log, text in texts(trtexec_logs):
        facts = read_trtexec_log(text, log.name)
        rows = re.findall(r"\[I\] +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)   (.*)", text)
        assert list(facts.profile.rows if facts.profile else ()) == [
            ProfileRow(name, LayerTime(float(mean), float(median), float(total), float(share)))
            for total, mean, median, share, name in rows[:-1]
        ], log
        compared += bool(rows)
    assert compared >= 2 * len(log_versions)


def test_exit_status_of_logs(trtexec_logs, log_versions):
    """A log says PASSED only if trtexec exits with 0, and FAILED only if it does not."""
    checked = 0
    for table in {log.parent / "rc.txt" for log in trtexec_logs}:
        status = table.read_text().splitlines() if table.exists() else []
        for name, code in (line.split(" rc=") for line in status):
            logs = [table.parent / f"{name}.{stream}.log" for stream in ("stdout", "stderr")]
            facts = read_trtexec_log("".join(log.read_text() for log in logs), name)
            allowed = {True, None} if code == "0" else {False, None}
            assert facts.finished in allowed, (table, name)
            assert bool(facts.errors) == (code != "0"), (table, name)
            if facts.finished is None:
                assert {"log-help", "log-unfinished"} & set(slugs(facts)), (table, name)
            checked += 1
    assert checked >= 10 * len(log_versions)


def test_failed_builds_of_logs_are_noted(trtexec_logs):
    checked = list(texts(trtexec_logs))
    assert checked
    for log, text in checked:
        if log.name == "07_build_fails.stdout.log":
            found = slugs(read_trtexec_log(text, log.name))
            assert ("log-empty-engine" in found) == ("Created engine with size: 0 MiB" in text)
            assert {"log-failed", "log-unfinished"} & set(found)


def section_lines(text: str, heading: str) -> list[str]:
    """Return the lines between a heading and the next, or an empty line; none if neither follows."""
    lines = iter(text.splitlines())
    if not any(line.endswith(f"[I] === {heading} ===") for line in lines):
        return []
    found = []
    for line in lines:
        if "=== " in line or re.fullmatch(r"\S+ \[I\] ?", line):
            return found
        if not re.match(r"\S+ \[I\] +\S", line):
            return []
        found.append(line)
    return []


def test_sections_of_logs_are_whole(trtexec_logs, log_versions):
    """A build's options keep every line that trtexec printed between two headings."""
    compared = 0
    for log, text in texts(trtexec_logs):
        setup = read_trtexec_log(text, log.name).setup
        if "--loadEngine" in text:
            continue
        for heading, found in (("Build Options", setup.build_options), ("Device Information", setup.device)):
            for line in section_lines(text, heading):
                key, value = re.fullmatch(r"\S+ \[I\] +([^:]+):(.*)", line).groups()
                assert key == "Available Devices" or found[key] == value.strip(), (log, line)
                compared += 1
    assert compared > 30 * len(log_versions)


DEVICE_LINES = "[I] === Device Information ===\n[I] Selected Device: {}\n[I] Compute Capability: 8.7\n[I] \n"
SUMMARY_LINES = "[I] === Performance summary ===\n[I] Throughput: {} qps\n"


@pytest.mark.parametrize("first", ["Orin", "Tesla T4"])
@pytest.mark.parametrize("between", ["", "[I] Input binding for x with dimensions 1x3 is created.\n"])
def test_a_block_that_is_printed_twice_counts_once_as_it_is_last(first, between):
    facts = read_trtexec_log(DEVICE_LINES.format(first) + between + DEVICE_LINES.format("Orin"), "x.log")
    assert facts.setup.device == {"Selected Device": "Orin", "Compute Capability": "8.7"}
    assert not any("impossible" in note.slug for note in facts.notes)


@pytest.mark.parametrize("first_line", ["", "trtexec --onnx=b.onnx\n"])
def test_two_runs_without_first_lines_are_two_runs(first_line):
    runs = [
        (line + DEVICE_LINES.format(gpu) + SUMMARY_LINES.format(qps))
        for line, gpu, qps in (("", "Orin", 100), (first_line, "Tesla T4", 200))
    ]
    facts = read_trtexec_log("".join(runs), "x.log")
    assert facts.setup.device["Selected Device"] == "Tesla T4"
    assert facts.measurement.throughput_qps == 200
    assert "log-several-runs" in [note.slug for note in facts.notes]


@pytest.mark.parametrize("prompt", ["", "$ ", "root@orin:~# ", "/usr/src/tensorrt/bin/", "$ ./"])
def test_a_typed_command_counts_for_a_missing_first_line(prompt):
    text = f"{prompt}trtexec --loadEngine=a.plan --batch=4\n" + SUMMARY_LINES.format(10)
    assert read_trtexec_log(text, "x.log").setup.commands == ("trtexec --loadEngine=a.plan --batch=4",)
    banner = "&&&& RUNNING TensorRT.trtexec [TensorRT v8205] # /bin/trtexec --loadEngine=b.plan\n"
    assert read_trtexec_log(text + banner, "x.log").setup.commands == ("/bin/trtexec --loadEngine=b.plan",)


@pytest.mark.parametrize("decimals", [2, 3])
def test_rounded_averages_of_a_table_are_made_of_their_sums(decimals):
    sums = {"conv1": 5.56, "conv2": 90.56, "fc": 0.0}
    rows = [f"[I] {name:>9} {ms:11.2f} {ms / 3786:16.{decimals}f} {1:8.1f}" for name, ms in sums.items()]
    lines = ["[I] === Profile (3786 iterations ) ===", TABLE_HEADER, *rows]
    profile = read_trtexec_log("\n".join(lines), "x.log").profile
    assert {row.name: row.time.avg_ms for row in profile.rows} == {n: ms / 3786 for n, ms in sums.items()}


TABLE_HEADER = "[I]     Layer   Time (ms)   Avg. Time (ms)   Time %"
NEW_TABLE_HEADER = "[I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"


@pytest.mark.parametrize("prefix", ["[I] ", ""])
@pytest.mark.parametrize(
    ("header", "row"),
    [
        (TABLE_HEADER, "    conv1   33.99   0.0852   100.0"),
        (NEW_TABLE_HEADER, "    33.99   0.0852   0.0850   100.0   conv1"),
    ],
)
@pytest.mark.parametrize("heading", ["", "=== Profile (399 iterations ) ==="])
def test_a_table_alone_is_read_with_and_without_its_heading_and_prefixes(prefix, header, row, heading):
    lines = [f"{prefix}{heading}", header.replace("[I] ", prefix), f"{prefix}{row}"]
    profile = read_trtexec_log("\n".join(line for line in lines if line.strip() != "[I]"), "x.log").profile
    assert [(each.name, each.time.avg_ms) for each in profile.rows] == [("conv1", 0.0852)]
    assert profile.iterations == (399 if heading else None)


@pytest.mark.parametrize(
    "prefix",
    [
        "[I] ",
        "[TRT] [I] ",
        "[TensorRT] INFO: ",
        "[TRT]    ",
        "trt-1  | [01/02/2026-03:04:05] [I] [TRT] ",
        "2026-01-02T03:04:05.123Z [I] ",
        "12:00:01 - INFO - ",
    ],
)
def test_messages_are_known_whatever_wrote_before_them(prefix):
    facts = read(f"{prefix}Engine built in 12.5 sec.", f"{prefix}Total Weights Memory: 512 bytes")
    assert facts.setup.build_facts["Engine built in"] == "12.5 s"
    assert facts.setup.build_facts["Total Weights Memory"] == "512 bytes"


def test_a_build_without_a_calibrator_is_stated():
    text = (
        "Calibrator is not being used. Users must provide dynamic range for all tensors that are not Int32."
    )
    facts = read(f"{STAMP} [W] [TRT] {text}")
    assert facts.setup.build_facts == {"Calibration": "none: no calibrator was used"}


@pytest.mark.parametrize(
    "line",
    [
        "12:00:01 - ERROR - Connection lost",
        "12:00:01 - WARNING - Throughput may be low",
        "The layer is [E] in the drawing",
        "a [W] in the middle",
    ],
)
def test_lines_of_other_programs_are_no_errors_and_no_warnings(line):
    facts = read(line)
    assert (facts.errors, facts.measurement.warnings) == ((), ())


def test_a_failed_check_of_a_library_is_the_first_error():
    message = 'trtexec: /src/compiler/graph.cpp:1059: f(int&): Assertion `0 && "Unsupported type"\' failed.'
    facts = read(BEGIN, stated("Parse time: 1"), message)
    assert facts.errors == (message,)
    assert facts.finished is None


@pytest.mark.parametrize(
    "ends",
    [
        (
            "min = 1 ms, max = 4 ms, mean = 2 ms,",
            "median = 3 ms, percentile(90%) = 3.5 ms,",
            "percentile(99%) = 4 ms",
        ),
        (
            "min = 1 ms, max = 4 ms, mean = 2 m",
            "s, median = 3 ms, percentile(90%) = 3.5 ms, percentile(99%) = 4 ms",
        ),
    ],
)
def test_figures_on_several_lines_are_read(ends):
    first, *others = ends
    facts = read(BEGIN, stated(f"Latency: {first}"), *others, stated("Throughput: 5 qps"), END)
    assert facts.measurement.summary["Latency"] == Statistic(1, 4, 2, 3, {90.0: 3.5, 99.0: 4})
    assert slugs(facts) == []


def test_figures_that_are_cut_stay_unread():
    facts = read(
        BEGIN,
        stated("Latency: min = 1 ms, max ="),
        "x = y",
        stated("Throughput: 5 qps"),
        "median = 3 ms",
        END,
    )
    assert facts.measurement.summary == {}
    assert slugs(facts) == ["log-not-a-number"]


def test_a_figure_that_a_terminal_broke_is_whole_or_unknown():
    values = "min = 1.25 ms, max = 1.5 ms, mean = 1.375 ms, median = 1.37"
    whole = read(stated(f"GPU Compute Time: {values}5 ms, percentile(99%) = 1.5 ms"))
    broken = read(stated(f"GPU Compute Time: {values}") + "\n5 ms, percentile(99%) = 1.5 ms")
    assert broken.measurement.summary == whole.measurement.summary
    assert whole.measurement.summary["GPU Compute Time"].median_ms == 1.375
    assert not read(stated(f"GPU Compute Time: {values}")).measurement.summary


def test_a_damaged_version_is_unknown():
    assert read(stated("TensorRT version: H.4.10")).setup.tensorrt_version == ""
    assert read(stated("TensorRT version: 8.4.10")).setup.tensorrt_version == "8.4.10"
