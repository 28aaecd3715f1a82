"""Check the reader of trtexec's logs against hand-written logs and, where they are found, real ones."""

from __future__ import annotations

import pytest
from stated_logs import (
    BEGIN,
    END,
    STAMP,
    metric,
    read,
    slugs,
    stated,
)

from trexreport.model import Measurement, Statistic
from trexreport.reader.trtexec_lines import decode_version
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.reader.trtexec_summary import Summary


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
        (
            "[TRT] [MemUsageSnapshot] Builder end: CPU 907 MiB, GPU 3469 MiB",
            "GPU memory in use beside the build",
            "3469 MiB",
        ),
        (
            "[TRT] [MemUsageSnapshot] End constructing builder kernel library: CPU 9 MiB, GPU 3469 MiB",
            "GPU memory in use beside the build",
            "3469 MiB",
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


def test_of_repeated_build_figures_the_last_is_of_the_engine():
    lines = (
        "Total Activation Memory: 8946481152",
        "Total Host Persistent Memory: 1",
        "Total Scratch Memory: 5",
        "Total Activation Memory: 8946481152",
        "Total Host Persistent Memory: 2",
        "Total Scratch Memory: 6",
        "Total Activation Memory: 722982912",
        "Total Weights Memory: 3",
        "Total Weights Memory: 4",
    )
    facts = read(BEGIN, *(stated(f"[TRT] {line}") for line in lines), END)
    assert facts.setup.build_facts == {
        "Total Host Persistent Memory": "2 bytes",
        "Max Scratch Memory": "6 bytes",
        "Total Activation Memory": "722982912 bytes",
        "Total Weights Memory": "4 bytes",
    }
    # That of the first plan is not of the engine, where the log ends before.
    cut = read(BEGIN, *(stated(f"[TRT] {line}") for line in lines[:2]))
    assert "Total Activation Memory" not in cut.setup.build_facts


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


def test_finished_and_errors():
    failed = END.replace("PASSED", "FAILED")
    error = stated("Engine set up failed", "[TRT] bad", "Engine set up failed", severity="E")
    facts = read(BEGIN, error, failed)
    assert facts.finished is False
    assert facts.errors == ("Engine set up failed", "bad")
    assert slugs(facts) == ["log-failed"]
    assert facts.notes[0].message == "trtexec says that it failed. Its error: bad."
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


PLAIN = (
    "=== Device Information ===",
    "Available Devices:",
    'Device 0: "NVIDIA RTX A2000" ',
    "Selected Device: NVIDIA RTX A2000",
    "SMs: 26",
    "",
    "=== Performance summary ===",
    "Throughput: 330.5 qps",
    "",
    metric("Latency", "99"),
    metric("H2D Latency").replace("3 ms", "2 ms").replace("2.5 ms", "2 ms"),
    metric("GPU Compute Time"),
    "Total Host Walltime: 10.5 s",
)


@pytest.mark.parametrize(
    "decorate",
    [
        "{}",
        "    {}",
        "> {}",
        "* {}",
        "2024-01-02 03:04:05 worker: {}",
        "| {} |",
    ],
)
def test_a_summary_without_prefixes_is_read(decorate):
    text = "\n".join(line if "===" in line or not line else decorate.format(line) for line in PLAIN)
    facts = read_trtexec_log(text, "a.log")
    measured = facts.measurement
    assert (measured.throughput_qps, measured.walltime_s) == (330.5, 10.5)
    assert measured.summary["Latency"].median_ms == 3
    assert measured.summary["H2D Latency"].median_ms == 2
    assert "log-not-trtexec" not in slugs(facts)
    if decorate == "{}":
        assert facts.setup.device == {"Selected Device": "NVIDIA RTX A2000", "SMs": "26"}


def test_a_table_of_markdown_with_the_lines_of_a_summary_is_read():
    text = "\n".join(
        f"| **{name}** | {value} |" for name, _, value in (line.partition(": ") for line in PLAIN) if value
    )
    measured = read_trtexec_log(text, "a.md").measurement
    assert measured.throughput_qps == 330.5
    assert measured.summary["Latency"].median_ms == 3


def test_what_looks_like_a_summary_is_none():
    measured = read("Latency: 3.25 ms", "Throughput of the disk: 12 qps of 13", "min = 1 ms").measurement
    assert not measured.summary
    assert measured.throughput_qps is None


@pytest.mark.parametrize("end", ["percentile(90%)", "percentile(90%) = 3", "percentile(90%) = 3."])
@pytest.mark.parametrize("prefix", [STAMP + " [I] ", ""])
def test_of_a_cut_line_what_is_before_the_cut_is_read(end, prefix):
    whole = "min = 1 ms, max = 4 ms, mean = 2 ms, median = 2.5 ms, percentile(80%) = 3 ms, "
    facts = read(prefix + metric("Latency"), f"{prefix}D2H Latency: {whole}{end}")
    assert facts.measurement.summary["D2H Latency"] == Statistic(1, 4, 2, 2.5, {80.0: 3.0})
    assert "log-not-a-number" not in slugs(facts)
    assert any(f"cut at '{end}'" in note.message for note in facts.notes)


def test_a_line_that_is_cut_before_the_median_is_left_out():
    facts = read(stated("D2H Latency: min = 1 ms, max = 4 ms, mean = 2"))
    assert not facts.measurement.summary
    assert "log-not-a-number" in slugs(facts)


@pytest.mark.parametrize(
    ("end", "median"),
    [(" median = 141.472", 141.472), (" median = 141.472 m", 141.472), (" median = 141.4", None),
     (" median = 0.14147", None), (" median = 1234567", None)],
)  # fmt: skip
def test_a_median_of_all_digits_may_lack_its_unit(end, median):
    summary = read(stated(f"Latency: min = 125 ms, max = 150 ms, mean = 140 ms,{end}")).measurement.summary
    assert (summary["Latency"].median_ms if summary else None) == median


def test_the_gpu_is_known_without_the_heading():
    facts = read(stated("Selected Device: NVIDIA GeForce RTX 4060 Ti"), stated("SMs: 34"))
    assert facts.setup.device == {"Selected Device": "NVIDIA GeForce RTX 4060 Ti", "SMs": "34"}


def test_a_cut_line_does_not_take_the_next_one():
    cut = "Latency: min = 1 ms, max = 4 ms, mean = 3.5 ms, median = 3.5 ms, percentile(90%)"
    summary = read(cut, metric("GPU Compute Time")).measurement.summary
    assert {name: each.median_ms for name, each in summary.items()} == {
        "Latency": 3.5,
        "GPU Compute Time": 3,
    }


def test_what_follows_a_broken_line_for_long_is_not_of_it():
    summary = Summary()
    summary.take("Latency: min = 1 ms, max = 2 ms,")
    assert summary.continues("mean = 1.5 ms,")
    assert not all(summary.continues("step = 1,") for _ in range(1000))
