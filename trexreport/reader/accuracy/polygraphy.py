"""Read what Polygraphy writes: results of a comparison, and the outputs that runners computed.

Sources: polygraphy/json/serde.py, comparator/struct.py and comparator/compare.py, versions 0.20 to 0.53. Each
object names its class in "polygraphy_class", in older files by a key beginning with "__polygraphy_encoded_".
Arrays of PyTorch are pickles, which are never opened: their tensors count as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.reader.accuracy.arrays import Comparer, decode_array, scan
from trexreport.reader.accuracy.limits import MOST_ITERATIONS, MOST_TENSORS
from trexreport.reader.accuracy.merged_results import MergedResults, class_of
from trexreport.reader.accuracy.values import runner_name, tensor_name
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.values import items, mapping

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TENSORRT = "trt"


def is_results(document: Any) -> bool:
    """Return whether a document holds results of a comparison."""
    return class_of(document) in {"AccuracyResults", "AccuracyResult"}


def is_outputs(document: Any) -> bool:
    """Return whether a document holds outputs of runners."""
    if class_of(document) in {"RunResults", "IterationResult"}:
        return True
    first = document[0] if isinstance(document, list) and document else None
    return class_of(first) in {"RunResults", "IterationResult"} or (
        isinstance(first, dict) and any(class_of(each) in _ARRAYS for each in first.values())
    )


def read_results(document: Any, name: str, values: ImpossibleValues) -> AccuracyResults:
    """Read the results of a comparison.

    Raises:
        InputError: It does not compare two runners.
    """
    found = [document] if class_of(document) == "AccuracyResult" else items(document.get("lst"))
    merged: dict[str, MergedResults] = {}
    pair: tuple[str, str] | None = None
    iterations = 0
    for each in found:
        for entry in items(mapping(each).get("lst")):
            if not (
                isinstance(entry, list)
                and len(entry) == 2
                and isinstance(entry[0], list)
                and len(entry[0]) == 2
            ):
                continue
            runners = (runner_name(entry[0][0]), runner_name(entry[0][1]))
            pair = pair or runners
            if runners != pair:
                continue
            results = items(entry[1])[:MOST_ITERATIONS]
            iterations = max(iterations, len(results))
            for result in results:
                _merge(merged, mapping(result), values)
    if pair is None:
        raise InputError(
            f"{name} does not compare two runners.",
            "Run polygraphy with two runners and --save-accuracy-results.",
        )
    candidate, reference = _candidate_first(*pair)
    return AccuracyResults(
        "polygraphy-results",
        (name,),
        candidate,
        reference,
        iterations or None,
        tensors=tuple(each.result(tensor) for tensor, each in merged.items()),
    )


def _merge(merged: dict[str, MergedResults], results: Mapping[str, Any], values: ImpossibleValues) -> None:
    for tensor, result in results.items():
        if tensor == "polygraphy_class" or tensor_name(tensor) is None:
            continue
        if tensor not in merged and len(merged) >= MOST_TENSORS:
            continue
        merged.setdefault(tensor, MergedResults(tensor, values)).add(result)


def _candidate_first(one: str, other: str) -> tuple[str, str]:
    """Return the two runners, TensorRT's first: the other one is the reference."""
    swapped = other.startswith(_TENSORRT) and not one.startswith(_TENSORRT)
    return (other, one) if swapped else (one, other)


@dataclass(frozen=True)
class Outputs:
    """The outputs of one runner: for each iteration, tensor to what encodes its array."""

    runner: str
    iterations: tuple[Mapping[str, Any], ...]


def read_outputs(document: Any) -> list[Outputs]:
    """Return the outputs of each runner; of a list of files, one for each iteration, all iterations."""
    if isinstance(document, list) and any(class_of(each) == "RunResults" for each in document):
        return _joined(each for one in document[:MOST_ITERATIONS] for each in read_outputs(one))
    if class_of(document) == "RunResults":
        return [
            Outputs(runner_name(entry[0]), _iterations(entry[1]))
            for entry in items(document.get("lst"))
            if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
        ]
    iterations = _iterations(document if isinstance(document, list) else [document])
    first = document[0] if isinstance(document, list) else document
    return [Outputs(runner_name(mapping(first).get("runner_name")), iterations)]


