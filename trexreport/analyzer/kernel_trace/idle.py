"""When no kernel runs, and what the next one waits for.

A gap is the time between the end of all kernels that ran and the beginning of the next one. Its time is
divided:

* *copy*: a copy or a memset runs on the GPU;
* *synchronization*: the next kernel is not launched yet, and the CPU waits in a call for the GPU;
* *host*: the CPU does something else before it launches the kernel, or is in the call that launches it;
* *launch*: that call has returned, and the kernel has not begun;
* *unknown*: the call is not in the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis.kernels import IdleCause
from trexreport.analyzer.kernel_trace.spans import Coverage, Times, union, without
from trexreport.lazy_dataclass import dataclass
from trexreport.model.kernel_trace import KernelRun, KernelTrace


@dataclass(frozen=True)
class Gap:
    """A time without a running kernel, divided by cause; `before` and `after` are places of runs."""

    begin_ns: int
    end_ns: int
    parts: Mapping[IdleCause, int]
    before: int
    after: int

    @property
    def took_ns(self) -> int:
        """How long it is."""
        return self.end_ns - self.begin_ns

    @property
    def cause(self) -> IdleCause:
        """What takes the largest part of it."""
        return max(self.parts, key=lambda cause: self.parts[cause])


def find_gaps(trace: KernelTrace) -> list[Gap]:
    """Return the gaps between the kernels of a trace, in their order."""
    runs = trace.runs
    order = sorted(range(len(runs)), key=lambda place: (runs[place].begin_ns, runs[place].end_ns, place))
    copies = union((each.begin_ns, each.end_ns) for each in trace.copies)
    waits = without(union((each.begin_ns, each.end_ns) for each in trace.waits), copies)
    covered, waited = Coverage(copies), Coverage(waits)
    gaps: list[Gap] = []
    last = None
    for place in order:
        run = runs[place]
        if last is not None and run.begin_ns > runs[last].end_ns:
            time = (runs[last].end_ns, run.begin_ns)
            gaps.append(Gap(*time, _parts(time, run, covered, waited), last, place))
        if last is None or run.end_ns > runs[last].end_ns:
            last = place
    return gaps


def _parts(time: Times, run: KernelRun, copies: Coverage, waits: Coverage) -> dict[IdleCause, int]:
    begin, end = time
    parts: Counter[IdleCause] = Counter({"copy": copies.between(begin, end)})
    if run.call_begin_ns is None or run.call_end_ns is None:
        parts["unknown"] = end - begin - parts["copy"]
    else:
        called = min(max(run.call_begin_ns, begin), end)
        returned = min(max(run.call_end_ns, called), end)
        parts["synchronization"] = waits.between(begin, called)
        parts["host"] = returned - begin - copies.between(begin, returned) - parts["synchronization"]
        parts["launch"] = end - returned - copies.between(returned, end)
    return {cause: took for cause, took in parts.items() if took > 0}


def concurrent_ns(runs: Sequence[KernelRun]) -> int:
    """Return the time in which at least two kernels ran."""
    changes = Counter[int]()
    for run in runs:
        changes[run.begin_ns] += 1
        changes[run.end_ns] -= 1
    running = found = since = 0
    for moment in sorted(changes):
        if running > 1:
            found += moment - since
        running, since = running + changes[moment], moment
    return found


def stream_waits_ns(runs: Sequence[KernelRun]) -> dict[int | None, int]:
    """Return by stream how long its next kernel was launched while only other streams ran kernels."""
    by_stream: dict[int | None, list[KernelRun]] = {}
    for run in sorted(runs, key=lambda each: (each.begin_ns, each.end_ns)):
        by_stream.setdefault(run.stream, []).append(run)
    unions = {
        stream: union((each.begin_ns, each.end_ns) for each in own) for stream, own in by_stream.items()
    }
    everything = union(span for spans in unions.values() for span in spans)
    found: dict[int | None, int] = {}
    for stream, own in by_stream.items():
        others = Coverage(without(everything, unions[stream]))
        free, waited = None, 0
        for run in own:
            if run.call_end_ns is not None:
                since = run.call_end_ns if free is None else max(free, run.call_end_ns)
                waited += others.between(since, run.begin_ns)
            free = run.end_ns if free is None else max(free, run.end_ns)
        found[stream] = waited
    return found
