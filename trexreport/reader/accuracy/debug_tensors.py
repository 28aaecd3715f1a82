"""Read trtexec's summary of debug tensors (`--saveAllDebugTensors=summary`, TensorRT 10.13 and later).

One object: "metadata", and "tensors" with the "statistics" of each: "min", "max", "avg", numbers or "nan" and
"inf" as texts (samples/common/debugTensorWriter.cpp). Two of them, one of the reference, show the tensors
whose ranges differ; an error of single elements can't be computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.reader.accuracy.limits import LARGEST_FIGURE, MOST_TENSORS
from trexreport.reader.accuracy.values import any_number, known_or_refused, tensor_name
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.values import mapping, records, text

_TYPES = {"float": "FP32", "float32": "FP32", "half": "FP16", "float16": "FP16", "bfloat16": "BF16"}

_BITS = {"FP32": 32, "FP16": 16, "BF16": 16, "INT8": 8, "FP8": 8, "INT4": 4, "FP4": 4}


def is_summary(document: Any) -> bool:
    """Return whether a document is a summary of debug tensors."""
    tensors = document.get("tensors") if isinstance(document, dict) else None
    return isinstance(tensors, list) and any("statistics" in each for each in records(tensors[:50]))


def read_summary(
    document: Any, reference: Any | None, names: tuple[str, ...], values: ImpossibleValues
) -> AccuracyResults:
    """Read the ranges of an engine's tensors, and those of the same tensors of a reference.

    Args:
        document: Of the engine.
        reference: Of the reference; None without one.
        names: Of the files.
        values: Collects what is impossible.
    """
    found = _ranges(document, values)
    others = _ranges(reference, values) if reference is not None else {}
    tensors = tuple(
        replace(
            each,
            reference_range=others[name].candidate_range if name in others else None,
            reference_non_finite=others[name].candidate_non_finite if name in others else None,
        )
        for name, each in found.items()
    )
    engines = [
        text(mapping(mapping(each).get("metadata")).get("engine_name"))[:200]
        for each in (document, reference)
    ]
    return AccuracyResults("debug-tensors", names, engines[0], engines[1], tensors=tensors)


def is_wider(document: Any, reference: Any) -> bool:
    """Return whether tensors are of wider types than in the reference, and none is of a narrower one."""
    unused = ImpossibleValues("")
    ours, theirs = _ranges(document, unused), _ranges(reference, unused)
    sizes = [
        (_BITS.get(each.data_type), _BITS.get(theirs[name].data_type))
        for name, each in ours.items()
        if name in theirs
    ]
    known = [(own, other) for own, other in sizes if own is not None and other is not None and own != other]
    return bool(known) and all(own > other for own, other in known)


def _ranges(document: Any, values: ImpossibleValues) -> dict[str, TensorAccuracy]:
    """Return each tensor with its range, of all times that it was written."""
    found: dict[str, TensorAccuracy] = {}
    for record in records(document.get("tensors"))[:MOST_TENSORS]:
        name = tensor_name(record.get("name"))
        statistics = mapping(record.get("statistics"))
        if name is None:
            continue
        stated = [any_number(statistics.get(key)) for key in ("min", "max", "avg")]
        known = [each for each in stated if each is not None]
        has_non_finite = any(not math.isfinite(each) for each in known) if known else None
        elements = known_or_refused(values, f"shape of {quoted(name)}", record.get("shape"), _elements)
        if elements == 0:
            # trtexec writes the ends that it began with, and a quotient of zeros.
            stated, has_non_finite = [None, None], None
        low, high = stated[:2]
        limits = None
        if low is not None and high is not None and -LARGEST_FIGURE <= low <= high <= LARGEST_FIGURE:
            limits = (low, high)
        elif elements != 0:
            _refuse_range(values, name, statistics)
        data_type = text(record.get("type"))[:20]
        before = found.get(name)
        if before is not None:
            limits = _joined(before.candidate_range, limits)
            has_non_finite = has_non_finite or before.candidate_non_finite
        found[name] = TensorAccuracy(
            name,
            _TYPES.get(data_type.lower(), data_type.upper()),
            elements,
            candidate_range=limits,
            candidate_non_finite=has_non_finite,
        )
    return found


def _refuse_range(values: ImpossibleValues, name: str, statistics: Mapping[str, Any]) -> None:
    """Note a range that nothing can have.

    NaN and infinity are values of the tensor: where all are NaN, the ends are those that trtexec began with.
    Of types that it can't convert, such as E8M0, it writes no statistics.
    """
    stated = {key: statistics[key] for key in ("min", "max", "avg") if key in statistics}
    numbers = [any_number(each) for each in stated.values()]
    known = [each for each in numbers if each is not None]
    if len(known) == len(numbers) and not all(map(math.isfinite, known)):
        return
    if stated:
        ends = " to ".join(f"{statistics.get(key)}"[:20] for key in ("min", "max"))
        values.refuse(f"range of {quoted(name)}", ends, "is not possible")


def _joined(one: tuple[float, float] | None, other: tuple[float, float] | None) -> tuple[float, float] | None:
    return (min(one[0], other[0]), max(one[1], other[1])) if one and other else one or other


def _elements(shape: Any) -> int | None:
    if isinstance(shape, list) and all(type(each) is int and 0 <= each < 2**31 for each in shape[:9]):
        return math.prod(shape[:9]) if len(shape) <= 8 else None
    return None
