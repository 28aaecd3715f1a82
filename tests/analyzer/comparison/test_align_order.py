"""Common and rising subsequences are as long as they can be."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.comparison import align_order
from trexreport.analyzer.comparison.align_order import common, rising

letters = st.lists(st.sampled_from("abc"), max_size=25)


def longest_by_table(left, right):
    """Return the length of a longest common subsequence, by the textbook's table."""
    row = [0] * (len(right) + 1)
    for one in left:
        before = row[:]
        for j, other in enumerate(right):
            row[j + 1] = before[j] + 1 if one == other else max(row[j], before[j + 1])
    return row[-1]


def check_is_common(pairs, left, right):
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


@given(letters, letters)
def test_a_common_subsequence_is_as_long_as_can_be(left, right):
    pairs = common(left, right)
    check_is_common(pairs, left, right)
    assert len(pairs) == longest_by_table(left, right)


@given(letters)
def test_a_sequence_has_all_in_common_with_itself(values):
    assert common(values, values) == [(at, at) for at in range(len(values))]


def test_of_equals_the_last_is_taken():
    assert common("ab", "aab") == [(0, 1), (1, 2)]


@given(letters, letters)
def test_windows_keep_the_order(left, right):
    window, align_order._WINDOW = align_order._WINDOW, 6
    try:
        check_is_common(common(left, right), left, right)
    finally:
        align_order._WINDOW = window


def test_a_stretch_inserted_far_into_long_sequences_does_not_lose_what_follows():
    left = [at % 7 for at in range(9000)]
    right = [*left[:4000], *["new"] * 300, *left[4000:]]
    assert len(common(left, right)) == len(left)


@given(st.lists(st.integers(0, 12), max_size=9))
def test_a_rising_subsequence_is_as_long_as_can_be(values):
    found = rising(values)
    assert all(values[a] < values[b] for a, b in pairwise(found))
    longest = max(
        (
            size
            for size in range(len(values) + 1)
            for chosen in combinations(values, size)
            if all(a < b for a, b in pairwise(chosen))
        ),
        default=0,
    )
    assert len(found) == longest


def test_equal_items_at_the_beginning_end_where_the_last_window_begins(monkeypatch):
    monkeypatch.setattr(align_order, "_WINDOW", 4)
    assert common("aaaabb", "aaaab") == [(0, 0), (1, 1), (2, 2), (3, 3), (5, 4)]
    assert common("abcdefgh", "abcdexgh") == [(at, at) for at in (0, 1, 2, 3, 4, 6, 7)]
    assert common("abcdefgh", "abcd") == [(at, at) for at in range(4)]
