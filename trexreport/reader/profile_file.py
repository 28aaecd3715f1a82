r"""Read per-layer times: trtexec's --exportProfile and what other tools write in its place.

trexreport reads three shapes:

* trtexec 8.2 to 11: `[{"count": n}, {"name", "timeMs", "averageMs"[, "medianMs"], "percentage"}, ...]`,
  one record a line, names not escaped (so that a quote or backslash in a name makes it invalid JSON),
  figures that may be `nan`. Source: Profiler::exportJSONProfile in trtexec's sampleReporting.cpp.
* Torch-TensorRT: the same without `medianMs` and count.
* `{layer: [ms, ...]}` or `{layer: [[ms, timestamp], ...]}`, one entry an iteration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, LayerTime
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import duration

_RECORD = re.compile(
    r'^[\s,]*\{ ?"name" ?: ?"(?P<name>.*)", ?"timeMs" ?: ?(?P<total>[^\s,]+)'
    r', ?"averageMs" ?: ?(?P<mean>[^\s,]+)'
    r'(?:, ?"medianMs" ?: ?(?P<median>[^\s,]+))?, ?"percentage" ?: ?(?P<share>[^\s,}]+) ?\}[\s,\]]*$'
)
_RECORD_BEGINS = re.compile(r'^[\s,]*\{ ?"name"')
_COUNT = re.compile(r'"count"\s*:\s*(\d{1,18})')


@dataclass(frozen=True)
class ProfileRow:
    """One layer of the profile; `time` is None where the figures were no numbers."""

    name: str
    time: LayerTime | None


@dataclass(frozen=True)
class LayerProfile:
    """The rows of a profile in the file's order, and how many iterations they cover."""

    rows: tuple[ProfileRow, ...]
    iterations: int | None = None
    notes: tuple[InputWarning, ...] = field(default=())


def is_profile(document: Any) -> bool:
    """Return whether a JSON document has the shape of a layer profile."""
    if isinstance(document, list):
        records = [item for item in document[:50] if isinstance(item, dict)]
        if any("name" in item and ("averageMs" in item or "timeMs" in item) for item in records):
            return True
        return bool(records) and len(document) == 1 and set(records[0]) == {"count"}
    if isinstance(document, dict):
        first = list(document.values())[:50]
        return any(first) and all(_is_sample_list(value) for value in first)
    return False


def _is_sample_list(value: Any) -> bool:
    return isinstance(value, list) and all(_sample(item) is not None for item in value[:5])


def read_profile(text: str, name: str) -> LayerProfile:
    """Read a layer profile; times are in milliseconds.

    Raises:
        InputError: The text is no profile in any of the known shapes.
    """
    try:
        document, notes = parse_json(text, name, is_profile)
    except InputError:
        by_line = _read_lines(text, name)
        if by_line is None:
            raise
        return by_line
    if isinstance(document, dict):
        return _from_samples(document, name, notes)
    return _from_records(document, name, notes)


def _read_lines(text: str, name: str) -> LayerProfile | None:
    """Read trtexec's layout line by line, as its unescaped names may need; None if it is not that."""
    rows = []
    lost, closed = 0, False
    for line in text.split("\n"):  # splitlines() would also cut at U+001E, which names may hold
        found = _RECORD.match(line)
        closed = closed or line.strip() == "]" or bool(found and line.rstrip().endswith("]"))
        if found:
            rows.append(_row(found["name"], found["total"], found["mean"], found["median"], found["share"]))
        elif _RECORD_BEGINS.match(line):
            lost += 1
    if not rows:
        return None
    count = _COUNT.search(text[:400])
    notes = _notes_on_lines(name, lost, cut_off=not closed)
    return _finish(rows, int(count.group(1)) if count else None, name, notes)


