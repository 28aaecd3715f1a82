"""Latencies without an engine, as text, CSV and JSON; nothing is guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.errors import InputError, TrexReportError, UsageError
from trexreport.model import ExternalLatency
from trexreport.reader.latency_file import read_latencies


@pytest.mark.parametrize(
    ("text", "name", "time_ms"),
    [
        ("PyTorch eager=12.3ms", "PyTorch eager", 12.3),
        ("PyTorch eager = 12.3 ms", "PyTorch eager", 12.3),
        ("framework=33.7s", "framework", 33_700.0),
        ("a=900us", "a", 0.9),
        ("a=900 \N{MICRO SIGN}s", "a", 0.9),
        ("a=900 \N{GREEK SMALL LETTER MU}s", "a", 0.9),
        ("a=5e2 ns", "a", 0.0005),
        ("a=.5min", "a", 30_000.0),
        ("PyTorch (batch=8)=12ms", "PyTorch (batch=8)", 12.0),
    ],
)
def test_a_time_has_a_name_and_a_unit(text, name, time_ms):
    (found,) = read_latencies([text])
    assert found.name == name
    assert found.runs_ms == ((pytest.approx(time_ms),),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("12.3ms", "is not a latency"),
        ("=12.3ms", "is not a latency"),
        ("a=", "is not a latency"),
        ("a=fast", "is not a latency"),
        ("a=12,3ms", "is not a latency"),
        ("a=-1ms", "is not a latency"),
        ("a=12.3", "the unit is missing"),
        ("a=12.3 parsecs", "'parsecs' is not a unit of time"),
        ("a=0ms", "not a time that anything takes"),
        ("a=1e400ms", "not a time that anything takes"),
    ],
)
def test_what_is_no_latency_is_stated(text, says):
    with pytest.raises(UsageError, match=says):
        read_latencies([text])


def of_file(folder, name, content, unit=""):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    (found,) = read_latencies([f"x={path}{unit}"])
    assert found.name == "x"
    assert found.files == (str(path),)
    (run,) = found.runs_ms
    return [pytest.approx(time) for time in run]


@pytest.mark.parametrize(
    ("name", "content", "unit"),
    [
        ("a.json", {"latency_ms": [1, 2.5]}, ""),
        ("a.json", {"latencies": [0.001, 0.0025], "unit": "s"}, ""),
        ("a.json", {"model": "m", "mean_ms": 9, "times_us": [1000, 2500], "p99_ms": 3}, ""),
        ("a.json", [1, 2.5], " ms"),
        ("a.json", [0.001, 0.0025], " s"),
        ("a.json", [{"timeMs": 1, "startMs": 7}, {"timeMs": 2.5, "startMs": 8}], ""),
        ("times.timing.json", [{"latencyMs": 1, "computeMs": 0.5}, {"latencyMs": 2.5, "computeMs": 0.6}], ""),
        ("a.csv", "latency_ms\n1\n2.5\n", ""),
        ("a.csv", "# made by hand\niteration,latency (us),note\n1,1000,x\n2,2500,\n", ""),
        ("a.csv", "iteration;Latency [s]\n1;0.001\n2;0.0025\n", ""),
        ("a.tsv", "elapsed_seconds\tdevice\n0.001\t0\n0.0025\t0\n", ""),
        ("a b.csv", "1\n2.5\n", " ms"),
        ("a.txt", "1\n\n2.5", " ms"),
    ],
)
def test_a_file_says_times_and_unit(tmp_path, name, content, unit):
    assert of_file(tmp_path, name, content, unit) == [1.0, 2.5]


def test_a_single_figure_of_a_file_is_an_average(tmp_path):
    assert of_file(tmp_path, "a.json", {"median_ms": 7.5, "mean_ms": 8, "std_ms": 1}) == [7.5]


def test_the_unit_that_is_given_beats_that_of_the_file(tmp_path):
    assert of_file(tmp_path, "a.csv", "latency_ms\n1000", " us") == [1.0]
    assert of_file(tmp_path, "a.json", {"latency_ms": 1000, "unit": "s"}, " us") == [1.0]


@pytest.mark.parametrize(
    "other", ["p99_latency_ms", "start_time_ms", "total_time_ms", "latency_std_ms", "maxLatencyMs"]
)
def test_what_is_no_latency_itself_is_left_alone(tmp_path, other):
    assert of_file(tmp_path, "a.csv", f"{other},time_ms\n9,1\n9,2.5\n") == [1.0, 2.5]
    assert of_file(tmp_path, "a.json", {other: 9, "latency_ms": [1, 2.5]}) == [1.0, 2.5]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("[]", "holds no times"),
        ("[1, 2]", "does not say in which unit"),
        ("1\n2\n", "does not say in which unit"),
        ("latency\n1\n", "does not say in which unit"),
        ("1,2\n3,4\n", "several columns and no line that names them"),
        ("a,b\n1,2\n", "no column or key that is called latency"),
        ("latency_ms,latency_us\n1,2\n", "several columns or keys of times: latency_ms, latency_us"),
        ("latency_ms\n1\nnan\n", "of its times number 2 is 'nan'"),
        ("latency_ms\n1\n0\n", "of its times number 2 is '0'"),
        ('{"latency_ms": [1, null]}', "of its times number 2 is 'None'"),
        ('{"latency_ms": "fast"}', "no column or key"),
        ("{broken", "lat.csv is not JSON"),
    ],
)
def test_a_file_that_leaves_something_open_is_refused(tmp_path, content, says):
    path = tmp_path / "lat.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=says) as caught:
        read_latencies([f"x={path}"])
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_bad_input():
    with pytest.raises(InputError, match=r"nowhere\.csv does not exist"):
        read_latencies(["x=nowhere.csv"])


def test_equal_names_are_runs_of_one_thing():
    assert read_latencies(["a=1ms", "b=2ms", "a=3ms"]) == [
        ExternalLatency("a", ((1.0,), (3.0,))),
        ExternalLatency("b", ((2.0,),)),
    ]


@given(st.binary(max_size=200), st.sampled_from(["", " ms"]))
def test_any_file_gives_times_or_one_line(tmp_path_factory, content, unit):
    path = tmp_path_factory.mktemp("latencies") / "x.csv"
    path.write_bytes(content)
    try:
        (found,) = read_latencies([f"x={path}{unit}"])
        stated = ""
    except TrexReportError as error:
        found, stated = ExternalLatency("", ((1.0,),)), str(error)
    assert "\n" not in stated
    assert all(time > 0 for run in found.runs_ms for time in run)
