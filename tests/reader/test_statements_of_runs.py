"""What one log or two files state of a run can be of one run: versions, commands, clocks, times."""

from __future__ import annotations

import json

import pytest

from trexreport.model import IMPOSSIBLE, Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture

COMMAND = "trtexec --loadEngine=a.plan --infStreams=2"
BUILD = "trtexec --onnx=a.onnx --saveEngine=a.plan"
GPU = "Selected Device: NVIDIA A100"


def read(*sources):
    return assemble(Capture("x", sources))


def codes(*sources):
    return [each.code for each in read(*sources).contradictions]


def log(*lines, began="v101601", ended="v101601", command=COMMAND, last=COMMAND, name="run.log"):
    begin, end = (f"TensorRT.trtexec [TensorRT {each}] # " for each in (began, ended))
    text = "\n".join([f"&&&& RUNNING {begin}{command}", *(f"[I] {each}" for each in lines)])
    return Source("log", name, f"{text}\n&&&& PASSED {end}{last}\n".encode())


@pytest.mark.parametrize(
    ("line", "began", "ended", "expected"),
    [
        ("TensorRT version: 10.16.1", "v101601", "v101601", []),
        # It may leave out what the other states.
        ("TensorRT version: 10.16", "v101601", "v101601", []),
        ("TensorRT version: 10.16.0", "v101601", "v101601", []),
        ("TensorRT version: 10.5.0", "v100501", "v100501", []),
        ("TensorRT version: 11.0.0", "v110100", "v110100", ["tensorrt-version"]),
        ("TensorRT version: 10.16.1", "v8601", "v101601", ["tensorrt-version"]),
        ("TensorRT version: 10.16.1", "v101601", "v100900", ["tensorrt-version"]),
        ("TensorRT version: damaged", "v101601", "v101601", []),
    ],
)
def test_one_run_has_one_version(line, began, ended, expected):
    assert codes(log(line, began=began, ended=ended)) == expected


def test_versions_of_a_run_contradict_each_other_beside_other_runs():
    measured = f"Latency: {times(5, 5, 5)}"
    before = log(measured)
    both = Source("log", "both.log", before.data + log("TensorRT version: 9.0.1", measured).data)
    engine = read(both)
    assert [each.code for each in engine.contradictions] == ["tensorrt-version"]
    assert "both.log states TensorRT 10.16.1 and both.log states TensorRT 9.0.1" in str(engine.contradictions)
    assert codes(Source("log", "both.log", before.data * 2)) == []


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (COMMAND, []),
        # A log that is cut in its last line.
        (COMMAND[:20], []),
        ("trtexec --loadEngine=b.plan --infStreams=2", ["command"]),
    ],
)
def test_a_run_ends_with_the_command_that_it_began_with(last, expected):
    engine = read(log(last=last))
    assert [each.code for each in engine.contradictions] == expected
    assert expected or engine.setup.commands == (COMMAND,)


def test_runs_beside_each_other_may_end_in_one_log():
    one, other = (
        f"&&&& {{}} TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine={name}" for name in "ab"
    )
    text = "\n".join(each.format(state) for state in ("RUNNING", "PASSED") for each in (one, other))
    assert codes(Source("log", "run.log", text.encode())) == []


@pytest.mark.parametrize(("stated", "expected"), [(2, []), (6, ["streams"])])
def test_options_and_command_state_the_same_streams(stated, expected):
    assert codes(log("=== Inference Options ===", f"Inference Streams: {stated}")) == expected


def device(clock, memory_clock, name, **options):
    lines = (
        "=== Device Information ===",
        GPU,
        f"Application Compute Clock Rate: {clock} GHz",
        f"Application Memory Clock Rate: {memory_clock} GHz",
        "",
    )
    return log(*lines, name=name, **options)


@pytest.mark.parametrize(
    ("clocks", "expected"),
    [((1.41, 1.512), []), ((1.41, 0.756), ["memory-clock"]), ((0.7, 1.512), ["compute-clock"])],
)
def test_two_files_of_a_run_state_the_same_clocks(clocks, expected):
    metadata = {
        "device_information": {
            "Selected Device": "NVIDIA A100",
            "Application Compute Clock Rate": 1.41,
            "Application Memory Clock Rate": "1.512 GHz",
        }
    }
    beside = Source("profile-metadata", "x.profile.metadata.json", json.dumps(metadata).encode())
    engine = read(device(*clocks, "x.timing.log"), beside)
    assert [each.code for each in engine.contradictions] == expected


