"""Whether the averages of a log are those of the queries that its summary is about.

trtexec prints one for each group of queries. The last queries may be in none, and took between the shortest
and the longest time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, FileFacts, Statistic
from trexreport.model.implicit_batch import samples_per_query
from trexreport.numbers import counted, format_ms
from trexreport.reader.contradictions.stated import Fact, Stated

#: Six digits round figures; besides the last queries, the means of all logs seen differ by at most 0.1%.
_ROUNDING, _SAME_MEAN = 1e-4, 1.02
#: The mean of the first of many queries over that of all of them, as clocks rise and fall.
_MANY, _OTHER_QUERIES = 100, 1.6
#: Columns of averages, with the line of the summary and what messages call it.
_COLUMNS = {
    "gpu_ms": ("GPU Compute Time", "GPU compute time"),
    "latency_ms": ("Latency", "latency"),
    "enqueue_ms": ("Enqueue Time", "enqueue time"),
}


class _Times(NamedTuple):
    """Times of a run in one log.

    Attributes:
        file: The log: runs may differ.
        least_ms, mean_ms, most_ms: Of the queries, or of averages.
        queries: How many they are of; None if that is not known.
        are_averages: Which of the two.
    """

    file: str
    least_ms: float
    mean_ms: float
    most_ms: float
    queries: float | None
    are_averages: bool


def _times(engine: Engine) -> Iterator[Stated]:
    samples = samples_per_query(engine)
    for file in engine.files:
        averages = file.measurement.averages
        if averages is None or file.is_build:
            continue
        for column, (name, called) in _COLUMNS.items():
            stated, times = file.measurement.summary.get(name), getattr(averages, column)
            if stated and stated.mean_ms and times:
                yield _of_summary(file, stated, _queries(file, samples), called)
                mean_ms, queries = math.fsum(times) / len(times), averages.queries * len(times)
                found = _Times(file.file, min(times), mean_ms, max(times), queries, are_averages=True)
                each = counted(averages.queries, "query", "queries")
                text = f"averages of {each} {_range(found)}"
                yield Stated(file.file, found, text, called, is_of_one_run=True)


def _of_summary(file: FileFacts, stated: Statistic, queries: float | None, called: str) -> Stated:
    found = _Times(file.file, stated.min_ms, stated.mean_ms, stated.max_ms, queries, are_averages=False)
    return Stated(file.file, found, f"times {_range(found)}", called, is_of_one_run=True)


def _range(times: _Times) -> str:
    least, mean, most = map(format_ms, (times.least_ms, times.mean_ms, times.most_ms))
    return f"from {least} to {most}, {mean} in the mean"


def _queries(file: FileFacts, samples: int | None) -> float | None:
    """Return how many queries a summary is about, as far as its file states it."""
    found = file.measurement
    if found.throughput_qps and found.walltime_s and samples:
        return found.throughput_qps * found.walltime_s / samples
    return None


def _are_of_one_run(one: _Times, other: _Times) -> bool:
    if one.file != other.file or one.are_averages == other.are_averages:
        return True
    averages, summary = sorted((one, other), key=lambda each: not each.are_averages)
    if averages.least_ms < summary.least_ms * (1 - _ROUNDING):
        return False
    if averages.most_ms > summary.most_ms * (1 + _ROUNDING):
        return False
    if not (summary.queries and averages.queries):
        return True
    # The queries that are in no average.
    rest = max(0.0, summary.queries - averages.queries)
    if averages.queries > _SAME_MEAN * summary.queries + 1:
        return False
    whole = averages.queries + rest
    least, most = (
        (averages.mean_ms * averages.queries + each * rest) / whole
        for each in (summary.least_ms, summary.most_ms)
    )
    if not least / _SAME_MEAN <= summary.mean_ms <= most * _SAME_MEAN:
        return False
    ends = sorted((averages.mean_ms, summary.mean_ms))
    return averages.queries < _MANY or ends[1] <= _OTHER_QUERIES * ends[0]


AVERAGE_FACTS = (Fact("averages", "averages and summary", _times, _are_of_one_run, "times"),)
