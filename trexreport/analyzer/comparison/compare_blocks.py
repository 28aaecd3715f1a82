"""The module and the block of the model that each aligned row belongs to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from trexreport.analyzer import module_paths
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.analyzer.analysis.comparison import BlockBasis
from trexreport.analyzer.blocks import divide
from trexreport.analyzer.comparison.names import KnownParts, LayerNames
from trexreport.analyzer.grouping import group_by

#: More steps than this can't be distinguished in a chart.
MAX_BLOCKS = 24
#: Where names state the module of a smaller part of the rows, modules are not blocks.
_MIN_NAMED = 0.3
NO_MODULE = "no module"
ELSEWHERE = "only in other engines"


class Mentioned(NamedTuple):
    """What names state of a layer's module; layers of equal names share it.

    Attributes:
        modules: All that they name but for the outermost.
        agreed: What these agree on; None if they name none.
    """

    modules: frozenset[module_paths.Path]
    agreed: module_paths.Path | None


def row_paths(
    alignment: Alignment, analyses: Sequence[Analysis], mentioned: Sequence[Sequence[Mentioned]]
) -> list[module_paths.Path]:
    """Return the module of each row, the deepest that an engine's layers agree on; () if no name states it.

    Args:
        alignment: Of the analyses.
        analyses: Of all engines.
        mentioned: Modules that each engine's layers name.
    """
    stated = [_paths(analysis, of_layers) for analysis, of_layers in zip(analyses, mentioned, strict=True)]
    found = []
    for row in alignment.rows:
        paths = {_agreed(*each) for each in zip(stated, row.layers, strict=True)}
        found.append(paths.pop() if len(paths) == 1 else max(paths, key=_depth_first))
    return found


def row_blocks(
    alignment: Alignment, analyses: Sequence[Analysis], paths: Sequence[module_paths.Path]
) -> tuple[list[str], BlockBasis, int | None]:
    """Return the block of each row, at most `MAX_BLOCKS` different ones, what they are, and whose layers.

    Modules are blocks where names state them; else what repeats in the structure of one engine, else runs of
    its layers. The choice does not depend on the order of the engines.
    """
    if sum(bool(path) for path in paths) >= _MIN_NAMED * len(paths):
        names = _modules(paths, _weights(alignment, analyses))
        if len(set(names)) > 1:
            return names, "module series" if any("*" in name for name in names) else "modules", None
    chosen = min(range(len(analyses)), key=lambda engine: _order(analyses[engine]))
    name_of, basis = _parts(analyses[chosen])
    return [_of_row(row, chosen, name_of) for row in alignment.rows], basis, chosen


def mentioned_modules(analyses: Sequence[Analysis], known: KnownParts) -> list[list[Mentioned]]:
    """Return the modules that each engine's layers name.

    Args:
        analyses: Of all engines.
        known: Names that were read before.
    """
    # Names that engines have in common are read once, and so is what they mention.
    read: dict[LayerNames, Mentioned] = {}
    of_paths: dict[Sequence[module_paths.Mention], Mentioned] = {}
    found = []
    for analysis in analyses:
        of_layers = []
        for layer, names in zip(analysis.layers, known.names_of_layers(analysis), strict=True):
            mentioned = read.get(names)
            if mentioned is None:
                paths = module_paths.mentioned_paths(layer)
                mentioned = of_paths.get(paths)
                if mentioned is None:
                    modules = frozenset(path for path, _ in paths if path)
                    mentioned = of_paths[paths] = Mentioned(modules, module_paths.agreed_of_products(paths))
                read[names] = mentioned
            of_layers.append(mentioned)
        found.append(of_layers)
    return found


def _paths(analysis: Analysis, mentioned: Sequence[Mentioned]) -> list[module_paths.Path | None]:
    """Return the paths that the names of an engine's layers state, none where too few state one."""
    stated = [each.agreed for each in mentioned]
    return stated if module_paths.share_with_paths(stated, analysis.layers) else [None] * len(stated)


def _agreed(stated: Sequence[module_paths.Path | None], indices: Sequence[int]) -> module_paths.Path:
    """Return what the layers' paths begin with in common."""
    if len(indices) == 1:
        # As in most rows.
        return stated[indices[0]] or ()
    return module_paths.common_path(
        [path for path in (stated[index] for index in indices) if path is not None]
    )


def _depth_first(path: module_paths.Path) -> tuple[int, module_paths.Path]:
    return len(path), path


class _Module(NamedTuple):
    """Rows of one module, or of several that differ in a number only.

    Attributes:
        name: Parts of its path, with a star for numbers that differ.
        rows: Positions.
    """

    name: module_paths.Path
    rows: list[int]


def _modules(paths: Sequence[module_paths.Path], weights: Sequence[float]) -> list[str]:
    """Name the module of each row; the slowest modules are divided as long as there are few enough.

    Where there are too many parts, those that differ in a number only are one: "layers.*".
    """
    whole = [_Module((), list(range(len(paths))))]
    closed: list[_Module] = []
    while whole:
        slowest = max(whole, key=lambda each: (math.fsum(weights[row] for row in each.rows), each.name))
        whole.remove(slowest)
        others = len(whole) + len(closed)
        for spelling in (str, module_paths.stem):
            parts = _divided(slowest, paths, spelling)
            if others + len(parts) <= MAX_BLOCKS:
                ends = [part for part in parts if part.name == slowest.name]
                closed += ends
                whole += [part for part in parts if part not in ends]
                break
        else:
            closed.append(slowest)
    names = [""] * len(paths)
    for module in closed:
        for row in module.rows:
            names[row] = "/".join(module.name) or NO_MODULE
    return names


def _divided(
    module: _Module, paths: Sequence[module_paths.Path], spelling: Callable[[str], str]
) -> list[_Module]:
    """Return the parts of a module; rows that belong to none of them keep its name."""
    depth = len(module.name)
    rows: dict[module_paths.Path, list[int]] = {}
    for part, found in group_by(module.rows, lambda row: paths[row][depth : depth + 1]).items():
        rows.setdefault((*module.name, *map(spelling, part)), []).extend(found)
    return [_Module(*each) for each in rows.items()]


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


def _parts(analysis: Analysis) -> tuple[Callable[[int], str], BlockBasis]:
    """Return the function from a layer without names of modules to its part, and what the parts are."""
    blocks = analysis.blocks
    if not blocks.items or blocks.basis == "names":
        # Not by the ONNX model: the other engines may have none.
        blocks = divide(analysis.layers, analysis.tensors)
    count = len(analysis.layers)
    if blocks.basis == "structure":
        names = _repetitions(blocks, count)
        if len(set(names)) > 1:
            return names.__getitem__, "repeated structure"
    length = -(-count // MAX_BLOCKS)
    digits = len(str(count - 1))

    def name_of(index: int) -> str:
        first = index // length * length
        last = min(first + length, count) - 1
        return f"layer {first:0{digits}}" if first == last else f"layers {first:0{digits}} – {last:0{digits}}"

    return name_of, "layer ranges"


def _repetitions(blocks: Blocks, count: int) -> list[str]:
    """Return the label of each layer's block, opening blocks as long as there are few enough."""
    level = [0]
    while True:
        opened = [child for block in level for child in (blocks.items[block].children or [block])]
        if opened == level or len(opened) > MAX_BLOCKS:
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
