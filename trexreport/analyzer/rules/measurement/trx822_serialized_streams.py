"""TRX822 measurement.serialized-streams."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import counted, format_percentage

#: Streams with less of the busy time can't gain much from overlap.
_MIN_SHARE = 5.0


@built_in_rule(
    "info",
    needs=("kernels",),
    thresholds=(
        percent("concurrent_percent", 1.0, "Concurrent kernels from which on streams overlap, in percent."),
    ),
)
def serialized_streams(context: Context, *, concurrent_percent: float) -> Hits:
    """Kernels run on several streams, and hardly ever at the same time.

    Cost:
        Auxiliary streams are meant to overlap independent layers. Where they don't, each change of the
        stream costs an event and a wait, and the memory of the streams is of no use.

    Recommendation:
        [8.6..: Build with --maxAuxStreams=0 and compare: one stream may be as fast and needs less memory.]
        Kernels that fill the GPU can't overlap with others.

    False alarm:
        Nsight Systems may serialize kernels where it is asked for GPU metrics or where kernels are launched
        slower than they run; compare GPU compute time without a trace.

    Est. savings:
        Not estimated: what overlap would save depends on how much of the GPU each kernel uses.
    """
    trace = context.analysis.kernels
    if trace is None or trace.concurrent_percent is None or trace.concurrent_percent >= concurrent_percent:
        return
    busy = [each for each in trace.streams if 100 * each.busy_ms >= _MIN_SHARE * (trace.busy_ms or 0)]
    if len(busy) < 2:
        return
    yield Hit(
        f"Kernels run on {counted(len(busy), 'stream')}, and several of them at once in "
        f"{format_percentage(trace.concurrent_percent)} of the time with a kernel.",
        (),
        None,
        {f"Stream {each.stream}": f"{counted(each.kernels, 'kernel')}" for each in busy},
    )
