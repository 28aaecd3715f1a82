"""One document in four formats: the same content everywhere, cut in one order, and every cut counted."""

from __future__ import annotations

import io
import re

import pytest

from trexreport.numbers import format_ms, format_percent
from trexreport.renderer.console import open_console
from trexreport.renderer.short_document.document import (
    Column,
    Explanation,
    Figure,
    Figures,
    Item,
    Items,
    Paragraph,
    Section,
    ShortDocument,
    Span,
    Table,
    not_shown,
    plain,
    severity_mark,
    without_empty_columns,
)
from trexreport.renderer.short_document.html import write_html
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.renderer.short_document.plain_text import write_plain_text
from trexreport.renderer.short_document.terminal import print_document, render_text

TIME = Column("Avg. time (ms)", format_ms, is_summed=True)
SHARE = Column("Time (%)", lambda percent: format_percent((percent or 0) / 100), has_bar=True)


def table(count, **options):
    rows = tuple((f"layer {number}", 50.0 / number, 0.5) for number in range(1, count + 1))
    return Table((Column("Layer"), SHARE, TIME), rows, noun="layer", **options)


def document(**changes):
    parts = {
        "title": "An engine",
        "facts": ("NVIDIA L4", "TensorRT 11.0"),
        "summary": "Found 1 warning.",
        "blocks": (Figures((Figure("Median latency", "0.798 ms", "p99 0.803 ms"),)),),
        "sections": (
            Section(
                (severity_mark("warning"), " TRX302"),
                (
                    Paragraph(("8 Adds take ", Span("24.2%", "strong"), ".")),
                    Items((Item(("at ", Span("conv1", "code")), ("Types: INT8 + FP16",)),), noun="place"),
                    Explanation("Recommendation", "Put Q/DQ there.\nSee `onnx`."),
                ),
            ),
            Section("Slowest layers", (table(12, max_shown=2),)),
        ),
        "closing": ("Attached: a.pdf.",),
    }
    return ShortDocument(**parts | changes)


WRITERS = {
    "markdown": lambda made: render_markdown(made).decode(),
    "terminal": lambda made: render_text(made).decode(),
    "html": lambda made: re.sub(r"<[^>]+>|&nbsp;", "", write_html(made, "A subject")),
    "plain text": write_plain_text,
}


@pytest.mark.parametrize("format_", WRITERS)
def test_every_format_has_the_whole_content(format_):
    text = re.sub(r"[*\\`]", "", WRITERS[format_](document()).replace("\u00a0", " "))
    for part in (
        "An engine",
        "NVIDIA L4 · TensorRT 11.0",
        "Found 1 warning.",
        "Median latency",
        "0.798 ms",
        "p99 0.803 ms",
        "warning TRX302",
        "8 Adds take 24.2%.",
        "at conv1",
        "Types: INT8 + FP16",
        "Put Q/DQ there.",
        "Slowest layers",
        "layer 2",
        "25.0%",
        "0.500 ms",
        "10 more",
        "5.00 ms",
        "Attached: a.pdf.",
    ):
        assert part in text, part
    assert "layer 3" not in text


@pytest.mark.parametrize("format_", WRITERS)
def test_what_is_not_shown_is_counted_in_every_format(format_):
    items = Items(tuple(Item(f"item {number}") for number in range(5)), noun="place", max_shown=3, hint="x")
    rows = Table(
        (Column("Rule"),), tuple((f"T{number}",) for number in range(4)), noun="finding", max_shown=3
    )
    text = WRITERS[format_](document(sections=(Section("S", (items, rows)),), hidden_sections=3))
    for part in (
        "2 more places are not shown; x.",
        "1 more finding is not shown.",
        "3 more sections are not",
    ):
        assert part in text
    assert "item 2" in text
    assert "item 3" not in text


def test_a_terminal_ends_with_the_summary():
    assert render_text(document()).decode().rstrip().endswith("Found 1 warning.")


