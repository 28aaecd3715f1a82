"""The times of single queries."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.errors import InputError
from trexreport.model import IMPOSSIBLE, QueryTimes
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.timing_file import _plain_row, _row, read_timing

RECORD = {
    "startEnqMs": 5.5,
    "endEnqMs": 5.75,
    "startH2dMs": 100.0,
    "endH2dMs": 100.25,
    "startComputeMs": 100.25,
    "endComputeMs": 101.25,
    "startD2hMs": 101.25,
    "endD2hMs": 101.375,
    "h2dMs": 0.25,
    "computeMs": 1.0,
    "d2hMs": 0.125,
    "latencyMs": 1.375,
}


def read(document):
    queries, notes = read_timing(document if isinstance(document, str) else json.dumps(document), "t.json")
    return queries, [note.slug for note in notes]


@pytest.mark.parametrize("more", [{}, {"endToEndMs": 2.0}])
def test_twelve_and_thirteen_fields(more):
    later = {"endD2hMs": 101.5, "d2hMs": 0.25, "latencyMs": 1.5}
    queries, slugs = read([{**RECORD, **more}, {**RECORD, **more, **later}])
    assert queries == QueryTimes((1.375, 1.5), (1.0, 1.0), (0.25, 0.25), (0.125, 0.25), (0.25, 0.25))
    assert slugs == []


def _query(start_ms, compute_ms=1.0):
    stamps = {"startComputeMs": start_ms, "endComputeMs": start_ms + compute_ms}
    return {**stamps, "computeMs": compute_ms, "latencyMs": compute_ms, "h2dMs": 0.0, "d2hMs": 0.0}


@pytest.mark.parametrize(
    ("starts", "compute_ms", "kept"),
    [
        ([0, 2, 2, 4], 1.0, 3),
        ([0, 2, 4, 4], 1.0, 3),
        # Time stamps have six digits, and some writers state none but 0.
        ([90000.1, 90000.3, 90000.3, 90000.4], 0.1, 4),
        ([0, 0, 0, 0], 1.0, 4),
    ],
)
def test_a_query_that_is_there_twice_counts_once(starts, compute_ms, kept):
    queries, slugs = read([_query(each, compute_ms) for each in starts])
    assert len(queries) == kept
    assert slugs == [IMPOSSIBLE] * (kept < 4)


@pytest.mark.parametrize("number", ["1e400", "1" + "0" * 400, "-1" + "0" * 320])
@pytest.mark.parametrize("key", ["startComputeMs", "endComputeMs"])
def test_queries_that_repeat_an_impossible_stamp_are_left_out(key, number):
    record = json.dumps({**RECORD, key: "?"}).replace('"?"', number)
    queries, slugs = read(f"[{record}, {record}]")
    assert len(queries) == 0
    assert "timing-records" in slugs


def test_durations_are_not_taken_from_absolute_times():
    late = {key: value + 123456 for key, value in RECORD.items() if key.startswith(("start", "end"))}
    queries, slugs = read([{**RECORD, **late, "endComputeMs": late["endComputeMs"] + 0.5}])
    assert (queries.compute_ms, slugs) == ((1.0,), [])


def test_fields_that_are_missing():
    queries, _ = read([{"computeMs": 1.5}, {"latencyMs": 2.5}])
    assert queries == QueryTimes((1.5, 2.5), (1.5, 2.5), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def test_records_without_a_latency_are_left_out_and_counted():
    text = '[{"latencyMs": nan}, 3, {"latencyMs": -1}, {"latencyMs": 1}, {"latencyMs": 1e300}, {}]'
    queries, slugs = read(text)
    assert queries.latency_ms == (1.0,)
    assert slugs == ["json-nan", "timing-records", "impossible-values"]


def test_stamps_that_some_queries_lack_are_noted():
    without = {key: value for key, value in RECORD.items() if key != "startComputeMs"}
    queries, slugs = read([RECORD, without])
    assert (len(queries), queries.start_ms, slugs) == (2, (), ["timing-stamps"])
    assert read([without, without])[1] == []


def test_a_run_without_queries():
    queries, slugs = read("[\n]\n")
    assert len(queries) == 0
    assert slugs == ["timing-empty"]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"name": "a"}]', json.dumps([RECORD] * 3)[:-40]])
def test_what_is_no_list_of_queries(text):
    with pytest.raises(InputError, match=r"^t\.json "):
        read(text)


NUMBERS = st.floats() | st.integers() | st.text(max_size=3) | st.none() | st.booleans()


@given(st.lists(st.dictionaries(st.sampled_from(sorted(RECORD)), NUMBERS), max_size=4))
def test_any_records_give_columns_of_one_length(records):
    try:
        queries, _ = read(records)
    except InputError:
        return
    columns = [queries.latency_ms, queries.compute_ms, queries.h2d_ms, queries.d2h_ms, queries.enqueue_ms]
    assert {len(column) for column in columns} <= {len(queries), 0}
    assert all(0 <= value <= 1e12 for column in columns for value in column)


@pytest.mark.parametrize("offset", [0, 900, 123456])
@pytest.mark.parametrize("key", sorted(RECORD))
def test_queries_whose_values_agree_are_read_alike_by_the_short_way(key, offset):
    record = {each: value + offset * each.startswith(("start", "end")) for each, value in RECORD.items()}
    near = [record[key] + sign * 10.0**digits for digits in range(-8, 3) for sign in (1, -1, 2, -2)]
    quickly = [_plain_row(record)]
    for value in (*near, None, True, "1", 0, -1, 1e308, 10**400, 1e-9):
        changed, values = {**record, key: value}, ImpossibleValues("t.json")
        quickly.append(_plain_row(changed))
        thoroughly = _row(changed, 0, set(), values)
        assert quickly[-1] is None or (quickly[-1] == thoroughly and not values.refused)
    assert quickly[0]
    assert None in quickly


@pytest.mark.parametrize(("compute_ms", "is_known"), [(0.00728, True), (0.0075, False)])
def test_stamps_near_zero_may_be_rounded_to_nanoseconds(compute_ms, is_known):
    stamps = {"startH2dMs": 0.02, "endH2dMs": 0.02, "startComputeMs": 0.021762, "endComputeMs": 0.029043}
    rest = {"startD2hMs": 0.029043, "endD2hMs": 0.029043, "computeMs": compute_ms, "latencyMs": compute_ms}
    row = _row({**RECORD, **stamps, **rest, "h2dMs": 0.0, "d2hMs": 0.0}, 0, set(), ImpossibleValues("t.json"))
    assert (row is not None) == is_known


def test_a_transfer_below_zero_is_not_read_the_short_way():
    record = {**RECORD, "endH2dMs": RECORD["startH2dMs"], "h2dMs": 0, "latencyMs": 1.125}
    assert _plain_row(record)
    assert not _plain_row({**record, "h2dMs": -1e-9})


@pytest.mark.parametrize(("second", "starts"), [({"startComputeMs": 101.5}, (100.25, 101.5)), ({}, ())])
def test_starts_are_known_of_all_queries_or_of_none(second, starts):
    record = {**RECORD, "endComputeMs": 102.5, **second}
    if not second:
        del record["startComputeMs"]
    assert read([RECORD, record])[0].start_ms == starts


def _without_stamps(count, digits):
    times = [round(1 + 0.1 * math.sin(7 * at), digits) for at in range(count)]
    return [{"latencyMs": time, "computeMs": time} for time in times]


def test_rows_without_stamps_that_repeat_several_others_count_once():
    rows = _without_stamps(100, 9)
    queries, slugs = read([*rows[:40], *rows[30:40], *rows[40:]])
    assert len(queries.latency_ms) == 100
    assert slugs == [IMPOSSIBLE]


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_queries_of_the_same_rounded_time_are_kept(digits):
    assert len(read(_without_stamps(100, digits))[0].latency_ms) == 100


@pytest.mark.parametrize("times", [(1.0, 1.1, 1.2) * 2, [at // 2 + 1.0123456 for at in range(40)]])
def test_queries_that_few_digits_or_one_measurement_make_alike_are_kept(times):
    assert len(read([{"latencyMs": time, "computeMs": time} for time in times])[0].latency_ms) == len(times)


def test_times_that_repeat_again_and_again_are_kept():
    assert len(read(_without_stamps(7, 9) * 20)[0].latency_ms) == 140
