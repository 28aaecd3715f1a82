"""The timeline: streams run side by side, wait for each other, and begin nothing before its inputs exist."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from graph_plans import analysis_of, chain, layer, random_layers

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.renderer.timeline.drawing import draw_timeline, timeline_data
from trexreport.renderer.timeline.schedule import delayed, schedule_of
from trexreport.renderer.timeline.trace import is_trace, write_trace

SAMPLES = Path(__file__).parents[3] / "samples"


def forked():
    """Two branches on two streams from one layer, and a layer that reads both."""
    return [
        layer("a", ["in"], ["x"], StreamId=0, ms=1.0),
        layer("b", ["x"], ["y"], StreamId=0, ms=2.0),
        layer("c", ["x"], ["z"], StreamId=1, ms=5.0),
        layer("d", ["y", "z"], ["out"], StreamId=0, ms=1.0),
    ]


def places(schedule):
    return {span.layer: (round(span.begin_ms, 6), round(span.end_ms, 6)) for span in schedule.spans}


def test_branches_on_two_streams_run_side_by_side():
    schedule = schedule_of(analysis_of(forked()))
    assert places(schedule) == {0: (0, 1), 1: (1, 3), 2: (1, 6), 3: (6, 7)}
    assert schedule.streams == (0, 1)
    assert schedule.total_ms == pytest.approx(7)
    assert schedule.layer_sum_ms == pytest.approx(9)
    assert set(delayed(schedule.spans)) == {2, 3}


def test_a_single_stream_is_as_long_as_its_layers():
    schedule = schedule_of(analysis_of(chain(["a", "b", "c"], ms=0.5)))
    assert schedule.total_ms == pytest.approx(1.5)
    assert delayed(schedule.spans) == {}


def test_no_stream_runs_two_layers_at_once_and_none_begins_early():
    compared = 0
    for seed in range(6):
        analysis = analysis_of(random_layers(seed, 60))
        schedule = schedule_of(analysis)
        ends, free = {}, {}
        for span in schedule.spans:
            assert span.begin_ms >= free.get(span.stream, 0.0)
            for use in analysis.layers[span.layer].inputs:
                for producer in analysis.tensors[use.tensor].producers:
                    assert span.begin_ms >= ends.get(producer, 0.0)
                    compared += 1
            ends[span.layer] = free[span.stream] = span.end_ms
    assert compared > 50


def test_layers_without_a_time_take_no_room_and_are_counted():
    analysis = analysis_of(chain(["a", "b", "c"], ms=0.5))
    layers = tuple(replace(each, avg_ms=None) if each.index == 1 else each for each in analysis.layers)
    schedule = schedule_of(replace(analysis, layers=layers))
    assert places(schedule) == {0: (0, 0.5), 2: (0.5, 1.0)}
    assert schedule.untimed == 1
    assert schedule_of(analysis_of(chain(["a", "b"]), timed=False)) is None


def test_the_drawing_has_a_row_for_each_stream_and_a_box_for_each_layer():
    analysis = analysis_of(forked())
    svg = draw_timeline(analysis, schedule_of(analysis), 1000)
    assert "stream 0" in svg
    assert "stream 1" in svg
    assert svg.count("<a ") == 4
    assert svg == draw_timeline(analysis, schedule_of(analysis), 1000)


def test_thousands_of_layers_are_a_few_boxes():
    analysis = analysis_of(chain([f"n{number}" for number in range(5_000)]))
    schedule = schedule_of(analysis)
    assert draw_timeline(analysis, schedule, 1000).count("<rect") < 1000
    assert timeline_data(schedule)["starts"] == []


def test_a_trace_has_an_event_for_each_layer_and_the_name_of_each_stream():
    document = json.loads(write_trace(analysis_of(forked())))
    events = document["traceEvents"]
    spans = [each for each in events if each["ph"] == "X"]
    assert [(each["name"], each["tid"], each["ts"], each["dur"]) for each in spans] == [
        ("a", 0, 0.0, 1000.0),
        ("b", 0, 1000.0, 2000.0),
        ("c", 1, 1000.0, 5000.0),
        ("d", 0, 6000.0, 1000.0),
    ]
    threads = [each["args"]["name"] for each in events if each["name"] == "thread_name"]
    assert threads == ["stream 0", "stream 1"]
    assert "Reconstructed" in document["otherData"]["note"]


def test_a_trace_of_hostile_names_is_ascii_that_can_be_read():
    data = write_trace(analysis_of(chain(["\ud800<script>", "b\x00\u2028", ""])))
    names = [each["name"] for each in json.loads(data.decode("ascii"))["traceEvents"] if each["ph"] == "X"]
    assert names == ["\ufffd<script>", "b\x00\u2028", "layer 2"]


def test_waits_of_a_sample_become_flows_with_two_ends():
    analysis = analyze(read_engine(SAMPLES / "transformer-trt10-myelin"))
    events = json.loads(write_trace(analysis))["traceEvents"]
    starts = [each["id"] for each in events if each["ph"] == "s"]
    assert starts == [each["id"] for each in events if each["ph"] == "f"]
    assert len(starts) == len(schedule_of(analysis).waits)


def test_an_engine_without_times_has_no_trace():
    with pytest.raises(UsageError, match="No layer has a time"):
        write_trace(analysis_of(chain(["a"]), timed=False))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("trace.json", True),
        ("out/Trace.JSON", True),
        ("net.trace.json", True),
        ("trace.csv", False),
        ("mytrace.json", False),
    ],
)
def test_a_trace_is_asked_for_by_its_name(name, expected):
    assert is_trace(name) is expected