@pytest.mark.parametrize(("width", "is_table"), [(20, False), (40, False), (80, True)])
def test_a_narrow_terminal_gets_a_list_instead_of_a_table(width, is_table):
    from rich.console import Console

    file = io.StringIO()
    print_document(document(), Console(file=file, width=width, highlight=False, markup=False))
    text = file.getvalue()
    assert ("─" in text) is is_table
    assert max(map(len, text.splitlines())) <= width
    assert "25.0%" in text
    assert "\x1b" not in render_text(document()).decode()


def test_rows_that_are_not_shown_are_added_up_and_the_total_stays():
    shown = table(4, max_shown=1, total=("Total", 1.0, 2.0)).shown
    assert shown == (("layer 1", 50.0, 0.5), ("3 more", "", 1.5), ("Total", 1.0, 2.0))
    assert not_shown(table(4, max_shown=1)) == ""
    unknown = Table((Column("Layer"), TIME), (("a", 1.0), ("b", None), ("c", None)), max_shown=1)
    assert unknown.shown[-1] == ("2 more", None)
    assert plain(TIME.texts(None)) == "–"


def test_bars_are_as_long_as_their_share_and_never_too_long():
    rows = tuple((f"layer {percent}", percent, 1.0) for percent in (100.0, 50.0, 0.1, 250.0, -5.0))
    page = write_html(ShortDocument("T", blocks=(Table((Column("Layer"), SHARE, TIME), rows),)), "S")
    assert re.findall(r'width="(\d+)" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor', page) == [
        "60",
        "30",
        "60",
    ]


def test_a_number_stays_with_its_unit_in_html_and_has_plain_spaces_in_text():
    made = document(closing=("It takes 1\u00a0ms.",))
    assert "1\u00a0ms." in write_html(made, "S")
    assert "It takes 1 ms." in write_plain_text(made)


def test_long_texts_are_shortened_in_their_middle():
    made = ShortDocument("t" * 999, sections=(Section("S", (Paragraph("a" * 5000 + "b"),)),))
    for format_, write in WRITERS.items():
        text = write(made).replace("\n", "")
        assert "t" * 200 not in text, format_
    assert len(write_plain_text(made)) < 3000


def printed(shown, width):
    file = io.StringIO()
    console = open_console(file)
    console.width = width
    print_document(shown, console)
    return file.getvalue()


def test_no_line_in_a_file_ends_in_spaces():
    lines = printed(document(), 100).splitlines()
    assert any("───" in line for line in lines)
    assert [line for line in lines if line != line.rstrip()] == []


def test_notes_beside_figures_stay_beside_them():
    figures = Figures(
        (Figure("Latency", "0.798 ms", "p99 0.803 ms, without the transfers of data"), Figure("Layers", "35"))
    )
    shown = ShortDocument(title="x", blocks=(figures,))
    assert printed(shown, 45).splitlines()[1:] == [
        "Latency  0.798 ms  p99 0.803 ms, without the",
        "                   transfers of data",
        "Layers         35",
    ]
    assert printed(shown, 30).splitlines()[1:] == [
        "Latency  0.798 ms",
        "  p99 0.803 ms, without the",
        "  transfers of data",
        "Layers         35",
    ]


def test_columns_in_which_nothing_is_stated_are_left_out():
    columns = (Column("Layer"), Column("Type"), Column("Time", format_ms))
    found = without_empty_columns(Table(columns, (("a", "", 1.0), ("b", "", None)), noun="layer"))
    assert [column.heading for column in found.columns] == ["Layer", "Time"]
    assert found.entries == (("a", 1.0), ("b", None))


def test_the_console_of_a_file_has_a_fixed_width():
    file = io.StringIO()
    print_document(document(), open_console(file))
    assert max(map(len, file.getvalue().splitlines())) <= 120


def test_nothing_is_more_where_none_is_shown():
    assert not_shown(Items((Item(("a",)),), noun="finding", max_shown=0)) == "1 finding is not shown."
    items = Items((Item(("a",)), Item(("b",))), noun="finding", max_shown=1)
    assert not_shown(items) == "1 more finding is not shown."
