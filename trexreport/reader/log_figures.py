"""Read what each of several logs measured, such as those of one model in several batch sizes.

What a log is of, its command and options state, else the names of its file and engine: "yolo_fp16_bs8.log".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from statistics import median

from trexreport.model import Measurement, QueryTimes, Setup, Source
from trexreport.model.commands import BATCH as BATCH_OPTION
from trexreport.model.implicit_batch import may_ignore_batch_of, samples_of
from trexreport.model.measured_log import NO_TRANSFERS, MeasuredLog
from trexreport.model.measurement import copy_ms, gpu_busy_percent
from trexreport.model.named_batch import BATCH_IN_NAME, batch_in_names
from trexreport.model.named_types import TYPE_IN_NAME, allowed_types, spaced, types_in_names
from trexreport.model.stated_shapes import common_batch, stated_shapes
from trexreport.reader.file_names import plain_name
from trexreport.reader.roles import split_name
from trexreport.reader.setup_facts import SetupFacts
from trexreport.regex import regex

_FILE = regex(r"--(?:loadEngine|saveEngine|onnx)=(\S+)")
_STREAMS = regex(r"--(?:infS|s)treams=(\d{1,5})\b", re.ASCII)
_FLAG = regex(r"--(fp16|bf16|fp8|int8|int4|best)\b")
_SEPARATOR = regex(r"[\s_.-]+")
#: Names that say nothing of what was measured.
_GENERIC = regex(
    r"(?:trtexec|log|build|run|timing|profile|infer(?:ence)?|output|out|trt|engine|plan|\d|[\s_.-])*"
)
#: Batch sizes that differ by this factor, copies of a measurable time, and times that are about equal.
_TWICE, _LEAST_COPY_MS, _AS_LONG = 2, 0.05, 1.1
#: Which run of several a log is of.
_RUN = regex(r"(?:^|(?<= ))(?:run|trial) ?\d*(?= |$)", re.ASCII | re.IGNORECASE)
_ENDINGS = regex(r"(?:\.(?:log|txt|engine|plan|trt|onnx|build|timing|profile))+$", re.IGNORECASE)


def measured_log(source: Source, facts: SetupFacts, run: int | None = None) -> MeasuredLog:
    """Return what a log measured, and of what.

    Args:
        source: The log.
        facts: What it states.
        run: Number of the run of several in the log that these are of. The log is called after all of them,
            so that the names of its engine and model come first.
    """
    commands = " ".join(facts.setup.commands)
    stem = split_name(source.name)[0] or PurePath(source.name).name
    names = [stem, *(plain_name(each) for each in _FILE.findall(commands))]
    if run is not None:
        names = [*names[1:], stem]
    measurement = facts.measurement
    samples = samples_of((facts.setup,), measurement)
    qps = measurement.throughput_qps
    rate = measurement.timed_qps if qps is None else qps / samples if samples else None
    latency = measurement.summary.get("Latency")
    batch = _batch(facts, commands, names)
    return MeasuredLog(
        file=source.name if run is None else f"run {run}",
        model=_model(names[0], batch),
        types=_types(facts, names),
        batch=batch,
        throughput_qps=rate,
        latency_ms=_median(measurement, "Latency", "latency_ms"),
        compute_ms=_median(measurement, "GPU Compute Time", "gpu_ms"),
        enqueue_ms=_median(measurement, "Enqueue Time", "enqueue_ms"),
        h2d_ms=_copy(measurement, "H2D Latency"),
        d2h_ms=_copy(measurement, "D2H Latency"),
        gpu_busy_percent=gpu_busy_percent(measurement, rate),
        latency_min_ms=latency.min_ms if latency else None,
        latency_p99_ms=latency.percentiles.get(99.0) if latency else None,
        latency_max_ms=latency.max_ms if latency else None,
        gpu=facts.setup.device.get("Selected Device", ""),
        options=_options(facts.setup, commands),
    )


def measured_queries(name: str, queries: QueryTimes) -> MeasuredLog:
    """Return what query times without a log show, and of what as far as a name says it."""
    columns = (queries.latency_ms, queries.compute_ms, queries.enqueue_ms, queries.h2d_ms, queries.d2h_ms)
    latency, compute, enqueue, h2d, d2h = (median(each) if each else None for each in columns)
    stem = split_name(name)[0] or PurePath(name).name
    batch = batch_in_names([stem])
    return MeasuredLog(
        name,
        _model(stem, batch),
        types_in_names([stem]),
        batch,
        None,
        latency,
        compute,
        enqueue,
        h2d,
        d2h,
        latency_min_ms=min(queries.latency_ms, default=None),
        latency_max_ms=max(queries.latency_ms, default=None),
    )


def with_possible_batches(logs: Sequence[MeasuredLog]) -> list[MeasuredLog]:
    """Return logs without the batch sizes that their times contradict.

    Queries of twice as many items copy twice as much: where copies and computations of one model take as long
    whatever the batch size is called, the engine ignores it.
    """
    return [
        replace(log, batch=None) if any(_contradict(log, other) for other in logs) else log for log in logs
    ]


def _contradict(one: MeasuredLog, other: MeasuredLog) -> bool:
    if one.model != other.model or not one.batch or not other.batch:
        return False
    if max(one.batch, other.batch) < _TWICE * min(one.batch, other.batch):
        return False
    least, most = sorted((one.h2d_ms or 0.0, other.h2d_ms or 0.0))
    short, long = sorted((one.compute_ms or 0.0, other.compute_ms or 0.0))
    return least >= _LEAST_COPY_MS and most <= _AS_LONG * least and short > 0 and long <= _AS_LONG * short


def _options(setup: Setup, commands: str) -> tuple[str, ...]:
    """Return the options of the measurement that change its times, as the log or its command states them."""
    printed = setup.inference_options
    streams = printed.get("Inference Streams") or printed.get("Streams") or _last(_STREAMS, commands)
    graph = printed.get("CUDA Graph") or ("Enabled" if "--useCudaGraph" in commands else "")
    transfers = printed.get("Data transfers") or ("Disabled" if "--noDataTransfers" in commands else "")
    found = {
        f"{streams} streams": streams not in ("", "1"),
        "CUDA graph": graph == "Enabled",
        NO_TRANSFERS: transfers == "Disabled",
    }
    return tuple(option for option, is_set in found.items() if is_set)


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    return found[-1] if found else ""


def _median(measurement: Measurement, name: str, column: str) -> float | None:
    """Return the median that a log states; without a summary that of averages."""
    if measurement.summary:
        statistic = measurement.summary.get(name)
        return statistic.median_ms if statistic else None
    times = getattr(measurement.averages, column, ())
    return median(times) if times else None


def _copy(measurement: Measurement, name: str) -> float | None:
    statistic = measurement.summary.get(name)
    return copy_ms(statistic.min_ms, statistic.median_ms) if statistic else None


def _types(facts: SetupFacts, names: Sequence[str]) -> tuple[str, ...]:
    """Return the precisions that a build was allowed: as its options state, else as the first name says.

    A run that loads an engine ignores what its command says of them.
    """
    stated = facts.setup.build_options.get("Precision", "")
    builds = " ".join(each for each in facts.setup.commands if "--loadEngine" not in each)
    found = [*re.split(r"[+ ,]", stated), *_FLAG.findall(builds)]
    if not stated and not _FLAG.search(builds):
        return types_in_names(names)
    return allowed_types(found)


def _batch(facts: SetupFacts, commands: str, names: Sequence[str]) -> int | None:
    """Return how many items a query has: as the log states it, else as its heading or name says."""
    setup = facts.setup
    outputs = setup.outputs().values()
    created = common_batch(setup.inputs().values(), outputs)
    run, optimal, *_ = stated_shapes(setup.commands)
    sizes = (common_batch(shapes.values(), outputs) for shapes in (run, *optimal))
    stated = next(filter(None, sizes), None)
    option = None if may_ignore_batch_of((setup,)) else BATCH_OPTION.search(commands)
    if stated is None and option:
        stated = int(option[1])
    if stated is None:
        stated = batch_in_names([setup.heading, *names])
    # The shapes of an implicit batch lack it.
    return created if created and (stated is None or created > 1) else stated


def _model(name: str, batch: int | None) -> str:
    """Return what a name says besides precision and batch size; empty where that is generic.

    Args:
        name: Of a file.
        batch: Its batch size: the number that the name ends with, unless it is stated before.
    """
    text = TYPE_IN_NAME.sub(" ", spaced(_ENDINGS.sub("", name)))
    rest = _SEPARATOR.sub(" ", BATCH_IN_NAME.sub(" ", text)).strip()
    if not BATCH_IN_NAME.search(text):
        rest = rest.removesuffix(f" {batch}")
    rest = _SEPARATOR.sub(" ", _RUN.sub(" ", rest)).strip()
    return "" if _GENERIC.fullmatch(rest.lower()) else rest
