"""Names in narrow places keep what differs, in Python and in JavaScript alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport.renderer.overview import name_parts

VECTORS = json.loads((Path(__file__).parents[1] / "name_part_vectors.json").read_text())


@pytest.mark.parametrize(("names", "parts"), VECTORS)
def test_names_are_divided_where_they_begin_to_differ(names, parts):
    assert name_parts(names) == [tuple(each) for each in parts]


def test_a_hostile_name_is_short():
    for names in (["x" * 100_000], ["x" * 100_000, "x" * 50 + "y" * 100_000]):
        assert max(len("".join(parts)) for parts in name_parts(names)) < 600
