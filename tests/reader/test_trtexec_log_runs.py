"""A log of several runs: which one is shown, and what the others state."""

from __future__ import annotations

import pytest
from stated_logs import (
    BEGIN,
    DEVICE_LINES,
    END,
    SUMMARY_LINES,
    read,
    slugs,
    stated,
)

from trexreport.model import Measurement, Setup, Statistic
from trexreport.reader.setup_facts import merge
from trexreport.reader.trtexec_log import read_trtexec_log


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
    # Logs that state neither key have the command.
    begin, end = (each.replace("--onnx", "--buildOnly --onnx") for each in (BEGIN, END))
    facts = read(begin, inference, end)
    assert facts.setup.inference_options == {}


@pytest.mark.parametrize(("stated_as", "kept"), [("Enabled", True), ("Disabled", False)])
def test_a_loaded_engine_stays_strongly_typed(stated_as, kept):
    build = stated(
        "=== Build Options ===", "Precision: FP32", f"Strongly Typed: {stated_as}", "Load engine: m"
    )
    options = read(BEGIN, build, END).setup.build_options
    assert options == {"Load engine": "m"} | ({"Strongly Typed": stated_as} if kept else {})


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


@pytest.mark.parametrize("first", ["Orin", "Tesla T4"])
@pytest.mark.parametrize("between", ["", "[I] Input binding for x with dimensions 1x3 is created.\n"])
def test_a_block_that_is_printed_twice_counts_once_as_it_is_last(first, between):
    facts = read_trtexec_log(DEVICE_LINES.format(first) + between + DEVICE_LINES.format("Orin"), "x.log")
    assert facts.setup.device == {"Selected Device": "Orin", "Compute Capability": "8.7"}
    assert not any("impossible" in note.slug for note in facts.notes)


@pytest.mark.parametrize(
    ("shape", "stated"),
    [
        ("4x3x8x8", {"x": "4x3x8x8"}),
        ("4x-1", {"x": "4x-1"}),
        ("9" * 18, {"x": "9" * 18}),
        ("9" * 19, {}),
        ("1x" + "9" * 5000, {}),
        ("x".join("1" * 17), {}),
    ],
)
def test_shapes_that_no_tensor_has_are_not_those_of_the_run(shape, stated):
    line = f"[I] Input binding for x with dimensions {shape} is created.\n"
    setup = read_trtexec_log(DEVICE_LINES.format("Orin") + line, "x.log").setup
    assert setup.io_shapes == stated
    assert setup.input_names == tuple(stated)


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


TABLE = (
    "[08/09/2020-06:24:39] [I] === Profile (490 iterations ) ===\n"
    "[08/09/2020-06:24:39] [I]   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
    "[08/09/2020-06:24:39] [I]   conv1      217.14             0.44    100.0\n"
    "[08/09/2020-06:24:39] [I]   Total      217.14             0.44    100.0\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "sudo trtexec --deploy=a.prototxt --output=prob",
        "user@host:~$ sudo ./trtexec --deploy=a.prototxt --output=prob",
        "[user@host bin]$ trtexec --deploy=a.prototxt --output=prob > x.log 2>&1",
        "(base) user@host:~/a$ CUDA_VISIBLE_DEVICES=0 trtexec --deploy=a.prototxt --output=prob",
        "`trtexec --deploy=a.prototxt --output=prob`",
        "Command: trtexec --deploy=a.prototxt --output=prob",
        "./trtexec --deploy=a.prototxt \\\n  --output=prob\n",
    ],
)
@pytest.mark.parametrize("output", [TABLE, SUMMARY_LINES.format(10)])
def test_the_only_command_after_the_output_counts(line, output):
    setup = read_trtexec_log(f"{output}\nI ran this:\n\n{line}\n", "x.log").setup
    assert [each.strip() for each in setup.commands] == ["trtexec --deploy=a.prototxt --output=prob"]


@pytest.mark.parametrize(
    "text",
    [
        "trtexec --onnx=a.onnx --fp16\ntrtexec --onnx=a.onnx --int8\n",
        "trtexec --onnx=a.onnx is what I ran\n",
        "trtexec --fp16\n",
        "It fails with trtexec --onnx=a.onnx\n",
    ],
)
def test_what_is_mentioned_after_the_output_is_no_certain_command(text):
    assert read_trtexec_log(TABLE + text, "x.log").setup.commands == ()


def test_a_command_before_the_output_excludes_those_after_it():
    text = f"$ trtexec --onnx=a.onnx\n{TABLE}\ntrtexec --onnx=a.onnx --int8\n"
    assert read_trtexec_log(text, "x.log").setup.commands == ("trtexec --onnx=a.onnx",)


def test_a_command_that_a_terminal_cut_at_its_width_is_one():
    lines = [
        f"&&&& {word} TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=net.onnx --saveEngine=a.plan --fp16"
        for word in ("RUNNING", "PASSED")
    ]
    cut = "\n".join(f"{line[:90]}\n{line[90:]}" for line in lines)
    assert read_trtexec_log(cut, "a.log").setup.run_commands == ()
    longer = "\n".join([lines[0].removesuffix(" --fp16"), lines[1]])
    assert len(read_trtexec_log(longer, "a.log").setup.run_commands) == 2
