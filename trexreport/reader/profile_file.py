r"""Read per-layer times: trtexec's --exportProfile and what other tools write in its place.

trexreport reads these shapes:

* trtexec 8.2 to 11: `[{"count": n}, {"name", "timeMs", "averageMs"[, "medianMs"], "percentage"}, ...]`,
  one record a line, names not escaped (so that a quote or backslash in a name makes it invalid JSON),
  figures that may be `nan`. Source: Profiler::exportJSONProfile in trtexec's sampleReporting.cpp.
* Torch-TensorRT: the same without `medianMs` and count, or a trace for Perfetto, see `torch_trace.py`.
* `{layer: [ms, ...]}` or `{layer: [[ms, timestamp], ...]}`, one entry an iteration.
* What programs print of an IProfiler, such as "layer: 0.12ms", see `printed_forms.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, LayerTime
from trexreport.reader.impossible import PERCENT, TIME_MS, WHOLE, ImpossibleValues, Kind, quoted
from trexreport.reader.json_text import parse_json
from trexreport.reader.layer_profile import LayerProfile, time_of_samples, unmeasured_if_zero
from trexreport.reader.printed_profile import profile_of
from trexreport.reader.printed_times import find_times
from trexreport.reader.profile_values import ProfileRow, check_rows, note_on_unlisted, unlisted_part
from trexreport.reader.torch_trace import escape_names, is_trace, rows_of_trace, sums_note
from trexreport.reader.values import LONGEST_MS, SHORTEST_MS, duration, number
from trexreport.regex import regex

_RECORD = regex(
    r'^[\s,]*\{ ?"name" ?: ?"(?P<name>.*)", ?"timeMs" ?: ?(?P<total>[^\s,]+)'
    r', ?"averageMs" ?: ?(?P<mean>[^\s,]+)'
    r'(?:, ?"medianMs" ?: ?(?P<median>[^\s,]+))?, ?"percentage" ?: ?(?P<share>[^\s,}]+) ?\}[\s,\]]*$'
)
_GROUPS = {"timeMs": "total", "averageMs": "mean", "medianMs": "median", "percentage": "share"}
_RECORD_BEGINS = regex(r'^[\s,]*\{ ?"name"')
_COUNT = regex(r'"count"\s*:\s*(-?[\w.+-]{1,18})')
#: What trtexec writes of each layer.
_FIGURES: Mapping[str, Kind] = {
    **dict.fromkeys(("timeMs", "averageMs", "medianMs"), TIME_MS),
    "percentage": PERCENT,
}


def is_profile(document: Any) -> bool:
    """Return whether a JSON document has the shape of a layer profile."""
    if isinstance(document, list):
        records = [item for item in document[:50] if isinstance(item, dict)]
        if any("name" in item and ("averageMs" in item or "timeMs" in item) for item in records):
            return True
        is_empty = bool(records) and len(document) == 1 and set(records[0]) == {"count"}
        return is_empty or is_trace(document)
    if isinstance(document, dict):
        first = list(document.values())[:50]
        return any(first) and all(_is_sample_list(value) for value in first)
    return False


def _is_sample_list(value: Any) -> bool:
    return isinstance(value, list) and (not value or any(_sample(item) is not None for item in value[:5]))


def _sample(item: Any) -> float | None:
    """Take the milliseconds of one entry: a number, or a pair of milliseconds and time stamp."""
    if isinstance(item, list) and item:
        item = item[0]
    return duration(item) if not isinstance(item, str) else None


def read_profile(text: str, name: str) -> LayerProfile:
    """Read a layer profile; times are in milliseconds.

    Raises:
        InputError: The text is not a profile in any of the known shapes.
    """
    try:
        document, notes = parse_json(text, name, is_profile)
    except InputError:
        by_line = _read_lines(text, name)
        if by_line is not None:
            return by_line
        if (printed := find_times(text, name)) is not None:
            return profile_of(printed, name)
        escaped = escape_names(text)
        if escaped == text:
            raise
        document, notes = parse_json(escaped, name, is_profile)
        message = f"{name} is not valid JSON (names are not escaped); the names were repaired."
        notes.append(InputWarning("repaired", "profile-names", message, name))
    if isinstance(document, dict):
        return _from_samples(document, name, notes)
    if is_trace(document):
        values = _values_of(name)
        rows = rows_of_trace(document, values)
        notes.append(sums_note(name))
        return replace(_finish(rows, None, values, notes, states_sums=False), is_sum=True)
    return _from_records(document, name, notes)


def _read_lines(text: str, name: str) -> LayerProfile | None:
    """Read trtexec's layout line by line, as its unescaped names may need; None if it is not that."""
    rows = []
    values = _values_of(name)
    lost, closed = 0, False
    for line in text.split("\n"):  # splitlines() would also cut at U+001E, which names may hold
        found = _RECORD.match(line)
        closed = closed or line.strip() == "]" or bool(found and line.rstrip().endswith("]"))
        if found:
            written = {key: found[group] for key, group in _GROUPS.items() if found[group] is not None}
            rows.append(_row(found["name"], {key: number(each) for key, each in written.items()}, values))
        elif _RECORD_BEGINS.match(line):
            lost += 1
    if not rows:
        return None
    count = _COUNT.search(text[:400])
    iterations = _iterations(number(count.group(1)), values) if count else None
    return _finish(rows, iterations, values, _notes_on_lines(name, lost, cut_off=not closed))


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
    values = _values_of(name)
    odd = 0
    for record in document:
        if not isinstance(record, dict):
            odd += 1
        elif "count" in record and "name" not in record:
            iterations = _iterations(record["count"], values)
        elif isinstance(record.get("name"), str):
            rows.append(_row(record["name"], record, values))
        else:
            odd += 1
    if odd:
        message = f"Records in {name} that are not a layer's, and so were left out: {odd} of {len(document)}."
        notes = [*notes, InputWarning("degraded", "profile-records", message, name, ("latency",))]
    return _finish(rows, iterations, values, notes)


