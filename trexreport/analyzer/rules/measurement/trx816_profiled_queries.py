"""TRX816 measurement.profiled-queries."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.model.commands import always_profiles_while_timing

#: From this version on trtexec reports no end-to-end times of a run that profiles layers.
_SEPARATES = (8, 4)


@built_in_rule("warning", needs=("end-to-end",), explains={"engine": ("TRX805",)})
def profiled_queries(context: Context) -> Hits:
    """Queries were timed while layers were profiled.

    Cost:
        A profiler waits for each layer before the next one starts. Latency and GPU compute time of such a run
        are longer than in use, most for engines of many short layers, and comparisons with runs without a
        profile mean nothing.

    Recommendation:
        Measure queries in a run of their own, without --dumpProfile and --exportProfile.

    False alarm:
        Only the layers matter, and the times of queries are not used. From 8.4 on trtexec writes no
        end-to-end times of such a run, and nothing is reported.

    Est. savings:
        Not estimated: it is how the engine was measured.
    """
    # Where a log states no version trtexec is of one before 8.
    if context.version is not None and context.version >= _SEPARATES:
        return
    if always_profiles_while_timing(context.analysis.commands):
        yield Hit("Each run that timed queries also profiled layers, which lengthens the times of queries.")