def _notes_on_lines(name: str, lost: int, *, cut_off: bool) -> list[InputWarning]:
    if cut_off:
        message = f"{name} is cut off; only the layers before that place have a time."
        hint = "Write it again; was the disk full or the run stopped?"
        return [InputWarning("degraded", "profile-cut-off", message, name, ("latency",), hint)]
    message = f"{name} is not valid JSON (trtexec does not escape layer names); it was read line by line."
    notes = [InputWarning("repaired", "profile-by-line", message, name)]
    if lost:
        message = f"Records in {name} that could not be read, and so were left out: {lost}."
        notes.append(InputWarning("degraded", "profile-records", message, name, ("latency",)))
    return notes


def _from_records(document: Sequence[Any], name: str, notes: list[InputWarning]) -> LayerProfile:
    iterations: int | None = None
    rows: list[ProfileRow] = []
    odd = 0
    for record in document:
        if not isinstance(record, dict):
            odd += 1
        elif "count" in record and "name" not in record:
            count = record["count"]
            iterations = count if type(count) is int and 0 <= count < 10**18 else iterations
        elif isinstance(record.get("name"), str):
            figures = (record.get(key) for key in ("timeMs", "averageMs", "medianMs", "percentage"))
            rows.append(_row(record["name"], *figures))
        else:
            odd += 1
    if odd:
        message = f"Records in {name} that are no layer's, and so were left out: {odd} of {len(document)}."
        notes = [*notes, InputWarning("degraded", "profile-records", message, name, ("latency",))]
    return _finish(rows, iterations, name, notes)


def _from_samples(document: dict[str, Any], name: str, notes: list[InputWarning]) -> LayerProfile:
    rows = []
    longest = 0
    for layer, values in document.items():
        samples = tuple(_samples(values))
        longest = max(longest, len(samples))
        rows.append(ProfileRow(layer, time_of_samples(samples) if samples else None))
    return _finish(rows, longest, name, notes)


def _samples(values: Any) -> Iterator[float]:
    for item in values if isinstance(values, list) else ():
        sample = _sample(item)
        if sample is not None:
            yield sample


def _sample(item: Any) -> float | None:
    """Take the milliseconds of one entry: a number, or a pair of milliseconds and time stamp."""
    if isinstance(item, list) and item:
        item = item[0]
    return duration(item) if not isinstance(item, str) else None


def time_of_samples(samples: tuple[float, ...]) -> LayerTime:
    """Return the figures of one layer from the milliseconds of its iterations, at least one."""
    ordered = sorted(samples)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    total = math.fsum(samples)
    return LayerTime(total / len(samples), median, total, None, samples)


def _row(name: str, total: Any, mean: Any, median: Any, share: Any) -> ProfileRow:
    mean_ms, total_ms = duration(mean), duration(total)
    if mean_ms is None:
        return ProfileRow(name, None)
    return ProfileRow(name, LayerTime(mean_ms, duration(median), total_ms, duration(share)))


def unmeasured_if_zero(
    rows: Sequence[ProfileRow], name: str
) -> tuple[tuple[ProfileRow, ...], list[InputWarning]]:
    """Return the rows without their times if all of these are 0, and a note of it: nothing takes no time."""
    times = [row.time for row in rows if row.time is not None]
    if not times or any(time.avg_ms or time.median_ms or time.total_ms for time in times):
        return tuple(rows), []
    message = f"All times in {name} are 0: nothing was measured, so no layer has a time."
    hint = "Profile it again, with iterations that run."
    note = InputWarning("degraded", "profile-zero", message, name, ("latency", "layers"), hint)
    return tuple(ProfileRow(row.name, None) for row in rows), [note]


def _finish(
    rows: list[ProfileRow], iterations: int | None, name: str, notes: list[InputWarning]
) -> LayerProfile:
    unmeasured = sum(row.time is None for row in rows)
    if unmeasured:
        message = f"Layers in {name} whose time is no number: {unmeasured} of {len(rows)}."
        notes = [*notes, InputWarning("degraded", "profile-nan", message, name, ("latency",))]
    if not rows:
        message = f"{name} holds no layers: nothing was profiled."
        notes = [*notes, InputWarning("degraded", "profile-empty", message, name, ("latency",))]
    timed, zero = unmeasured_if_zero(rows, name)
    return LayerProfile(timed, iterations, (*notes, *zero))
