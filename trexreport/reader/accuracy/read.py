"""Read accuracy files of any kind that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.numbers import counted, format_limit, layer_label, list_names
from trexreport.reader.accuracy import debug_tensors, figures, polygraphy, tuning_cache
from trexreport.reader.accuracy.limits import LARGEST_BYTES
from trexreport.reader.accuracy.results_file import is_results_file, read_results_file
from trexreport.reader.foreign_files import explained
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.regex import regex

_HINT = (
    "Give Polygraphy's --save-accuracy-results or --save-outputs, trtexec's tensor_summary.json or "
    '--tuningCacheFile, or figures as {"TENSOR": NUMBER} or CSV.'
)
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")

_MOST_SHOWN = 3
#: Means of 16-bit errors are rounded to 11 bits, and sums of many to fewer.
_ROUNDED = 1.01
#: A log begins with a bracket, too: "[I] Accuracy Comparison".
_JSON = regex(r"\s*(?:\{|\[\s*[\[{\"\]])")


def read_accuracy(
    name: str, data: bytes, reference: tuple[str, bytes] | None = None
) -> tuple[AccuracyResults, list[InputWarning]]:
    """Read a file on the accuracy of an engine.

    Args:
        name: Of the file.
        data: Its content.
        reference: Name and content of a file of the same kind, of what the engine is compared with.

    Raises:
        InputError: A file is too large, is of no known kind, or both do not fit together.
    """
    content, document, notes = _document(name, data)
    values = ImpossibleValues(name, ("accuracy",))
    if reference is not None:
        other, other_notes = _document(*reference)[1:]
        notes += other_notes
        names = (name, reference[0])
        if polygraphy.is_outputs(document) and polygraphy.is_outputs(other):
            results = _compared(document, other, names)
            if results.candidate not in {each.runner for each in polygraphy.read_outputs(document)}:
                message = (
                    f"{names[0]} has the outputs of {results.reference}, and {names[1]} those of "
                    f"{results.candidate}: the latter is the engine, and the other one the reference."
                )
                notes.append(InputWarning("repaired", "accuracy-swapped", message, name))
            return results, notes
        if debug_tensors.is_summary(document) and debug_tensors.is_summary(other):
            if debug_tensors.is_wider(document, other):
                notes.append(_maybe_swapped(names))
            results = debug_tensors.read_summary(document, other, names, values)
            return results, [*notes, *values.notes()]
        raise InputError(
            f"{name} and {reference[0]} can't be compared.",
            "Both are outputs that Polygraphy saved, or both are trtexec's tensor_summary.json.",
        )
    if document is None:
        read_text = (
            tuning_cache.read_tuning_cache if tuning_cache.is_tuning_cache(content) else figures.read_table
        )
        return _with_note(read_text(content, name, values), values, notes)
    if is_results_file(document):
        results, found = read_results_file(content, name)
        return _with_note(results, values, [*notes, *found])
    if polygraphy.is_outputs(document):
        return _compared(document, None, (name,)), notes
    if debug_tensors.is_summary(document):
        return _with_note(debug_tensors.read_summary(document, None, (name,), values), values, notes)
    read: Callable[[Any, str, ImpossibleValues], AccuracyResults]
    read = polygraphy.read_results if polygraphy.is_results(document) else figures.read_figures
    return _with_note(read(document, name, values), values, notes)


def _with_note(
    results: AccuracyResults, values: ImpossibleValues, notes: list[InputWarning]
) -> tuple[AccuracyResults, list[InputWarning]]:
    """Leave figures out that can't be errors, with a note on these and on missing ones."""
    results = replace(results, tensors=tuple(_possible(each, values) for each in results.tensors))
    notes = [*notes, *values.notes()]
    empty = [each.name for each in results.tensors if each == TensorAccuracy(each.name)]
    if results.format != "figures" or not empty:
        return results, notes
    names = list_names([layer_label(each) for each in empty], _MOST_SHOWN)
    of = counted(len(empty), "tensor")
    message = f"{values.file} has no usable figure of {of}, whose error is unknown: {names}."
    return results, [
        *notes,
        InputWarning("degraded", "accuracy-impossible", message, values.file, ("accuracy",)),
    ]


def _possible(tensor: TensorAccuracy, values: ImpossibleValues) -> TensorAccuracy:
    """Return a tensor without a mean that is above the largest error."""
    mean, largest = tensor.mean_abs_error, tensor.max_abs_error
    if mean is None or largest is None or mean <= _ROUNDED * largest:
        return tensor
    values.refuse(f"mean of {quoted(tensor.name)}", mean, f"is above the maximum {largest:g}")
    return replace(tensor, mean_abs_error=None, max_abs_error=None)


def _maybe_swapped(names: tuple[str, str]) -> InputWarning:
    message = (
        f"Tensors are of wider types in {names[0]} than in {names[1]}: is the latter the engine, and the "
        "former the reference? Then give them the other way round."
    )
    return InputWarning("degraded", "accuracy-maybe-swapped", message, names[0], ("accuracy",))


def _document(name: str, data: bytes) -> tuple[str, Any, list[InputWarning]]:
    """Return the text of a file and the JSON in it; None in place of that for files of lines."""
    if len(data) > LARGEST_BYTES:
        raise InputError(
            f"{name} is larger than {format_limit(LARGEST_BYTES)}.",
            "Save outputs of fewer tensors or iterations, or Polygraphy's --save-accuracy-results.",
        )
    if data.startswith(_PICKLES):
        raise InputError(f"{name} is a pickle or an archive, which is not opened.", _HINT)
    content, notes = decode_text(data, name)
    if tuning_cache.is_tuning_cache(content) or figures.is_table(content):
        return content, None, notes
    try:
        document, repairs = parse_json(content, name, _is_known, keeps_infinite=True)
    except InputError as error:
        if "not of a kind" in str(error) or (content.strip() and not _JSON.match(content)):
            with explained(Source("accuracy", name, data)):
                raise InputError(f"{name} states no accuracy that trexreport reads.", _HINT) from None
        raise
    return content, document, [*notes, *repairs]


def _is_known(document: Any) -> bool:
    return (
        is_results_file(document)
        or polygraphy.is_results(document)
        or polygraphy.is_outputs(document)
        or debug_tensors.is_summary(document)
        or figures.is_figures(document)
    )


def _compared(document: Any, reference: Any | None, names: tuple[str, ...]) -> AccuracyResults:
    others = [] if reference is None else polygraphy.read_outputs(reference)
    return polygraphy.compare_outputs(polygraphy.read_outputs(document), others, names)
