"""All rows as lines: each fits its line whatever engines and layers are called, in the order of execution."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.pdf.lines import CHARACTERS, row_pages

SAMPLES = Path(__file__).parents[3] / "samples"


@cache
def compared(count):
    before, after = (read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after"))
    return compare([before, *[after] * (count - 1)], names=[f"e{at}" for at in range(count)])


def width(text):
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


@given(st.integers(2, 5), st.text(max_size=300), st.text(min_size=1, max_size=300))
def test_any_name_fits_its_line(count, label, engine):
    comparison = compared(count)
    rows = [replace(row, label=label, more_layers=12_345) for row in comparison.rows]
    engines = [replace(each, name=f"{engine} {at}") for at, each in enumerate(comparison.engines)]
    pages, place_of = row_pages(replace(comparison, rows=rows, engines=engines), 1)
    lines = [pages.head, *(line for page in pages.pages for line in page.lines)]
    assert len(lines) == len(rows) + 1
    assert sorted(place_of.values()) == list(range(len(rows)))
    for line in lines:
        assert len(line.splitlines()) == 1
        assert width(line) <= CHARACTERS


def test_rows_stand_in_the_order_of_execution_with_both_times():
    comparison = compared(2)
    pages, place_of = row_pages(comparison, 1)
    places = [comparison.rows[at].position for at in sorted(place_of, key=lambda at: place_of[at])]
    assert places == sorted(places)
    lines = [line for page in pages.pages for line in page.lines]
    at = next(at for at, row in enumerate(comparison.rows) if row.sides[1].status == "slower")
    row = comparison.rows[at]
    shown = lines[place_of[at]].split()
    assert [float(text) for text in shown[1:3]] == [float(f"{side.time_ms:.3g}") for side in row.sides]
    assert "slower" in shown
