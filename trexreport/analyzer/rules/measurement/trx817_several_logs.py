"""TRX817 measurement.several-logs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.logs import (
    SPREAD,
    enqueue_share,
    gains_of_types,
    items_ratio,
    may_have_one_input,
    shown,
)
from trexreport.model.measured_log import NO_TRANSFERS, MeasuredLog, are_comparable, fastest
from trexreport.numbers import (
    format_count,
    format_ms,
    format_number,
    format_percent,
    format_rate,
    join_names,
    list_names,
)
from trexreport.regex import regex

_TWO = 2
#: Of more logs a sentence names the first ones.
_MOST_LISTED = 5
#: A smaller batch is named that has this part of the highest rate in this part of its latency.
_MOST_OF_RATE, _SHORT = 0.75, 1 / 3
#: Extents of inputs in the name of a log.
_EXTENTS = regex(r"\d+(?=x\d)|(?<=x)\d+", re.ASCII)


@built_in_rule("info", needs=())
def several_logs(context: Context) -> Hits:
    """The logs hold several measurements, such as of other precisions, batch sizes or numbers of streams.

    Cost:
        Figures of one measurement say nothing of the others. [unless one-log: The report shows the one of the
        highest throughput, or of the shortest time where a log states none.] [if one-log: The report shows
        the last complete run.]

    Recommendation:
        [unless one-log: Read the table of all logs, and compare two with `trexreport compare`.] [if one-log:
        Read the table of all runs; --log-run shows another one. `trexreport compare LOG#1 LOG#2` compares run
        1 with run 2.] [if one-kind, if with-commands: Their commands show in what builds and runs differ,
        such as the ranges of shapes.] [unless no-layer-information, unless one-kind: Build the precision and
        the batch size that serve best with --profilingVerbosity=detailed, and capture their layers
        (--exportLayerInfo, --exportProfile) in a run of its own.] [if no-layer-information, unless one-kind:
        Profile the precision and the batch size that serve best (--exportProfile) in a run of its own.]

    False alarm:
        Precision and batch size are read from options, else from the names of files and engines, which may be
        wrong. Without a batch size, copies that take longer show larger queries, which are not ranked by qps.
        A query of trtexec is a batch. Throughputs within 1% are called the same, as two runs of one engine
        differ by as much. A smaller batch is named beside the fastest if it has three quarters of its items
        per second at a third of its latency or less.

    Est. savings:
        Not estimated: it states what the logs are of.
    """
    logs = context.analysis.logs
    if not logs:
        return
    gains = gains_of_types(context)
    yield Hit(
        f"{format_count(len(logs))} separate measurements were logged. {_fastest(logs)}."
        f"{f' By GPU compute time {join_names(gains)}.' if gains else _ratio(logs)}{_other_inputs(logs)}"
        f"{_larger(logs)}",
        evidence={re.sub("^run (?=[0-9])", "Run ", log.file): shown(log) for log in logs},
    )


def _fastest(logs: Sequence[MeasuredLog]) -> str:
    """Return which logs have the highest throughput; those within what two runs differ by are equal."""
    without = [log for log in logs if NO_TRANSFERS in log.options]
    if 0 < len(without) < len(logs):
        # The cost of transfers does not make one engine faster than another.
        of_both = (_fastest([log for log in logs if NO_TRANSFERS not in log.options]), _fastest(without))
        copied, rest = (f"{text[0].lower()}{text[1:]}" for text in of_both)
        return f"With transfers: {copied}. Without: {rest}"
    sized = [log for log in logs if log.items_per_s]
    if len(sized) < len(logs) and len({log.batch for log in sized}) > 1:
        return f"{_fastest(sized)} (of those with a known batch size)"
    best = fastest(logs)
    by_items = len(sized) == len(logs)
    alike = [log for log in logs if None not in (log.batch, best.batch) or may_have_one_input(best, log)]
    if len(alike) < len(logs):
        # The qps of queries of other sizes do not rank them.
        if len(alike) > 1:
            return f"{_fastest(alike)} (of those with queries of its size)"
        return "By the time of the copies their queries are of different sizes, so that qps do not rank them"
    if not best.throughput_qps:
        if best.batch and len({log.batch for log in logs} - {None}) > 1 and all(log.batch for log in logs):
            items = [(log.time_ms / (log.batch or 1), log.file) for log in logs]
            # Of many the shortest ones are listed.
            items = sorted(items) if len(items) > _MOST_LISTED else items
            times = _listed([f"{format_ms(ms)} in {file}" for ms, file in items])
            return f"Shortest time of an item: {best.file}, {shown(best)} ({times})"
        return f"Shortest time: {best.file}, {shown(best)}"
    most, unit = ("Highest items/s", "items/s") if by_items else ("Highest qps", "qps")
    rates = {log.file: (log.items_per_s if by_items else log.throughput_qps) or 0.0 for log in logs}
    top = rates[best.file]
    equal = {file: rate for file, rate in rates.items() if rate >= (1 - SPREAD) * top}
    if len(equal) == 1:
        return f"{most}: {best.file}, {shown(best)}{_smaller(best, logs) if by_items else ''}"
    spread = format_percent(1 - min(equal.values()) / top)
    rate = f"{format_rate(top)} {unit}{f' within {spread}' if spread != format_percent(0.0) else ''}"
    if len(equal) == len(logs):
        return f"All have the same throughput: {rate}"
    return f"{most}: {_listed(list(equal))}, {rate}"


def _smaller(best: MeasuredLog, logs: Sequence[MeasuredLog]) -> str:
    """Return which smaller batch of the same build has most of the rate in a fraction of the latency."""
    alike = [
        log for log in logs if (log.model, log.types, log.options) == (best.model, best.types, best.options)
    ]
    rates = {log.file: (log.items_per_s or 0.0) / (best.items_per_s or 1.0) for log in alike}
    times = {
        log.file: log.latency_ms / best.latency_ms for log in alike if log.latency_ms and best.latency_ms
    }
    found = [
        log
        for log in alike
        if (log.batch or 0) < (best.batch or 0) and log.gpu == best.gpu
        if rates[log.file] >= _MOST_OF_RATE and times.get(log.file, 1.0) <= _SHORT
    ]
    if not found:
        return ""
    log = min(found, key=lambda each: times[each.file])
    rate, time = (format_percent(each[log.file]) for each in (rates, times))
    return f"; batch {log.batch} has {rate} of these items/s at {time} of the latency"


def _listed(texts: Sequence[str]) -> str:
    """Return all texts, or the first ones where they are many; the table has all."""
    return list_names(texts, _MOST_LISTED) if len(texts) > _MOST_LISTED else join_names(texts)


def _ratio(logs: Sequence[MeasuredLog]) -> str:
    """Return how much faster one of two logs is than the other, where both may be of the same inputs."""
    if len(logs) != _TWO or not (may_have_one_input(*logs) and are_comparable(*logs)):
        return ""
    if logs[0].types != logs[1].types:
        return ""
    sizes = [_EXTENTS.findall(log.file) for log in logs]
    fast, slow = sorted(logs, key=lambda log: log.time_ms)
    if sizes[0] != sizes[1] or slow.time_ms <= (1 + SPREAD) * fast.time_ms or not fast.time_ms:
        return ""
    times = format_number(slow.time_ms / fast.time_ms, 3)
    if_equal = ", if their batch sizes are equal" if None in (fast.batch, slow.batch) else ""
    waits = f"; that of {slow.file} contains waits for the host" if enqueue_share(slow) else ""
    return f" By GPU compute time {fast.file} is {times} times as fast as {slow.file}{if_equal}{waits}."


def _other_inputs(logs: Sequence[MeasuredLog]) -> str:
    """Return which logs copied more or less than the fastest, where nothing states their size."""
    best = fastest(logs)
    others = [log for log in logs if log.model == best.model and not may_have_one_input(best, log)]
    unknown = [log.file for log in others if None in (log.batch, best.batch)]
    if not unknown:
        return ""
    have = "has" if len(unknown) == 1 else "have"
    return (
        f" By the time of the copies, {join_names(unknown)} {have} queries of another size than {best.file}."
    )


def _larger(logs: Sequence[MeasuredLog]) -> str:
    """Return how much longer a larger query of one build takes, where copies alone show its size."""
    for one, other in permutations(logs, 2):
        if None not in (one.batch, other.batch) or not one.time_ms or one.model != other.model:
            continue
        if not (times := items_ratio(one, other)) or not are_comparable(one, other):
            continue
        longer = format_number(other.time_ms / one.time_ms, 3)
        return (
            f" A query of {other.file} has about {times} times the items of one of {one.file}, by the time "
            f"of the copies, and takes {longer} times as long."
        )
    return ""
