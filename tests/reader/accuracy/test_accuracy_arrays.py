"""Arrays are compared in pieces as NumPy would compare them whole."""

from __future__ import annotations

import numpy as np
import pytest

from trexreport.reader.accuracy import arrays
from trexreport.reader.accuracy.arrays import Comparer


def compared(*pairs):
    comparer = Comparer("t")
    for one, other in pairs:
        comparer.add(np.asarray(one), np.asarray(other))
    return comparer.result()


@pytest.mark.parametrize("piece", [1, 7, 2**20])
def test_pieces_make_no_difference(monkeypatch, piece):
    monkeypatch.setattr(arrays, "_PIECE", piece)
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 5, 9)).astype(np.float32)
    found = compared((one, other))
    wide, reference = one.astype(float), other.astype(float)
    assert found.relative_error == pytest.approx(np.linalg.norm(wide - reference) / np.linalg.norm(reference))
    assert found.cosine_similarity == pytest.approx(
        (wide * reference).sum() / np.linalg.norm(wide) / np.linalg.norm(reference)
    )
    assert found.mean_abs_error == pytest.approx(np.abs(wide - reference).mean())


def test_an_overflow_is_no_error_of_some_size():
    found = compared((np.array([np.inf, 1], np.float16), np.array([1e5, 1], np.float32)))
    assert (found.candidate_non_finite, found.reference_non_finite) == (True, False)
    assert found.relative_error is None
    assert found.reference_range == (1, 1e5)


def test_infinity_on_both_sides_is_equal():
    found = compared((np.array([-np.inf, 1.5]), np.array([-np.inf, 1.0])))
    assert found.relative_error == 0.5
    assert found.candidate_non_finite
    assert found.reference_non_finite


def test_a_reference_of_zeros_has_no_relative_error():
    assert compared((np.ones(3), np.zeros(3))).relative_error is None
    assert compared((np.zeros(3), np.zeros(3))).relative_error == 0


def test_indices_have_a_share_that_differs_and_no_error():
    found = compared((np.array([1, 2, 3, 4]), np.array([1, 2, 3, 900])))
    assert (found.mismatch_percent, found.relative_error) == (25, None)


def test_shapes_differ_beyond_extents_of_1():
    assert not compared((np.zeros((1, 4)), np.zeros(4))).has_other_shape
    assert compared((np.zeros((2, 2)), np.zeros(4))).has_other_shape
    assert compared((np.zeros((2, 3)), np.zeros((3, 2)))).has_other_shape


def test_large_values_do_not_overflow():
    found = compared((np.full(4, 2e38, np.float32), np.full(4, 1e38, np.float32)))
    assert found.relative_error == pytest.approx(1)


def test_empty_arrays_have_no_figures():
    assert compared((np.zeros((0, 3)), np.zeros((0, 3)))).relative_error is None


@pytest.mark.filterwarnings("error")
def test_squares_that_overflow_are_not_known():
    large, opposite = np.array([1e200, -1e300, 1e308]), np.array([-1e200, 1e300, -1e308])
    found = compared((large, opposite), (opposite, large), (np.ones(3), np.ones(3)))
    assert (found.relative_error, found.reference_norm, found.mean_abs_error) == (None, None, None)
    signaling = np.array([0x7D01], np.uint16).view(np.float16)
    assert compared((signaling, signaling)).candidate_non_finite
