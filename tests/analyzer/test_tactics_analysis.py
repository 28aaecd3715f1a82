"""What the builder timed is compared with what the engine uses."""

from __future__ import annotations

import json

import pytest

from samples.generator.build_log import timed_layer, timed_operation
from trexreport.analyzer import analyze
from trexreport.analyzer.tactic_times import compared_ms, times_in_build
from trexreport.reader import read_engine

HALF, FLOAT = "Half(64,1:8,8,1) -> Half(64,1:8,8,1)", "Float(512,64,8,1) -> Float(512,64,8,1)"
EIGHT = "Channel major FP16 format where channel % 8 == 0"
LINEAR = "Row major linear FP32"


def _layer(name, layout, tactic, kernel="", kind="CaskConvolution"):
    tensor = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": layout}
    return {
        "Name": name,
        "LayerType": kind,
        "Inputs": [{"Name": f"{name} in", **tensor}],
        "Outputs": [{"Name": f"{name} out", **tensor}],
        "TacticValue": tactic,
        "TacticName": kernel,
    }


def _convolution(name, size):
    return _layer(name, EIGHT, "0x0a") | {
        "ParameterType": "Convolution",
        "Kernel": [size, size],
        "OutMaps": 8,
        "Groups": 1,
        "Stride": [1, 1],
        "Dilation": [1, 1],
        "PrePadding": [size // 2, size // 2],
        "PostPadding": [size // 2, size // 2],
        "Weights": {"Type": "Half", "Count": 64 * size * size},
    }


def _tactics(tmp_path, layers, *lines, end="Engine built in 2 sec."):
    return _analyzed(tmp_path, layers, *lines, end=end).tactics


def _analyzed(tmp_path, layers, *lines, end="Engine built in 2 sec."):
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    (tmp_path / "m.build.log").write_text("\n".join([*lines, f"[11/20/2026-10:00:09] [I] {end}"]))
    return analyze(read_engine(tmp_path))


def test_the_chosen_tactic_and_its_alternatives(tmp_path):
    timed = {
        HALF: [("a", "0x0a", 0.02), ("b", "0x0b", 0.025)],
        FLOAT: [("c", "0x0c", 0.03), ("d", "0x0d", 0.01)],
    }
    found = _tactics(
        tmp_path,
        [_layer("conv", EIGHT, "0x000000000000000a", "a")],
        *timed_layer("conv", "Cask", timed, "10"),
    )
    (layer,) = found.layers
    assert (layer.layer, layer.chosen_ms, layer.kernel, layer.precision) == (0, 0.02, "a", "FP16")
    assert layer.second_ms == 0.025
    assert layer.margin_percent == pytest.approx(25)
    assert layer.by_precision_ms == {"FP16": 0.02, "FP32": 0.01}
    assert [(each.precision, each.outcome) for each in layer.formats] == [
        ("FP16", "chosen"),
        ("FP32", "faster"),
    ]
    assert layer.formats[1].difference_percent == pytest.approx(-50)
    assert [[tactic.chosen for tactic in each.tactics] for each in layer.formats] == [
        [True, False],
        [False, False],
    ]
    assert (found.build_s, found.profiling_s, layer.build_percent) == (2.0, 0.5, 25.0)


def test_the_same_tactic_in_two_formats_is_distinguished_by_types(tmp_path):
    timed = {FLOAT: [("", "0", 0.01)], HALF: [("", "0", 0.02)]}
    found = _tactics(
        tmp_path, [_layer("s", EIGHT, "0x0", kind="Shuffle")], *timed_layer("s", "Shuffle", timed, "8.4")
    )
    assert (found.layers[0].precision, found.layers[0].chosen_ms) == ("FP16", 0.02)


def test_what_the_engine_uses_is_unknown_where_two_formats_fit(tmp_path):
    timed = {FLOAT: [("", "0", 0.01)], "Float(512,1,64,8) -> Float(512,1,64,8)": [("", "0", 0.02)]}
    found = _tactics(tmp_path, [_layer("s", "Float", "0x0")], *timed_layer("s", "Shuffle", timed, "10"))
    (layer,) = found.layers
    assert (layer.chosen_ms, layer.second_ms, layer.margin_percent, layer.kernel) == (None, None, None, "")
    assert {each.outcome for each in layer.formats} == {"not known"}


@pytest.mark.parametrize(("layout", "chosen_ms"), [(EIGHT, 0.02), ("Row major linear FP16 format", 0.05)])
def test_the_same_tactic_in_two_layouts_is_distinguished_by_groups_of_channels(tmp_path, layout, chosen_ms):
    linear = "Half(512,64,8,1) -> Half(512,64,8,1)"
    timed = {HALF: [("a", "0x0a", 0.02)], linear: [("a", "0x0a", 0.05)]}
    found = _tactics(tmp_path, [_layer("conv", layout, "0x0a")], *timed_layer("conv", "Cask", timed, "10"))
    assert found.layers[0].chosen_ms == chosen_ms


def test_two_layouts_that_the_engine_does_not_state_are_distinguished_by_the_tactic(tmp_path):
    timed = {FLOAT: [("", "0x1", 0.01)], "Float(512,1,64,8) -> Float(512,1,64,8)": [("", "0x2", 0.02)]}
    found = _tactics(tmp_path, [_layer("s", "Float", "0x2")], *timed_layer("s", "Shuffle", timed, "10"))
    assert found.layers[0].chosen_ms == 0.02


def test_formats_without_a_tactic_have_no_time(tmp_path):
    timed = {HALF: [], FLOAT: [("c", "0x0c", 0.03)]}
    found = _tactics(tmp_path, [_layer("conv", LINEAR, "0x0c")], *timed_layer("conv", "Cask", timed, "10"))
    assert found.layers[0].by_precision_ms == {"FP32": 0.03}


def test_a_tactic_that_is_not_a_number_is_compared_as_it_is(tmp_path):
    timed = {HALF: [("a", "0x0a", 0.02)], FLOAT: [("b", "0x0b", 0.03)]}
    lines = timed_layer("conv", "Cask", timed, "10")
    found = _tactics(tmp_path, [_layer("conv", EIGHT, "unknown")], *lines)
    assert [(each.layer, each.chosen_ms) for each in found.layers] == [(0, None)]


@pytest.mark.parametrize(("regions", "layer"), [(["fc_1_myl4_2"], 0), (["fc_1_myl4_2", "fc_1_myl5_2"], None)])
def test_an_operation_of_another_kernel_belongs_to_the_only_layer_of_its_name(tmp_path, regions, layer):
    found = _tactics(
        tmp_path,
        [_layer(name, "Half", "", "sm80_other", "gemm") for name in regions],
        *timed_layer("{ForeignNode[a...b]}", "Myelin", {HALF: [("", "0x0", 0.5)]}, "10")[:3],
        *timed_operation("fc_1", [("sm80_a", "0x1", 0.3)]),
    )
    operation = next(each for each in found.layers if each.operation)
    assert (operation.layer, operation.chosen_ms) == (layer, None)


def test_signed_decimal_tactics_are_those_in_hexadecimal(tmp_path):
    timed = {HALF: [("a", "-1", 0.02), ("b", "5", 0.03)]}
    found = _tactics(
        tmp_path, [_layer("conv", EIGHT, "0xffffffffffffffff")], *timed_layer("conv", "Cudnn", timed, "8.4")
    )
    assert found.layers[0].chosen_ms == 0.02


def test_a_layer_that_the_engine_has_not_is_listed_without_a_choice(tmp_path):
    found = _tactics(
        tmp_path,
        [_layer("other", EIGHT, "0x1")],
        *timed_layer("gone", "Cask", {HALF: [("a", "0x1", 0.1)]}, "10"),
    )
    assert [(each.name, each.layer, each.chosen_ms) for each in found.layers] == [("gone", None, None)]


def test_operations_are_those_of_myelin_kernels(tmp_path):
    layer = _layer("fc_1_myl4_2", "Half", "", "sm80_b", "gemm")
    found = _tactics(
        tmp_path,
        [layer, _layer("fc_myl4_1", "Half", "", "sm80_a", "gemm")],
        *timed_layer("{ForeignNode[a...b]}", "Myelin", {HALF: [("", "0x0", 0.5)]}, "10")[:3],
        *timed_operation("fc_1", [("sm80_a", "0x1", 0.3), ("sm80_b", "0x2", 0.31)]),
    )
    operation = next(each for each in found.layers if each.operation)
    assert (operation.layer, operation.chosen_ms, operation.kernel) == (0, 0.31, "sm80_b")
    assert operation.margin_percent == pytest.approx(100 * (0.3 - 0.31) / 0.31)


@pytest.mark.parametrize(("until", "percent"), [("10:00:08", None), ("10:00:25", 40.0)])
def test_shares_of_the_build_need_more_than_stamps_of_whole_seconds(tmp_path, until, percent):
    timed = timed_layer("conv", "CaskConvolution", {HALF: [("a", "0x1", 0.1)]}, "8.4")
    timed[-1] = timed[-1].replace("10:00:05", until)
    found = _tactics(tmp_path, [_layer("conv", EIGHT, "0x1")], *timed, end="Engine built in 50 sec.")
    assert found.from_stamps
    assert found.layers[0].build_percent == percent


def test_shares_that_cannot_be_are_unknown(tmp_path):
    timed = timed_layer("conv", "Cask", {HALF: [("a", "0x1", 0.1)]}, "10")
    found = _tactics(tmp_path, [_layer("conv", EIGHT, "0x1")], *timed, end="Engine built in 0.1 sec.")
    assert found.layers[0].build_percent is None


def test_a_log_without_tactics_gives_none(tmp_path):
    assert _tactics(tmp_path, [_layer("conv", EIGHT, "0x1")]) is None


def test_large_results_are_bounded(tmp_path, monkeypatch):
    from trexreport.analyzer import tactics

    monkeypatch.setattr(tactics, "_MOST_TACTICS", 2)
    timed = {HALF: [(f"k{at}", f"{at:#x}", 1 + at) for at in range(6)]}
    found = _tactics(tmp_path, [_layer("conv", EIGHT, "0x4")], *timed_layer("conv", "Cask", timed, "10"))
    (formats,) = found.layers[0].formats
    assert [each.kernel for each in formats.tactics] == ["k0", "k1", "k4"]
    assert formats.timed == 6


def test_hits_of_the_timing_cache_are_those_that_the_builder_counts(tmp_path):
    timed = timed_layer("conv", "Cask", {HALF: [("a", "0x1", 0.1)]}, "8.4")
    hits = "[11/20/2026-10:00:09] [V] [TRT] Deleting timing cache: 10 entries, served 55 hits since creation."
    assert _tactics(tmp_path, [_layer("conv", EIGHT, "0x1")], *timed, hits).cached == 55


@pytest.mark.parametrize(("second_ms", "agree"), [(0.7, True), (0.01, True), (4.0, False)])
def test_times_in_the_build_are_those_of_layers_where_they_agree(tmp_path, second_ms, agree):
    timed = [
        timed_layer(name, "CaskConvolution", {HALF: [("a", "0x0a", ms), ("b", "0x0b", 9.0)]}, "10")
        for name, ms in (("x", 1.0), ("y", second_ms))
    ]
    layers = [_layer(name, EIGHT, "0x0a") for name in ("x", "y")]
    if second_ms > 3:
        # Of equal work one takes more than three times as long: the clock changed.
        layers = [_convolution(name, 1) for name in ("x", "y")]
    tactics = _tactics(tmp_path, layers, *(line for lines in timed for line in lines))
    assert tactics.layer_ms == ([1.0, second_ms] if agree else [])


def test_a_short_engine_has_no_times_in_the_build(tmp_path):
    timed = timed_layer("x", "CaskConvolution", {HALF: [("a", "0x0a", 0.5)]}, "10")
    assert _tactics(tmp_path, [_layer("x", EIGHT, "0x0a")], *timed).layer_ms == []


def test_layers_of_one_form_are_timed_once_and_regions_each(tmp_path):
    layers = [
        _layer("x", EIGHT, "0x0a"),
        _layer("x again", EIGHT, "0x0a"),
        _layer("x by another kernel", EIGHT, "0x0b"),
        _layer("region", EIGHT, "0x0", kind="Myelin"),
        _layer("region again", EIGHT, "0x0", kind="Myelin"),
    ]
    timed = timed_layer("x", "CaskConvolution", {HALF: [("a", "0x0a", 2.0)]}, "10")
    timed += timed_layer("region", "Myelin", {HALF: [("m", "0x0", 3.0)]}, "10")
    found = _analyzed(tmp_path, layers, *timed)
    few = times_in_build(found.tactics.layers, found.layers, None)
    most = times_in_build(found.tactics.layers, found.layers, 11.0)
    assert (few, most) == ([], [2.0, 2.0, None, 3.0, None])
    assert times_in_build(found.tactics.layers, found.layers, 12.0) == []
    # The run has less work than what the builder timed.
    assert times_in_build(found.tactics.layers, found.layers, 6.0) == []


def test_layers_of_other_work_are_of_another_form(tmp_path):
    layers = [_convolution(name, size) for name, size in (("x", 3), ("x again", 3), ("y", 1))]
    timed = timed_layer("x", "CaskConvolution", {HALF: [("a", "0x0a", 2.0)]}, "10")
    found = _analyzed(tmp_path, layers, *timed)
    assert times_in_build(found.tactics.layers, found.layers, 5.0) == [2.0, 2.0, None]


@pytest.mark.parametrize(("shape", "is_known"), [([-1, 8, 8, 8], True), ([1, 8, -1, -1], False)])
def test_layers_of_unknown_extents_are_of_no_form(tmp_path, shape, is_known):
    layers = [_layer(name, EIGHT, "0x0a") for name in ("x", "y")]
    for layer in layers:
        for tensor in (*layer["Inputs"], *layer["Outputs"]):
            tensor["Dimensions"] = shape
    found = _analyzed(
        tmp_path, layers, *timed_layer("x", "CaskConvolution", {HALF: [("a", "0x0a", 2.0)]}, "10")
    )
    assert bool(times_in_build(found.tactics.layers, found.layers, 5.0)) is is_known


@pytest.mark.parametrize(("batch", "whole_ms"), [(4, 8.0), (8, 6.0)])
def test_shares_are_not_of_the_time_of_queries_of_other_shapes(tmp_path, batch, whole_ms):
    layers = [_layer(name, EIGHT, "0x0a") for name in ("x", "y")]
    timed = [timed_layer(name, "CaskConvolution", {HALF: [("a", "0x0a", 3.0)]}, "10") for name in ("x", "y")]
    options = f"--optShapes=x:4x8 --shapes=x:{batch}x8 --onnx=m.onnx"
    banner = f"&&&& RUNNING TensorRT.trtexec [TensorRT v100000] # trtexec {options}"
    times = "GPU Compute Time: min = 8 ms, max = 8 ms, mean = 8 ms, median = 8 ms"
    found = _tactics(tmp_path, layers, banner, *timed[0], *timed[1], f"[11/20/2026-10:00:06] [I] {times}")
    assert found.whole_ms == whole_ms


@pytest.mark.parametrize(("gpu_ms", "whole_ms"), [(None, 2.0), (2.5, 2.5), (1.5, 2.0), (9.0, 2.0)])
def test_shares_of_times_in_the_build_are_of_the_gpu_compute_time_near_it(gpu_ms, whole_ms):
    assert compared_ms([1.5, None, 0.5], gpu_ms) == whole_ms
    assert compared_ms([], gpu_ms) is None
