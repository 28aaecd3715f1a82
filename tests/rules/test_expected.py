"""Expected times come from layers that are already so, and never beat the fastest kernel."""

from __future__ import annotations

import pytest
from case_files import analyze_case
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.rules.context import QUANTIZED, Context
from trexreport.analyzer.rules.expected import above_roof, by_same_work, faster, floor_ms, narrowed
from trexreport.analyzer.rules.gains import join_bases
from trexreport.analyzer.rules.precision.speedups import in_half_precision

INT8 = "Thirty-two wide channel vectorized row major Int8 format"
FP16 = "Thirty-two wide channel vectorized row major FP16 format"
#: By what it writes.
TACTICS = {
    result: f"sm80_xmma_fprop_implicit_gemm_interleaved_i8{short}_i8i32_f32_nchw_vect_c_32"
    for result, short in ((INT8, "i8"), (FP16, "f16"))
}


def convolution(name, result, ms, size=56, kernel=3):
    return {
        "Name": name,
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Kernel": [kernel, kernel],
        "Groups": 1,
        "TacticName": TACTICS[result],
        **({} if ms is None else {"ms": ms}),
        "Inputs": [f"{name}.in | {INT8} | 32x64x{size}x{size}"],
        "Outputs": [f"{name}.out | {result} | 32x64x{size}x{size}"],
    }


def context_of(folder, *layers, gpu="A100 80GB PCIe"):
    return Context(analyze_case({"layers": list(layers), **({"gpu": gpu} if gpu else {})}, folder))


def is_quantized(layer):
    return layer.output_precision in QUANTIZED


@pytest.mark.parametrize(
    ("times", "expected"),
    [([0.002] * 3, 0.002), ([0.4, 0.5], 0.01), ([None], 0.01)],
    ids=["fast kernels", "slow kernels", "nothing measured"],
)
def test_the_floor_is_a_launch(tmp_path, times, expected):
    layers = [convolution(f"c{number}", INT8, ms) for number, ms in enumerate(times)]
    assert floor_ms(context_of(tmp_path, *layers)) == pytest.approx(expected)


def test_layers_with_the_same_work_come_first(tmp_path):
    layers = [convolution("wide", FP16, 0.09), convolution("a", INT8, 0.05), convolution("b", INT8, 0.06)]
    context = context_of(tmp_path, *layers, convolution("other", INT8, 0.01, kernel=1))
    wide = context.layers[0]
    low, high, basis = narrowed(context, wide, wide.output_bytes / 2, is_quantized)
    assert (low, high) == pytest.approx((0.09 - 0.06 * 1.1, 0.09 - 0.05 / 1.1))
    assert (basis.code, list(basis.references)) == ("same-engine", [1, 2])
    assert by_same_work(context, wide, lambda layer: layer.precision == "FP8") is None


def test_bytes_that_the_others_do_not_move_take_time(tmp_path):
    context = context_of(tmp_path, convolution("wide", FP16, 0.09), convolution("a", INT8, 0.05))
    wide = context.layers[0]
    low, _, _ = by_same_work(context, wide, is_quantized)
    less, _, _ = by_same_work(context, wide, is_quantized, context.layers[1].moved_bytes + 1e6)
    assert low - less == pytest.approx(0.09 * 1e6 / wide.moved_bytes)


def test_without_the_same_work_similar_layers_show_the_share_of_the_roofline(tmp_path):
    others = [convolution(f"o{size}", INT8, ms, size) for size, ms in ((48, 0.03), (52, 0.035), (60, 0.045))]
    context = context_of(tmp_path, convolution("wide", FP16, 0.09), *others)
    wide = context.layers[0]
    low, high, basis = narrowed(context, wide, wide.output_bytes / 2, is_quantized)
    assert basis.code == "roof"
    assert list(basis.references) == [1, 2, 3]
    assert 0 <= low < high < 0.09 - floor_ms(context)
    typical = context_of(tmp_path, convolution("wide", FP16, 0.09))
    assert narrowed(typical, typical.layers[0], wide.output_bytes / 2, is_quantized)[2].high_factor == 0.85


