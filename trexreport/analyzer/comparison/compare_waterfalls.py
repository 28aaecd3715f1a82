"""Divide the difference between two sums of layers into steps that sum to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis import NOT_STATED, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.comparison import Step, Waterfall
from trexreport.analyzer.comparison.compare_rows import Part, causes, difference

#: The layers of one step: the baseline's and the candidate's.
Pair = tuple[list[LayerFacts], list[LayerFacts]]


def waterfalls(
    baseline: Sequence[LayerFacts],
    candidate: Sequence[LayerFacts],
    alignment: Alignment,
    engine: int,
    blocks: Sequence[str],
) -> list[Waterfall]:
    """Return the ways from the baseline's sum of layers to the candidate's, in the order of `WATERFALLS`.

    Args:
        baseline: Its layers, of which some are measured.
        candidate: Likewise.
        alignment: Of both and perhaps others.
        engine: Index of the candidate in it.
        blocks: Name of each row's block.
    """
    sides = (baseline, candidate)
    block_of = [[blocks[row] for row in alignment.row_of[each]] for each in (alignment.baseline, engine)]
    steps = {
        "type": _steps(_grouped(sides, lambda _, layer: layer.type)),
        "output precision": _steps(_grouped(sides, lambda _, layer: layer.output_precision)),
        "block": _steps(_grouped(sides, lambda side, layer: block_of[side][layer.index])),
        "cause": _steps(_by_cause(alignment, engine, sides)),
    }
    start, end = (math.fsum(_times(layers)) for layers in sides)
    return [Waterfall(by, start, end, difference(candidate, baseline), found) for by, found in steps.items()]


def _grouped(
    sides: tuple[Sequence[LayerFacts], Sequence[LayerFacts]], name_of: Callable[[int, LayerFacts], str]
) -> dict[str, Pair]:
    groups: dict[str, Pair] = {}
    for side, layers in enumerate(sides):
        for layer in layers:
            groups.setdefault(name_of(side, layer) or NOT_STATED, ([], []))[side].append(layer)
    return groups


def _by_cause(
    alignment: Alignment, engine: int, sides: tuple[Sequence[LayerFacts], Sequence[LayerFacts]]
) -> dict[str, Pair]:
    groups: dict[str, Pair] = {}
    for row in alignment.rows:
        theirs, ours = Part(row, alignment.baseline, sides[0]), Part(row, engine, sides[1])
        if not ours.all and not theirs.all:
            continue
        for cause, change in causes(row.changes[engine], ours, theirs).items():
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
        if any(layer.time_ms for layer in (*before, *after))
    ]
    return sorted(steps, key=lambda step: (-abs(step.difference_ms), step.name))


def _times(layers: Iterable[LayerFacts]) -> list[float]:
    return [layer.time_ms for layer in layers if layer.time_ms is not None]


def _count(layers: Iterable[LayerFacts]) -> int:
    return sum(not layer.structural or bool(layer.time_ms) for layer in layers)
