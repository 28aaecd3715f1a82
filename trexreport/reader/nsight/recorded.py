"""What an export records of a kernel, before times count from the first moment of the trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trexreport.model.kernel_trace import (
    DeviceCopy,
    KernelConfig,
    KernelRange,
    KernelRun,
    KernelTrace,
    RangeOrigin,
    Span,
)


@dataclass
class RecordedCall:
    """An API call, or the capture of a node of a graph; times in ns as the export has them.

    Attributes:
        launches: It runs one kernel.
    """

    begin_ns: int
    end_ns: int
    thread: int
    query: int | None = None
    range: KernelRange | None = None
    launches: bool = False


@dataclass
class RecordedKernel:
    """A kernel that ran; times in ns as the export has them, and the number of the call that launched it."""

    begin_ns: int
    end_ns: int
    device: int | None
    stream: int | None
    call: RecordedCall | None
    node: int | None
    config: KernelConfig
    origin: RangeOrigin | None = None
    range: KernelRange | None = None
    correlation: int | None = None


def as_trace(
    facts: KernelTrace,
    kernels: Sequence[RecordedKernel],
    copies: Sequence[DeviceCopy],
    waits: Sequence[tuple[int, int]],
    spans: Sequence[tuple[int, int]],
) -> KernelTrace:
    """Return the trace with times from its first moment on."""
    moments = [each.begin_ns for each in kernels] + [each.call.begin_ns for each in kernels if each.call]
    zero = min(moments + [begin for begin, _ in spans], default=0)
    configs = {config: place for place, config in enumerate(dict.fromkeys(each.config for each in kernels))}
    ranges = {each: place for place, each in enumerate(dict.fromkeys(k.range for k in kernels if k.range))}
    return replace(
        facts,
        configs=tuple(configs),
        ranges=tuple(ranges),
        runs=tuple(
            KernelRun(
                config=configs[each.config],
                begin_ns=each.begin_ns - zero,
                end_ns=each.end_ns - zero,
                stream=each.stream,
                query=each.call.query if each.call else None,
                range=ranges[each.range] if each.range else None,
                origin=each.origin,
                call_begin_ns=each.call.begin_ns - zero if each.call else None,
                call_end_ns=each.call.end_ns - zero if each.call else None,
            )
            for each in kernels
        ),
        copies=tuple(
            replace(each, begin_ns=each.begin_ns - zero, end_ns=each.end_ns - zero) for each in copies
        ),
        waits=tuple(Span(begin - zero, end - zero) for begin, end in waits),
        queries=tuple(Span(begin - zero, end - zero) for begin, end in spans),
    )
