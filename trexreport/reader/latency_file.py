"""Read how long something takes that is not a TensorRT engine: "NAME=12.3ms", or a file of latencies.

A file is JSON or CSV: a list of times or a single one, or a table of Triton (see `latency_tables.py`). A time
without a unit is refused: frameworks write seconds as often as milliseconds. The unit is in the name of the
column or key ("latency_ms", "time (s)"), in a key "unit" beside it, or behind the file's name in the option.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trexreport.errors import InputError, UsageError
from trexreport.model import ExternalLatency, Source
from trexreport.reader import latency_tables
from trexreport.reader.files import read_bytes
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.timing_file import is_timing, read_timing
from trexreport.reader.values import LONGEST_MS, SHORTEST_MS, number
from trexreport.regex import regex

_IN_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3, "min": 60e3}
_UNIT_NAMES = {
    "nanoseconds": "ns", "microseconds": "us", "usec": "us", "milliseconds": "ms", "msec": "ms",
    "seconds": "s", "sec": "s", "secs": "s",
}  # fmt: skip
_UNITS = {**{unit: unit for unit in _IN_MS if unit != "min"}, **_UNIT_NAMES}
_AMOUNT = regex(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?\s*([a-zµμ]*)", re.ASCII)
#: Words of which one is in the name of a column or key of times, what is taken first of several first.
_TIME_WORDS = (
    ("latency", "latencies"),
    ("time", "times", "duration", "durations", "elapsed", "runtime"),
    ("samples", "data"),
    ("median", "p50"),
    ("mean", "average", "avg"),
)
#: A column of which the name has one of these is not a latency itself.
_OTHER_WORDS = {
    "start", "end", "stamp", "timestamp", "date", "std", "stdev", "stddev", "variance", "min", "max",
    "minimum", "maximum", "best", "worst", "p90", "p95", "p99", "count", "total", "sum", "wall", "iteration",
    "iterations", "warmup", "enq",
}  # fmt: skip
_WORD = regex(r"[A-Z]?[a-zµμ]+\d*|[A-Z]+(?![a-z])")
#: How much of a file shows which table it is.
MARKED_CHARACTERS = 65_536
_DELIMITERS = ("\t", ";", ",")
_HOW = "Give it as 'NAME=12.3ms', or as 'NAME=FILE' with a CSV or JSON file."
_HOW_UNIT = "Name the column or key latency_ms (or _us, _s), or put the unit behind the file: 'NAME=FILE ms'."


def read_latencies(texts: Sequence[str]) -> list[ExternalLatency]:
    """Read options of the form "NAME=12.3ms", "NAME=FILE" or "NAME=FILE UNIT".

    Texts of one name are several runs of the same thing.

    Raises:
        UsageError: A text is of none of the forms.
        InputError: A file can't be read, or holds no times whose unit is known.
    """
    found: dict[str, ExternalLatency] = {}
    for each in texts:
        run = _read(each)
        before = found.get(run.name, ExternalLatency(run.name, ()))
        found[run.name] = ExternalLatency(
            run.name, before.runs_ms + run.runs_ms, before.files + run.files, before.sources + run.sources
        )
    return list(found.values())


def _read(option: str) -> ExternalLatency:
    """Return a latency of one run; a name may hold "=", as in "PyTorch (batch=8)=12.3ms"."""
    for match in reversed(list(re.finditer("=", option))):
        name, value = option[: match.start()].strip(), option[match.end() :].strip()
        if not name or not value:
            continue
        amount = _amount(value, option)
        if amount is not None:
            return ExternalLatency(name, ((amount,),))
        path, unit = _path_and_unit(value)
        if _exists(path):
            return _of_file(name, path, unit)
    name, _, value = (part.strip() for part in option.partition("="))
    if name and re.search(r"\.(csv|tsv|txt|json)\b", value, re.IGNORECASE):
        return _of_file(name, *_path_and_unit(value))
    raise UsageError(f"'{option}' is not a latency.", _HOW)


def _amount(value: str, option: str) -> float | None:
    """Return a time with its unit in milliseconds; None if it is not meant as one."""
    found = _AMOUNT.fullmatch(value)
    if found is None:
        return None
    if found[3] not in _IN_MS:
        problem = f"'{found[3]}' is not a unit of time" if found[3] else "the unit is missing"
        raise UsageError(f"'{option}': {problem}.", "Give one of us, ms and s, as in 12.3ms.")
    amount = float(f"{found[1]}e{found[2] or 0}") * _IN_MS[found[3]]
    if not SHORTEST_MS <= amount <= LONGEST_MS:
        raise UsageError(f"'{option}': that is not a time that anything takes.", _HOW)
    return amount


def _path_and_unit(value: str) -> tuple[Path, str]:
    """Split "FILE UNIT" unless a file has that name."""
    path, _, unit = value.rpartition(" ")
    if path and unit in _IN_MS and not _exists(Path(value)):
        return Path(path.rstrip()), unit
    return Path(value), ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _of_file(name: str, path: Path, unit: str) -> ExternalLatency:
    data = read_bytes(path)
    text, _ = decode_text(data, path.name)
    table = latency_tables.kind_of(text[:MARKED_CHARACTERS])
    if table:
        figure, its_unit = latency_tables.read_table(text, table, path.name, unit)
        times = _checked([figure], its_unit, path.name)
        return ExternalLatency(name, (tuple(times),), (str(path),), (Source("latency", path.name, data),))
    is_json = text.lstrip()[:1] in ("[", "{")
    times = (_of_json if is_json else _of_csv)(text, path.name, unit)
    return ExternalLatency(name, (tuple(times),), (str(path),), (Source("latency", path.name, data),))


def _of_json(text: str, name: str, unit: str) -> list[float]:
    document, _ = parse_json(text, name, lambda value: isinstance(value, (dict, list)))
    if is_timing(document):
        queries, _ = read_timing(text, name)
        return _checked(queries.latency_ms, "ms", name)
    if isinstance(document, list) and document and all(isinstance(each, dict) for each in document):
        key, its_unit = _column([key for key in document[0] if isinstance(key, str)], name)
        return _checked([each.get(key) for each in document], unit or its_unit, name)
    if isinstance(document, dict):
        return _of_record(document, name, unit)
    return _checked(document, unit, name)


def _of_record(record: Mapping[str, Any], name: str, unit: str) -> list[float]:
    fitting = [key for key, value in record.items() if isinstance(value, (list, int, float))]
    key, its_unit = _column(fitting, name)
    stated = _UNITS.get(str(record.get("unit", "")).strip(), "")
    values = record[key]
    return _checked(values if isinstance(values, list) else [values], unit or its_unit or stated, name)


def _of_csv(text: str, name: str, unit: str) -> list[float]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(f"{name} is empty.", _HOW)
    delimiter = next((each for each in _DELIMITERS if each in lines[0]), ",")
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:
        raise InputError(f"{name} is not readable CSV.", _HOW) from None
    column, its_unit = 0, ""
    if any(number(cell) is None for cell in rows[0] if cell):
        head = rows.pop(0)
        key, its_unit = _column(head, name)
        column = head.index(key)
    elif len(rows[0]) > 1:
        raise InputError(f"{name} has several columns and no line that names them.", _HOW_UNIT)
    return _checked([row[column] if column < len(row) else "" for row in rows], unit or its_unit, name)


def _column(keys: Iterable[str], name: str) -> tuple[str, str]:
    """Return the column or key that holds the times, and its unit, empty if its name has none."""
    found: dict[int, list[tuple[str, str]]] = {}
    for key in keys:
        words = [word.lower() for word in _WORD.findall(key)]
        rank = next((at for at, of_rank in enumerate(_TIME_WORDS) if set(of_rank) & set(words)), None)
        if rank is not None and not _OTHER_WORDS & set(words):
            found.setdefault(rank, []).append((key, _UNITS.get(words[-1], "")))
    if not found:
        raise InputError(f"{name} has no column or key that is called latency or time.", _HOW_UNIT)
    best = found[min(found)]
    if len(best) > 1:
        names = ", ".join(key for key, _ in best[:5])
        raise InputError(f"{name} has several columns or keys of times: {names}.", "Keep one of them.")
    return best[0]


def _checked(values: Sequence[Any], unit: str, name: str) -> list[float]:
    """Return the times in milliseconds.

    Raises:
        InputError: There are none, one is not a time, or the unit is not known.
    """
    if not values:
        raise InputError(f"{name} holds no times.", _HOW)
    times = []
    for place, value in enumerate(values, 1):
        time = number(value)
        # Without a unit, what is a time in milliseconds may be one in any.
        time_ms = None if time is None else time * _IN_MS[unit or "ms"]
        if time_ms is None or not SHORTEST_MS <= time_ms <= LONGEST_MS:
            raise InputError(
                f"{name}: of its times number {place} is '{_shown(value)}'.", "Leave out what is not a time."
            )
        times.append(time_ms)
    if not unit:
        raise InputError(f"{name} does not say in which unit its times are.", _HOW_UNIT)
    return times


def _shown(value: Any) -> str:
    try:
        return f"{value!s:.40}"
    except ValueError:  # a whole number of more digits than Python writes
        return "a number of thousands of digits"
