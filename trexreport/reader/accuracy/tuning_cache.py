"""Read the cache of trtexec's autotuner (`--tuningCacheFile`, TensorRT 11.1): JSON lines.

The first line describes the run ("tuner_version", "accuracy_algorithm", …); each other line is one build that
was tried: "iter", "build_route", "crash", "error_message", "accuracy_loss" by tensor, "gpu_time" in ms.
"""

from __future__ import annotations

import json
import math
from typing import Any

from trexreport.errors import InputError
from trexreport.model.accuracy import AccuracyResults, TuningTrial
from trexreport.reader.accuracy.limits import MOST_TENSORS, MOST_TRIALS
from trexreport.reader.accuracy.values import (
    any_number,
    count,
    figure,
    known_or_refused,
    tensor_name,
    time_ms,
)
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.json_text import json_object
from trexreport.reader.values import mapping, text

_LONGEST_LINE = 2**20
_LONGEST_TEXT = 500


def is_tuning_cache(content: str) -> bool:
    """Return whether a text begins as a tuning cache does."""
    first = content[:_LONGEST_LINE].lstrip().partition("\n")[0]
    header = json_object(first.encode("utf-8", "replace")) if '"tuner_version"' in first else None
    return header is not None


def read_tuning_cache(content: str, name: str, values: ImpossibleValues) -> AccuracyResults:
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
            trials.append(_trial(record, number, values))
        elif record is None and line.strip() and number + 2 < len(lines):
            values.refuse(f"line {number + 2}", line, "is not JSON")
    if not trials:
        raise InputError(f"{name} lists no build that was tried.", "Was the tuning interrupted?")
    measure = text(header.get("accuracy_algorithm"))[:100]
    return AccuracyResults("tuning-cache", (name,), measure=measure, trials=tuple(trials))


def _record(line: str) -> dict[str, Any] | None:
    if len(line) > _LONGEST_LINE:
        return None
    return json_object(line.encode("utf-8", "replace"))


def _trial(record: dict[str, Any], number: int, values: ImpossibleValues) -> TuningTrial:
    failure = text(record.get("error_message"))[:_LONGEST_TEXT]
    if record.get("crash") is True and not failure:
        failure = "crash"
    losses = {}
    for key, value in list(mapping(record.get("accuracy_loss")).items())[:MOST_TENSORS]:
        # A build that failed may have any figures, and one whose outputs overflow no finite loss.
        stated_loss = any_number(value)
        is_excused = failure or (stated_loss is not None and not math.isfinite(stated_loss))
        loss = figure(value) if is_excused else known_or_refused(values, f"loss of {number}", value, figure)
        if tensor_name(key) and loss is not None:
            losses[key] = loss
    time = record.get("gpu_time")
    gpu_time_ms = time_ms(time) if failure else known_or_refused(values, f"time of {number}", time, time_ms)
    route = record.get("build_route")
    stated = known_or_refused(values, f"number of {number}", record.get("iter"), count)
    return TuningTrial(
        number if stated is None else stated,
        gpu_time_ms,
        losses,
        (route if isinstance(route, str) else json.dumps(route, default=str) if route else "")[
            :_LONGEST_TEXT
        ],
        failure,
    )
