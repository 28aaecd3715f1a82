"""All layers as lines: nothing is lost, every line fits, and columns are aligned with their headings."""

from __future__ import annotations

import unicodedata

from graph_plans import analysis_of, chain, layer
from hypothesis import given
from hypothesis import strategies as st

from trexreport.renderer.findings_page import findings_page
from trexreport.renderer.pdf.lines import CHARACTERS, LINES, layer_pages


def pages_of(analysis):
    return layer_pages(analysis, findings_page(analysis).of_layer)


def width(text):
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def test_every_layer_has_its_line_on_the_page_that_links_lead_to():
    analysis = analysis_of(chain([f"conv{i}" for i in range(2 * LINES + 3)]))
    pages = pages_of(analysis)
    assert [(page.first, page.last) for page in pages.pages] == [
        (0, LINES - 1),
        (LINES, 2 * LINES - 1),
        (2 * LINES, 2 * LINES + 2),
    ]
    lines = [line for page in pages.pages for line in page.lines]
    assert [line.split()[0] for line in lines] == [str(i) for i in range(2 * LINES + 3)]
    assert all(line.endswith(f"conv{i}") for i, line in enumerate(lines))
    for index in (0, LINES - 1, LINES, 2 * LINES + 2):
        page = next(page for page in pages.pages if page.first == pages.page_of(index))
        assert page.first <= index <= page.last


def test_a_line_says_time_share_and_what_the_layer_is():
    pages = pages_of(analysis_of([layer("a", ["in"], ["x"], ms=0.3), layer("b", ["x"], ["out"], ms=0.1)]))
    line = pages.pages[0].lines[0]
    shown = (
        ("Avg. time (ms)", "0.300"),
        ("Time (%)", "75.0"),
        ("Type", "Convolution"),
        ("Precision", "FP16"),
    )
    for head, text in shown:
        start = pages.head.index(f" {head} ")
        assert text in line[start - 7 : start + 20], head


def test_what_is_unknown_is_a_dash():
    pages = pages_of(analysis_of([layer("a", ["in"], ["out"])], timed=False))
    line = pages.pages[0].lines[0]
    for head in ("Avg. time (ms)", "Time (%)"):
        start = pages.head.index(f" {head} ")
        assert line[start : start + len(head) + 1].split() == ["–"]
    assert "0.000" not in line


@given(st.lists(st.text(max_size=400), min_size=1, max_size=4, unique=True))
def test_any_name_fits_its_line_and_none_breaks_it(names):
    analysis = analysis_of(chain([name or "x" for name in names]))
    pages = pages_of(analysis)
    lines = [line for page in pages.pages for line in page.lines]
    assert len(lines) == len(analysis.layers)
    for line in lines:
        assert len(line.splitlines()) == 1
        assert width(line) <= CHARACTERS


def test_long_names_keep_their_ends():
    name = "/model/" + "very_long/" * 60 + "last"
    line = pages_of(analysis_of(chain([name]))).pages[0].lines[0]
    assert "/model/very" in line
    assert "…" in line
    assert line.endswith("/last")


def test_wide_characters_take_two_places():
    line = pages_of(analysis_of(chain(["层" * 300]))).pages[0].lines[0]
    assert CHARACTERS - 2 <= width(line) <= CHARACTERS
