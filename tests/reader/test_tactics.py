"""What a verbose log states of timed tactics is read, in each grammar and whatever surrounds it."""

from __future__ import annotations

import time

import pytest

from samples.generator.build_log import TABLE_HEAD, timed_layer, timed_operation, verbose_layers
from trexreport.model.tactics import TimedTactic
from trexreport.reader import read_engine, timed_layers
from trexreport.reader.tactics import read_tactics

FP16, FP32 = "Half(784,1:8,28,1) -> Half(3136,1:8,112,4)", "Float(784,196,14,1) -> Float(3136,49,7,1)"
NHWC = "Float(784,1,56,4) -> Float(3136,1,28,4)"
TIMED = {
    FP16: [("sm80_half_a", "0x0a", 0.02), ("sm80_half_b", "0x0b", 0.0125)],
    FP32: [("sm80_float", "0x0c", 0.05), ("", "0x0d", 0.04)],
    NHWC: [],
}
STAMP = "[11/20/2026-10:00:05] [V] [TRT] "


def _read(*lines):
    return read_tactics("\n".join(lines).encode())


def _only(*lines):
    found = _read(*lines)
    ((formats,),) = (each.formats for each in found.layers)
    return formats


def _begin(name="conv", text=FP16, runner="CaskConvolution"):
    return [
        f"{STAMP}*************** Autotuning format combination: {text} ***************",
        f"{STAMP}--------------- Timing Runner: {name} ({runner})",
    ]


@pytest.mark.parametrize("version", ["8.4", "10"])
def test_a_plan_that_was_written_comes_back(version):
    found = _read(*timed_layer("conv1 + relu1", "CaskConvolution", TIMED, version))
    (layer,) = found.layers
    assert (layer.name, layer.is_operation) == ("conv1 + relu1", False)
    assert {each.text: [(t.kernel, t.tactic, t.time_ms) for t in each.tactics] for each in layer.formats} == {
        text: sorted(tactics, key=lambda each: each[2]) for text, tactics in TIMED.items()
    }
    assert [each.timed for each in layer.formats] == [2, 2, 0]
    assert [each.dropped for each in layer.formats] == [{}, {}, {"no-tactic": 1}]
    assert [each.profiling_s for each in layer.formats][:2] == (
        [0.25, 0.25] if version == "10" else [None, None]
    )
    assert [(each.inputs, each.outputs) for each in layer.formats] == [
        (("FP16 NHWC8",), ("FP16 NHWC8",)),
        (("FP32 linear",), ("FP32 linear",)),
        (("FP32 NHWC",), ("FP32 NHWC",)),
    ]


def test_operations_inside_a_region_are_apart_from_it():
    region = timed_layer("{ForeignNode[a...b]}", "Myelin", {FP16: [("", "0x0", 0.5)]}, "10")
    found = _read(
        *region[:3], *timed_operation("gemm", [("sm80_a", "0x1", 0.3), ("sm80_b", "0x2", 0.2)]), *region[3:]
    )
    by_name = {layer.name: layer for layer in found.layers}
    assert [(each.kernel, each.time_ms) for each in by_name["gemm"].formats[0].tactics] == [
        ("sm80_b", 0.2),
        ("sm80_a", 0.3),
    ]
    assert by_name["gemm"].is_operation
    (formats,) = by_name["{ForeignNode[a...b]}"].formats
    assert (formats.timed, formats.profiling_s) == (1, 0.25)
    assert formats.tactics == (TimedTactic("0x0", 0.5, "", "Myelin"),)