def _joined(found: Iterable[Outputs]) -> list[Outputs]:
    """Return one for each runner, with the iterations of all of its name."""
    by_runner: dict[str, list[Mapping[str, Any]]] = {}
    for each in found:
        by_runner.setdefault(each.runner, []).extend(each.iterations)
    return [Outputs(runner, tuple(iterations)) for runner, iterations in by_runner.items()]


def _iterations(value: Any) -> tuple[Mapping[str, Any], ...]:
    found = (mapping(each) for each in items(value)[:MOST_ITERATIONS])
    return tuple(mapping(each["outputs"]) if "outputs" in each else each for each in found)


def compare_outputs(
    found: list[Outputs], references: list[Outputs], names: tuple[str, ...]
) -> AccuracyResults:
    """Compare the outputs of two runners.

    Args:
        found: Of the engine's file; with two runners, the second one is the reference.
        references: Of the file of the reference; empty without one.
        names: Of the files.

    Raises:
        InputError: There are no outputs, or no tensor is on both sides.
    """
    if not found:
        raise InputError(f"{names[0]} holds no outputs.", "Run polygraphy with --save-outputs.")
    candidate = next((each for each in found if each.runner.startswith(_TENSORRT)), found[0])
    others = references or [each for each in found if each is not candidate]
    if not others:
        tensors = tuple(_scanned(candidate))
        return AccuracyResults(
            "polygraphy-outputs", names, candidate.runner, "", _count(candidate), tensors=tensors
        )
    reference = next((each for each in others if not each.runner.startswith(_TENSORRT)), others[0])
    if references and not candidate.runner.startswith(_TENSORRT) and reference.runner.startswith(_TENSORRT):
        # The files are given the other way round.
        candidate, reference = reference, candidate
    tensors = tuple(_compared(candidate, reference))
    if not tensors:
        raise InputError(
            f"{' and '.join(names)}: no tensor is in the outputs of both runners.",
            "Mark the same tensors in both runs (--trt-outputs mark all, --onnx-outputs mark all).",
        )
    iterations = min(len(candidate.iterations), len(reference.iterations))
    return AccuracyResults(
        "polygraphy-outputs", names, candidate.runner, reference.runner, iterations, tensors=tensors
    )


def _count(outputs: Outputs) -> int | None:
    return len(outputs.iterations) or None


def _names(outputs: Outputs) -> list[str]:
    found = dict.fromkeys(name for each in outputs.iterations for name in each if tensor_name(name))
    found.pop("polygraphy_class", None)
    return list(found)[:MOST_TENSORS]


def _scanned(outputs: Outputs) -> Iterator[TensorAccuracy]:
    for name in _names(outputs):
        arrays = [array for each in outputs.iterations if (array := _array(each.get(name))) is not None]
        yield scan(name, arrays) if arrays else TensorAccuracy(name)


def _compared(candidate: Outputs, reference: Outputs) -> Iterator[TensorAccuracy]:
    known = set(_names(reference))
    for name in _names(candidate):
        if name not in known:
            continue
        comparer = Comparer(name)
        is_known = True
        for ours, theirs in zip(candidate.iterations, reference.iterations, strict=False):
            if name in ours and name in theirs:
                one, other = _array(ours[name]), _array(theirs[name])
                if one is None or other is None:
                    is_known = False
                    break
                comparer.add(one, other)
        yield comparer.result() if is_known else TensorAccuracy(name)


_ARRAYS = frozenset({"LazyArray", "LazyNumpyArray", "ndarray", "Tensor", "FormattedArray"})
_MAX_WRAPPERS = 4


def _array(value: Any) -> NDArray[Any] | None:
    """Return the array of an object of Polygraphy; None for pickles and damage."""
    for _ in range(_MAX_WRAPPERS):
        record = mapping(value)
        if isinstance(record.get("array"), str):
            return decode_array(record["array"])
        value = record.get("values", record.get("array"))
    return None
