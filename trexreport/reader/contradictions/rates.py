"""How many queries ran, and how many in a second, according to each file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, FileFacts
from trexreport.model.implicit_batch import samples_per_query
from trexreport.numbers import counted, format_ms, format_number, format_rate
from trexreport.reader.contradictions.part_of_queries import parts_of_queries, rounding_of_count
from trexreport.reader.contradictions.stated import Fact, Stated, states_nodes, streams
from trexreport.reader.contradictions.times import OTHER_KIND, SAME_RUN, measured, stated_time
from trexreport.reader.warm_up import warm_up_ms

#: trtexec up to 8.4 counts queries of the warm-up in some of its totals, by at most so much.
_OTHER_TOTAL = 1.5
#: Total and mean times queries of one summary: from 8.5 on equal to the last digit.
_SAME_TOTAL = 1.02
#: Throughput × mean time of one summary, for each stream: in all captures seen at most 1.000.
_SAME_SUMMARY = 1.1
#: How long a run lasted by its queries' time stamps and by its summary: in all captures seen within 0.3%.
_SAME_LENGTH = 1.1
#: How long a busy host may hold up a run before its first query or after its last one, in seconds.
_STALL_S = 0.05
#: What a stream does of one query after another, and what messages call it.
_ONE_AFTER_ANOTHER = {"GPU Compute Time": "GPU compute time", "Enqueue Time": "enqueue time"}


class _Count(NamedTuple):
    """Number of queries of a run.

    Attributes:
        warm_up: As many more a file of the queries may have; None for such a file.
        rounding: By how many it may be wrong.
    """

    run: int | str
    queries: float
    warm_up: float | None
    rounding: float


def _counts(engine: Engine) -> Iterator[Stated]:
    has_warm_up, samples = exports_warm_up(engine), samples_per_query(engine)
    parts = {part.file for part in parts_of_queries(engine)}
    lacking = {note.source for note in engine.notes if note.slug == "timing-records"}
    for file in engine.files:
        if file.file in parts:
            continue
        rate, seconds = file.measurement.throughput_qps, file.measurement.walltime_s
        # What is of no known run can still contradict itself.
        run = file.file if file.run is None else file.run
        if file.queries:
            count = len(file.queries)
            rounding = _counted_loosely(count) if has_warm_up or file.file in lacking else 0.0
            yield Stated(file.file, _Count(run, count, None, rounding), counted(count, "query", "queries"))
            continue
        if file.is_build:
            continue
        per_second = rate / samples if rate and samples else math.inf
        more = per_second * _warm_up_s(file) * 2 if has_warm_up else 0.0
        timed = file.measurement.timed_queries
        if seconds and per_second < math.inf:
            count = round(per_second * seconds)
            text = f"{counted(count, 'query', 'queries')} in {format_number(seconds)} s"
            rounding = _counted_loosely(count) if has_warm_up else rounding_of_count(count)
            yield Stated(file.file, _Count(run, count, more, rounding), text)
        # With an implicit batch trtexec 7 counts its samples.
        if timed and samples == 1:
            text = f"{counted(timed, 'query', 'queries')} in its timing trace"
            rounding = _counted_loosely(timed) if has_warm_up else 0.0
            yield Stated(file.file, _Count(run, timed, more, rounding), text)


def _counted_loosely(queries: float) -> float:
    return (SAME_RUN - 1) * queries + 2


def exports_warm_up(engine: Engine) -> bool:
    """Return whether trtexec exports the queries of the warm-up, too: up to 8.4, without ONNX nodes."""
    version = [int(each) for each in re.findall(r"\d+", engine.setup.tensorrt_version)[:2]]
    if len(version) < 2:
        return not states_nodes(engine)
    return version < [8, 5]


def _warm_up_s(file: FileFacts) -> float:
    length_ms = warm_up_ms(file.setup)
    return math.inf if length_ms is None else length_ms / 1000


def _is_one_count(one: _Count, other: _Count) -> bool:
    if one.run != other.run:
        return True
    least, most = sorted((one, other), key=lambda each: each.queries)
    # A file has all queries that were counted, and may have those of the warm-up.
    more = least.warm_up or 0.0 if most.warm_up is None else 0.0
    return most.queries <= least.queries + more + max(one.rounding, other.rounding)


class _Length(NamedTuple):
    """How long a run lasted.

    Attributes:
        run: Which one.
        seconds: From the first query on.
        more_s: By how much the other file may state more: a query, a stall of the host, and the warm-up
            that trtexec exports.
    """

    run: int
    seconds: float
    more_s: float


def _lengths(engine: Engine) -> Iterator[Stated]:
    parts = {part.file for part in parts_of_queries(engine)}
    for file in engine.files:
        starts, seconds = file.queries.start_ms if file.queries else (), file.measurement.walltime_s
        if file.run is None or file.file in parts:
            continue
        if len(starts) > 1 and file.queries:
            spent = (max(starts) - min(starts)) / 1000
            slowest = max(file.queries.latency_ms) / 1000
            text = f"queries that began within {format_number(spent)} s"
            yield Stated(file.file, _Length(file.run, spent, 2 * slowest + _STALL_S), text)
        elif seconds and not file.is_build:
            more = _warm_up_s(file) * 2 if exports_warm_up(engine) else 0.0
            text = f"a run of {format_number(seconds)} s"
            yield Stated(file.file, _Length(file.run, seconds, more), text)


def _is_one_length(one: _Length, other: _Length) -> bool:
    least, most = sorted((one, other), key=lambda each: each.seconds)
    return one.run != other.run or most.seconds <= _SAME_LENGTH * least.seconds + least.more_s


class _Rate(NamedTuple):
    """The throughput in qps, or the time of a query, and how many may run at once.

    Attributes:
        summary: The file whose summary states it; empty for times of another run.
    """

    per_second: float | None
    time_ms: float
    streams: int
    summary: str = ""


def _rates(engine: Engine) -> Iterator[Stated]:
    at_once, samples = streams(engine), samples_per_query(engine)
    if at_once is None or samples is None:
        # Any throughput is possible.
        return
    for file in engine.files:
        rate = file.measurement.throughput_qps
        if rate and not file.is_build:
            text = f"a throughput of {format_rate(rate)} qps"
            yield Stated(file.file, _Rate(rate / samples, 0.0, at_once, file.file), text)
            for what, called in _ONE_AFTER_ANOTHER.items():
                mean = file.measurement.summary.get(what)
                if mean and mean.mean_ms:
                    text = f"a mean {called} of {format_ms(mean.mean_ms)}"
                    yield Stated(file.file, _Rate(None, mean.mean_ms, at_once, file.file), text)
    for file, times in measured(engine):
        if times.compute_ms:
            yield Stated(file.file, _Rate(None, times.compute_ms, at_once), stated_time(file, times).text)


def _is_possible(one: _Rate, other: _Rate) -> bool:
    """Return whether queries of that time can come at that rate: each stream has one after another."""
    if (one.per_second is None) == (other.per_second is None):
        return True
    rate = one.per_second or other.per_second or 0.0
    limit = _SAME_SUMMARY if one.summary == other.summary else OTHER_KIND
    return rate * max(one.time_ms, other.time_ms) / 1000 <= limit * one.streams


class _GpuTime(NamedTuple):
    """Total GPU compute time of a run.

    Attributes:
        run: Which one; a file that is of no known run states one of its own.
        seconds: The total.
        query_s: Mean time of a query, by which rounded figures may differ; 0 for the total.
        limit: The larger total over the smaller one.
    """

    run: int | str
    seconds: float
    query_s: float
    limit: float


def _gpu_times(engine: Engine) -> Iterator[Stated]:
    """Yield the totals as stated, as mean times queries, and as the sum of single queries."""
    samples = samples_per_query(engine)
    limit = _OTHER_TOTAL if exports_warm_up(engine) else _SAME_TOTAL
    for file in engine.files:
        found, mean = file.measurement, file.measurement.summary.get("GPU Compute Time")
        if file.is_build:
            continue
        run = file.file if file.run is None else file.run
        if found.gpu_time_s:
            text = f"a total GPU compute time of {format_number(found.gpu_time_s)} s"
            yield Stated(file.file, _GpuTime(run, found.gpu_time_s, 0.0, limit), text)
        if not (mean and mean.mean_ms and found.throughput_qps and found.walltime_s and samples):
            continue
        count = round(found.throughput_qps * found.walltime_s / samples)
        queries, mean_time = counted(count, "query", "queries"), format_ms(mean.mean_ms)
        text = f"{queries} with a mean GPU compute time of {mean_time}"
        query_s = mean.mean_ms / 1000
        yield Stated(file.file, _GpuTime(run, count * query_s, query_s, limit), text)


def _is_one_gpu_time(one: _GpuTime, other: _GpuTime) -> bool:
    least, most = sorted((one, other), key=lambda each: each.seconds)
    spare_s = max(one.query_s, other.query_s)
    return one.run != other.run or most.seconds <= max(one.limit, other.limit) * least.seconds + spare_s


RATE_FACTS = (
    Fact("query-count", "number of queries", _counts, _is_one_count, "times"),
    Fact("run-length", "length of the run", _lengths, _is_one_length, "times"),
    Fact("gpu-time", "total GPU compute time", _gpu_times, _is_one_gpu_time, "times"),
    Fact("throughput", "throughput and times", _rates, _is_possible, "times"),
)
