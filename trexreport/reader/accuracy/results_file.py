"""Accuracy as a capture carries it (`X.accuracy.json`): the figures of each tensor, without their values.

Saved outputs may be large. A capture, a report and an archive carry the figures instead, from which the same
analysis follows.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast, get_args

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.accuracy import AccuracyFormat, AccuracyResults, TensorAccuracy, TuningTrial
from trexreport.numbers import middle_ellipsis
from trexreport.reader.accuracy.limits import LARGEST_FIGURE, MOST_TENSORS, MOST_TRIALS
from trexreport.reader.accuracy.values import (
    count,
    figure,
    known_or_refused,
    metric,
    similarity,
    tensor_name,
    time_ms,
)
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import integer, items, mapping, records, text

_Read = TypeVar("_Read")

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


def read_results_file(content: str, name: str) -> tuple[AccuracyResults, list[InputWarning]]:
    """Read what `write_results` wrote; what is of another kind counts as not known, with a note.

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
    values = ImpossibleValues(name, ("accuracy",))
    results = AccuracyResults(
        cast("AccuracyFormat", kind),
        tuple(each for each in items(document.get("files")) if isinstance(each, str)),
        _text(document, "candidate", values),
        _text(document, "reference", values),
        _count(document, "iterations", values),
        _text(document, "measure", values),
        _tensors(document, values),
        tuple(_trial(each, values) for each in records(document.get("trials"))[:MOST_TRIALS]),
        _numbers(document.get("metrics"), values, metric),
    )
    return results, values.notes()


def unknown_tensors(results: AccuracyResults) -> list[InputWarning]:
    """Return the note that tensors have no figures, if there are some."""
    unknown = [each.name for each in results.tensors if each == TensorAccuracy(each.name)]
    if unknown and results.files:
        message = (
            f"Tensors in {results.files[0]} without figures, such as impossible ones and arrays of PyTorch: "
            f"{len(unknown):,}; the first is {quoted(unknown[0])}."
        )
        return [InputWarning("degraded", "accuracy-unknown", message, results.files[0], ("accuracy",))]
    return []


def _tensors(document: dict[str, Any], values: ImpossibleValues) -> tuple[TensorAccuracy, ...]:
    """Return each tensor once; figures that differ in two rows of a tensor are unknown."""
    found: dict[str, TensorAccuracy] = {}
    for record in records(document.get("tensors"))[:MOST_TENSORS]:
        if name := known_or_refused(values, "name of a tensor", record.get("name", 0), tensor_name):
            tensor = _tensor(record, values)
            if name in found:
                values.refuse("name of a tensor", middle_ellipsis(name, 60), "is stated a second time")
            found[name] = tensor if found.get(name, tensor) == tensor else TensorAccuracy(name)
    return tuple(found.values())


def _tensor(record: dict[str, Any], values: ImpossibleValues) -> TensorAccuracy:
    def known(key: str, read: Callable[[Any], _Read | None]) -> _Read | None:
        return known_or_refused(values, f"{key} of {quoted(record['name'])}", record.get(key), read)

    figures: dict[str, Any] = {key: known(key, figure) for key in _FLOATS}
    figures |= {key: known(key, _range) for key in _RANGES}
    figures |= {key: record[key] if isinstance(record.get(key), bool) else None for key in _FLAGS}
    return TensorAccuracy(
        text(record["name"]),
        text(record.get("data_type")),
        known("elements", count),
        cosine_similarity=known("cosine_similarity", similarity),
        has_other_shape=record.get("has_other_shape") is True,
        **figures,
    )


def _range(value: Any) -> tuple[float, float] | None:
    found = [figure(each, -LARGEST_FIGURE) for each in items(value)[:3]]
    if len(found) != 2 or found[0] is None or found[1] is None or found[0] > found[1]:
        return None
    return found[0], found[1]


def _trial(record: dict[str, Any], values: ImpossibleValues) -> TuningTrial:
    return TuningTrial(
        _count(record, "number", values) or 0,
        known_or_refused(values, "gpu_time_ms", record.get("gpu_time_ms"), time_ms),
        _numbers(record.get("losses"), values, lambda _, loss: figure(loss)),
        text(record.get("route")),
        text(record.get("failure")),
    )


def _count(record: dict[str, Any], key: str, values: ImpossibleValues) -> int | None:
    return known_or_refused(values, key, record.get(key), count)


def _text(record: dict[str, Any], key: str, values: ImpossibleValues) -> str:
    return known_or_refused(values, key, record.get(key), lambda each: text(each) or None) or ""


def _numbers(
    value: Any, values: ImpossibleValues, read: Callable[[str, Any], float | None]
) -> dict[str, float]:
    found = {
        key: known_or_refused(values, quoted(key), each, partial(read, key))
        for key, each in mapping(value).items()
    }
    return {key: each for key, each in found.items() if each is not None}
