"""How long queries and layers took according to each file.

Runs of one engine differ by clocks, heat and other work on the GPU, and measuring single layers adds time for
each. Only what exceeds that is a contradiction.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from itertools import combinations
from statistics import median
from typing import NamedTuple

from trexreport.model import Engine, FileFacts, Layer
from trexreport.numbers import format_ms
from trexreport.reader.contradictions.stated import Fact, Stated, flag_values, streams

#: The same measurement in two files; trtexec up to 8.4 also exports the queries of the warm-up, which
#: matter among few.
SAME_RUN, _SAME_RUN_OF_FEW, _FEW = 1.02, 1.1, 100
#: Two measurements of one engine: the clocks of a cool and of a hot GPU differ as much.
_OTHER_RUN = 1.5
#: The copies of two measurements of one engine, where they take long enough to be measured.
_OTHER_COPY, _LEAST_COPY_MS = 4.0, 0.02
#: The same copies in two files, and what of short ones is rounding.
_SAME_COPY, _COPY_ERROR_MS = 1.1, 0.002
#: Measuring the layers and measuring the queries, which also have other clocks.
OTHER_KIND = 2.0
#: The layers of a query together, beyond what measuring adds to each: in all captures seen at most 1.1.
_PROFILED = 1.6
#: What measuring a layer adds to its time at most, and what is between two layers at least.
_PER_LAYER_MS, _PER_GAP_MS = 0.02, 0.01
#: One layer in two files of one profiling run, and the part of the time in layers that differ more.
_SAME_LAYER, _APART_SHARE = 1.1, 0.1
#: A row in two copies of one table, of which one has four decimals, and the part of the rows that are equal.
_SAME_ROW, _ROW_ERROR_MS, _SAME_ROWS = 1.001, 1e-4, 0.75
#: The table in a log has few decimals.
_RESOLUTION_MS = 0.01
#: Queries that follow each other closely overlap by less, as stamps are rounded.
_OVERLAP = 0.1
#: More run their layers one after another.
_MOST_STREAMS = 64
_COMPUTE = "GPU Compute Time"


class _Times(NamedTuple):
    """Median times of a query, in ms.

    Attributes:
        run: Which measurement; None if that is not known.
        few: There are so few queries that those of the warm-up matter.
        copies_ms: Of the inputs and of the outputs.
    """

    run: int | None
    compute_ms: float | None
    latency_ms: float | None
    few: bool = False
    copies_ms: tuple[float, float] = (0.0, 0.0)


def _median(times: tuple[float, ...]) -> float | None:
    return median(times) if any(times) else None


def _of_queries(file: FileFacts) -> _Times | None:
    queries = file.queries
    if not queries:
        return None
    copies = _median(queries.h2d_ms) or 0.0, _median(queries.d2h_ms) or 0.0
    few = len(queries) < _FEW
    return _Times(file.run, _median(queries.compute_ms), _median(queries.latency_ms), few, copies)


def _of_summary(file: FileFacts) -> _Times | None:
    compute, latency = (file.measurement.summary.get(name) for name in (_COMPUTE, "Latency"))
    if not compute and not latency:
        return None
    h2d, d2h = (file.measurement.summary.get(name) for name in ("H2D Latency", "D2H Latency"))
    copies = (h2d.median_ms, d2h.median_ms) if h2d and d2h else (0.0, 0.0)
    return _Times(
        file.run,
        compute.median_ms if compute else None,
        latency.median_ms if latency else None,
        copies_ms=copies,
    )


def stated_time(file: FileFacts, times: _Times) -> Stated:
    """Return the median GPU compute time of a file, else its median latency, as messages show it."""
    what = "a median GPU compute time" if times.compute_ms is not None else "a median latency"
    time = times.compute_ms if times.compute_ms is not None else times.latency_ms
    return Stated(file.file, times, f"{what} of {format_ms(time)}")


def measured(engine: Engine) -> list[tuple[FileFacts, _Times]]:
    """Return the times in files of queries, and in summaries of what was measured to be shown."""
    found = [(file, _of_queries(file)) for file in engine.files]
    found += [(file, _of_summary(file)) for file in engine.files if not file.is_build]
    return [(file, times) for file, times in found if times]


def _query_times(engine: Engine) -> Iterator[Stated]:
    files = measured(engine)
    if any(file.measurement.summary for file, _ in files):
        yield from (stated_time(*each) for each in files)


def _runs(engine: Engine) -> Iterator[Stated]:
    yield from (stated_time(*each) for each in measured(engine) if each[0].queries)


def _is_one_time(one: _Times, other: _Times) -> bool:
    same = one.run is not None and one.run == other.run
    limit = (_SAME_RUN_OF_FEW if one.few or other.few else SAME_RUN) if same else _OTHER_RUN
    for pair in zip(one.copies_ms, other.copies_ms, strict=True):
        if min(pair) > _LEAST_COPY_MS and not _within(*pair, _OTHER_COPY):
            return False
        if same and min(pair) and max(pair) > _SAME_COPY * min(pair) + _COPY_ERROR_MS:
            return False
    pairs = [(one.compute_ms, other.compute_ms)]
    # Transfers may be measured in one run and not in the other.
    pairs += [(one.latency_ms, other.latency_ms)] if same else []
    return all(a is None or b is None or _within(a, b, limit) for a, b in pairs)


def _within(one: float, other: float, limit: float) -> bool:
    return max(one, other) <= limit * min(one, other)


class _Total(NamedTuple):
    """Total time of the layers that were measured, or the time of a query, in ms.

    Attributes:
        layers: How many; 0 for a query.
        lanes: How many layers, or queries, may run at once.
        slack_ms: How much longer a query may take for what is not in any layer; None if it is not known.
    """

    time_ms: float
    layers: int
    lanes: int
    slack_ms: float | None


def _totals(engine: Engine) -> Iterator[Stated]:
    lanes = len({layer.stream for layer in engine.layers} - {None}) or 1
    lanes *= min(streams(engine) or _MOST_STREAMS, _MOST_STREAMS)
    is_partial = any(_is_unmeasured(layer) for layer in engine.layers)
    for file in engine.files:
        times = [time.avg_ms for _, time in file.layer_times if time is not None]
        if any(times):
            # The percentages of a profile give the time of the rows that it lacks.
            missing_ms = engine.unlisted_ms if file.role == "profile" else 0.0
            # What was not measured takes time that is not known.
            slack_ms = math.inf if is_partial or (engine.unlisted_ms and not missing_ms) else 0.0
            layers = max(len(times), len(engine.layers)) if missing_ms else len(times)
            total = _Total(math.fsum(times) + missing_ms, layers, lanes, slack_ms)
            yield Stated(file.file, total, f"a total layer time of {format_ms(total.time_ms)}")
            medians = [time.median_ms for _, time in file.layer_times if time and time.median_ms is not None]
            if len(medians) == len(times):
                total = total._replace(time_ms=math.fsum(medians) + missing_ms)
                yield Stated(file.file, total, f"a total median layer time of {format_ms(total.time_ms)}")
    at_once = streams(engine) or max(map(_queries_at_once, engine.files), default=1)
    for file, found in measured(engine):
        if found.compute_ms:
            query = _Total(found.compute_ms, 0, at_once, _enqueue_ms(file))
            yield Stated(file.file, query, stated_time(file, found).text)


def _queries_at_once(file: FileFacts) -> int:
    """Return how many queries a file shows to overlap on average; 1 where it does not say when they began."""
    queries = file.queries
    if queries is None or not queries.start_ms or not queries.compute_ms:
        return 1
    ends = map(operator.add, queries.start_ms, queries.compute_ms)
    span_ms = max(ends) - min(queries.start_ms)
    return (
        min(_MOST_STREAMS, max(1, math.ceil(math.fsum(queries.compute_ms) / span_ms - _OVERLAP)))
        if span_ms
        else 1
    )


def _is_unmeasured(layer: Layer) -> bool:
    return layer.time is None and not layer.is_structural


def _enqueue_ms(file: FileFacts) -> float | None:
    """Return how long the host takes to enqueue a query, which the GPU may wait for."""
    stated = file.measurement.summary.get("Enqueue Time")
    return _median(file.queries.enqueue_ms) if file.queries else stated.median_ms if stated else None


def _fit_together(one: _Total, other: _Total) -> bool:
    if bool(one.layers) == bool(other.layers):
        return True
    query, total = sorted((one, other), key=lambda each: each.layers)
    overhead = _PER_LAYER_MS * total.layers
    most = _PROFILED * total.lanes * query.time_ms + overhead
    between = _PER_GAP_MS * total.layers + (overhead if query.slack_ms is None else 2 * query.slack_ms)
    # Queries that run at once share the GPU.
    least = (query.time_ms / query.lanes - between - (total.slack_ms or 0.0)) / OTHER_KIND
    return least <= total.time_ms <= most


class _LayerTimes(NamedTuple):
    """The times of layers of one profiling run in one file."""

    times_ms: dict[str, float]
    is_printed: bool
    is_same_run: bool


def _layer_times(engine: Engine) -> Iterator[Stated]:
    files = [file for file in engine.files if any(time and time.avg_ms for _, time in file.layer_times)]
    # One alone contradicts nothing.
    for file in files if len(files) > 1 else ():
        times: dict[str, float] = {}
        for name, time in file.layer_times:
            times[name.strip()] = times.get(name.strip(), 0.0) + (time.avg_ms if time else 0.0)
        if any(times.values()):
            is_log = file.role == "log"
            same = (
                not is_log
                or file.file.lower().endswith(".profile.log")
                or any(flag_values(file, "exportProfile"))
            )
            text = f"a total layer time of {format_ms(math.fsum(times.values()))}"
            yield Stated(file.file, _LayerTimes(times, is_log, same), text)


def _are_one_profile(one: _LayerTimes, other: _LayerTimes) -> bool:
    common = one.times_ms.keys() & other.times_ms.keys()
    sums = [math.fsum(each.times_ms[name] for name in sorted(common)) for each in (one, other)]
    rounding = _RESOLUTION_MS * len(common) if one.is_printed or other.is_printed else 0.0
    limit = SAME_RUN if one.is_same_run and other.is_same_run else OTHER_KIND
    return max(sums) <= limit * min(sums) + rounding


def _times_of_layers(engine: Engine) -> Iterator[Stated]:
    """Yield the times of all layers; then those of the one that differs most, if such layers take much of it.

    Where the totals differ, the times of a single layer say no more.
    """
    profiles = list(_layer_times(engine))
    yield from profiles
    for pair in combinations(profiles, 2):
        one, other = (each.value for each in pair)
        limit = _SAME_LAYER if one.is_same_run and other.is_same_run else OTHER_KIND
        common = [name for name in one.times_ms if name in other.times_ms]
        both = {name: sorted((one.times_ms[name], other.times_ms[name])) for name in common}
        apart = {
            name: high - low for name, (low, high) in both.items() if high > limit * low + _RESOLUTION_MS
        }
        of_all = math.fsum(high for _, high in both.values())
        # Of one table, which no two runs write alike, each row counts.
        equal = sum(high <= _SAME_ROW * low + _ROW_ERROR_MS for low, high in both.values())
        share = 0.0 if equal > _SAME_ROWS * len(both) else _APART_SHARE
        if _are_one_profile(one, other) and math.fsum(apart.values()) > share * of_all:
            name = max(apart, key=lambda each: apart[each])
            for each in pair:
                time_ms = each.value.times_ms[name]
                yield Stated(each.file, time_ms, format_ms(time_ms), name)
            return


def _agree(one: _LayerTimes | float, other: _LayerTimes | float) -> bool:
    if isinstance(one, _LayerTimes) and isinstance(other, _LayerTimes):
        return _are_one_profile(one, other)
    return one == other


TIME_FACTS = (
    Fact("query-times", "times", _query_times, _is_one_time, "times"),
    Fact("runs", "runs", _runs, _is_one_time, "times"),
    Fact("layer-times", "layer times", _times_of_layers, _agree),
    Fact("total-layer-time", "layer times and query times", _totals, _fit_together),
)
