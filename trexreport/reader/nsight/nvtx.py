"""The NVTX ranges of a trace, and which of them hold a call.

`NVTX_EVENTS` has a row for each range: 59 is one of push and pop, 60 one of start and end, 70 and 71 the same
of the older interface; 75 names a domain. Its text is in "text" or, in newer exports, in `StringIds` by
"textId". Source: SQLite Export Schema Reference of Nsight Systems. A call belongs to a range of the same
thread that holds it whole, as in NVIDIA's report nvtx_kern_sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from trexreport.reader.nsight.database import MOST_ROWS, Database

NVTX_TABLE = "NVTX_EVENTS"
_RANGE_TYPES = frozenset({59, 60, 70, 71})
_DOMAIN_TYPE = 75
#: Ranges nest some tens deep; beyond, what holds a call counts as unknown.
_DEEPEST = 100
#: The part of a thread's number that is the process.
PROCESS = 0x0000_FFFF_FF00_0000


@dataclass(frozen=True, slots=True)
class NvtxRange:
    """A range; times in ns as the trace has them.

    Attributes:
        domain: Name of its domain; empty for the default one or an unknown one.
    """

    begin_ns: int
    end_ns: int
    thread: int
    name: str
    domain: str


def read_ranges(database: Database, names: Mapping[int, str]) -> list[NvtxRange]:
    """Return all ranges that ended, by their beginning.

    Args:
        database: The export.
        names: Its `StringIds`.
    """
    numbers = ("start", "end", "eventType", "globalTid", "endGlobalTid", "textId", "domainId")
    rows = list(database.rows(NVTX_TABLE, numbers, ("text",), most=MOST_ROWS))
    domains: dict[tuple[int, int | None], str] = {}
    found = []
    for row in rows:
        thread, domain = row[3], row[6]
        if row[2] == _DOMAIN_TYPE and isinstance(thread, int) and not isinstance(domain, str):
            domains.setdefault((thread & PROCESS, domain), _text(row, names))
    for row in rows:
        begin, end, kind, thread, end_thread, _, domain, _ = row
        # Exports of some tools have no type: a range is then what has an end.
        if kind is not None and kind not in _RANGE_TYPES:
            continue
        if not (isinstance(begin, int) and isinstance(end, int) and isinstance(thread, int)) or end < begin:
            continue
        if end_thread not in (None, thread) or isinstance(domain, str):
            continue
        found.append(
            NvtxRange(begin, end, thread, _text(row, names), domains.get((thread & PROCESS, domain), ""))
        )
    # Of ranges that begin together, the longest is the outermost.
    return sorted(found, key=lambda each: (each.begin_ns, -each.end_ns))


def _text(row: Sequence[int | str | None], names: Mapping[int, str]) -> str:
    if isinstance(row[7], str):
        return row[7]
    return names.get(row[5], "") if isinstance(row[5], int) else ""


def enclosing(
    ranges: Iterable[NvtxRange], calls: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, list[NvtxRange]]]:
    """Yield the position of each call with the ranges that hold it, the innermost first.

    Args:
        ranges: Of one thread, by their beginning.
        calls: From when to when, in ns.
    """
    waiting = iter(ranges)
    upcoming = next(waiting, None)
    open_ranges: list[NvtxRange] = []
    for position, (begin, end) in sorted(enumerate(calls), key=itemgetter(1, 0)):
        while upcoming is not None and upcoming.begin_ns <= begin:
            # Ranges that ended are dropped from the end only: those of push and pop nest.
            while open_ranges and open_ranges[-1].end_ns < upcoming.begin_ns:
                open_ranges.pop()
            open_ranges.append(upcoming)
            upcoming = next(waiting, None)
        while open_ranges and open_ranges[-1].end_ns < begin:
            open_ranges.pop()
        yield position, [each for each in reversed(open_ranges[-_DEEPEST:]) if each.end_ns >= end]
