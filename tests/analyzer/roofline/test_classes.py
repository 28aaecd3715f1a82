"""What bounds a layer: compute, memory or latency."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_plausibility import GPUS, HALF, MEASURED, convolution, moving

from trexreport.analyzer import GpuChoice, analyze
from trexreport.analyzer.roofline.classes import (
    EXPLAINED_PERCENT,
    Limits,
    find_bound,
    is_near_limit,
    launch_time,
)
from trexreport.analyzer.rules.registry import Registry
from trexreport.model import LayerTime
from trexreport.reader import read_engine
from trexreport.renderer.graph.coloring import Coloring
from trexreport.wording.roofline import EXCESS, bound_sentences

LIMIT = EXPLAINED_PERCENT / 100
BOUNDS = [
    # lower roof, its time, time at the CUDA cores' peak, launch time; measured time; what bounds the layer
    (Limits("memory", 1.0, 0.0, None), 1.0, "memory"),
    (Limits("compute", 1.0, 0.0, None), 1.0, "compute"),
    (Limits("memory", 1.0, 0.0, None), 0.5, "memory"),  # faster than its roof, as data is in a cache
    (Limits("memory", 1.0, 0.0, None), 1 / LIMIT * 0.999, "memory"),
    (Limits("memory", 1.0, 0.0, None), 1 / LIMIT * 1.001, "latency"),
    (Limits("compute", 1.0, 0.0, None), 1 / LIMIT * 1.001, "latency"),
    (Limits("memory", 0.26, 0.0, None), 1.0, "latency"),
    (Limits("memory", 0.07, 0.0, None), 1.0, "latency"),
    (Limits("memory", 0.002, 0.0, 0.003), 0.005, "latency"),  # the launch explains more than the roof
    (Limits("memory", 0.004, 0.0, 0.003), 0.005, "memory"),
    (Limits("memory", 0.004, 0.0, 0.005), 0.012, "latency"),
    (Limits("memory", 0.0065, 0.0, 0.007), 0.0211, "latency"),  # less than a third
    (Limits("memory", 0.5, 0.0, 0.003), 1.0, "memory"),  # far longer than a launch
    (Limits("compute", 0.1, 0.8, None), 1.0, "compute"),  # on CUDA cores, at most of their peak
    (Limits("memory", 0.1, 0.8, None), 1.0, "compute"),
    (Limits("compute", 0.1, 0.2, None), 1.0, "latency"),
    (Limits("compute", 0.1, 0.0, 0.003, is_unaligned=True), 1.0, "compute"),  # it computes, slowly
    (Limits("memory", 0.1, 0.0, 0.003, is_unaligned=True), 1.0, "latency"),
    (Limits("compute", 0.008, 0.0, 0.003, is_unaligned=True), 1.0, "latency"),
    (Limits("compute", 0.02, 0.0, None, is_unaligned=True), 1.0, "latency"),
    (Limits("memory", 1.0, 0.0, None), None, None),
    (Limits("memory", 1.0, 0.0, None), 0.0, None),
]


@pytest.mark.parametrize(("limits", "avg_ms", "bound"), BOUNDS)
def test_bounds(limits, avg_ms, bound):
    assert find_bound(limits, avg_ms, EXPLAINED_PERCENT) == bound


TIMES = st.floats(1e-4, 10.0)


@given(st.sampled_from(["compute", "memory"]), TIMES, TIMES, st.none() | st.floats(1e-4, 0.01), TIMES)
def test_a_slower_layer_never_leaves_the_latency_bound_ones_unless_it_is_no_launch(
    roof, roof_ms, cuda_ms, launch_ms, avg_ms
):
    limits = Limits(roof, roof_ms, cuda_ms, launch_ms)
    if find_bound(limits, avg_ms, EXPLAINED_PERCENT) == "latency":
        assert find_bound(limits, 100 * avg_ms + 1, EXPLAINED_PERCENT) in ("latency", "compute", roof)
        assert max(roof_ms, cuda_ms) <= avg_ms
    if 100 * max(roof_ms, cuda_ms) < EXPLAINED_PERCENT * avg_ms:
        assert find_bound(limits, avg_ms, EXPLAINED_PERCENT) == "latency"


@given(TIMES, TIMES)
def test_what_is_not_near_the_limit_keeps_its_class_if_it_takes_a_tenth_more_or_less(roof_ms, avg_ms):
    if not is_near_limit(roof_ms, avg_ms, EXPLAINED_PERCENT):
        limits = Limits("memory", roof_ms, 0.0, None)
        assert (
            len({find_bound(limits, avg_ms * part, EXPLAINED_PERCENT) for part in (1 / 1.099, 1, 1.099)}) == 1
        )


def test_the_launch_time_is_that_of_the_fastest_kernels():
    (layer,) = moving("SoftMax", 0.004).layers

    def of(*times):
        return launch_time([_timed(layer, time) for time in times])

    assert of(0.02, 0.004, 0.006) == 0.004
    assert of(0.01, 0.02) == 0.01
    assert of(0.011, 0.02) is None
    assert of(0.0, 0.004) == 0.004
    assert of(None) is None
    assert of() is None
    assert of(*[0.0001], *[0.003] * 299) == 0.003  # one damaged time of many
    (no_op,) = moving("NoOp", 0.001).layers
    assert launch_time([no_op, layer]) == 0.004


def _timed(layer, avg_ms):
    return replace(layer, time=None if avg_ms is None else LayerTime(avg_ms))


@pytest.mark.parametrize(("gpu", "l2"), [("A100 80GB PCIe", False), ("Lab board", None)])
def test_whether_data_fits_an_unknown_cache_is_not_known(gpu, l2):
    own = {"gpu": [{"name": "Lab board", "bandwidth_gbs": 1935, "peaks": {"fp32": 19.5, "fp16": 312}}]}
    analysis = analyze(moving("SoftMax", 0.2), gpu=GpuChoice(gpu, own), registry=Registry(()))
    assert analysis.layers[0].roof.fits_l2 is l2


def test_a_multiplication_on_cuda_cores_is_compute_bound_at_their_peak():
    """A convolution of 77 GFLOP takes 4 ms at 19.5 TFLOP/s and 0.5 ms at 156 TFLOP/s."""
    form, gpu = "Row major linear FP32", GpuChoice("A100 80GB PCIe")
    bounds = []
    for tactic, time_ms in (
        ("ampere_scudnn_128x64_relu", 6.0),
        ("ampere_scudnn_128x64_relu", 20.0),
        ("", 6.0),
    ):
        engine = convolution(tactic=tactic, form=form, extent=64, time_ms=time_ms)
        (layer,) = analyze(engine, gpu=gpu, registry=Registry(())).layers
        assert layer.roof.peak_type == "TF32"
        bounds.append(layer.roof.bound)
    assert bounds == ["compute", "latency", "latency"]


def test_a_multiplication_with_unaligned_loads_is_compute_bound_if_it_is_large():
    gpu, kernel = GpuChoice("A100 80GB PCIe"), "sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_align{}"
    engines = [convolution(tactic=kernel.format(each), form=HALF, time_ms=40.0) for each in (1, 8)]
    bounds = [analyze(each, gpu=gpu, registry=Registry(())).layers[0].roof.bound for each in engines]
    assert bounds == ["compute", "latency"]


def test_the_limit_can_be_set():
    engine = convolution(form=HALF, tactic="", time_ms=4.0)
    bounds = {
        percent: analyze(engine, gpu=GpuChoice("A100 80GB PCIe", explained_percent=percent))
        .layers[0]
        .roof.bound
        for percent in (5, 90)
    }
    assert bounds == {5: "compute", 90: "latency"}


@pytest.mark.parametrize("name", MEASURED)
def test_the_classes_of_real_engines_add_up(engines_folder, name):
    gpu = GpuChoice(GPUS[name]) if name in GPUS else None
    analysis = analyze(read_engine(engines_folder / name), gpu=gpu, registry=Registry(()), with_blocks=False)
    total = analysis.roofline.total
    parts = [total.compute_bound_ms, total.memory_bound_ms, total.latency_bound_ms]
    assert math.fsum(parts) == pytest.approx(total.time_ms)
    for layer in analysis.layers:
        if layer.roof and layer.roof.bound == "memory":
            assert layer.roof.reached_percent >= EXPLAINED_PERCENT
    sentences = bound_sentences(analysis)
    assert f"less than {EXPLAINED_PERCENT:g}% of its time" in sentences
    assert "or its kernel is inefficient" in sentences
    exceeding = sum(layer.excess is not None for layer in analysis.layers)
    assert ("faster than" in sentences) == (exceeding > 0)


def test_the_color_of_a_layer_can_be_what_bounds_it():
    shades = {}
    for time_ms in (0.1, 1.0):
        analysis = analyze(moving("SoftMax", time_ms), gpu=GpuChoice("A100 80GB PCIe"), registry=Registry(()))
        meaning, shade = Coloring(analysis, "bound").meaning(analysis.layers[0])
        shades[meaning] = shade
    unknown = analyze(moving("SoftMax", 0.1), registry=Registry(()))
    meaning, shade = Coloring(unknown, "bound").meaning(unknown.layers[0])
    shades[meaning] = shade
    assert list(shades) == ["memory-bound", "latency-bound", "bound not known"]
    assert len(set(shades.values())) == 3


def test_why_layers_exceed_the_roofline_is_shown():
    def shown(time_ms):
        gpu = GpuChoice("A100 80GB PCIe")
        return bound_sentences(analyze(moving("SoftMax", time_ms), gpu=gpu, registry=Registry(())))

    assert shown(0.06).endswith(f"1 layer: {EXCESS['above-bandwidth']}.")
    assert "faster than" not in shown(0.1)
    assert not shown(1e-4), "all times are impossible: there is no roofline of them"


def test_times_of_two_decimals_show_no_launch_time():
    (layer,) = moving("SoftMax", 0.004).layers
    times = [0.01, 0.02, 0.03, 3.38] * 10
    assert launch_time([_timed(layer, time) for time in times]) is None
    assert launch_time([_timed(layer, time) for time in [*times, 0.012]]) == 0.01


def test_medians_show_the_launch_time_where_slow_iterations_lengthen_all_means():
    (layer,) = moving("SoftMax", 0.004).layers
    times = [LayerTime(avg_ms, median_ms=median_ms) for avg_ms, median_ms in ((0.0131, 0.0051), (0.03, 0.02))]
    assert launch_time([replace(layer, time=time) for time in times]) == 0.0051
    assert launch_time([replace(layer, time=LayerTime(0.0131))]) is None
    # Means that show it are not replaced.
    assert launch_time([replace(layer, time=LayerTime(0.006, median_ms=0.005))]) == 0.006
