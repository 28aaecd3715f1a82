"""TRX823 measurement.batch-option."""

from __future__ import annotations

from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.model.commands import BATCH, times_queries
from trexreport.numbers import format_count, format_rate
from trexreport.regex import regex

#: Models that have no explicit batch, and options of a build with an implicit one.
_IMPLICIT = regex(r"--(?:deploy|uff|model|maxBatch)\b")
#: The first version whose trtexec has no --batch.
_FIRST_WITHOUT = (9, 0)


@built_in_rule("warning", needs=("end-to-end",))
def batch_option(context: Context) -> Hits:
    """The throughput is multiplied by a batch size that the engine may not have.

    Cost:
        Only engines with an implicit batch compute several samples in a query. [..8: trtexec multiplies its
        throughput by --batch for all others, too, which ignore the option.] An engine of an ONNX model has
        its batch in the shapes of its inputs.

    Recommendation:
        State an explicit batch with --shapes=INPUT:8x3x224x224, and compare qps. [..8: Divide throughputs
        that were measured with --batch by it. An engine with an implicit batch takes --batch alone.]

    False alarm:
        The engine was built from a Caffe or UFF model, or in code with an implicit batch, and no file shows
        it; where nothing shows which of the two it is, it is information.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    latency, commands = context.analysis.latency, context.analysis.commands
    if not commands and not _has_largest(context) and not context.run_option("Batch"):
        yield from _by_totals(latency)
        return
    sizes = {int(found[1]) for each in filter(times_queries, commands) if (found := BATCH.search(each))}
    if len(sizes) != 1 or any(map(_IMPLICIT.search, commands)) or _has_largest(context):
        return
    size = sizes.pop()
    has_no_option = context.version is not None and context.version >= _FIRST_WITHOUT
    if size <= 1 or not latency.throughput_qps or has_no_option:
        return
    is_explicit = _has_explicit(context)
    where = "" if is_explicit else "Unless the engine has an implicit batch, "
    qps = latency.throughput_qps
    yield Hit(
        f"{where}--batch={size} only multiplies the throughput that trtexec states: "
        f"{format_rate(qps * size)} in a second are {format_rate(qps)} queries.",
        severity=None if is_explicit else "info",
    )


def _by_totals(latency: Latency) -> Hits:
    """Yield that the totals of a summary show samples in its throughput, where nothing else states it."""
    samples, qps = latency.throughput_samples, latency.throughput_qps
    if samples is not None and samples > 1 and qps:
        yield Hit(
            f"By total GPU compute time, --batch multiplies the stated throughput by {format_count(samples)}"
            f": {format_rate(qps * samples)} in a second are {format_rate(qps)} queries.",
            severity="info",
        )


def _has_largest(context: Context) -> bool:
    """Return whether the build states the largest implicit batch."""
    return context.build_option("Max batch")[:1].isdecimal()


def _has_explicit(context: Context) -> bool:
    """Return whether something shows that the batch is part of the shapes."""
    stated = (context.build_option("Max batch"), context.run_option("Batch"))
    built = any("--onnx" in command or "--explicitBatch" in command for command in context.analysis.commands)
    return built or any(text.casefold().startswith("explicit") for text in stated)
