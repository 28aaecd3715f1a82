"""Read the time of every query: trtexec's --exportTimes.

A list of records in milliseconds with 12 fields (13 in TensorRT 8.2). Absolute times lose digits as they
grow, so durations are taken from the duration fields.
Source: exportJSONTrace in trtexec's sampleReporting.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from trexreport.model import InputWarning, QueryTimes
from trexreport.reader.impossible import POSITIVE_MS, STAMP_MS, TIME_MS, ImpossibleValues, Kind
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import LONGEST_MS, SHORTEST_MS, records

_TIMES: Mapping[str, Kind] = {
    **dict.fromkeys(("latencyMs", "computeMs"), POSITIVE_MS),
    **dict.fromkeys(("h2dMs", "d2hMs"), TIME_MS),
}
#: Each pair of stamps with the duration between them, which only they give of the enqueue.
_SPANS = tuple(
    (f"start{span}Ms", f"end{span}Ms", key)
    for span, key in (("Compute", "computeMs"), ("H2d", "h2dMs"), ("D2h", "d2hMs"), ("Enq", "enqueue"))
)
#: trtexec writes 6 significant digits.
_DIGITS = 6
_TOLERANCE = 1e-4
#: Queries that may be in flight at once, by which stamps may be out of order; of a short list an eighth.
_MOST_IN_FLIGHT = 16

_STAMPS_AND_TIMES = itemgetter(
    *(stamp for start, end, _ in _SPANS for stamp in (start, end)), "computeMs", "h2dMs", "d2hMs", "latencyMs"
)
_NUMBERS = frozenset({int, float})
#: Part of the queries of a list that may equal another one, of a list with copied rows.
_ODD_SHARE = 0.05
#: Rows of a block that is there twice, and characters of the longest time where equal ones are copies.
_LEAST_BLOCK, _LEAST_CHARACTERS = 3, 7

#: The columns of QueryTimes.
_Row = tuple[float, float, float, float, float, float | None]


def is_timing(document: Any) -> bool:
    """Return whether a JSON document has the shape of query times."""
    return isinstance(document, list) and any(
        "latencyMs" in record or "computeMs" in record for record in records(document[:50])
    )


def read_timing(text: str, name: str) -> tuple[QueryTimes, list[InputWarning]]:
    """Read query times; queries with an impossible value or without a latency are left out, with a note.

    Raises:
        InputError: The text is not a list of query times.
    """
    document, notes = parse_json(text, name, lambda value: value == [] or is_timing(value))
    if not document:
        return QueryTimes(()), [InputWarning("info", "timing-empty", f"{name} holds no queries.", name)]
    values = ImpossibleValues(name, ("timing",))
    out_of_order = {key for pair in _SPANS for key in _out_of_order(document, pair[0])}
    repeated = set(_repeated(document))
    for at in sorted(repeated):
        start = document[at]["startComputeMs"]
        values.refuse(f"query {at}.startComputeMs", start, "and all else are those of the query before")
    copied = _copied(document)
    for at in sorted(copied):
        key = "latencyMs" if "latencyMs" in document[at] else "computeMs"
        why = f"and all else are those of query {copied[at]}, as with the queries beside it"
        values.refuse(f"query {at}.{key}", document[at].get(key), why)
    repeated |= copied.keys()
    rows = [
        row
        for at, record in enumerate(document)
        if isinstance(record, dict)
        and at not in repeated
        and (row := (not out_of_order and _plain_row(record)) or _row(record, at, out_of_order, values))
    ]
    lost = len(document) - len(repeated) - len(rows)
    if lost:
        message = f"Queries in {name} without a latency, which were left out: {lost:,} of {len(document):,}."
        notes.append(InputWarning("degraded", "timing-records", message, name, ("timing",)))
    latency, compute, h2d, d2h, enqueue, stamps = zip(*rows, strict=True) if rows else ((),) * 6
    starts = tuple(stamp for stamp in stamps if stamp is not None)
    if 0 < len(starts) < len(stamps):
        lacking = f"{len(stamps) - len(starts):,} of {len(stamps):,}"
        message = f"Queries in {name} that do not state when they began, so that no stamp counts: {lacking}."
        notes.append(InputWarning("degraded", "timing-stamps", message, name, ("timing",)))
    queries = QueryTimes(latency, compute, h2d, d2h, enqueue, starts if len(starts) == len(stamps) else ())
    return queries, [*notes, *values.notes()]


def _repeated(document: Sequence[Any]) -> Iterator[int]:
    """Yield where a query is that before it once more, though it takes longer than stamps are rounded by."""
    for at in range(1, len(document)):
        before, record = document[at - 1 : at + 1]
        if record != before or not isinstance(record, dict):
            continue
        start: Any = record.get("startComputeMs")
        end: Any = record.get("endComputeMs")
        near = document[max(0, at - 2) : at + 2]
        begun = [each.get("startComputeMs") for each in near if isinstance(each, dict)]
        # Where more begin then, a writer states no stamps of the run.
        is_timed = all(map(STAMP_MS.holds, (start, end))) and begun.count(start) == len((before, record))
        if is_timed and end - start > 2 * stamp_rounding_ms(start, end):
            yield at


def _copied(document: Sequence[Any]) -> dict[int, int]:
    """Return where rows repeat several that are there before, to those: times of nearly all queries differ.

    Rows with stamps are each at their own time. Times of few digits may be alike by chance, and those
    of queries next to each other as they are measured together.
    """
    first: dict[tuple[Any, ...], int] = {}
    found: dict[int, int] = {}
    for at, record in enumerate(document):
        if not isinstance(record, dict) or "startComputeMs" in record:
            return {}
        place = first.setdefault(tuple(map(str, record.values())), at)
        if place != at:
            found[at] = place
    if max(len(value) for values in first for value in values) < _LEAST_CHARACTERS:
        return {}
    # What follows one copy is that of the query that follows its original.
    runs = {
        at: place
        for at, place in found.items()
        if at - place >= _LEAST_BLOCK
        and sum([found.get(at + step) == place + step for step in (-2, -1, 1, 2)]) >= 2
    }
    has_other_times = len(found) - len(runs) <= _ODD_SHARE * len(document)
    # Where most repeat others, the times do: a block that is there twice is half.
    return runs if has_other_times and 2 * len(runs) <= len(document) else {}


def _out_of_order(document: Sequence[Any], key: str) -> list[tuple[int, str]]:
    """Return where a stamp is far from its place in the order of all: trtexec writes them as they begin."""
    stamps = [
        (record[key], at)
        for at, record in enumerate(document)
        if isinstance(record, dict) and type(record.get(key)) in (int, float)
    ]
    ordered = sorted(stamps)
    if ordered == stamps:
        return []
    may_differ = min(_MOST_IN_FLIGHT, max(2, len(stamps) // 8))
    places = {at: place for place, (_, at) in enumerate(ordered)}
    return [(at, key) for place, (_, at) in enumerate(stamps) if abs(places[at] - place) > may_differ]


def _plain_row(record: Mapping[str, Any]) -> _Row | None:
    """Return what `_row` does for a query whose values agree, in a fifth of its time; None for others."""
    try:
        values = _STAMPS_AND_TIMES(record)
    except KeyError:
        return None
    if not _NUMBERS.issuperset(map(type, values)) or min(values) < 0 or max(values) > LONGEST_MS:
        return None
    start, end, h2d_start, h2d_end, d2h_start, d2h_end, enqueue, enqueued, compute, h2d, d2h, latency = values
    # That of the others is not less.
    rounding = stamp_rounding_ms(min(values[:8]))
    total = compute + h2d + d2h
    if (
        min(compute, latency) >= SHORTEST_MS
        and enqueue <= enqueued
        and abs(end - start - compute) <= rounding
        and abs(h2d_end - h2d_start - h2d) <= rounding
        and abs(d2h_end - d2h_start - d2h) <= rounding
        and abs(latency - total) <= _TOLERANCE * total
    ):
        return (
            float(latency),
            float(compute),
            float(h2d),
            float(d2h),
            float(enqueued - enqueue),
            float(start),
        )
    return None


def _row(
    record: Mapping[str, Any], at: int, out_of_order: set[tuple[int, str]], values: ImpossibleValues
) -> _Row | None:
    """Return latency, compute, both transfers, enqueue and start of a query; None if they can't be right."""
    place = f"query {at}"
    before = len(values.refused)
    times = {key: values.of(record, key, kind, place) for key, kind in _TIMES.items()}
    for start_key, end_key, key in _SPANS:
        start, end = (values.of(record, each, STAMP_MS, place) for each in (start_key, end_key))
        if start is None or end is None:
            continue
        spent = times.setdefault(key, max(0.0, end - start))
        if (at, start_key) in out_of_order:
            values.refuse(f"{place}.{start_key}", start, "is out of order")
        elif (
            spent is not None
            and abs(end - start - spent) > stamp_rounding_ms(start, end) + _TOLERANCE * spent
        ):
            values.refuse(f"{place}.{key}", spent, f"is not {end_key} {end:g} - {start_key} {start:g}")
    latency, compute, h2d, d2h = (times[key] for key in _TIMES)
    if latency is not None and compute is not None and h2d is not None and d2h is not None:
        total = compute + h2d + d2h
        if abs(latency - total) > _TOLERANCE * total:
            values.refuse(f"{place}.latencyMs", latency, f"is not {compute:g} + {h2d:g} + {d2h:g}")
    known = compute if latency is None else latency
    if known is None or len(values.refused) > before:
        return None
    start = values.of(record, "startComputeMs", STAMP_MS, place)
    if compute is None:
        compute = known
    return (known, compute, h2d or 0.0, d2h or 0.0, times.get("enqueue") or 0.0, start)


def stamp_rounding_ms(*stamps: float) -> float:
    """Return by how much a difference of stamps may be wrong in ms; some writers round to nanoseconds."""
    largest = max(0.1, *map(abs, stamps))
    return 10.0 ** (math.floor(math.log10(largest)) + 1 - _DIGITS)