def test_an_operation_with_a_key_and_a_selected_tactic_is_read():
    formats = _only(
        "Autotuning op matMul1(key: 0x1814870c44ff0f85):",
        "Sorted table of all evaluated tactics:",
        TABLE_HEAD,
        "   3, 0.0112640, 1.00000, 0.50673, sm80_xmma_gemm, 0x665ded9abbf88, , 0",
        "The selected tactic is (tactic hash, cost(in ms)):0x665ded9abbf88,  0.011264",
    )
    assert formats.tactics == (TimedTactic("0x665ded9abbf88", 0.011264, "sm80_xmma_gemm"),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Tactic: 0x1 skipped. Scratch requested: 7527202816, available: 1073741824", "workspace"),
        ("CaskConvolution has no valid tactics for this config, skipping", "no-tactic"),
        ("Skipping CaskFlattenConvolution: No valid tactics for conv", "no-tactic"),
        (
            "Skipping tactic 0x0 due to insufficient memory on requested size of 2688 detected.",
            "gpu-memory",
        ),
        (
            "Skipping tactic 0x0 due to Myelin error: autotuning: CUDA error 3 allocating 0-byte buffer:",
            "gpu-memory",
        ),
        (
            "Error Code: 9: Skipping tactic 0x0 due to exception [shape.cpp:136] Assertion failed.",
            "exception",
        ),
        ("Tactic: 0 is the only option, timing skipped", "only-option"),
        ("Tactic: 0xd15ea5edd15ea5ed Time: inf", "exception"),
    ],
)
def test_why_a_tactic_was_not_timed_is_read(line, reason):
    formats = _only(*_begin(), STAMP + line)
    assert formats.dropped == {reason: 1}
    assert (formats.timed, formats.tactics) == (0, ())


def test_what_the_timing_cache_answers_is_counted():
    line = f"{STAMP}conv [x] [{FP16}] got cached result: CaskConvolution, tactic 0x5b8b, 0.0055 ms"
    found = _read(
        line,
        f"{STAMP}Optimizer Reformat(x -> <out>) [{FP16}] got cached result: Reformat, tactic 0x0, 0.003 ms",
    )
    (layer,) = found.layers
    assert layer.name == "conv [x]"
    (formats,) = layer.formats
    assert (formats.timed, formats.cached, formats.text) == (0, 1, FP16)
    assert formats.tactics == (TimedTactic("0x5b8b", 0.0055, "", "CaskConvolution"),)


def test_conversions_are_counted_and_not_listed():
    found = _read(
        *timed_layer("conv", "CaskConvolution", {FP16: TIMED[FP16]}, "10"),
        f"{STAMP}*************** Autotuning Reformat: {FP16} ***************",
        f"{STAMP}--------------- Timing Runner: Optimizer Reformat(x -> <out>) (Reformat[0x80000006])",
        f"{STAMP}Tactic: 0x3e8 Time: 0.001",
        f"{STAMP}Optimizer Reformat(x -> <out>) (Reformat[0x8]) profiling completed in 0.5 seconds. "
        "Fastest Tactic: 0x3e8 Time: 0.001",
    )
    assert [layer.name for layer in found.layers] == ["conv"]
    assert (found.layers[0].formats[0].timed, found.reformats, found.reformat_s) == (2, 1, 0.5)


def test_the_last_build_of_a_log_counts():
    first = timed_layer("old", "CaskConvolution", {FP16: TIMED[FP16]}, "10")
    end = [*verbose_layers({"Layers": []}, "8.6"), f"{STAMP}Engine generation completed in 3.5 seconds."]
    second = timed_layer("new", "CaskConvolution", {FP16: TIMED[FP16]}, "10")
    found = _read(*first, *end, *second, f"{STAMP}Engine generation completed in 1.5 seconds.")
    assert ([layer.name for layer in found.layers], found.generation_s) == (["new"], 1.5)


def test_strategies_of_one_build_are_added_up():
    once = timed_layer("conv", "CaskConvolution", {FP16: TIMED[FP16]}, "10")
    end = f"{STAMP}Engine generation completed in 2 seconds."
    found = _read(*once, end, *once, end)
    assert (found.layers[0].formats[0].timed, found.generation_s) == (4, 4.0)


