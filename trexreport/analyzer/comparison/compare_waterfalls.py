"""Divide the difference between two total layer times into steps that add up to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import MISSING_ROWS, NOT_STATED, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.waterfall import LayerSteps, Step, Waterfall, WaterfallKind
from trexreport.analyzer.comparison.compare_causes import Part, difference
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
    pairs = [(of_engines[alignment.baseline].all, of_engines[engine].all) for of_engines in parts]
    layers = [(pair, place) for place, pair in enumerate(pairs)]
    steps: dict[WaterfallKind, list[Step]] = {
        "type": _steps(_grouped(layers, lambda layer, _: layer.type)),
        "output precision": _steps(_grouped(layers, lambda layer, _: layer.output_precision)),
        "block": _steps(_grouped(layers, lambda _, place: blocks[place])),
        "cause": _steps(_by_cause(parts, engine)),
    }
    ends = steps_of[alignment.baseline], steps_of[engine]
    for by in ends[0]:
        if by in ends[1]:
            steps[by] = _steps(_by_name(pairs, [each[by] for each in ends]))
    before, after = ([layer for pair in pairs for layer in pair[side]] for side in (0, 1))
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


def _grouped(
    layers: Iterable[tuple[Pair, int]], name_of: Callable[[LayerFacts, int], str]
) -> dict[str, Pair]:
    """Group layers by the name that a function gives to each, with its row's position."""
    groups: dict[str, Pair] = {}
    for pair, place in layers:
        for side in (0, 1):
            for layer in pair[side]:
                groups.setdefault(name_of(layer, place) or NOT_STATED, ([], []))[side].append(layer)
    return groups


def _by_name(pairs: Iterable[Pair], ends: Sequence[LayerSteps]) -> dict[str, Pair]:
    groups: dict[str, Pair] = {}
    for pair in pairs:
        for side, end in enumerate(ends):
            for layer in pair[side]:
                name = end.names[end.layers[layer.index]]
                groups.setdefault(name, ([], []))[side].append(layer)
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
    steps = [
        Step(
            name,
            difference(after, before),
            math.fsum(_times(before)),
            math.fsum(_times(after)),
            _count(before),
            _count(after),
        )
        for name, (before, after) in groups.items()
        if any(layer.avg_ms for layer in (*before, *after))
    ]
    return _ordered(steps)


def _ordered(steps: Iterable[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (-abs(step.difference_ms), step.name))


def _times(layers: Iterable[LayerFacts]) -> list[float]:
    return [layer.avg_ms for layer in layers if layer.avg_ms is not None]


def _count(layers: Iterable[LayerFacts]) -> int:
    return sum(not layer.structural or bool(layer.avg_ms) for layer in layers)
