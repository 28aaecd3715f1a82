"""Read one figure for each tensor: a JSON object or a CSV file, for whatever computes it.

`{"conv1_output": 0.012}`, `{"measure": "snr_db", "tensors": {"conv1_output": 38.1}}`, ONNX Runtime's
`{"conv1_output": {"qdq_err": 40.2, "xmodel_err": 38.1}}` (dB, of its quantization debugger), a list of
objects such as `{"tensor": "conv1_output", "sqnr_db": 38.1}` anywhere in a document, or a CSV file headed
`tensor,snr_db`. The names are those of tensors, of nodes or of layers.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from trexreport.errors import InputError
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.numbers import list_names, middle_ellipsis
from trexreport.reader.accuracy.limits import MOST_TENSORS
from trexreport.reader.accuracy.values import any_number, error_of_snr, figure, similarity, tensor_name
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.regex import regex

#: The key of the figure, in a document that names it.
_MEASURE, _TENSORS = "measure", "tensors"
#: The name of a tensor comes before that of what computes it.
_NAMES = (
    "tensor",
    "tensor_name",
    "output",
    "output_name",
    "name",
    "node",
    "node_name",
    "layer",
    "layer_name",
)
_LARGEST_HEADING = 2_000
_SEPARATORS = ",;\t"
#: What spreadsheets write where a comma is the decimal point, and a semicolon separates columns.
_DECIMAL_COMMA = regex(r"\s*[-+]?\d+,\d+(?:[eE][-+]?\d+)?\s*", re.ASCII)
_NO_WORD = regex(r"[^a-z0-9%]+")
#: How deep a list of objects may lie in a document.
_DEEPEST = 4
_ERRORS = ("relative_error", "max_abs_error", "mean_abs_error", "value")


def _percent(value: Any) -> float | None:
    found = figure(value)
    return None if found is None else found / 100


#: What a measure is called, in small letters, to the attribute that it is, and how it is read.
_KNOWN: Mapping[str, tuple[str, Callable[[Any], float | None]]] = {
    **dict.fromkeys(
        ("snr_db", "sqnr_db", "snr", "sqnr", "xmodel_err", "xmodel_sqnr_db", "qdq_err", "qdq_sqnr_db"),
        ("relative_error", error_of_snr),
    ),
    **dict.fromkeys(
        ("relative_error", "relative_l2", "relative_l2_error", "nrmse"), ("relative_error", figure)
    ),
    "relative_error_percent": ("relative_error", _percent),
    **dict.fromkeys(("cosine_similarity", "cosine", "cos_sim"), ("cosine_similarity", similarity)),
    **dict.fromkeys(("max_abs_error", "max_absdiff", "max_abs_diff"), ("max_abs_error", figure)),
    **dict.fromkeys(("mean_abs_error", "mean_absdiff", "mean_abs_diff", "mae"), ("mean_abs_error", figure)),
}
#: The error accumulated from the model's input comes before that of one node alone.
_PREFERRED = ("xmodel_err", "xmodel_sqnr_db", "snr_db", "sqnr_db")


def _key(heading: str) -> str:
    """Return what a measure or a column of names is called: "SQNR (dB)" is "sqnr_db"."""
    return _NO_WORD.sub("_", heading.lower().replace("%", " percent")).strip("_")


def is_figures(document: Any) -> bool:
    """Return whether a document states figures of tensors, and nothing else but a list of them."""
    if _records_in(document):
        return True
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


def read_figures(document: Any, name: str, values: ImpossibleValues) -> AccuracyResults:
    """Read figures of a JSON object.

    Raises:
        InputError: No figure is one.
    """
    records = _records_in(document)
    if records:
        return _results(map(_of_record, records), name, values)
    document = _by_tensor(document)
    measure = document.get(_MEASURE)
    named = document.get(_TENSORS)
    rows = named if isinstance(named, dict) else document
    measure = measure if isinstance(measure, str) else ""
    return _results(
        ((key, value if isinstance(value, dict) else {measure: value}) for key, value in rows.items()),
        name,
        values,
    )


def _records_in(document: Any, depth: int = 0) -> list[dict[str, Any]]:
    """Return the longest list of objects with a name and a known measure; empty if there is none."""
    if isinstance(document, list):
        found = [each for each in document[: 2 * MOST_TENSORS] if isinstance(each, dict)]
        return found if any(_name_of(each) and _known_of(each) for each in found[:100]) else []
    if not isinstance(document, dict) or depth >= _DEEPEST:
        return []
    parts = (_records_in(each, depth + 1) for each in document.values() if isinstance(each, (dict, list)))
    return max(parts, key=len, default=[])


def _name_of(record: Mapping[str, Any]) -> str:
    found = {_key(key): each for key, each in record.items() if isinstance(each, str) and each}
    return next((found[key] for key in _NAMES if key in found), "")


def _known_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known measures of an object: of its other numbers, such as ranks, none is an error."""
    return {key: value for key, value in record.items() if _key(key) in _KNOWN}


