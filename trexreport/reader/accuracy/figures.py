"""Read one figure for each tensor: a JSON object or a CSV file, for whatever computes it.

`{"conv1_output": 0.012}`, `{"measure": "snr_db", "tensors": {"conv1_output": 38.1}}`, ONNX Runtime's
`{"conv1_output": {"qdq_err": 40.2, "xmodel_err": 38.1}}` (dB, of its quantization debugger), or a CSV file
with the heading `tensor,snr_db`. The names are those of tensors, of nodes or of layers.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from trexreport.errors import InputError
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.numbers import list_names
from trexreport.reader.accuracy.limits import MOST_TENSORS
from trexreport.reader.accuracy.values import any_number, error_of_snr, figure, tensor_name

#: The key of the figure, in a document that names it.
_MEASURE, _TENSORS = "measure", "tensors"
_NAMES = ("tensor", "name", "layer", "node", "tensor_name", "layer_name", "node_name")
_LARGEST_HEADING = 200
_ERRORS = ("relative_error", "max_abs_error", "mean_abs_error", "value")


def _similarity(value: Any) -> float | None:
    found = any_number(value)
    return found if found is not None and -1.001 <= found <= 1.001 else None


def _percent(value: Any) -> float | None:
    found = figure(value)
    return None if found is None else found / 100


#: What a measure is called, in small letters, to the attribute that it is, and how it is read.
_KNOWN: Mapping[str, tuple[str, Callable[[Any], float | None]]] = {
    **dict.fromkeys(
        ("snr_db", "sqnr_db", "snr", "sqnr", "xmodel_err", "qdq_err"), ("relative_error", error_of_snr)
    ),
    **dict.fromkeys(
        ("relative_error", "relative_l2", "relative_l2_error", "nrmse"), ("relative_error", figure)
    ),
    "relative_error_percent": ("relative_error", _percent),
    **dict.fromkeys(("cosine_similarity", "cosine", "cos_sim"), ("cosine_similarity", _similarity)),
    **dict.fromkeys(("max_abs_error", "max_absdiff", "max_abs_diff"), ("max_abs_error", figure)),
    **dict.fromkeys(("mean_abs_error", "mean_absdiff", "mean_abs_diff", "mae"), ("mean_abs_error", figure)),
}
#: The error accumulated from the model's input comes before that of one node alone.
_PREFERRED = ("xmodel_err", "snr_db", "sqnr_db")


def is_figures(document: Any) -> bool:
    """Return whether a document states figures of tensors, and nothing else."""
    if not isinstance(document, dict) or not document:
        return False
    if isinstance(document.get(_TENSORS), dict):
        document = document[_TENSORS]
    return bool(document) and all(
        any_number(each) is not None or (isinstance(each, dict) and _measures(each))
        for each in document.values()
    )


def _measures(record: Mapping[str, Any]) -> bool:
    return bool(record) and all(each is None or any_number(each) is not None for each in record.values())


def read_figures(document: Any, name: str) -> AccuracyResults:
    """Read figures of a JSON object.

    Raises:
        InputError: No figure is one.
    """
    measure = document.get(_MEASURE)
    named = document.get(_TENSORS)
    rows = named if isinstance(named, dict) else document
    measure = measure if isinstance(measure, str) else ""
    return _results(
        ((key, value if isinstance(value, dict) else {measure: value}) for key, value in rows.items()), name
    )


def is_table(content: str) -> bool:
    """Return whether a text begins as a CSV file of tensors and figures."""
    heading = content[:_LARGEST_HEADING].lstrip("\ufeff").partition("\n")[0]
    cells = [each.strip().strip('"').lower() for each in heading.split(",")]
    return len(cells) > 1 and cells[0] in _NAMES


def read_table(content: str, name: str) -> AccuracyResults:
    """Read figures of a CSV file, of which the first column has the names.

    Raises:
        InputError: No figure is one.
    """
    reader = csv.reader(io.StringIO(content.lstrip("\ufeff")))
    try:
        heading = [each.strip() for each in next(reader, [])]
        rows = ((row[0], dict(zip(heading[1:], row[1:], strict=False))) for row in reader if len(row) > 1)
        return _results(rows, name)
    except csv.Error as error:
        raise InputError(f"{name} is no CSV file: {error}.", "Is it the right file?") from None


def _results(rows: Iterable[tuple[str, Mapping[str, Any]]], name: str) -> AccuracyResults:
    found: dict[str, TensorAccuracy] = {}
    measures: dict[str, None] = {}
    for key, stated in rows:
        if tensor_name(key) is None:
            continue
        if len(found) >= MOST_TENSORS and key not in found:
            break
        figures, own = _figures(stated)
        measures.update(dict.fromkeys(own))
        non_finite = any(_is_non_finite(value) for value in stated.values()) or None
        each = TensorAccuracy(key, candidate_non_finite=non_finite, **figures)
        found[key] = _worst(found[key], each) if key in found else each
    if all(each == TensorAccuracy(key) for key, each in found.items()):
        raise InputError(
            f"{name} states no figure of a tensor.", 'It is an object such as {"conv1_output": 0.012}.'
        )
    if len(measures) > 1:
        # Which of them is the error is not known; a table of times is no table of errors.
        if all(replace(each, value=None) == TensorAccuracy(each.name) for each in found.values()):
            raise InputError(
                f"{name} has several columns of figures, none of which is a known measure: "
                f"{list_names(list(measures), 4)}.",
                "Leave one of them, or name it snr_db, relative_error, cosine_similarity or max_abs_error.",
            )
        found = {key: replace(each, value=None) for key, each in found.items()}
        measures = {}
    return AccuracyResults(
        "figures", (name,), measure=next(iter(measures), ""), tensors=tuple(found.values())
    )


def _worst(one: TensorAccuracy, other: TensorAccuracy) -> TensorAccuracy:
    """Return the larger errors of two rows of one tensor, such as those of two inputs of the model."""
    errors: dict[str, Any] = {key: _known(max, getattr(one, key), getattr(other, key)) for key in _ERRORS}
    return replace(
        one,
        **errors,
        cosine_similarity=_known(min, one.cosine_similarity, other.cosine_similarity),
        candidate_non_finite=one.candidate_non_finite or other.candidate_non_finite,
    )


def _known(choose: Callable[[list[float]], float], *values: float | None) -> float | None:
    known = [each for each in values if each is not None]
    return choose(known) if known else None


def _is_non_finite(value: Any) -> bool:
    number = any_number(value)
    return number is not None and math.isnan(number)


def _figures(stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what the measures of one tensor are by attribute, and the names of those that are not known."""
    figures: dict[str, Any] = {}
    own = []
    for measure in sorted(stated, key=lambda each: each.lower() not in _PREFERRED):
        attribute, read = _KNOWN.get(measure.strip().lower(), ("value", figure))
        value = read(stated[measure])
        if value is not None:
            figures.setdefault(attribute, value)
            own += [measure.strip()[:100]] * (attribute == "value")
    return figures, own
