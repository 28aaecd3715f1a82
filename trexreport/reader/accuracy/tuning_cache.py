"""Read the cache of trtexec's autotuner (`--tuningCacheFile`, TensorRT 11.1): JSON lines.

The first line describes the run ("tuner_version", "accuracy_algorithm", …); each other line is one build that
was tried: "iter", "build_route", "crash", "error_message", "accuracy_loss" by tensor, "gpu_time" in ms.
"""

from __future__ import annotations

import json
from typing import Any

from trexreport.errors import InputError
from trexreport.model.accuracy import AccuracyResults, TuningTrial
from trexreport.reader.accuracy.limits import MOST_TENSORS, MOST_TRIALS
from trexreport.reader.accuracy.values import figure, tensor_name
from trexreport.reader.json_text import json_object
from trexreport.reader.values import LONGEST_MS, integer, mapping, text

_LONGEST_LINE = 2**20
_LONGEST_TEXT = 500


def is_tuning_cache(content: str) -> bool:
    """Return whether a text begins as a tuning cache does."""
    first = content[:_LONGEST_LINE].lstrip().partition("\n")[0]
    header = json_object(first.encode("utf-8", "replace")) if '"tuner_version"' in first else None
    return header is not None


def read_tuning_cache(content: str, name: str) -> AccuracyResults:
    """Read the builds that were tried; lines that are none are passed over, as the last one may be cut off.

    Raises:
        InputError: No line describes a build.
    """
    lines = content.lstrip().split("\n", MOST_TRIALS + 1)
    header = mapping(_record(lines[0]))
    trials = []
    for number, line in enumerate(lines[1 : MOST_TRIALS + 1]):
        record = _record(line)
        if record is not None and ("gpu_time" in record or "accuracy_loss" in record or "crash" in record):
            trials.append(_trial(record, number))
    if not trials:
        raise InputError(f"{name} lists no build that was tried.", "Was the tuning interrupted?")
    measure = text(header.get("accuracy_algorithm"))[:100]
    return AccuracyResults("tuning-cache", (name,), measure=measure, trials=tuple(trials))


def _record(line: str) -> dict[str, Any] | None:
    if len(line) > _LONGEST_LINE:
        return None
    return json_object(line.encode("utf-8", "replace"))


def _trial(record: dict[str, Any], number: int) -> TuningTrial:
    losses = {}
    for key, value in list(mapping(record.get("accuracy_loss")).items())[:MOST_TENSORS]:
        loss = figure(value)
        if tensor_name(key) and loss is not None:
            losses[key] = loss
    gpu_time_ms = figure(record.get("gpu_time"))
    is_time = gpu_time_ms is not None and 0 < gpu_time_ms <= LONGEST_MS
    failure = text(record.get("error_message"))[:_LONGEST_TEXT]
    if record.get("crash") is True and not failure:
        failure = "crash"
    route = record.get("build_route")
    stated = integer(record.get("iter"))
    return TuningTrial(
        number if stated is None else stated,
        gpu_time_ms if is_time else None,
        losses,
        (route if isinstance(route, str) else json.dumps(route, default=str) if route else "")[
            :_LONGEST_TEXT
        ],
        failure,
    )