def _of_record(record: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    return _name_of(record), _known_of(record)


def _by_tensor(document: dict[str, Any]) -> dict[str, Any]:
    """Turn `{measure: {tensor: figure}}` into `{tensor: {measure: figure}}`; leave anything else as it is."""
    is_turned = all(_key(key) in _KNOWN and isinstance(value, dict) for key, value in document.items())
    if not is_turned:
        return document
    turned: dict[str, Any] = {}
    for measure, figures in document.items():
        for tensor, value in figures.items():
            turned.setdefault(tensor, {})[measure] = value
    return turned


def is_table(content: str) -> bool:
    """Return whether a text begins as a CSV file of tensors and figures."""
    cells = _heading(content)[1]
    names = [_key(each) for each in cells]
    first = names[:1] and names[0] in _NAMES
    return len(cells) > 1 and bool(first or (_KNOWN.keys() & names and set(_NAMES) & set(names)))


def _heading(content: str) -> tuple[str, list[str]]:
    """Return what separates the columns of a table, and the cells of its first line."""
    line = content[:_LARGEST_HEADING].lstrip("\ufeff").partition("\n")[0]
    separator = max(_SEPARATORS, key=line.count)
    return separator, [each.strip().strip('"') for each in line.split(separator)]


def read_table(content: str, name: str, values: ImpossibleValues) -> AccuracyResults:
    """Read figures of a CSV file. Columns are separated by commas, semicolons or tabs.

    Raises:
        InputError: No figure is one.
    """
    separator, cells = _heading(content)
    lower = [_key(each) for each in cells]
    place = 0 if lower[0] in _NAMES else lower.index(next(each for each in _NAMES if each in lower))
    reader = csv.reader(io.StringIO(content.lstrip("\ufeff")), delimiter=separator)
    try:
        heading = [each.strip() for each in next(reader, [])]
        rows = (
            (
                row[place],
                {key: _cell(row[at], separator) for at, key in enumerate(heading[: len(row)]) if at != place},
            )
            for row in reader
            if len(row) > max(place, 1)
        )
        if place:
            # A table of more than names and figures.
            rows = ((key, _known_of(each)) for key, each in rows)
        return _results(rows, name, values)
    except csv.Error as error:
        raise InputError(f"{name} is not a CSV file: {error}.", "Is it the right file?") from None


def _cell(text: str, separator: str) -> str:
    return text.replace(",", ".") if separator != "," and _DECIMAL_COMMA.fullmatch(text) else text


def _results(
    rows: Iterable[tuple[str, Mapping[str, Any]]], name: str, values: ImpossibleValues
) -> AccuracyResults:
    found: dict[str, TensorAccuracy] = {}
    measures: dict[str, None] = {}
    for key, stated in rows:
        if tensor_name(key) is None:
            continue
        if len(found) >= MOST_TENSORS and key not in found:
            break
        figures, own = _figures(stated)
        measures.update(dict.fromkeys(own))
        for measure in [each for each in stated if figures and _key(each) in _KNOWN]:
            # A tensor without any figure is noted as such.
            if _is_stated(stated[measure]) and _KNOWN[_key(measure)][1](stated[measure]) is None:
                values.refuse(
                    f"{quoted(key)} {middle_ellipsis(measure, 60)}", stated[measure], "is not possible"
                )
        non_finite = any(_is_non_finite(value) for value in stated.values()) or None
        each = TensorAccuracy(key, candidate_non_finite=non_finite, **figures)
        if found.get(key, each) != each:
            values.mark(quoted(key), "has several rows, of which the largest error counts")
        found[key] = _worst(found[key], each) if key in found else each
    if all(each == TensorAccuracy(key) for key, each in found.items()):
        raise InputError(
            f"{name} states no figure of a tensor.", 'It is an object such as {"conv1_output": 0.012}.'
        )
    if len(measures) > 1:
        # Which of them is the error is not known; a table of times is not a table of errors.
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


def _is_stated(value: Any) -> bool:
    """Return whether there is a value that is not infinite, as a ratio to zero is."""
    number = any_number(value)
    return math.isfinite(number) if number is not None else value is not None and value != ""


def _is_non_finite(value: Any) -> bool:
    number = any_number(value)
    return number is not None and math.isnan(number)


def _figures(stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what the measures of one tensor are by attribute, and the names of those that are not known."""
    figures: dict[str, Any] = {}
    own = []
    for measure in sorted(stated, key=lambda each: _key(each) not in _PREFERRED):
        attribute, read = _KNOWN.get(_key(measure), ("value", figure))
        value = read(stated[measure])
        if value is not None:
            figures.setdefault(attribute, value)
            own += [measure.strip()[:100]] * (attribute == "value")
    return figures, own
