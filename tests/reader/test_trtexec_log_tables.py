"""The table of layers in a log of trtexec."""

from __future__ import annotations

import pytest
from stated_logs import (
    BEGIN,
    END,
    NEW_TABLE,
    STAMP,
    profile_row,
    read,
    slugs,
    stated,
)

from trexreport.model import LayerTime
from trexreport.reader.profile_file import ProfileRow
from trexreport.reader.trtexec_log import read_trtexec_log


def test_table_of_layers():
    names = ("conv1 + relu1", 'a "b" \\c   d', " led by a space", "\x1e[x]", "Total", "Total")
    facts = read(
        BEGIN, stated("", *NEW_TABLE, *map(profile_row, names), ""), stated(profile_row("late")), END
    )
    assert facts.profile.rows == tuple(
        ProfileRow(name, LayerTime(0.1, 0.2, 103.5, 20.0)) for name in names[:-1]
    )
    assert facts.profile.iterations == 1035


def test_table_of_layers_cut_short():
    text = stated(*NEW_TABLE, profile_row("a")) + f"{STAMP} [I]    12.0"
    assert [row.name for row in read(BEGIN, text).profile.rows] == ["a"]


def test_table_of_layers_that_lacks_rows_is_noted():
    total = "      517.50       0.5000       1.0000      100.0   Total"
    facts = read(BEGIN, stated("", *NEW_TABLE, profile_row("a"), profile_row("b"), total, ""), END)
    assert "profile-rows-missing" in {note.slug for note in facts.profile.notes}
    assert facts.profile.unlisted_part == pytest.approx(1.5)
    whole = read(BEGIN, stated("", *NEW_TABLE, *[profile_row(name) for name in "abcde"], total, ""), END)
    assert "profile-rows-missing" not in {note.slug for note in whole.profile.notes}


def test_a_row_of_the_table_that_cannot_be_read_is_noted_with_its_place():
    damaged = profile_row("b").replace("103.50", "1o3.50")
    facts = read(BEGIN, stated("", *NEW_TABLE, profile_row("a"), damaged, profile_row("c"), ""), END)
    assert [row.name for row in facts.profile.rows] == ["a", "c"]
    (note,) = (each for each in facts.profile.notes if each.slug == "impossible-values")
    assert "row 2 of the profile = " in note.message
    assert note.affects == ("latency", "layers")


@pytest.mark.parametrize(("median_header", "median"), [("", None), ("   Median Time (ms)", 0.12)])
def test_old_table_of_layers_has_the_name_first(median_header, median):
    header = f"       Layer   Time (ms)   Avg. Time (ms){median_header}   Time %"
    cell = "" if median is None else "               0.12"
    row = f" conv 1 + fc        5.56             0.10{cell}      0.2"
    total = f"       Total        5.56             0.10{cell}    100.0"
    facts = read(BEGIN, stated("=== Profile (56 iterations ) ===", header, row, total, ""), END)
    average_ms = 5.56 / 56 if median is None else 0.1
    assert facts.profile.rows == (ProfileRow("conv 1 + fc", LayerTime(average_ms, median, 5.56, 0.2)),)
    assert facts.profile.iterations == 56


@pytest.mark.parametrize(
    ("figures", "expected", "value"),
    [
        ("103.50       1.0000       0.1000", None, "'b'.averageMs = 1.0 is not timeMs 103.5 / 1035"),
        ("10.35       0.1000       0.1000", None, "'b'.averageMs = 0.1 is not timeMs 10.35 / 1035"),
        ("103.50       0.1000       0.3000", 0.1, "'b'.medianMs = 0.3 is more than twice the average 0.1"),
        ("103.50       0.1000       0.1000", 0.1, ""),
        # Of a layer so short that its median is more than twice its average by rounding alone.
        ("0.14       0.0001       0.0003", 0.0001, ""),
    ],
)
def test_figures_of_a_row_that_contradict_each_other_are_refused(figures, expected, value):
    rows = ["      103.50       0.1000       0.1000       25.0   " + name for name in "acd"]
    rows.insert(1, f"      {figures}       25.0   b")
    profile = read(BEGIN, stated("", *NEW_TABLE, *rows, ""), END).profile
    assert [row.time and row.time.avg_ms for row in profile.rows] == [0.1, expected, 0.1, 0.1]
    assert (profile.rows[0].time.share_percent, profile.iterations) == (25.0, 1035)
    assert value in "".join(note.message for note in profile.notes if note.slug == "impossible-values")
    assert bool(value) == ("impossible-values" in {note.slug for note in profile.notes})


def test_profile_without_latency_is_explained():
    text = stated("The e2e network timing is not reported since it is inaccurate due to")
    assert slugs(read(BEGIN, text, END)) == ["log-profile-only"]


@pytest.mark.parametrize("decimals", [2, 3])
def test_rounded_averages_of_a_table_are_made_of_their_sums(decimals):
    sums = {"conv1": 5.56, "conv2": 90.56, "fc": 0.0}
    rows = [f"[I] {name:>9} {ms:11.2f} {ms / 3786:16.{decimals}f} {1:8.1f}" for name, ms in sums.items()]
    lines = ["[I] === Profile (3786 iterations ) ===", TABLE_HEADER, *rows]
    profile = read_trtexec_log("\n".join(lines), "x.log").profile
    assert {row.name: row.time.avg_ms for row in profile.rows} == {n: ms / 3786 for n, ms in sums.items()}


TABLE_HEADER = "[I]     Layer   Time (ms)   Avg. Time (ms)   Time %"
NEW_TABLE_HEADER = "[I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"


@pytest.mark.parametrize("prefix", ["[I] ", ""])
@pytest.mark.parametrize(
    ("header", "row"),
    [
        (TABLE_HEADER, "    conv1   33.99   0.0852   100.0"),
        (NEW_TABLE_HEADER, "    33.99   0.0852   0.0850   100.0   conv1"),
    ],
)
@pytest.mark.parametrize("heading", ["", "=== Profile (399 iterations ) ==="])
def test_a_table_alone_is_read_with_and_without_its_heading_and_prefixes(prefix, header, row, heading):
    lines = [f"{prefix}{heading}", header.replace("[I] ", prefix), f"{prefix}{row}"]
    profile = read_trtexec_log("\n".join(line for line in lines if line.strip() != "[I]"), "x.log").profile
    assert [(each.name, each.time.avg_ms) for each in profile.rows] == [("conv1", 0.0852)]
    assert profile.iterations == (399 if heading else None)


def test_of_several_tables_that_of_the_shown_run_counts():
    def run(name, *figures):
        return (BEGIN, stated("", *NEW_TABLE, profile_row(name), ""), *(stated(each) for each in figures))

    facts = read(*run("a", "Throughput: 5 qps"), END, *run("b"), END)
    assert facts.measurement.throughput_qps == 5
    assert [row.name for row in facts.profile.rows] == ["a"]
    alone = read(BEGIN, stated("Throughput: 5 qps"), END, *run("b"), END)
    assert [row.name for row in alone.profile.rows] == ["b"]