def test_the_clocks_are_those_of_the_run_and_not_of_the_build():
    build = device(0.7, 0.756, "x.build.log", command=BUILD, last=BUILD)
    engine = read(build, device(1.41, 1.512, "x.timing.log"))
    assert engine.contradictions == ()
    assert engine.setup.device["Application Memory Clock Rate"] == "1.512 GHz"


def times(least, most, mean):
    ends = f"min = {least} ms, max = {most} ms, mean = {mean} ms"
    return f"{ends}, median = {mean} ms, percentile(99%) = {most} ms"


def averaged(*averages, size=10, seconds=2, summary=(4.5, 7.5, 5)):
    lines = [
        f"Average on {size} runs - GPU latency: {each} ms - Host latency: {each} ms (enqueue 0.1 ms)"
        for each in averages
    ]
    return log(
        *lines,
        f"Throughput: {200 / seconds} qps",
        f"Latency: {times(*summary)}",
        f"GPU Compute Time: {times(*summary)}",
        f"Total Host Walltime: {seconds} s",
    )


@pytest.mark.parametrize(
    ("averages", "is_possible"),
    [
        ([5.0] * 20, True),
        # The last queries are in no average.
        ([4.9] * 18, True),
        ([4.6] * 10, True),
        # All are, and have another mean.
        ([5.5] * 20, False),
        ([4.6] * 20, False),
        # One is longer than the longest query, or shorter than the shortest.
        ([5.0] * 19 + [7.6], False),
        ([5.0] * 19 + [4.4], False),
        # There were not as many queries.
        ([5.0] * 30, False),
    ],
)
def test_averages_are_those_of_the_queries_of_the_summary(averages, is_possible):
    assert codes(averaged(*averages)) == ["averages"] * 2 * (not is_possible)


def test_the_first_of_many_queries_may_be_slower_than_the_others():
    summary = (4.5, 20.0, 5)
    assert codes(averaged(*[6.0] * 3, size=2, summary=summary)) == []
    assert "averages" in codes(averaged(*[9.0] * 20, size=5, summary=summary))


def query(at, compute_ms):
    start = 10.0 * at
    return {
        "startComputeMs": start,
        "endComputeMs": start + compute_ms,
        "computeMs": compute_ms,
        "h2dMs": 0,
        "d2hMs": 0,
        "latencyMs": compute_ms,
    }


@pytest.mark.parametrize(
    ("version", "most", "rows", "expected"),
    [
        ("10.9.0", 5, [5.0] * 100, []),
        ("10.9.0", 15, [5.0] * 100, ["query-extremes"]),
        ("10.9.0", 5, [5.0] * 99 + [15.0], ["query-extremes"]),
        # The file has the queries of the warm-up, too.
        ("8.4.1", 5, [15.0] + [5.0] * 99, []),
        ("8.4.1", 15, [5.0] * 100, ["query-extremes"]),
    ],
)
def test_the_longest_time_of_a_summary_is_that_of_a_query(version, most, rows, expected):
    figures = [5.0, most, 5.0, 5.0, most]
    summary = {"performance_summary": {"GPU Compute Time": figures, "Latency": figures}}
    sources = (
        Source(
            "profile-metadata",
            "x.profile.metadata.json",
            json.dumps(summary | {"TensorRT version": version}).encode(),
        ),
        Source("timing", "x.timing.json", json.dumps([query(*each) for each in enumerate(rows)]).encode()),
    )
    assert list(dict.fromkeys(codes(*sources))) == expected


@pytest.mark.parametrize(
    ("least_ms", "most_ms", "start_ms", "expected"),
    [
        (0.5, 0.9, 0, []),
        (0.2, 0.9, 0, ["query-extremes"]),
        (0.5, 1.9, 0, ["query-extremes"]),
        # Time stamps of this size have two digits after the point less.
        (0.5, 1.9, 1e6, []),
    ],
)
def test_enqueue_times_of_a_summary_are_those_between_stamps(least_ms, most_ms, start_ms, expected):
    summary = {"Enqueue Time": [least_ms, most_ms, 0.7, 0.7, most_ms], "GPU Compute Time": [5.0] * 5}
    stated = {"performance_summary": summary, "TensorRT version": "10.9.0"}
    rows = [query(at + start_ms / 10, 5.0) for at in range(100)]
    for at, row in enumerate(rows):
        start = row["startComputeMs"]
        row |= {"startEnqMs": start, "endEnqMs": start + (0.9 if at == 7 else 0.5 + 0.002 * at)}
    sources = (
        Source("profile-metadata", "x.profile.metadata.json", json.dumps(stated).encode()),
        Source("timing", "x.timing.json", json.dumps(rows).encode()),
    )
    assert list(dict.fromkeys(codes(*sources))) == expected


