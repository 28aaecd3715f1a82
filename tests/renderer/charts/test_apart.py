"""Names of rows in charts: different ones do not become alike where they are shortened."""

from __future__ import annotations

from trexreport.renderer.charts.apart import fit_apart
from trexreport.renderer.charts.text import fit, text_width

TACTIC = "sm80_xmma_fprop_implicit_gemm_interleaved_{}_f32_nchw_tilesize{}_stage{}_g1_tensor16x8x32_t1r3s3"


def test_texts_with_room_and_different_beginnings_are_as_they_were():
    texts = ["conv", "a" * 80, "b" * 80, ""]
    assert fit_apart(texts, 100.0) == [fit(text, 100.0) for text in texts]


def test_kernels_show_the_parts_that_they_differ_in():
    sizes = [("i8i8", "64x64x64", 6), ("i8f16", "64x64x64", 6), ("i8i8", "128x64x64", 5)]
    texts = [TACTIC.format(*each) for each in sizes]
    assert len({fit(text, 200.0) for text in texts}) == 1
    found = fit_apart(texts, 200.0)
    assert found == ["sm80…i8i8…64x64x64", "sm80…i8f16…64x64x64", "sm80…i8i8…128x64x64"]
    assert max(text_width(each) for each in found) <= 200.0


def test_a_number_has_what_it_counts_where_there_is_room():
    texts = [f"/backbone/layers.{at}/mixer/selective_scan/SelectiveScan_output_0" for at in range(3)]
    assert fit_apart(texts, 150.0) == [f"/backbone/layers.{at}" for at in range(3)]
    assert fit_apart(texts, 70.0) == [f"…layers.{at}" for at in range(3)]
    assert fit_apart(texts, 40.0) == [f"…{at}" for at in range(3)]


def test_parts_that_others_determine_are_left_out():
    texts = [f"layers.{at}.attention_projection_query_of_block_{at}.matmul.weight" for at in range(3)]
    found = fit_apart(texts, 90.0)
    assert len(set(found)) == 3
    assert "_of_" not in "".join(found)


def test_equal_texts_stay_equal_and_numbers_of_parts_may_differ():
    texts = ["a_" * 40 + "1", "a_" * 40 + "1", "a_" * 41 + "1", "a_" * 40 + "2"]
    found = fit_apart(texts, 60.0)
    assert found[0] == found[1] != found[3]


def test_texts_without_end_are_shortened_in_bounded_time():
    texts = [f"{'_' * 9}{'x_' * 100_000}{at}" for at in range(20)]
    assert {text_width(each) <= 120.0 for each in fit_apart(texts, 120.0)} == {True}


def test_what_is_shortened_alike_shows_the_ends_that_differ():
    begin = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize"
    end = "_warpsize2x2x1_g1_tensor16x8x16"
    names = [
        f"{begin}{tile}{end}_{last}"
        for tile in ("64x64x64", "128x64x64")
        for last in ("t1r1s1", "t1r3s3", "simple_t1r1s1")
    ]
    found = fit_apart(names, 190)
    assert len(set(found)) == len(names)
    assert found[0].endswith("64x64x64…t1r1s1")
    # Where even the ends have no room, nothing is claimed to differ.
    assert len(fit_apart(names, 30)) == len(names)
