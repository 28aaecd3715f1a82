"""TRX925 engine.unstored-timing-cache."""

from __future__ import annotations

import re

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.numbers import format_count
from trexreport.regex import regex

_SECONDS = regex(r"(\d{1,9}(?:\.\d{1,9})?) s", re.ASCII)


@built_in_rule(
    "info",
    needs=(),
    section="build",
    thresholds=(Threshold("min_seconds", 120, 1, 1e6, "Minimum duration of the build."),),
)
def unstored_timing_cache(context: Context, *, min_seconds: float) -> Hits:
    """A build took long, and what it timed was not stored.

    Cost:
        The builder times the tactics of each layer, which is most of the duration of a build. The next build
        of this network, or of one with equal layers, times them again.

    Recommendation:
        Give --timingCacheFile=FILE (in code an ITimingCache): later builds on this kind of GPU with this
        version of TensorRT read the times from it. It also makes them choose the same tactics.

    False alarm:
        The engine is built once. Nothing is reported of builds that take less than two minutes, and where
        the log does not say that the cache was a local one.

    Est. savings:
        Not estimated: it concerns the build, not the time of the engine.
    """
    stated = context.build_fact("Engine built in") or context.build_fact("Engine generation completed in")
    found = _SECONDS.fullmatch(stated)
    seconds = float(found[1]) if found else 0.0
    if seconds < min_seconds or not context.build_fact("Timing cache").startswith("local"):
        return
    if context.build_fact("Timing cache saved") or context.build_fact("Timing cache loaded"):
        return
    if any("--timingCacheFile=" in command for command in context.analysis.commands):
        return
    yield Hit(f"The build took {format_count(round(seconds))} s, and its timing cache was not stored.")