def _from_samples(document: dict[str, Any], name: str, notes: list[InputWarning]) -> LayerProfile:
    values = _values_of(name)
    rows = []
    longest = 0
    for layer, listed in document.items():
        samples = read_samples(listed, quoted(layer), values)
        longest = max(longest, len(samples))
        rows.append(ProfileRow(layer, time_of_samples(samples) if samples else None))
    return _finish(rows, longest, values, notes, states_sums=False)


def read_samples(listed: Any, place: str, values: ImpossibleValues) -> tuple[float, ...]:
    """Return the milliseconds of one layer's iterations, each a number or a pair with a time stamp."""
    if not isinstance(listed, list):
        values.refuse(place, listed, "is not a list of times")
        return ()
    taken = (item[0] if isinstance(item, list) and item else item for item in listed)
    times = [values.number(TIME_MS, item, f"{place}[{at}]") for at, item in enumerate(taken)]
    samples = tuple(duration(time) or 0.0 for time in times if time is not None)
    zeros = samples.count(0.0)
    if 0 < 2 * zeros < len(samples):
        values.mark(place, f"takes no time in {zeros} of {len(samples)} iterations")
    return samples


def _values_of(name: str) -> ImpossibleValues:
    return ImpossibleValues(name, ("latency", "layers"))


def _iterations(count: Any, values: ImpossibleValues) -> int | None:
    found = values.number(WHOLE, count, "count")
    return None if found is None else int(found)


def _row(name: str, record: Mapping[str, Any], values: ImpossibleValues) -> ProfileRow:
    """Return a row of what trtexec writes of a layer; where nothing was measured, all of it is NaN."""
    written: list[Any] = [record.get(key) for key in _FIGURES]
    total_ms, avg_ms, median_ms, share = written
    if type(total_ms) is type(avg_ms) is type(median_ms) is type(share) is float and (
        SHORTEST_MS <= total_ms <= LONGEST_MS
        and SHORTEST_MS <= avg_ms <= LONGEST_MS
        and SHORTEST_MS <= median_ms <= LONGEST_MS
        and PERCENT.low <= share <= PERCENT.high
    ):
        # As nearly all are.
        return ProfileRow(name, LayerTime(avg_ms, median_ms, total_ms, share))
    if all(each is None for each in written):
        return ProfileRow(name, None)
    place = quoted(name)
    *times, percent = [values.of(record, key, kind, place) for key, kind in _FIGURES.items()]
    total, average, middle = [each if each is None or each >= SHORTEST_MS else 0.0 for each in times]
    return ProfileRow(name, None if average is None else LayerTime(average, middle, total, percent))


def _finish(
    rows: list[ProfileRow],
    iterations: int | None,
    values: ImpossibleValues,
    notes: list[InputWarning],
    *,
    states_sums: bool = True,
) -> LayerProfile:
    name = values.file
    unmeasured = sum(row.time is None for row in rows)
    if unmeasured:
        message = f"Layers in {name} whose time is not a number: {unmeasured} of {len(rows)}."
        notes = [*notes, InputWarning("degraded", "profile-nan", message, name, ("latency",))]
    if not rows:
        message = f"{name} holds no layers: nothing was profiled."
        notes = [*notes, InputWarning("degraded", "profile-empty", message, name, ("latency",))]
    if iterations == 0 and any(row.time for row in rows):
        values.refuse("count", iterations, "is not a number of iterations that took time")
        iterations = None
    part = 0.0
    timed, zero = unmeasured_if_zero(rows, name)
    if states_sums:
        timed, iterations = check_rows(timed, iterations, values, is_whole=not notes)
        part = unlisted_part(timed)
        cut_off = any("cut" in note.slug for note in notes)
        notes = [*notes, note_on_unlisted(part, name)] if part and not cut_off else notes
    return LayerProfile(timed, iterations, (*notes, *zero, *values.notes()), part)
