"""Divide the difference between two total layer times into steps that add up to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import MISSING_ROWS, NOT_STATED, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.waterfall import LayerSteps, Step, Waterfall, WaterfallKind
from trexreport.analyzer.comparison.compare_causes import Part, difference, difference_of_times
from trexreport.numbers import without_noise

#: The layers of one step: the baseline's and the candidate's.
Pair = tuple[list[LayerFacts], list[LayerFacts]]


def waterfalls(
    alignment: Alignment,
    parts: Sequence[Sequence[Part]],
    blocks: Sequence[str],
    unlisted_ms: Sequence[float],
    steps_of: Sequence[Mapping[WaterfallKind, LayerSteps]],
    *,
    engine: int,
) -> list[Waterfall]:
    """Return the ways from the baseline's total layer time to an engine's, in the order of `WATERFALLS`.

    Args:
        alignment: Of the engines.
        parts: Of each row and engine; some layers of both engines are measured.
        blocks: Name of each row's block.
        unlisted_ms: Of each engine the time of layers whose rows its profile lacks: a step of its own.
        steps_of: Of each engine, the steps of its layers by what its ONNX model states.
        engine: Index of the candidate.
    """
    pair = alignment.baseline, engine
    before, after = ([layer for of_engines in parts for layer in of_engines[each].all] for each in pair)
    sides = before, after
    blocks_of = [
        [block for of_engines, block in zip(parts, blocks, strict=True) for _ in of_engines[each].all]
        for each in pair
    ]
    steps: dict[WaterfallKind, list[Step]] = {
        "type": _steps(_grouped(sides, [[layer.type for layer in side] for side in sides])),
        "output precision": _steps(
            _grouped(sides, [[layer.output_precision for layer in side] for side in sides])
        ),
        "block": _steps(_grouped(sides, blocks_of)),
        "cause": _steps(_by_cause(parts, engine)),
    }
    ends = steps_of[alignment.baseline], steps_of[engine]
    for by in ends[0]:
        if by in ends[1]:
            names = [
                [end[by].names[end[by].layers[layer.index]] for layer in side]
                for side, end in zip(sides, ends, strict=True)
            ]
            steps[by] = _steps(_grouped(sides, names))
    unlisted = unlisted_ms[alignment.baseline], unlisted_ms[engine]
    start, end = (
        math.fsum((*_times(of_side), more_ms))
        for of_side, more_ms in zip((before, after), unlisted, strict=True)
    )
    change = difference(after, before)
    if any(unlisted):
        missing = Step(MISSING_ROWS, without_noise(unlisted[1] - unlisted[0], *unlisted), *unlisted, 0, 0)
        steps = {by: _ordered([*found, missing]) for by, found in steps.items()}
        change = without_noise(end - start, start, end)
    return [Waterfall(by, start, end, change, found) for by, found in steps.items()]


def _grouped(sides: Pair, names: Sequence[Sequence[str]]) -> dict[str, Pair]:
    """Group the layers of both sides by their names."""
    groups: dict[str, Pair] = {name or NOT_STATED: ([], []) for of_side in names for name in {*of_side}}
    for at, (layers, of_layers) in enumerate(zip(sides, names, strict=True)):
        for layer, name in zip(layers, of_layers, strict=True):
            groups[name or NOT_STATED][at].append(layer)
    return groups


def _by_cause(parts: Sequence[Sequence[Part]], engine: int) -> dict[str, Pair]:
    groups: dict[str, Pair] = {}
    for of_engines in parts:
        for cause, change in of_engines[engine].causes.items():
            before, after = groups.setdefault(cause, ([], []))
            before += change.theirs
            after += change.ours
    return groups


def _steps(groups: dict[str, Pair]) -> list[Step]:
    """Return the steps; groups in which nothing was measured on either side are none."""
    steps = []
    for name, (before, after) in groups.items():
        start, end = _times(before), _times(after)
        if any(start) or any(end):
            change = difference_of_times(end, start)
            steps.append(Step(name, change, math.fsum(start), math.fsum(end), _count(before), _count(after)))
    return _ordered(steps)


def _ordered(steps: Iterable[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (-abs(step.difference_ms), step.name))


def _times(layers: Iterable[LayerFacts]) -> list[float]:
    return [layer.avg_ms for layer in layers if layer.avg_ms is not None]


def _count(layers: Iterable[LayerFacts]) -> int:
    return len([layer for layer in layers if not layer.structural or layer.avg_ms])
