"""Whether the shortest and longest times of a summary are those of the queries of its run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, QueryTimes
from trexreport.numbers import format_ms
from trexreport.reader.contradictions.part_of_queries import TIMED_COLUMNS
from trexreport.reader.contradictions.rates import exports_warm_up
from trexreport.reader.contradictions.stated import Fact, Stated
from trexreport.reader.timing_file import stamp_rounding_ms

#: In all captures seen they are equal to the last digit; a single query outside of the others moves them.
_TOLERANCE, _LEAST_MS = 1.5, 0.002
_ENQUEUE = "enqueue_ms"
_COLUMNS = {**TIMED_COLUMNS, _ENQUEUE: ("Enqueue Time", "enqueue time")}


class _Range(NamedTuple):
    """The shortest and the longest time of a run.

    Attributes:
        run: Which one.
        rounding_ms: By how much the times may be wrong, as differences of rounded time stamps are.
        has_more: The queries may have those of the warm-up among them; None for a summary.
    """

    run: int
    least_ms: float
    most_ms: float
    rounding_ms: float
    has_more: bool | None


def _ranges(engine: Engine) -> Iterator[Stated]:
    has_more = exports_warm_up(engine)
    # What was left out may have been the shortest or the longest.
    lacking = {note.source for note in engine.notes if note.slug == "timing-records"}
    for file in engine.files:
        if file.run is None or file.is_build or file.file in lacking:
            continue
        for column, (name, called) in _COLUMNS.items():
            times, stated = getattr(file.queries, column, ()), file.measurement.summary.get(name)
            # Files of trtexec 7 name the transfers otherwise.
            if any(times):
                rounding_ms = _rounding_ms(file.queries, column)
                found = _Range(file.run, min(times), max(times), rounding_ms, has_more)
            elif stated and stated.mean_ms:
                found = _Range(file.run, stated.min_ms, stated.max_ms, 0.0, None)
            else:
                continue
            text = f"times from {format_ms(found.least_ms)} to {format_ms(found.most_ms)}"
            yield Stated(file.file, found, text, called)


def _rounding_ms(queries: QueryTimes | None, column: str) -> float:
    """Return by how much times of a column may be wrong, which the file states or that its stamps give."""
    if queries is None or column != _ENQUEUE:
        return 0.0
    starts = queries.start_ms
    return stamp_rounding_ms(max(starts) + max(queries.latency_ms)) if starts else math.inf


def _are_of_one_run(one: _Range, other: _Range) -> bool:
    if one.run != other.run or (one.has_more is None) == (other.has_more is None):
        return True
    summary, queries = sorted((one, other), key=lambda each: each.has_more is not None)
    pairs = [(queries.least_ms, summary.least_ms), (summary.most_ms, queries.most_ms)]
    if not queries.has_more:
        pairs += [pair[::-1] for pair in pairs]
    return all(least <= most * _TOLERANCE + _LEAST_MS + queries.rounding_ms for least, most in pairs)


EXTREME_FACTS = (Fact("query-extremes", "shortest and longest times", _ranges, _are_of_one_run, "times"),)
