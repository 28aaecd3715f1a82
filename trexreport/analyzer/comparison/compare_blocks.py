"""Say which module and which block of the model each aligned row belongs to, whatever engine tells it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.analyzer.blocks import divide
from trexreport.analyzer.blocks.module_paths import Path, agreed_path, common_path, share_with_paths, stem

#: More steps than this can't be told apart in a picture.
MOST_BLOCKS = 24
#: Where names tell the module of a smaller part of the rows, they divide nothing.
_LEAST_NAMED = 0.3
NO_MODULE = "no module"
ELSEWHERE = "layers of other engines only"

BY_MODULE = "Steps are modules of the model, as names tell them."
BY_SERIES = "Steps are modules of the model, as names tell them; a star stands for all numbers."


def row_paths(
    alignment: Alignment, analyses: Sequence[Analysis], mentioned: Sequence[Sequence[Sequence[Path]]]
) -> list[Path]:
    """Return the module of each row, the deepest that an engine's layers agree on; () where no name tells.

    Args:
        alignment: Of the analyses.
        analyses: Of all engines.
        mentioned: Modules that each engine's layers name.
    """
    stated = [_paths(analysis, paths) for analysis, paths in zip(analyses, mentioned, strict=True)]
    return [
        max((_agreed(paths, row.layers[engine]) for engine, paths in enumerate(stated)), key=_depth_first)
        for row in alignment.rows
    ]


def row_blocks(
    alignment: Alignment, analyses: Sequence[Analysis], paths: Sequence[Path], titles: Sequence[str]
) -> tuple[list[str], str]:
    """Return the block of each row, at most `MOST_BLOCKS` different ones, and a sentence on what they are.

    Modules are blocks where names tell them; else what repeats in the structure of one engine, else runs of
    its layers. The choice does not depend on the order of the engines.
    """
    if sum(bool(path) for path in paths) >= _LEAST_NAMED * len(paths):
        names = _modules(paths, _weights(alignment, analyses))
        if len(set(names)) > 1:
            return names, BY_SERIES if any("*" in name for name in names) else BY_MODULE
    chosen = min(range(len(analyses)), key=lambda engine: _order(analyses[engine]))
    name_of, what = _parts(analyses[chosen])
    sentence = f"Names tell no modules: steps are {what} of {titles[chosen]}."
    return [_of_row(row, chosen, name_of) for row in alignment.rows], sentence


def _paths(analysis: Analysis, mentioned: Sequence[Sequence[Path]]) -> list[Path | None]:
    """Return the paths that the names of an engine's layers tell, none where too few tell one."""
    stated = [agreed_path(paths) for paths in mentioned]
    return stated if share_with_paths(stated, analysis.layers) else [None] * len(stated)


def _agreed(stated: Sequence[Path | None], indices: Sequence[int]) -> Path:
    """Return what the layers' paths begin with in common."""
    return common_path([path for path in (stated[index] for index in indices) if path is not None])


def _depth_first(path: Path) -> tuple[int, Path]:
    return len(path), path


class _Module(NamedTuple):
    """Rows of one module, or of several that differ in a number only.

    Attributes:
        name: Parts of its path, with a star for numbers that differ.
        rows: Positions.
    """

    name: Path
    rows: list[int]


def _modules(paths: Sequence[Path], weights: Sequence[float]) -> list[str]:
    """Name the module of each row; the dearest modules are divided as long as there are few enough.

    Where there are too many parts, those that differ in a number only are one: "layers.*".
    """
    whole = [_Module((), list(range(len(paths))))]
    closed: list[_Module] = []
    while whole:
        dearest = max(whole, key=lambda each: (math.fsum(weights[row] for row in each.rows), each.name))
        whole.remove(dearest)
        others = len(whole) + len(closed)
        for spelling in (str, stem):
            parts = _divided(dearest, paths, spelling)
            if others + len(parts) <= MOST_BLOCKS:
                ends = [part for part in parts if part.name == dearest.name]
                closed += ends
                whole += [part for part in parts if part not in ends]
                break
        else:
            closed.append(dearest)
    names = [""] * len(paths)
    for module in closed:
        for row in module.rows:
            names[row] = "/".join(module.name) or NO_MODULE
    return names


def _divided(module: _Module, paths: Sequence[Path], spelling: Callable[[str], str]) -> list[_Module]:
    """Return the parts of a module; rows that belong to none of them keep its name."""
    depth = len(module.name)
    parts: dict[Path, list[int]] = {}
    for row in module.rows:
        below = paths[row][depth : depth + 1]
        parts.setdefault((*module.name, *map(spelling, below)), []).append(row)
    return [_Module(name, rows) for name, rows in parts.items()]


def _weights(alignment: Alignment, analyses: Sequence[Analysis]) -> list[float]:
    """Return the time of each row in all engines; the number of its layers if nothing was measured."""
    times: list[list[float]] = [[] for _ in alignment.rows]
    for rows, analysis in zip(alignment.row_of, analyses, strict=True):
        for layer in analysis.layers:
            times[rows[layer.index]].append(layer.avg_ms or 0.0)
    sums = [math.fsum(each) for each in times]
    return sums if any(sums) else [float(len(each)) for each in times]


def _order(analysis: Analysis) -> tuple[int, list[Any]]:
    """Return what puts engines in an order; those that are equal in it give the same rows and parts."""
    layers = [
        (
            layer.name,
            layer.type,
            layer.tactic,
            layer.avg_ms or 0.0,
            layer.origins,
            layer.operations,
            [(use.tensor, use.dimensions, use.format) for use in (*layer.inputs, *layer.outputs)],
            len(layer.inputs),
        )
        for layer in analysis.layers
    ]
    return len(layers), layers


def _parts(analysis: Analysis) -> tuple[Callable[[int], str], str]:
    """Return what names the part that a layer of an unnamed engine belongs to, and what the parts are."""
    blocks = analysis.blocks if analysis.blocks.items else divide(analysis.layers, analysis.tensors)
    count = len(analysis.layers)
    if blocks.basis == "structure":
        names = _repetitions(blocks, count)
        if len(set(names)) > 1:
            return names.__getitem__, "what repeats in the structure"
    length = -(-count // MOST_BLOCKS)
    digits = len(str(count - 1))

    def name_of(index: int) -> str:
        first = index // length * length
        last = min(first + length, count) - 1
        return f"layer {first:0{digits}}" if first == last else f"layers {first:0{digits}} – {last:0{digits}}"

    return name_of, "runs of the layers"


def _repetitions(blocks: Blocks, count: int) -> list[str]:
    """Return the label of each layer's block, opening blocks as long as there are few enough."""
    level = [0]
    while True:
        opened = [child for block in level for child in (blocks.items[block].children or [block])]
        if opened == level or len(opened) > MOST_BLOCKS:
            break
        level = opened
    names = [""] * count
    for block in level:
        for first, last in blocks.items[block].ranges:
            names[first : last + 1] = [blocks.items[block].label] * (last + 1 - first)
    return names


def _of_row(row: AlignedRow, chosen: int, name_of: Callable[[int], str]) -> str:
    indices = row.layers[chosen]
    return name_of(min(indices)) if indices else ELSEWHERE
