"""Read what each of several logs measured, such as those of one model in several batch sizes.

What a log is of, its command and options state, else the names of its file and engine: "yolo_fp16_bs8.log".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from statistics import median

from trexreport.model import Measurement, Source
from trexreport.model.commands import BATCH as BATCH_OPTION
from trexreport.model.implicit_batch import may_ignore_batch_of, samples_of
from trexreport.model.measured_log import TYPES, MeasuredLog
from trexreport.model.measurement import copy_ms, gpu_busy_percent
from trexreport.reader.file_names import plain_name
from trexreport.reader.roles import split_name
from trexreport.reader.setup_facts import SetupFacts
from trexreport.regex import regex

_TYPE = regex(
    r"(?<![a-z0-9])(fp32|tf32|fp16|bf16|fp8|int8|int4|fp4|best|half|qat)(?![a-z0-9])", re.IGNORECASE
)
#: Models that are called like a batch size, as EfficientNet-B4 and ViT-B16, and characters that they take.
_SIZES = regex(
    r"(?<![a-z0-9])(?:(?:efficientnet|effnet|segformer|mit|beit|deit|eva|pvt)(?:[\s-]*v2)?[\s-]*b\d"
    r"|(?:vit|clip)[\s-]*b[\s-]?(?:\d|16|32))$",
    re.IGNORECASE,
)
_LONGEST_SIZE = 40
_BATCH = regex(r"(?<![a-z0-9])(?:bs|b|batch(?:_?size)?)[-_=]?(\d{1,5})(?![a-z0-9])", re.IGNORECASE)
_SHAPES = regex(r"--shapes=['\"]?[^\s:]{0,300}:(\d{1,6})x")
_BEST_SHAPES = regex(r"--optShapes=['\"]?[^\s:]{0,300}:(\d{1,6})x")
_FILE = regex(r"--(?:loadEngine|saveEngine|onnx)=(\S+)")
_FLAG = regex(r"--(fp16|bf16|fp8|int8|int4|best)\b")
_SEPARATOR = regex(r"[\s_.-]+")
#: Names that say nothing of what was measured.
_GENERIC = regex(
    r"(?:trtexec|log|build|run|timing|profile|infer(?:ence)?|output|out|trt|engine|plan|\d|[\s_.-])*"
)
_ENDINGS = regex(r"(?:\.(?:log|txt|engine|plan|trt|onnx|build|timing|profile))+$", re.IGNORECASE)


def measured_log(source: Source, facts: SetupFacts) -> MeasuredLog:
    """Return what a log measured, and of what."""
    commands = " ".join(facts.setup.commands)
    stem = split_name(source.name)[0] or PurePath(source.name).name
    names = [stem, *(plain_name(each) for each in _FILE.findall(commands))]
    measurement = facts.measurement
    samples = samples_of((facts.setup,), measurement)
    qps = measurement.throughput_qps
    return MeasuredLog(
        file=source.name,
        model=_model(stem),
        types=_types(facts, commands, names),
        batch=_batch(facts, commands, names),
        throughput_qps=qps / samples if qps and samples else None,
        latency_ms=_median(measurement, "Latency", "latency_ms"),
        compute_ms=_median(measurement, "GPU Compute Time", "gpu_ms"),
        enqueue_ms=_median(measurement, "Enqueue Time", "enqueue_ms"),
        h2d_ms=_copy(measurement, "H2D Latency"),
        d2h_ms=_copy(measurement, "D2H Latency"),
        gpu_busy_percent=gpu_busy_percent(measurement, qps / samples if qps and samples else None),
    )


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


def _types(facts: SetupFacts, commands: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the precisions that a build was allowed: as its options state, else as the first name says."""
    stated = facts.setup.build_options.get("Precision", "")
    found = [*re.split(r"[+ ,]", stated), *_FLAG.findall(commands)]
    if not stated and not _FLAG.search(commands):
        found = next((each for name in names if (each := _TYPE.findall(_spaced(name)))), [])
    upper = {each.upper() for each in found}
    upper |= {"FP16", "INT8"} if "BEST" in upper else set()
    upper |= {"FP16"} if "HALF" in upper else set()
    upper |= {"INT8"} if "QAT" in upper else set()
    allowed = tuple(each for each in TYPES if each in upper)
    return tuple(each for each in allowed if each != "FP32") or allowed


def _batch(facts: SetupFacts, commands: str, names: Sequence[str]) -> int | None:
    """Return how many items a query has: as the log states it, else as the first name says."""
    shapes = [
        facts.setup.io_shapes[name] for name in facts.setup.input_names if name in facts.setup.io_shapes
    ]
    option = None if may_ignore_batch_of((facts.setup,)) else BATCH_OPTION.search(commands)
    stated = _SHAPES.search(commands) or _BEST_SHAPES.search(commands) or option
    if stated is None:
        stated = next((found for name in names if (found := _batch_in(name))), None)
    if shapes and (first := shapes[0].partition("x")[0]).isdecimal() and (stated is None or int(first) > 1):
        return int(first)
    return int(stated[1]) if stated else None


def _batch_in(name: str) -> re.Match[str] | None:
    """Return the batch size in a name, which may have the size of a model as well."""
    text = _spaced(name)
    return next((each for each in _BATCH.finditer(text) if not _is_size(text, each.end())), None)


def _is_size(text: str, end: int) -> bool:
    """Return whether what ends there is the size of a model."""
    return _SIZES.search(text, max(end - _LONGEST_SIZE, 0), end) is not None


def _spaced(name: str) -> str:
    """Return a name with spaces for underscores, which regular expressions count as letters."""
    return name.replace("_", " ")


def _model(name: str) -> str:
    """Return what a name says besides precision and batch size; empty where that is generic."""
    rest = _BATCH.sub(" ", _TYPE.sub(" ", _spaced(_ENDINGS.sub("", name))))
    rest = _SEPARATOR.sub(" ", rest).strip()
    return "" if _GENERIC.fullmatch(rest.lower()) else rest
