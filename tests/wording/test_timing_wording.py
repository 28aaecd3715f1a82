"""For which part of a run the GPU computed, and what limits the throughput."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from finding_samples import finding

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Lint
from trexreport.analyzer.analysis.timing import Latency, Percentiles
from trexreport.reader import read_engine
from trexreport.wording.findings import findings_sentence
from trexreport.wording.gains import savings_whole
from trexreport.wording.latency import levels_note
from trexreport.wording.timing import busy_sentence, timing_sentence


def times(ms: float, count: int | None = None) -> Percentiles:
    return Percentiles("trtexec's summary", count, ms, ms, ms, ms)


@pytest.mark.parametrize(
    ("latency", "sentence"),
    [
        (Latency(), ""),
        (
            Latency(gpu_busy_percent=98.7, h2d=times(0.1)),
            (
                "The GPU computes 98.7% of the run's wall time: neither the host nor transfers limit the "
                "throughput."
            ),
        ),
        (
            Latency(gpu_busy_percent=98.7, h2d=times(0.0), d2h=times(0.0)),
            "The GPU computes 98.7% of the run's wall time: the host does not limit the throughput.",
        ),
        (Latency(gpu_busy_percent=756.0), "Total GPU compute time is 7.56 times the run's wall time."),
        (
            Latency(gpu_busy_percent=93.0, is_enqueue_bound=True),
            "The GPU computes 93.0% of the run's wall time, and waits for launches of the host.",
        ),
        (
            Latency(gpu_busy_percent=95.7),
            "The GPU computes 95.7% of the run's wall time, which limits the throughput.",
        ),
        (Latency(gpu_busy_percent=80.0), "The GPU computes 80.0% of the run's wall time."),
        (
            Latency(gpu_compute=times(7.7, 150), h2d=times(20.0), throughput_qps=50.0, gpu_busy_percent=38.5),
            "The GPU computes 38.5% of the run's wall time, and waits for transfers.",
        ),
        (
            Latency(gpu_compute=times(7.7, 150), h2d=times(2.0), throughput_qps=50.0, gpu_busy_percent=38.5),
            "The GPU computes 38.5% of the run's wall time.",
        ),
        # Ten queries of 2 s in 22 s.
        (
            Latency(gpu_compute=times(2000.0, 10), throughput_qps=10 / 22, gpu_busy_percent=90.9),
            (
                "The GPU computes 90.9% of the run's wall time; the rest is as long as one query, likely one "
                "of the warm-up: without it 0.5000 qps."
            ),
        ),
    ],
)
def test_the_part_of_the_run_and_its_limit(latency, sentence):
    assert busy_sentence(latency) == sentence


@pytest.mark.parametrize(("copy_ms", "waits"), [(20.0, True), (2.0, False)])
def test_what_layers_save_shortens_the_latency_alone_while_transfers_limit_the_throughput(
    copy_ms, waits, tmp_path
):
    latency = Latency(
        gpu_compute=times(7.7, 150), h2d=times(copy_ms), throughput_qps=50.0, gpu_busy_percent=38.5
    )
    path = tmp_path / "x.log"
    path.write_text("[I] Throughput: 50 qps\n")
    saves = finding("TRX205", "warning", ([0], 0.2), about="engine")
    analysis = replace(analyze(read_engine(path)), latency=latency, lint=Lint([saves], checked=1))
    assert ("shortens the latency alone" in findings_sentence(analysis)) is waits


@pytest.mark.parametrize(
    ("busy", "limit"),
    [(99.3, ", which includes its waits for streamed weights (TRX912)."), (80.0, ".")],
)
def test_weights_from_the_host_are_waited_for_while_the_gpu_computes(busy, limit):
    sentence = busy_sentence(Latency(gpu_busy_percent=busy), streams_weights=True)
    assert sentence == f"The GPU computes {busy}% of the run's wall time{limit}"


@pytest.mark.parametrize(
    ("busy", "limit"),
    [
        (99.9, ", which may include waits for the host: enqueue takes about as long (TRX805)."),
        (80.0, "."),
    ],
)
def test_time_that_enqueue_takes_as_well_may_hold_waits(busy, limit):
    sentence = busy_sentence(Latency(gpu_busy_percent=busy), enqueue_as_long=True)
    assert sentence == f"The GPU computes {busy}% of the run's wall time{limit}"


@pytest.mark.parametrize(
    ("slow", "turns", "says", "level"),
    [
        (1.1, range(0, 200, 5), "as the times fall into two groups", "two groups of queries, "),
        (1.1, range(40), "as queries become faster during the run", "from 11.0\N{NO-BREAK SPACE}ms to 10.0"),
        (
            1.1,
            range(150, 200),
            "as queries become slower during the run",
            "from 10.0\N{NO-BREAK SPACE}ms to 11.0",
        ),
        (1.0, range(40), "", ""),
    ],
)
def test_times_in_two_groups_are_unstable_for_that_reason(slow, turns, says, level, tmp_path):
    queries = [
        {"startComputeMs": 10.0 * at, "computeMs": (10.0 * slow if at in turns else 10.0) + 0.001 * (at % 7)}
        for at in range(200)
    ]
    path = tmp_path / "x.timing.json"
    path.write_text(json.dumps([each | {"latencyMs": each["computeMs"]} for each in queries]))
    analysis = analyze(read_engine(path))
    sentence = timing_sentence(analysis)
    assert says in sentence
    assert levels_note(analysis).startswith(level)
    assert bool(levels_note(analysis)) is bool(says)
    assert ("is unstable over 200 queries" in sentence) is bool(says)


@pytest.mark.parametrize(
    ("levels", "note", "reason"),
    [
        ((10.0, 11.0, 12.0), "from 10.0 ms to 12.0 ms in 2 steps", "as the times rise in steps"),
        ((12.0, 11.0, 10.0), "from 12.0 ms to 10.0 ms in 2 steps", "as the times fall in steps"),
        ((10.0, 10.06, 10.12), "", "is stable over 300 queries"),
        ((12.0, 10.0, 12.0), "two groups of queries, 10.0 ms and 12.0 ms", "fall into two groups"),
    ],
)
def test_steps_to_several_levels_are_no_two_groups(levels, note, reason, tmp_path):
    times = [level + 0.001 * (at % 7) for level in levels for at in range(100)]
    path = tmp_path / "x.timing.json"
    path.write_text(json.dumps([{"computeMs": each, "latencyMs": each} for each in times]))
    analysis = analyze(read_engine(path))
    assert levels_note(analysis).replace("\N{NO-BREAK SPACE}", " ") == note
    assert reason in timing_sentence(analysis)


def test_figures_and_finding_state_the_same_levels_of_a_ramp(tmp_path):
    ramp = [4.0 + 2.0 * at / 200 for at in range(200)]
    times = [each + 0.001 * (at % 7) for at, each in enumerate([*[4.0] * 600, *ramp, *[6.0] * 800])]
    path = tmp_path / "x.timing.json"
    path.write_text(json.dumps([{"computeMs": each, "latencyMs": each} for each in times]))
    analysis = analyze(read_engine(path))
    (message,) = [each.places[0].message for each in analysis.lint.findings if each.code == "TRX803"]
    first, last = re.fullmatch("from (.*) to (.*) during the run", levels_note(analysis)).groups()
    assert f"rise gradually, from about {first} to {last} between" in message


def test_savings_of_few_slow_queries_are_of_the_mean(tmp_path):
    times = [ms + 0.001 * (at % 7) for at, ms in enumerate([*[6.0] * 300, *[10.0] * 200])]
    path = tmp_path / "x.timing.json"
    path.write_text(json.dumps([{"computeMs": each, "latencyMs": each} for each in times]))
    analysis = analyze(read_engine(path))
    ((code, gain),) = ((each.code, each.gain) for each in analysis.lint.findings if each.code == "TRX803")
    assert gain.high_percent == pytest.approx(100 * 1.6 / 7.6, rel=0.01)
    assert "in percent of mean latency (7.60" in savings_whole([(code, gain)], analysis.latency)


def test_a_run_with_a_dla_computes_on_both():
    sentence = busy_sentence(Latency(gpu_busy_percent=80.0), has_dla=True)
    assert sentence == "GPU and DLA compute 80.0% of the run's wall time."


@pytest.mark.parametrize(
    ("enqueue_ms", "copy_ms", "says"),
    [
        (4.0, 0.01, "Enqueue takes 4.00\N{NO-BREAK SPACE}ms, 40.0% of GPU compute time."),
        (
            0.5,
            0.1,
            (
                "Transfers take 0.100\N{NO-BREAK SPACE}ms to the GPU and 0.0500\N{NO-BREAK SPACE}ms back, "
                "1.48% of latency."
            ),
        ),
        (0.5, 0.01, "throughput."),
        # Then TRX805 and TRX806 state them.
        (9.9, 9.0, "(TRX805)."),
    ],
)
def test_enqueue_and_transfers_are_stated_where_no_finding_does(enqueue_ms, copy_ms, says, tmp_path):
    whole = 10 + 1.5 * copy_ms
    figures = {
        "Latency": whole,
        "Enqueue Time": enqueue_ms,
        "H2D Latency": copy_ms,
        "GPU Compute Time": 10.0,
        "D2H Latency": copy_ms / 2,
    }
    path = tmp_path / "x.log"
    path.write_text(
        "[I] Timing trace has 30 queries over 0.3003 s\n[I] Throughput: 99.9 qps\n"
        + "".join(
            f"[I] {name}: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms\n"
            for name, ms in figures.items()
        )
    )
    sentence = timing_sentence(analyze(read_engine(path)))
    assert sentence.startswith("This capture has no times of single queries; trtexec timed 30.")
    assert sentence.endswith(says)


def test_of_transfers_those_that_were_measured_are_stated(tmp_path):
    path = tmp_path / "x.log"
    path.write_text("[I] Throughput: 99 qps\n")
    latency = Latency(end_to_end=times(10.5), gpu_compute=times(10.0), d2h=times(0.5))
    sentence = timing_sentence(replace(analyze(read_engine(path)), latency=latency, lint=Lint([], checked=1)))
    assert sentence.endswith("Transfers take 0.500\N{NO-BREAK SPACE}ms back, 4.76% of latency.")


@pytest.mark.parametrize(
    ("most_ms", "p99_ms", "says"),
    [
        (
            40.0,
            2.1,
            "40.0 ms of GPU compute time, 20 times the median; 99% of the queries took at most 2.10 ms.",
        ),
        # Many queries are slow, or none is far from the others, or all are short.
        (40.0, 4.0, ""),
        (19.0, 2.1, ""),
        (5.1, 0.2, ""),
    ],
)
def test_a_stall_in_a_summary_is_stated(most_ms, p99_ms, says, tmp_path):
    path = tmp_path / "x.log"
    median_ms = min(p99_ms, 2.0)
    path.write_text(
        f"[I] Throughput: 99.9 qps\n[I] GPU Compute Time: min = {median_ms} ms, max = {most_ms} ms, mean = "
        f"{median_ms} ms, median = {median_ms} ms, percentile(99%) = {p99_ms} ms\n"
    )
    sentence = timing_sentence(analyze(read_engine(path))).replace("\N{NO-BREAK SPACE}", " ")
    assert ("The slowest query took" in sentence) is bool(says)
    assert says in sentence
