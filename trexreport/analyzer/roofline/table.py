"""The table of GPUs: what boards and architectures can do at most, ours (`gpus.toml`) and a user's own."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from trexreport.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Key of a peak to the data type that it is for; "/FP16" marks products that are added in FP16.
TENSOR_KEYS = {
    "tf32": "TF32",
    "fp16": "FP16",
    "bf16": "BF16",
    "fp8": "FP8",
    "fp4": "FP4",
    "int8": "INT8",
    "int4": "INT4",
    "fp16_fp16": "FP16/FP16",
    "fp8_fp16": "FP8/FP16",
}
VECTOR_KEYS = {"fp32": "FP32", "dp4a_int8": "INT8"}
_WORD = re.compile(r"[a-z0-9]+")
#: Far beyond what any GPU has, clocks in GHz and operations in 10^12 a second alike.
_LEAST, _MOST = 1e-6, 1e12
_MOST_WHOLE = 1_000_000


@dataclass(frozen=True)
class Board:
    """One entry of the table.

    Attributes:
        words: All stand in the name of the device.
        form: Words that tell variants of one name apart, such as "pcie".
        segment: "geforce" for boards that add products in FP32 at half the speed, else empty.
        memory_gb: Sizes that it is sold with, 10^9 bytes.
        peaks: Key of `TENSOR_KEYS` or `VECTOR_KEYS` to 10^12 dense operations a second at `boost_ghz`.
    """

    name: str
    compute_capability: str
    bandwidth_gbs: float
    peaks: Mapping[str, float]
    words: tuple[str, ...]
    form: tuple[str, ...] = ()
    segment: str = ""
    sms: int | None = None
    boost_ghz: float | None = None
    memory_gb: tuple[float, ...] = ()
    bus_bits: int | None = None
    l2_mib: float | None = None
    source: str = ""
    certain: bool = True


@dataclass(frozen=True)
class Table:
    """All boards, and those of them that are the user's own.

    Attributes:
        rates: (compute capability, segment) to the operations of one SM in one clock, by key of a peak.
    """

    boards: tuple[Board, ...]
    rates: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    own: tuple[Board, ...] = ()

    def board(self, name: str) -> Board:
        """Return the board that a user means: the one of that name, else the only one with all its words.

        Raises:
            UsageError: None or several have them; the message lists what comes close.
        """
        asked = split_words(name)
        exact = [board for board in self.boards if _telling(board.name) == _telling(name)]
        found = exact or [board for board in self.boards if asked and set(asked) <= _all_words(board)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f'More than one GPU fits "{name:.80}": {_list(found)}.', "Write the name of one of them."
            )
        by_name = {" ".join(_telling(board.name)): board for board in self.boards}
        close = difflib.get_close_matches(" ".join(_telling(name)), by_name, n=3, cutoff=0.5)
        hint = f"Did you mean {_list([by_name[each] for each in close])}?" if close else ""
        raise UsageError(
            f'No GPU of the table is called "{name:.80}".',
            hint or "Describe it in a table of your own; docs/gpus.md lists the known ones and the keys.",
        )


@lru_cache(maxsize=1)
def built_in_table() -> Table:
    """Return the table that comes with the package."""
    text = Path(__file__).with_name("gpus.toml").read_text(encoding="utf-8")
    return read_table(tomllib.loads(text), "gpus.toml")


def known_gpus() -> tuple[Board, ...]:
    """Return the boards of the table that comes with the package."""
    return built_in_table().boards


def with_own(own: Mapping[str, Any], file: str) -> Table:
    """Return the table with a user's own entries, which replace those of the same name.

    Raises:
        UsageError: An entry can't be used; the message names the file and the key.
    """
    table = built_in_table()
    if not own:
        return table
    theirs = read_table(own, file, table.rates)
    names = {board.name.lower() for board in theirs.boards}
    kept = [board for board in table.boards if board.name.lower() not in names]
    return Table((*theirs.boards, *kept), theirs.rates, theirs.boards)


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: "A100-SXM4-80GB" gives a100, sxm4 and 80gb."""
    return tuple(_WORD.findall(name.lower()))


def read_table(
    record: Mapping[str, Any],
    file: str,
    known_rates: Mapping[tuple[str, str], Mapping[str, float]] | None = None,
) -> Table:
    """Return what a parsed TOML file says.

    Raises:
        UsageError: A key is unknown, missing or of the wrong kind; the message names file and key.
    """
    for key in record:
        if key not in ("gpu", "architecture"):
            raise _error(file, str(key), "is no key of a table of GPUs", "Write [[gpu]] entries.")
    rates = dict(known_rates or {})
    for position, entry in enumerate(_entries(record, "architecture", file), 1):
        reader = _Reader(entry, file, f"architecture {position}")
        capability, segment = reader.text("compute_capability"), reader.text("segment", "")
        rates[capability, segment] = reader.peaks("rates")
        reader.finish()
    boards = tuple(
        _board(_Reader(entry, file, f"gpu {position}"), rates)
        for position, entry in enumerate(_entries(record, "gpu", file), 1)
    )
    return Table(boards, rates)


def _entries(record: Mapping[str, Any], key: str, file: str) -> list[Mapping[str, Any]]:
    entries = record.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise _error(file, key, "is no list of tables", f"Write each entry under [[{key}]].")
    return entries


