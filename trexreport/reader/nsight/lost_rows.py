"""Count what an export lacks or has at another time, as its other rows show."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from trexreport.reader.nsight.database import MOST_ROWS, Database
from trexreport.reader.nsight.nvtx import NvtxRange
from trexreport.reader.nsight.queries import RUNTIME
from trexreport.reader.nsight.recorded import RecordedCall, RecordedKernel
from trexreport.regex import regex

#: What runs one kernel each, unless a CUDA graph is captured.
_LAUNCH = regex(r"cu(?:da)?Launch(?:Cooperative)?Kernel(?:ExC?)?(?:_|\Z)")
_CAPTURE = regex(r"cu(?:da)?StreamBeginCapture")
#: Calls and ranges have the clock of the CPU.
_CLOCK_ERROR_NS = 1_000


def launch_names(names: Mapping[int, str]) -> frozenset[int]:
    """Return the numbers of the names of calls that run one kernel each; none where graphs were captured."""
    if any(map(_CAPTURE.match, names.values())):
        return frozenset()
    return frozenset(key for key, name in names.items() if _LAUNCH.match(name))


def kernels_without_call(database: Database, kernels: Sequence[RecordedKernel]) -> int:
    """Return how many kernels have no call, though earlier kernels of their stream have one."""
    streams = set()
    lost: list[int] = []
    for each in kernels:
        if each.call:
            streams.add(each.stream)
        elif each.correlation and each.stream in streams:
            lost.append(each.correlation)
    if not lost:
        return 0
    # Calls of other processes and those after the queries are not read, but known.
    between = ("correlationId", min(lost), max(lost))
    rows = database.rows(RUNTIME, ("correlationId",), between=between, most=MOST_ROWS)
    known = {row[0] for row in rows}
    return sum(each not in known for each in lost)


def calls_without_kernel(calls: Iterable[RecordedCall], kernels: Iterable[RecordedKernel]) -> int:
    """Return how many calls of queries ran no kernel, though later ones did: a recording may end between."""
    launched = {id(each.call) for each in kernels if each.call and each.call.launches}
    launches = [each for each in calls if each.launches and each.query is not None]
    last = max((each.begin_ns for each in launches if id(each) in launched), default=0)
    return sum(each.begin_ns < last and id(each) not in launched for each in launches)


def divided_calls(calls: Iterable[RecordedCall], ranges: Iterable[NvtxRange]) -> int:
    """Return how many calls a range of their thread begins or ends in: a thread does one after another."""
    moments: dict[int, list[int]] = {}
    for each in ranges:
        moments.setdefault(each.thread, []).extend((each.begin_ns, each.end_ns))
    for found in moments.values():
        found.sort()
    divided = 0
    for call in calls:
        found = moments.get(call.thread, [])
        first = bisect_right(found, call.begin_ns + _CLOCK_ERROR_NS)
        divided += first < bisect_left(found, call.end_ns - _CLOCK_ERROR_NS)
    return divided
