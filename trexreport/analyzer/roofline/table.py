"""The table of GPUs: what boards and architectures can do at most, ours (`gpus.toml`) and a user's own."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from functools import lru_cache
from typing import Any

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import TIMES, counted
from trexreport.regex import regex
from trexreport.resources import packaged_table
from trexreport.toml_table import TomlTable, quoted

#: Key of a peak to the data type that it is for; "/FP16" marks products that are added in FP16.
TENSOR_KEYS = {
    key: key.upper().replace("_", "/")
    for key in ("tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4", "fp16_fp16", "fp8_fp16")
}
VECTOR_KEYS = {"fp32": "FP32", "dp4a_int8": "INT8"}
_WORD = regex(r"[a-z0-9]+")
#: Far beyond what any GPU has, clocks in GHz and operations in 10^12 a second alike.
_LEAST, _MOST = 1e-6, 1e12
_MAX_INTEGER = 1_000_000


@dataclass(frozen=True)
class Board:
    """One entry of the table.

    Attributes:
        words: All are in the name of the device.
        form: Words that distinguish variants of one name, such as "pcie".
        segment: "geforce" for boards that add products in FP32 at half the speed, else empty.
        memory_gb: Sizes that it is sold with, 10^9 bytes.
        peaks: Key of `TENSOR_KEYS` or `VECTOR_KEYS` to 10^12 dense operations a second at `boost_ghz`.
        derived: How the peaks were derived; empty where they are published.
        differs: Why published peaks are more than a tenth from SMs times operations times clock.
        url: Of the document that `source` names.
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
    url: str = ""
    derived: str = ""
    differs: str = ""
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

    def board(self, name: str, stated_in: str = "") -> Board:
        """Return the board that a user means: the one of that name, else the only one with all its words.

        Args:
            name: What the user calls it.
            stated_in: What precedes the message where a file states the name.

        Raises:
            UsageError: None or several have them; the message lists what comes close.
        """
        asked = split_words(name)
        exact = [board for board in self.boards if _identifying_words(board.name) == _identifying_words(name)]
        found = exact or [board for board in self.boards if asked and set(asked) <= _all_words(board)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{stated_in}More than one GPU fits {quoted(name)}: {_list(found)}.",
                "Write the name of one of them.",
            )
        by_name = {" ".join(_identifying_words(board.name)): board for board in self.boards}
        close = difflib.get_close_matches(" ".join(_identifying_words(name)), by_name, n=3, cutoff=0.5)
        hint = f"Did you mean {_list([by_name[each] for each in close])}?" if close else ""
        raise UsageError(
            f"{stated_in}No GPU of the table is called {quoted(name)}.",
            hint or 'Describe it in the configuration, [gpus."NAME"] with bandwidth_gbs and peaks.',
        )


@lru_cache(maxsize=1)
def built_in_table() -> Table:
    """Return the table that comes with the package."""
    return read_table(packaged_table("analyzer/roofline/gpus.toml"), "gpus.toml")


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
    tables = TomlTable(record, f"{file}: ")
    tables.refuse_unknown(("gpu", "architecture"))
    rates = dict(known_rates or {})
    for entry in tables.tables("architecture"):
        entry.refuse_unknown(("compute_capability", "segment", "rates"))
        capability = entry.needed_text("compute_capability", 'Such as "9.0".')
        rates[capability, _text(entry, "segment")] = _peaks(entry, "rates")
    return Table(tuple(_board(entry, file, rates) for entry in tables.tables("gpu")), rates)


def _board(entry: TomlTable, file: str, rates: Mapping[tuple[str, str], Mapping[str, float]]) -> Board:
    name = entry.needed_text("name", "Devices are found by it.")
    entry = TomlTable(entry.values, f"{file}: gpu {quoted(name)}: ")
    entry.refuse_unknown(each.name for each in fields(Board))
    capability, segment, source = (_text(entry, key) for key in ("compute_capability", "segment", "source"))
    derived = _text(entry, "derived")
    sms, boost_ghz = entry.whole("sms", 1, _MAX_INTEGER), _number(entry, "boost_ghz")
    peaks = _peaks(entry, "peaks")
    if not peaks:
        per_clock = rates.get((capability, segment))
        if per_clock is None or sms is None or boost_ghz is None:
            hint = "Give peaks, or a known compute_capability, sms and boost_ghz."
            raise entry.wrong("peaks", "is missing", hint)
        peaks = derive_peaks(per_clock, sms, boost_ghz)
        derived = describe_derived(capability, sms, boost_ghz)
    bandwidth_gbs = _number(entry, "bandwidth_gbs")
    if bandwidth_gbs is None:
        raise entry.wrong("bandwidth_gbs", "is missing", "Give it in 10^9 bytes a second.")
    return Board(
        name=name,
        compute_capability=capability,
        bandwidth_gbs=bandwidth_gbs,
        peaks=peaks,
        words=tuple(word.lower() for word in entry.texts("words")) or _identifying_words(name),
        form=tuple(word.lower() for word in entry.texts("form")),
        segment=segment,
        sms=sms,
        boost_ghz=boost_ghz,
        memory_gb=tuple(map(float, entry.numbers("memory_gb", _LEAST, _MOST))),
        bus_bits=entry.whole("bus_bits", 1, _MAX_INTEGER),
        l2_mib=_number(entry, "l2_mib"),
        source=source or file,
        url=_text(entry, "url"),
        derived=derived,
        differs=_text(entry, "differs"),
        certain=entry.truth("certain", default=True),
    )


def _text(entry: TomlTable, key: str) -> str:
    """Return a text that may be empty or missing."""
    return "" if entry.values.get(key) == "" else entry.text(key) or ""


def _number(entry: TomlTable, key: str) -> float | None:
    return float(entry.number(key, _LEAST, _MOST)) if key in entry.values else None


def _peaks(entry: TomlTable, key: str) -> dict[str, float]:
    peaks = entry.table(key)
    peaks.refuse_unknown((*VECTOR_KEYS, *TENSOR_KEYS))
    return {name: float(peaks.number(name, _LEAST, _MOST)) for name in peaks}


def derive_peaks(per_clock: Mapping[str, float], sms: int, clock_ghz: float) -> dict[str, float]:
    """Return operations of one SM in one clock times SMs times clock, 10^12 a second."""
    return {key: rate * sms * clock_ghz / 1e3 for key, rate in per_clock.items()}


def describe_derived(capability: str, sms: int, clock_ghz: float) -> str:
    """Return what `derive_peaks` does, for people."""
    per_sm = f"operations of one SM of compute capability {capability} in one clock"
    return f"{per_sm} {TIMES} {counted(sms, 'SM')} {TIMES} {clock_ghz:g} GHz"


def _all_words(board: Board) -> set[str]:
    return {*split_words(board.name), *board.words, *board.form}


#: Words of names that say nothing of the board.
IDLE_WORDS = frozenset(
    ("nvidia", "geforce", "tesla", "quadro", "jetson", "gpu", "graphics", "generation", "device", "tm")
)


def _identifying_words(name: str) -> tuple[str, ...]:
    return tuple(word for word in split_words(name) if word not in IDLE_WORDS)


def _list(boards: Sequence[Board]) -> str:
    return ", ".join(board.name for board in boards[:6]) + (" and more" if len(boards) > 6 else "")
