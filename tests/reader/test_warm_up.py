"""The queries of the warm-up, which trtexec up to 8.4 exports, too."""

from __future__ import annotations

import json

import pytest

from trexreport.model import Measurement, QueryTimes, Setup, Statistic
from trexreport.reader import read_engine
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.warm_up import warm_up_ms, without_warm_up

DURATION = "0.01s (+ 2ms warm up)"
#: Two queries begin within a warm-up of 2 ms.
STARTS = (0.5, 1.5, 2.0, 3.0, 4.0)


def queries(starts=STARTS):
    return QueryTimes(*[tuple(map(float, range(5)))] * 5, start_ms=starts)


def facts(duration=DURATION, **measurement):
    options = {"Duration": duration} if duration else {}
    return SetupFacts(Setup(inference_options=options), Measurement(**measurement))


def left(*stated, starts=STARTS):
    found, notes = without_warm_up(queries(starts), stated, "t.json")
    assert len(found) == len(found.compute_ms) == len(found.enqueue_ms)
    assert found.latency_ms[-1] == 4.0
    assert [note.slug for note in notes] == (["timing-warmup"] if len(found) < 5 else [])
    return len(found)


@pytest.mark.parametrize(
    ("counts", "rest"),
    [([(2, 3)], 3), ([(9, 9), (1, 4)], 4), ([(2, 4)], 5), ([(0, 5)], 5), ([], 5)],
)
def test_queries_of_the_warm_up_are_left_out_where_a_log_counts_them(counts, rest):
    stated = [facts("", warmup_queries=before, timed_queries=timed) for before, timed in counts]
    assert left(*stated, starts=()) == rest


TOTALS = {"gpu_time_s": 0.003, "summary": {"GPU Compute Time": Statistic(1, 1, 1.0001, 1)}}


@pytest.mark.parametrize(
    ("measurement", "rest"),
    [
        ({"throughput_qps": 299.98, "walltime_s": 0.01}, 3),
        (TOTALS, 3),
        # An implicit batch of 8: the throughput counts samples, the total GPU compute time does not.
        ({"throughput_qps": 2400, "walltime_s": 0.01, **TOTALS}, 3),
        # Another run, or one whose file begins after the warm-up.
        ({"throughput_qps": 400, "walltime_s": 0.01}, 5),
        ({"throughput_qps": 500, "walltime_s": 0.01}, 5),
        ({}, 5),
    ],
)
def test_queries_that_begin_within_the_warm_up_are_left_out_where_totals_count_the_rest(measurement, rest):
    assert left(facts(**measurement)) == rest


@pytest.mark.parametrize(
    ("duration", "starts"),
    [
        ("", STARTS),
        ("0.01s", STARTS),
        ("0.01s (+ 3ms warm up)", STARTS),
        (DURATION, ()),
        (DURATION, tuple(start + 2 for start in STARTS)),
    ],
)
def test_nothing_is_left_out_unless_warm_up_and_totals_are_all_of_the_file(duration, starts):
    assert left(facts(duration, throughput_qps=300, walltime_s=0.01), starts=starts) == 5


@pytest.mark.parametrize(
    ("text", "length"),
    [("3s (+ 200ms warm up)", 200), ("1.5s (+ 0.5ms warm up)", 0.5), ("3s", None), ("s (+ ms", None)],
)
def test_the_length_of_the_warm_up(text, length):
    assert warm_up_ms(Setup(inference_options={"Duration": text})) == length


def record(start):
    stamps = {f"{end}{span}Ms": start for end in ("start", "end") for span in ("Enq", "H2d", "D2h")}
    spent = {"startComputeMs": start, "endComputeMs": start + 1, "h2dMs": 0, "d2hMs": 0}
    return {**stamps, **spent, "startD2hMs": start + 1, "endD2hMs": start + 1, "computeMs": 1, "latencyMs": 1}


HEAD = "&&&& RUNNING TensorRT.trtexec # trtexec --onnx=m.onnx\n"
COUNTED = "[I] Warmup completed 2 queries over 200 ms\n[I] Timing trace has 3 queries over 3.01 s\n"
METADATA = {
    "performance_summary": {"Throughput": 300, "Total Host Walltime": 0.01},
    "inference_options": {"Duration": DURATION},
}


@pytest.mark.parametrize(
    ("name", "text"),
    [("m.timing.log", HEAD + COUNTED), ("m.profile.metadata.json", json.dumps(METADATA))],
)
def test_a_capture_of_an_old_trtexec_shows_what_was_timed(tmp_path, name, text):
    (tmp_path / "m.timing.json").write_text(json.dumps([record(start) for start in STARTS]))
    (tmp_path / name).write_text(text)
    (tmp_path / "m.graph.json").write_text('{"Layers": ["a"], "Bindings": []}')
    engine = read_engine(tmp_path)
    assert len(engine.queries) == 3
    assert "timing-warmup" in {note.slug for note in engine.notes}