@pytest.mark.parametrize(("sizes", "is_known"), [((10, 10), True), ((10, 17), False)])
def test_averages_of_one_run_are_of_equally_many_queries(sizes, is_known):
    averages = (f"Average on {each} runs - GPU latency: 5 ms" for each in sizes)
    engine = read(log(*averages, f"GPU Compute Time: {times(5, 9, 6)}"))
    assert (engine.measurement.averages is not None) is is_known
    refused = [note.message for note in engine.notes if note.slug == IMPOSSIBLE]
    assert is_known or "several numbers of queries in one run" in refused[0]


@pytest.mark.parametrize(("listed", "expected"), [("NVIDIA L4", []), ("NVIDIA A10", ["gpu-name"])])
def test_the_selected_device_has_its_name_in_the_list_of_devices(listed, expected):
    device = (f'  Device 1: "{listed}" UUID: GPU-1', "Selected Device: NVIDIA L4", "Selected Device ID: 1")
    other = '  Device 0: "NVIDIA T4" UUID: GPU-0'
    assert codes(Source("log", "x.log", log("=== Device Information ===", other, *device).data)) == expected


@pytest.mark.parametrize(
    ("part", "figures", "is_possible"),
    [
        ("GPU Compute Time", (5, 9, 6), True),
        # The query that computes longest takes at least as long, with its transfers.
        ("GPU Compute Time", (5, 10.9, 6), False),
        ("GPU Compute Time", (1, 9, 6), False),
        ("H2D Latency", (1, 30, 1.5), False),
        ("D2H Latency", (0.1, 0.2, 0.15), True),
    ],
)
def test_latency_is_the_sum_of_its_parts_at_each_rank(part, figures, is_possible):
    parts = {"GPU Compute Time": (5, 9, 6), "H2D Latency": (1, 2, 1.5), "D2H Latency": (0.1, 0.2, 0.15)}
    lines = [f"{name}: {times(*each)}" for name, each in {**parts, part: figures}.items()]
    engine = read(log(f"Latency: {times(6.1, 11.2, 7.65)}", *lines))
    refused = [note for note in engine.notes if note.slug == IMPOSSIBLE]
    assert bool(engine.measurement.summary) is is_possible
    assert is_possible or "is not the sum of transfers and GPU compute time" in refused[0].message


def test_a_memory_bus_is_a_multiple_of_32_bits():
    engine = read(log("=== Device Information ===", GPU, "Memory Bus Width: 4608 bits (ECC enabled)"))
    assert "Memory Bus Width" in engine.setup.device
    engine = read(log("=== Device Information ===", GPU, "Memory Bus Width: 4607 bits (ECC enabled)"))
    assert "Memory Bus Width" not in engine.setup.device
    assert any("is not a multiple of 32 bits" in note.message for note in engine.notes)


def test_transfers_that_a_file_of_queries_does_not_state_contradict_nothing():
    row = {"latencyMs": 1.2, "computeMs": 1.0, "inMs": 0.1, "outMs": 0.1}
    lines = (
        f"{name}: {times(each, each, each)}"
        for name, each in (
            ("Latency", 1.2),
            ("GPU Compute Time", 1.0),
            ("H2D Latency", 0.1),
            ("D2H Latency", 0.1),
        )
    )
    timing = Source("timing", "x.timing.json", json.dumps([row] * 50).encode())
    assert codes(log(*lines, name="x.timing.log"), timing) == []


@pytest.mark.parametrize(("gpu_ms", "is_possible"), [(5.0, True), (5.5, True), (5.6, False)])
def test_no_average_of_gpu_time_is_longer_than_latency(gpu_ms, is_possible):
    line = f"Average on 10 runs - GPU latency: {gpu_ms} ms - Host latency: 5.5 ms (enqueue 0.1 ms)"
    engine = read(log("Throughput: 100 qps", *[line] * 5))
    assert (engine.measurement.averages is not None) is is_possible
    noted = [note for note in engine.notes if note.slug == IMPOSSIBLE]
    assert is_possible or "Average GPU latency = 5.6 is more than the latency" in noted[0].message
