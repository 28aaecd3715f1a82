"""TRX824 measurement.no-query-times."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import FIRST_WITHOUT
from trexreport.model.commands import profiles_while_timing

#: From this version on trtexec reports no end-to-end times of a run that profiles layers.
_SEPARATES = (8, 4)


@built_in_rule("info", needs=("version",))
def no_query_times(context: Context) -> Hits:
    """A run that profiled layers left out the times of queries.

    Cost:
        How long a query takes, and whether the host or transfers limit it, is not known: total layer time
        lacks the gaps between layers, and profiling lengthens short ones.

    Recommendation:
        [..10: Add --separateProfileRun to --exportProfile and --dumpProfile: queries are then timed in a run
        of their own.] [11.0..: Give --exportProfile, and the run times queries as well.]

    False alarm:
        Only the layers matter.

    Est. savings:
        Not estimated: it is how the engine was measured.
    """
    version = context.version or (0, 0)
    if not _SEPARATES <= version < FIRST_WITHOUT or context.analysis.latency.end_to_end is not None:
        return
    commands = context.analysis.commands
    if any(map(profiles_while_timing, commands)):
        yield Hit("trtexec wrote no end-to-end times, as it profiled the layers in the same run.")
