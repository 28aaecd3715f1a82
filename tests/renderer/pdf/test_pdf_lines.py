"""Columns of names in the tables of a PDF: as many as there is room for, and how many more there are."""

import pytest

from trexreport.renderer.pdf.lines import some


@pytest.mark.parametrize(
    ("texts", "width", "expected"),
    [
        ([], 5, ""),
        (["a", "b"], 3, "a b"),
        (["aaaa", "bbbb", "cccc"], 14, "aaaa bbbb cccc"),
        (["aaaa", "bbbb", "cccc"], 13, "aaaa bbbb +1"),
        (["aaaa", "bbbb", "cccc"], 12, "aaaa bbbb +1"),
        (["aaaa", "bbbb", "cccc"], 11, "aaaa +2"),
        # The first is always named; a single one has nothing besides.
        (["aaaa", "bbbb", "cccc"], 2, "aaaa +2"),
        (["aaaaaaa"], 3, "aaaaaaa"),
        (["a"] * 12, 7, "a a +10"),
        (["a"] * 12, 6, "a +11"),
    ],
)
def test_as_many_names_as_a_column_has_room_for(texts, width, expected):
    assert some(texts, width) == expected
