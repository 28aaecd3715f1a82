"""Tables of Triton as latencies to compare with: the row with a single request, and its unit."""

from __future__ import annotations

import pytest
from front_ends import model_analyzer, perf_analyzer

from trexreport.errors import InputError
from trexreport.reader.latency_file import read_latencies


def of(tmp_path, data, unit=""):
    (tmp_path / "t.csv").write_bytes(data)
    (found,) = read_latencies([f"Triton={tmp_path / 't.csv'}{unit}"])
    return found.runs_ms


@pytest.mark.parametrize(
    ("data", "ms"),
    [
        (perf_analyzer({2: 900, 1: 1500}), 1.5),
        (perf_analyzer({1: 1500}, avg_us={1: 1750}), 1.75),
        (perf_analyzer({8: 1500}), 1.5),
        (perf_analyzer({20.5: 1500}, by="Request Rate"), 1.5),
        (model_analyzer([("r_i0", 2, 11.0), ("r_i0", 1, 8.5)]), 8.5),
        (model_analyzer([("r_i0", 1, 8.25)], "p50 Latency (ms)"), 8.25),
    ],
)
def test_the_latency_of_a_single_request(tmp_path, data, ms):
    assert of(tmp_path, data) == ((ms,),)


def test_the_unit_of_the_table_may_be_given(tmp_path):
    assert of(tmp_path, perf_analyzer({1: 1500}), " us") == ((1.5,),)


@pytest.mark.parametrize(
    ("data", "unit", "says"),
    [
        (perf_analyzer({1: 1500}), " ms", "times are in us, not in ms"),
        (perf_analyzer({2: 900, 4: 1500}), "", "rows for a concurrency of 2, 4"),
        (perf_analyzer({}), "", "without an average"),
        (perf_analyzer({1: 1500}).replace(b",1500,", b",x,"), "", "its p50 latency is 'x'"),
        (perf_analyzer({1: 1500}).replace(b",1500,", b",-3,"), "", "its p50 latency is '-3'"),
        (model_analyzer([("a", 1, 1), ("b", 1, 2)]), "", "2 rows with concurrency 1: a, b"),
        (model_analyzer([("a", 1, 1)], "p99 Latency (ms)"), "", "Add perf_latency_avg"),
    ],
)
def test_what_is_refused(tmp_path, data, unit, says):
    with pytest.raises(InputError, match=says):
        of(tmp_path, data, unit)
