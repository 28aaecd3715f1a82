"""What the API backend's program writes and prints."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.tensorrt_api.bindings import Console, packed_version
from trexreport.collector.tensorrt_api.building import BuildProgress
from trexreport.collector.tensorrt_api.execution import BITS, made_up
from trexreport.collector.tensorrt_api.profiling import LayerTimes
from trexreport.collector.tensorrt_api.program import report_performance, write_profile, write_samples
from trexreport.collector.tensorrt_api.timing import Query, Timing
from trexreport.reader.profile_file import read_profile
from trexreport.reader.samples_file import read_layer_samples
from trexreport.reader.trtexec_log import read_trtexec_log


def times_of(*iterations):
    times = LayerTimes()
    for reported in iterations:
        times.add(list(reported))
    return times


def test_layers_with_the_same_name_are_distinguished_by_their_order(tmp_path):
    times = times_of([("a", 1), ("b", 2), ("a", 3)], [("a", 2), ("b", 2), ("a", 5)])
    path = tmp_path / "p.json"
    write_profile(str(path), times)
    profile = read_profile(path.read_text("utf-8"), "p.json")
    assert [(row.name, row.time.avg_ms, row.time.total_ms) for row in profile.rows] == [
        ("a", 1.5, 3),
        ("b", 2, 4),
        ("a", 4, 8),
    ]
    assert profile.iterations == 2
    assert sum(row.time.share_percent for row in profile.rows) == pytest.approx(100)


def test_names_with_quotes_are_valid_json(tmp_path):
    path = tmp_path / "p.json"
    write_profile(str(path), times_of([('say "no"\\', 1)]))
    assert json.loads(path.read_text("utf-8"))[1]["name"] == 'say "no"\\'


def test_a_layer_that_does_not_run_each_time_has_fewer_samples(tmp_path):
    path = tmp_path / "s.json"
    write_samples(str(path), times_of([("a", 1), ("loop", 4)], [("a", 2)]))
    rows = read_layer_samples(path.read_text("utf-8"), "s.json").rows
    assert [row.time.samples_ms for row in rows] == [(1, 2), (4,)]


def test_of_a_long_run_every_so_manieth_iteration_is_kept(tmp_path):
    path = tmp_path / "s.json"
    write_samples(str(path), times_of(*([("a", index)] for index in range(2500))))
    document = json.loads(path.read_text("utf-8"))
    assert (document["iterations"], document["stride"]) == (2500, 3)
    assert document["layers"][0]["samples_ms"] == list(range(0, 2500, 3))


def test_of_many_layers_fewer_iterations_are_kept(tmp_path):
    path = tmp_path / "s.json"
    layers = [(f"l{index}", 1) for index in range(5_001)]
    write_samples(str(path), times_of(*[layers] * 101))
    document = json.loads(path.read_text("utf-8"))
    assert document["stride"] == 2, "500 000 times in all are 99 of each layer"
    assert len(document["layers"][-1]["samples_ms"]) == 51


def query(compute_ms):
    return Query(0, 0.01, 0, 0, compute_ms, compute_ms, 0.0, compute_ms, 0.0)


@given(st.lists(st.floats(0.1, 50), min_size=1, max_size=300))
def test_the_summary_has_trtexecs_percentiles(times):
    lines = []
    console = Console()
    console._write = lines.append
    timing = Timing(tuple(query(each) for each in times), 3, 1.0)
    report_performance(console, timing, (90, 99.9))
    stated = read_trtexec_log("\n".join(lines), "").measurement.summary["GPU Compute Time"]
    ordered = sorted(times)
    for rank, value in stated.percentiles.items():
        # Source: findPercentile of trtexec: from the top, without interpolation.
        index = max(0, len(ordered) - 1 - int((1 - rank / 100) * len(ordered)))
        assert value == pytest.approx(ordered[index], rel=1e-5)
    assert stated.median_ms == pytest.approx(np.median(times), rel=1e-5)


def test_a_slow_host_is_warned_of():
    lines = []
    console = Console()
    console._write = lines.append
    report_performance(console, Timing((query(0.005),), 0, 1.0), (99,))
    assert any("bound by Enqueue Time" in line for line in lines)


@pytest.mark.parametrize(
    ("version", "packed"),
    [("8.6.1", "8601"), ("10.16.0.72", "101600"), ("11.4.0.106", "110400"), ("10.3", "100300")],
)
def test_versions_are_packed_as_tensorrt_does(version, packed):
    assert packed_version(version) == packed


@given(st.sampled_from(sorted(BITS)), st.integers(0, 64))
def test_an_input_of_any_type_has_the_size_that_it_needs(kind, elements):
    size = -(-elements * BITS[kind] // 8)
    data, _ = made_up(kind, size)
    assert data.nbytes == size
    assert (data == made_up(kind, size)[0]).all()


def test_numbers_of_16_bits_are_small_and_finite():
    bf16, _ = made_up("BF16", 2000)
    values = (bf16.astype(np.uint32) << 16).view(np.float32)
    assert np.isfinite(values).all()
    assert np.abs(values).max() <= 1
    assert np.abs(values).mean() > 0.3
    half, _ = made_up("HALF", 2000)
    assert np.abs(half.astype(float)).mean() > 0.3


def test_nested_phases_add_up():
    progress = BuildProgress(Console())
    progress.phase_start("whole", None, 4)
    progress.step_complete("whole", 0)
    assert progress.percent() == 25
    progress.phase_start("part", "whole", 2)
    progress.step_complete("part", 0)
    assert progress.percent() == 37
    progress.phase_finish("part")
    progress.step_complete("whole", 1)
    assert progress.percent() == 50


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["start", "step", "finish"]),
            st.sampled_from("abc"),
            st.sampled_from([None, "a", "b", "c"]),
            st.integers(-3, 5),
        )
    )
)
def test_any_order_of_phases_is_between_nothing_and_all(calls):
    progress = BuildProgress(Console())
    progress._console._write = lambda _: None
    assert progress.percent() == 0
    for call, name, parent, number in calls:
        if call == "start":
            progress.phase_start(name, parent, number)
        elif call == "step":
            progress.step_complete(name, max(0, number))
        else:
            progress.phase_finish(name)
        assert 0 <= progress.percent() <= 100