def test_what_the_roofline_does_not_explain_may_stay(tmp_path):
    context = context_of(tmp_path, convolution("wide", FP16, 0.9))
    wide = context.layers[0]
    low, high, basis = narrowed(context, wide, wide.output_bytes / 2, is_quantized)
    assert low == basis.low_factor == 0 < high


def test_without_peaks_the_time_becomes_shorter_by_the_share_of_the_bytes_at_most(tmp_path):
    context = context_of(tmp_path, convolution("wide", FP16, 0.09), gpu="")
    wide = context.layers[0]
    low, high, basis = narrowed(context, wide, wide.moved_bytes / 4, is_quantized)
    assert (low, high, basis.code) == (0.0, pytest.approx(0.09 / 4), "less-traffic")
    assert above_roof(context, wide, is_quantized) is None
    assert narrowed(context, wide, 0, is_quantized)[:2] == (0.0, 0.0)


@given(
    times=st.lists(st.floats(1e-4, 5.0), min_size=1, max_size=5),
    size=st.sampled_from([7, 14, 56]),
    part=st.floats(0, 1.5),
    gpu=st.sampled_from(["", "A100 80GB PCIe"]),
)
def test_no_layer_beats_the_fastest_kernel(tmp_path_factory, times, size, part, gpu):
    layers = [convolution(f"c{n}", FP16 if n else INT8, ms, size + 7 * (n % 2)) for n, ms in enumerate(times)]
    context = context_of(tmp_path_factory.mktemp("engine"), *layers, gpu=gpu)
    assert len(context.layers) == len(times)
    for layer in context.layers:
        found = [narrowed(context, layer, part * layer.moved_bytes, is_quantized)[:2]]
        gains = [above_roof(context, layer, is_quantized), in_half_precision(context, [layer])]
        found += [(gain.low_ms, gain.high_ms) for gain in gains if gain is not None]
        for low, high in found:
            assert 0 <= low <= high <= layer.avg_ms
            fastest = min(0.01, *(each.avg_ms for each in context.layers), layer.avg_ms)
            assert layer.avg_ms - high >= fastest / 1.1 - 1e-12


def test_published_speedups_apply_above_the_floor(tmp_path):
    context = context_of(tmp_path, convolution("a", INT8, 0.11))
    gain = faster(
        context, context.layers, lambda layer: (1.5, 3.0) if layer.index == 0 else None, "somewhere"
    )
    assert (gain.low_ms, gain.high_ms) == pytest.approx((0.1 / 3, 0.1 * 2 / 3))
    assert [(basis.code, basis.source) for basis in gain.bases] == [("published", "somewhere")]
    assert faster(context, context.layers, lambda _: None, "") is None
    (basis,) = join_bases([*gain.bases, *gain.bases])
    assert (basis.low_factor, basis.high_factor) == (1.5, 3.0)


def copies_of_two_layers(tmp_path, wide_ms, quantized_ms):
    """Return ten FP16 and ten INT8 layers, a test for the latter, and whom it is asked of."""
    wide = [convolution(f"wide{number}", FP16, wide_ms) for number in range(10)]
    quantized = [convolution(f"c{number}", INT8, quantized_ms) for number in range(10)]
    asked = []

    def similar(layer):
        asked.append(layer.index)
        return is_quantized(layer)

    return context_of(tmp_path, *wide, *quantized), similar, asked


def test_copies_of_a_block_are_each_asked_once(tmp_path):
    context, similar, asked = copies_of_two_layers(tmp_path, 0.09, 0.05)
    shown = [by_same_work(context, layer, similar) for layer in context.layers]
    assert sorted(asked) == list(range(20))
    assert [basis.references for *_, basis in shown[:10]] == [list(range(10, 20))] * 10
    # No layer shows what it would become itself.
    assert shown[15][2].references == [10, 11, 12, 13, 14, 16, 17, 18, 19]


def test_the_roofline_of_alike_layers_is_asked_once(tmp_path):
    context, similar, asked = copies_of_two_layers(tmp_path, 9.0, 0.1)
    shown = [above_roof(context, layer, similar) for layer in context.layers[:10]]
    assert sorted(asked) == list(range(20))
    assert [list(gain.bases[0].references) for gain in shown] == [list(range(10, 20))] * 10