def _board(reader: _Reader, rates: Mapping[tuple[str, str], Mapping[str, float]]) -> Board:
    name = reader.text("name")
    reader.place = f'gpu "{name:.60}"'
    capability, segment = reader.text("compute_capability", ""), reader.text("segment", "")
    sms, boost_ghz = reader.whole("sms"), reader.number("boost_ghz")
    peaks = reader.peaks("peaks")
    source = reader.text("source", "")
    if not peaks:
        per_clock = rates.get((capability, segment))
        if per_clock is None or sms is None or boost_ghz is None:
            raise _error(
                reader.file,
                f"{reader.place}: peaks",
                "is missing",
                "Give peaks, or a known compute_capability, sms and boost_ghz.",
            )
        peaks = derive_peaks(per_clock, sms, boost_ghz)
        source = f"{source + '; ' if source else ''}peaks derived from compute capability {capability}"
    bandwidth = reader.number("bandwidth_gbs")
    if bandwidth is None:
        raise _error(
            reader.file, f"{reader.place}: bandwidth_gbs", "is missing", "Give it in 10^9 bytes a second."
        )
    board = Board(
        name=name,
        compute_capability=capability,
        bandwidth_gbs=bandwidth,
        peaks=peaks,
        words=tuple(word.lower() for word in reader.texts("words")) or _telling(name),
        form=tuple(word.lower() for word in reader.texts("form")),
        segment=segment,
        sms=sms,
        boost_ghz=boost_ghz,
        memory_gb=reader.numbers("memory_gb"),
        bus_bits=reader.whole("bus_bits"),
        l2_mib=reader.number("l2_mib"),
        source=source or reader.file,
        certain=reader.truth("certain"),
    )
    reader.finish()
    return board


def derive_peaks(per_clock: Mapping[str, float], sms: int, clock_ghz: float) -> dict[str, float]:
    """Return operations of one SM in one clock times SMs times clock, 10^12 a second."""
    return {key: rate * sms * clock_ghz / 1e3 for key, rate in per_clock.items()}


class _Reader:
    """Takes values of one entry, each once, and says what is wrong with them."""

    def __init__(self, entry: Mapping[str, Any], file: str, place: str) -> None:
        self.rest = dict(entry)
        self.file = file
        self.place = place

    def text(self, key: str, default: str | None = None) -> str:
        value = self.rest.pop(key, default)
        if not isinstance(value, str) or (default is None and not value):
            raise self._wrong(key, value, "a text")
        return value

    def number(self, key: str) -> float | None:
        value = self.rest.pop(key, None)
        return None if value is None else self._positive(key, value)

    def whole(self, key: str) -> int | None:
        value = self.rest.pop(key, None)
        if value is None:
            return None
        if type(value) is not int or not 0 < value <= _MOST_WHOLE:
            raise self._wrong(key, value, f"a whole number from 1 to {_MOST_WHOLE}")
        return value

    def truth(self, key: str) -> bool:
        value = self.rest.pop(key, True)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def texts(self, key: str) -> Sequence[str]:
        value = self.rest.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, value, "a list of texts")
        return value

    def numbers(self, key: str) -> tuple[float, ...]:
        value = self.rest.pop(key, [])
        listed = value if isinstance(value, list) else [value]
        return tuple(self._positive(key, item) for item in listed)

    def peaks(self, key: str) -> dict[str, float]:
        value = self.rest.pop(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a table of data types")
        for name in value:
            if name not in TENSOR_KEYS and name not in VECTOR_KEYS:
                known = ", ".join((*VECTOR_KEYS, *TENSOR_KEYS))
                raise _error(
                    self.file, f"{self.place}: {key}.{name}", "is no data type", f"Known are {known}."
                )
        return {name: self._positive(f"{key}.{name}", item) for name, item in value.items()}

    def finish(self) -> None:
        if self.rest:
            key = min(self.rest, key=str)
            raise _error(self.file, f"{self.place}: {key}", "is no known key", "docs/gpus.md lists the keys.")

    def _positive(self, key: str, value: Any) -> float:
        # Also turns away infinity and NaN, which TOML has, and what no quotient of it could be written of.
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not _LEAST <= value <= _MOST:
            raise self._wrong(key, value, f"a number from {_LEAST:g} to {_MOST:g}")
        return float(value)

    def _wrong(self, key: str, value: Any, wanted: str) -> UsageError:
        # Python writes no whole number of thousands of digits.
        endless = isinstance(value, int) and abs(value) >= 10**40
        shown = "missing" if value is None else "far too large" if endless else f"{value!r:.40}"
        return _error(self.file, f"{self.place}: {key}", f"is {shown}", f"It must be {wanted}.")


def _error(file: str, key: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{file}: {key} {what}.", hint)


def _all_words(board: Board) -> set[str]:
    return {*split_words(board.name), *board.words, *board.form}


#: Words of names that say nothing of the board.
IDLE_WORDS = frozenset(
    ("nvidia", "geforce", "tesla", "quadro", "jetson", "gpu", "graphics", "generation", "device", "tm")
)


def _telling(name: str) -> tuple[str, ...]:
    return tuple(word for word in split_words(name) if word not in IDLE_WORDS)


def _list(boards: Sequence[Board]) -> str:
    return ", ".join(board.name for board in boards[:6]) + (" and more" if len(boards) > 6 else "")
