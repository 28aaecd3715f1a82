"""Decide whether an accuracy file is about this engine: by the names and the sizes of its tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.accuracy import AccuracyMatch, TensorErrorFacts

#: Below this part of the tensors that are found, the file is about another engine at least in part.
_MOST_FOUND = 0.5
#: From this part of the found tensors on that have other sizes, they are others of the same names.
_OTHER_SIZES = 0.5


def match_of_engine(
    facts: Sequence[TensorErrorFacts],
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    iterations: int | None,
) -> AccuracyMatch:
    """Return whether an accuracy file is about an engine.

    Where fewer than half of its tensors are found, as of an engine without its ONNX model, all outputs of the
    engine must be among them: names such as "input" or "output" are those of many models.

    Args:
        facts: The tensors of the file.
        layers: Of the engine.
        tensors: Of the engine.
        iterations: Number of inputs that were compared; None if not stated.
    """
    if not facts or not layers:
        return "unknown"
    found = [each for each in facts if each.join is not None]
    if not found:
        return "other"
    agree = list(_sizes_agree(found, tensors, iterations))
    if agree and agree.count(False) >= _OTHER_SIZES * len(agree):
        return "other"
    if len(found) >= _MOST_FOUND * len(facts):
        return "same"
    outputs = {each.name for each in tensors if each.role == "output"}
    return "partly" if outputs and outputs <= {each.figures.name for each in found} else "unproven"


def _sizes_agree(
    found: Sequence[TensorErrorFacts], tensors: Sequence[TensorFacts], iterations: int | None
) -> Iterator[bool]:
    """Yield for each tensor whose size both state whether it is the same, over all inputs."""
    sizes: dict[str, set[int]] = {}
    for tensor in tensors:
        if tensor.dimensions and min(tensor.dimensions) > 0:
            sizes.setdefault(tensor.name, set()).add(math.prod(tensor.dimensions))
    for each in found:
        elements = each.figures.elements
        if elements and each.figures.name in sizes:
            yield any(
                elements == size * iterations if iterations else elements % size == 0
                for size in sizes[each.figures.name]
            )