def test_without_stated_times_those_between_stamps_count():
    lines = timed_layer("conv", "CaskConvolution", {FP16: TIMED[FP16]}, "8.4")
    lines[-1] = lines[-1].replace("10:00:05", "10:00:08")
    found = _read(*lines)
    assert (found.from_stamps, found.layers[0].formats[0].profiling_s) == (True, 3.0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda line: line.replace(STAMP, "[TensorRT] VERBOSE: "), id="TensorRT 7"),
        pytest.param(lambda line: line.replace(STAMP, "[TRT]    "), id="jetson-inference"),
        pytest.param(lambda line: line.replace(STAMP, "[V] "), id="no time"),
        pytest.param(lambda line: line.replace(STAMP, ""), id="no prefix"),
        pytest.param(lambda line: line.replace(STAMP, "12:00:01 - DEBUG - "), id="another logger"),
        pytest.param(lambda line: f"trt-1  | {line}", id="container"),
        pytest.param(lambda line: f"2026-11-20T10:00:05.123Z {line}\r", id="CI system on Windows"),
        pytest.param(lambda line: f"\x1b[36m{line}\x1b[0m", id="colors"),
    ],
)
@pytest.mark.parametrize("version", ["8.4", "10"])
def test_what_other_programs_put_into_lines_changes_nothing(version, change):
    lines = timed_layer("conv", "CaskConvolution", TIMED, version)
    found = _read(*map(change, lines))
    assert [(each.name, [(f.timed, f.tactics) for f in each.formats]) for each in found.layers] == [
        (each.name, [(f.timed, f.tactics) for f in each.formats]) for each in _read(*lines).layers
    ]


def test_signed_decimal_tactics_of_7_are_read():
    lines = ["[TensorRT] VERBOSE: --------------- Timing Runner: fc (caskFullyConnectedFP32)"]
    lines.append("[TensorRT] VERBOSE: fc (caskFullyConnectedFP32) Set Tactic Name: volta_sgemm_64x64")
    lines.append("[TensorRT] VERBOSE: Tactic: -3514307671120560729 time 0.052768")
    assert _only(*lines).tactics == (
        TimedTactic("-3514307671120560729", 0.052768, "volta_sgemm_64x64", "caskFullyConnectedFP32"),
    )


def test_a_log_as_powershell_writes_it_is_read():
    text = "\n".join(timed_layer("conv", "CaskConvolution", TIMED, "10"))
    assert read_tactics(text.encode("utf-16")) == read_tactics(text.encode())


@pytest.mark.parametrize("text", ["", "nothing", "Timing Runner: ", "Autotuning op ", "got cached result: "])
def test_a_log_without_tactics_states_none(text):
    assert read_tactics(text.encode()) is None


def test_only_the_fastest_tactics_are_kept():
    tactics = [(f"kernel{at}", f"{at:#x}", 1 + (at * 7 % 100) / 100) for at in range(100)]
    formats = _only(*timed_layer("conv", "CaskConvolution", {FP16: tactics}, "10"))
    assert formats.timed == 100
    assert [each.time_ms for each in formats.tactics] == [
        1 + at / 100 for at in range(timed_layers.MAX_TACTICS)
    ]


def test_what_is_beyond_the_bounds_is_counted(monkeypatch):
    monkeypatch.setattr(timed_layers, "_MAX_LAYERS", 2)
    lines = [line for at in range(5) for line in timed_layer(f"l{at}", "R", {FP16: TIMED[FP16]}, "10")]
    found = _read(*lines)
    assert [layer.name for layer in found.layers] == ["l0", "l1"]
    assert found.left_out > 0


@pytest.mark.parametrize(
    "line",
    [
        "Timing Runner: " + "(" * 50_000,
        "Autotuning format combination: " + "*" * 50_000 + "x",
        "a [" * 20_000 + " got cached result: ",
        "Tactic: " * 8_000 + "Time: x y",
        "Computing costs for " + " " * 50_000 + "x",
    ],
)
def test_hostile_lines_take_linear_time(line):
    started = time.process_time()
    _read(*[line] * 20, "Timing Runner: a (b)")
    assert time.process_time() - started < 20


def test_a_pasted_list_of_tactics_alone_is_a_capture(tmp_path):
    lines = timed_layer("prob", "CudaSoftMax", TIMED, "8.4")
    (tmp_path / "paste.txt").write_text("\n".join(line.replace(STAMP, "[TRT]    ") for line in lines))
    engine = read_engine(tmp_path / "paste.txt")
    assert engine.layers == ()
    assert [layer.name for layer in engine.tactics.layers] == ["prob"]
