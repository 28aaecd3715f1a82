"""See that a file has a part of the queries of the run in a log, with its shortest and its longest one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, FileFacts, InputWarning
from trexreport.model.implicit_batch import samples_per_query
from trexreport.numbers import format_count

#: Names of the lines of a summary, by columns of queries.
TIMED_COLUMNS = {
    "compute_ms": ("GPU Compute Time", "GPU compute time"),
    "latency_ms": ("Latency", "latency"),
    "h2d_ms": ("H2D Latency", "H2D latency"),
    "d2h_ms": ("D2H Latency", "D2H latency"),
}
#: Summaries have six digits.
_ROUNDING = 1e-5
#: The ends of this many columns are equal in both files: those of one may be by chance.
_LEAST_COLUMNS = 2
#: The mean of a part may differ from that of all, and all may be counted otherwise.
_SAME = 1.02


@dataclass(frozen=True)
class Part:
    """A file of queries that has a part of those of a run.

    Attributes:
        file: The file of the queries.
        queries: How many it has.
        log: The file that states the run.
        of: How many queries the run had.
    """

    file: str
    queries: int
    log: str
    of: int


def parts_of_queries(engine: Engine) -> Iterator[Part]:
    """Yield the files of queries that have fewer than their run, though the same extremes and means."""
    samples = samples_per_query(engine)
    if not samples:
        return
    for file in engine.files:
        count = len(file.queries) if file.queries and file.run is not None else 0
        for log in engine.files if count > 1 else ():
            rate, seconds = log.measurement.throughput_qps, log.measurement.walltime_s
            if log.run != file.run or log.is_build or not (rate and seconds):
                continue
            of = round(rate * seconds / samples)
            if count + rounding_of_count(of) < of and _has_same_ends(file, log.measurement.summary):
                yield Part(file.file, count, log.file, of)
                break


def rounding_of_count(queries: float) -> float:
    """Return by how many queries throughput × walltime may be wrong, which have six digits each."""
    return 2 * _ROUNDING * queries + 0.5


def notes_of_parts(engine: Engine) -> Iterator[InputWarning]:
    """Yield a note of each file that has a part of the queries of its run."""
    for part in parts_of_queries(engine):
        message = (
            f"{part.file} has {format_count(part.queries)} of the {format_count(part.of)} queries of the run "
            f"in {part.log}, with the same shortest, longest and mean times: query times are of these."
        )
        yield InputWarning("info", "queries-in-part", message, part.file, ("timing",))


def _has_same_ends(file: FileFacts, summary: Mapping[str, Any]) -> bool:
    """Return whether the times of single queries range from the shortest to the longest of a summary."""
    known = [
        (times, summary[name])
        for column, (name, _) in TIMED_COLUMNS.items()
        if any(times := getattr(file.queries, column, ())) and name in summary and summary[name].mean_ms
    ]
    vary = [(times, stated) for times, stated in known if min(times) < max(times)]
    return len(vary) >= _LEAST_COLUMNS and all(
        _is_one(min(times), stated.min_ms, _ROUNDING)
        and _is_one(max(times), stated.max_ms, _ROUNDING)
        and _is_one(sum(times) / len(times), stated.mean_ms, _SAME - 1)
        for times, stated in known
    )


def _is_one(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * max(one, other)
