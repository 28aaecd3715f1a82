"""Accuracy as a capture carries it (`X.accuracy.json`): the figures of each tensor, without their values.

Saved outputs may be large. A capture, a report and an archive carry the figures instead, from which the same
analysis follows.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, cast, get_args

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.accuracy import AccuracyFormat, AccuracyResults, TensorAccuracy, TuningTrial
from trexreport.reader.accuracy.limits import LARGEST_FIGURE, MOST_TENSORS, MOST_TRIALS
from trexreport.reader.accuracy.values import figure, tensor_name
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import LONGEST_MS, integer, mapping, records, text

SUFFIX = ".accuracy.json"
SCHEMA = "trexreport-accuracy"
SCHEMA_VERSION = 1

_FLOATS = (
    "relative_error",
    "relative_difference",
    "reference_norm",
    "max_abs_error",
    "mean_abs_error",
    "value",
    "mismatch_percent",
)
_RANGES = ("candidate_range", "reference_range")
_FLAGS = ("candidate_non_finite", "reference_non_finite")


def write_results(results: AccuracyResults) -> bytes:
    """Return the figures as JSON; the same figures give the same bytes."""
    document = {SCHEMA: SCHEMA_VERSION, **_without_empty(results)}
    document["tensors"] = [_without_empty(each) for each in results.tensors]
    document["trials"] = [_without_empty(each) for each in results.trials]
    return (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def _without_empty(value: Any) -> dict[str, Any]:
    found = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    known = {key: each for key, each in found.items() if each not in (None, "", (), {})}
    # A flag that is not set is known; a shape is the same unless stated.
    return {key: each for key, each in known.items() if each is not False or key in _FLAGS}


def is_results_file(document: Any) -> bool:
    """Return whether a document is one that `write_results` wrote."""
    return isinstance(document, dict) and SCHEMA in document


def read_results_file(content: str, name: str) -> AccuracyResults:
    """Read what `write_results` wrote; what is of another kind than expected counts as not known.

    Raises:
        InputError: It is something else, or a later version of trexreport wrote it.
    """
    document, _ = parse_json(content, name, is_results_file)
    version = integer(document[SCHEMA])
    if version is None or version > SCHEMA_VERSION:
        raise InputError(f"{name} was written by a later trexreport.", "Update trexreport.")
    kind = text(document.get("format"))
    if kind not in get_args(AccuracyFormat):
        raise InputError(f"{name} states no format that is known.", "Write it again from the original files.")
    return AccuracyResults(
        cast("AccuracyFormat", kind),
        tuple(each for each in _list(document.get("files")) if isinstance(each, str)),
        text(document.get("candidate")),
        text(document.get("reference")),
        integer(document.get("iterations")),
        text(document.get("measure")),
        tuple(
            _tensor(each)
            for each in records(document.get("tensors"))[:MOST_TENSORS]
            if tensor_name(each.get("name"))
        ),
        tuple(_trial(each) for each in records(document.get("trials"))[:MOST_TRIALS]),
        _numbers(document.get("metrics")),
    )


def unknown_tensors(results: AccuracyResults) -> list[InputWarning]:
    """Return the note that tensors have no figures, if there are some."""
    unknown = [each.name for each in results.tensors if each == TensorAccuracy(each.name)]
    if unknown and results.files:
        message = (
            f"Tensors in {results.files[0]} without figures, such as impossible ones and arrays of PyTorch: "
            f"{len(unknown):,}; the first is {unknown[0][:80]!r}."
        )
        return [InputWarning("degraded", "accuracy-unknown", message, results.files[0], ("accuracy",))]
    return []


def _tensor(record: dict[str, Any]) -> TensorAccuracy:
    figures: dict[str, Any] = {key: figure(record.get(key)) for key in _FLOATS}
    figures |= {key: _range(record.get(key)) for key in _RANGES}
    figures |= {key: record[key] if isinstance(record.get(key), bool) else None for key in _FLAGS}
    similarity = figure(record.get("cosine_similarity"), -1.001)
    return TensorAccuracy(
        text(record["name"]),
        text(record.get("data_type")),
        integer(record.get("elements")),
        cosine_similarity=similarity if similarity is None or similarity <= 1.001 else None,
        has_other_shape=record.get("has_other_shape") is True,
        **figures,
    )


def _range(value: Any) -> tuple[float, float] | None:
    found = [figure(each, -LARGEST_FIGURE) for each in _list(value)[:3]]
    if len(found) != 2 or found[0] is None or found[1] is None or found[0] > found[1]:
        return None
    return found[0], found[1]


def _trial(record: dict[str, Any]) -> TuningTrial:
    time_ms = figure(record.get("gpu_time_ms"))
    return TuningTrial(
        integer(record.get("number")) or 0,
        time_ms if time_ms is not None and 0 < time_ms <= LONGEST_MS else None,
        {key: value for key, value in _numbers(record.get("losses")).items() if value >= 0},
        text(record.get("route")),
        text(record.get("failure")),
    )


def _numbers(value: Any) -> dict[str, float]:
    found = {key: figure(each, -LARGEST_FIGURE) for key, each in mapping(value).items()}
    return {key: each for key, each in found.items() if each is not None}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
