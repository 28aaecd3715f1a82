"""TRX804 measurement.too-few-iterations."""

from __future__ import annotations

from trexreport.analyzer.analysis import Severity
from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.numbers import counted, format_count

#: If the slowest of several queries takes at most so much more than the median, no percentile is far off.
_STEADY_RATIO, _SEVERAL = 1.05, 10
#: A coefficient of variation, in percent, below which a single slow query does not matter.
_STEADY_VARIATION = 1.0
#: This many queries show the median well.
_SHOW_MEDIAN = 30
#: trtexec measures three seconds by default; a part of them is spent between queries.
_DEFAULT_RUN_MS = 2500.0


@built_in_rule(
    "warning",
    many="{count} figures are from too few runs.",
    needs=(),
    thresholds=(
        Threshold("iterations", 10, 1, 1e9, "Minimum profiled iterations for a mean."),
        Threshold("queries", 100, 1, 1e9, "Minimum timed queries for percentiles."),
    ),
)
def too_few_iterations(context: Context, *, iterations: float, queries: float) -> Hits:
    """Times are from too few runs.

    Cost:
        Small differences between layers or engines may be chance. [if few-profiled: A single run of a layer
        may be off by several percent, more for kernels of a few microseconds.]

    Recommendation:
        Warm up, then run more iterations: trtexec --warmUp=500 --iterations=200 --avgRuns=100. [..10, if
        one-run: Add --separateProfileRun, or the queries are timed while layers are profiled.] [if
        few-profiled: With an IProfiler in your own code, add up at least ten runs after warming up.]

    False alarm:
        TREx's captures with TensorRT 8 state one iteration. Where layers are long and the ranking is clear,
        one is enough to find the slowest layers, unless it was the first: where no file shows that the engine
        ran before, what follows from shares of layer time alone is information. Few queries that take the
        three seconds of a default run, as those of a slow engine, are information, and 30 or more of them are
        not reported. Ten or more queries are not reported if they vary by less than 1%, or the slowest takes
        at most 5% more than the median.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    count = context.analysis.latency.profiled_iterations
    if context.has("profile") and count is not None and count < iterations:
        runs = "only once" if count == 1 else f"in only {format_count(count)} iterations"
        doubt = "its time may be off by several percent"
        if context.may_be_first_run:
            doubt = (
                "no file shows that the engine ran before. A first run also loads kernels and modules: "
                "single layers may take many times as long as in later runs"
            )
        yield Hit(f"Each layer was timed {runs}; {doubt}.")
    timed = _timed_queries(context)
    if timed is not None and timed < queries and not _are_enough(context, timed):
        were_timed = counted(timed, "query was timed", "queries were timed")
        severity: Severity | None = "info" if _fill_a_run(context, timed) else None
        yield Hit(f"Only {were_timed}; high percentiles are not reliable.", severity=severity)


def _are_steady(context: Context, queries: int) -> bool:
    """Return whether several queries took nearly the same time."""
    stability = context.analysis.stability
    if stability is not None and queries >= _SEVERAL and stability.variation_percent < _STEADY_VARIATION:
        return True
    whole = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    return whole is not None and queries >= _SEVERAL and 0 < whole.max_ms <= _STEADY_RATIO * whole.median_ms


def _are_enough(context: Context, queries: int) -> bool:
    """Return whether queries show the median, as those of a slow engine in a default run, or are steady."""
    return _are_steady(context, queries) or (queries >= _SHOW_MEDIAN and _fill_a_run(context, queries))


def _fill_a_run(context: Context, queries: int) -> bool:
    """Return whether few queries take as long as trtexec measures by default, as those of a slow engine."""
    whole = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    return whole is not None and queries * whole.mean_ms >= _DEFAULT_RUN_MS


def _timed_queries(context: Context) -> int | None:
    """Return the number of queries in the files, else what throughput and walltime state."""
    stability, latency = context.analysis.stability, context.analysis.latency
    if stability is not None:
        return stability.queries
    whole = latency.gpu_compute or latency.end_to_end
    return whole.count if whole is not None else None
