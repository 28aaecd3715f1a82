"""Divide an engine into blocks: modules of the model, what repeats, and runs of layers.

Find what repeats in the order of execution, where names do not state it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from trexreport.analyzer.analysis import LayerFacts, TensorFacts, TensorUse, is_order_known
from trexreport.analyzer.analysis.blocks import BlockBasis, Blocks
from trexreport.analyzer.blocks.listing import BlockNode, list_blocks
from trexreport.analyzer.blocks.runs import Cutter
from trexreport.analyzer.blocks.sections import sections_in_order, sections_of_modules
from trexreport.analyzer.blocks.series import find_series
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.module_paths import Path, module_paths, share_with_paths, stated_paths, stem
from trexreport.lazy_dataclass import dataclass

#: Shorter repetitions are not blocks that an engineer would name.
MIN_PERIOD = 4
_MAX_PERIOD = 1000
_CANDIDATES = 24
_MIN_UNITS = 3
#: Below this share of layers whose names state a module, the structure is used instead.
_MIN_NAMED = 0.3
#: A block with fewer layers is not divided; the larger the engine, the nearer to the second number.
_SMALL, _LARGE, _PARTS = 12, 60, 20
#: A module with at most this many layers is not a block of its own, but part of the one around it.
_TINY = 3
#: More children than the first number are taken together in groups of the second.
_MAX_CHILDREN, _GROUP = 64, 32


@dataclass(frozen=True)
class Run:
    """Layers `start` to `end` (exclusive); `units` equal parts of them, or 0 where nothing repeats."""

    start: int
    end: int
    units: int


def divide(
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    modules: Sequence[Path | None] | None = None,
    *,
    by_model: Sequence[Path | None] = (),
) -> Blocks:
    """Return the blocks of an engine; the same engine gives the same blocks.

    Args:
        layers: All layers.
        tensors: All tensors.
        modules: The module of each layer, () for the outermost one; None if names state them.
        by_model: The module of each layer where too few names state one; empty if it is not known.
    """
    if not layers:
        return Blocks()
    numbers = _structure_numbers(layers)
    cutter = Cutter(layers, tensors)
    stated: Sequence[Path | None] = stated_paths(layers) if modules is None else modules
    if by_model and share_with_paths(stated, layers) < _MIN_NAMED:
        stated = by_model
    if share_with_paths(stated, layers) >= _MIN_NAMED:
        basis: BlockBasis = "names"
        paths = module_paths(stated, layers, tensors)
        children = _Modules(paths, cutter).children(list(range(len(layers))), ())
        # Without tensors nothing but the place joins a layer to the module of a neighbor.
        sections = sections_of_modules(
            layers,
            [path if stated[at] or layers[at].outputs else () for at, path in enumerate(paths)],
            in_order=is_order_known(layers),
        )
    elif not is_order_known(layers):
        return Blocks()
    else:
        runs = repetitions(numbers)
        basis = "structure" if any(run.units for run in runs) else "order"
        children = [node for run in runs for node in _nodes_of_run(run, cutter)]
        sections = sections_in_order(layers)
    root = BlockNode("engine", "engine", (), children=_grouped(children))
    items = list_blocks(root, layers, numbers)
    series, differences = find_series(items, layers, numbers)
    for number, differs in differences.items():
        items[number] = replace(items[number], differs=differs)
    return Blocks(items, series, basis, sections)


class _Modules:
    """The tree of modules, as deep as the size of the engine asks for."""

    def __init__(self, paths: Sequence[Path], cutter: Cutter) -> None:
        self._paths = paths
        self._cutter = cutter
        self._limit = max(_SMALL, min(_LARGE, len(paths) // _PARTS))

    def children(self, indices: list[int], path: Path) -> list[BlockNode]:
        """Return what the layers of one module, given ascending, are divided into."""
        depth = len(path)
        parts = group_by(indices, lambda index: self._part(index, depth))
        modules = {part: found for part, found in parts.items() if part and len(found) > _TINY}
        rest = sorted(index for part, found in parts.items() if part not in modules for index in found)
        nodes = [self._module(part, (*path, part), found) for part, found in modules.items()]
        for run in self._runs(rest, indices):
            nodes += self._cutter.cut(run, path, [self._part(index, depth) for index in run])
        return nodes

    def _module(self, label: str, path: Path, indices: list[int]) -> BlockNode:
        """Return one module; modules that hold only one other are one with it."""
        depth = len(path)
        below = {self._part(index, depth) for index in indices}
        if len(below) == 1 and "" not in below:
            (part,) = below
            return self._module(f"{label}/{part}", (*path, part), indices)
        if len(indices) <= self._limit:
            return BlockNode("module", label, path, indices)
        nodes = self.children(indices, path)
        if len(nodes) == 1 and not nodes[0].children:
            return BlockNode("module", label, path, indices)
        return BlockNode("module", label, path, children=_grouped(nodes))

    def _runs(self, rest: list[int], indices: list[int]) -> list[list[int]]:
        """Split layers where many others of the same module run in between."""
        place = {index: position for position, index in enumerate(indices)}
        runs: list[list[int]] = [rest[:1]] if rest else []
        for before, index in pairwise(rest):
            if place[index] - place[before] > self._limit:
                runs.append([])
            runs[-1].append(index)
        return runs

    def _part(self, index: int, depth: int) -> str:
        """Return the module at a depth of a layer's path, or nothing where that ends."""
        path = self._paths[index]
        return path[depth] if len(path) > depth else ""


def _nodes_of_run(run: Run, cutter: Cutter) -> list[BlockNode]:
    """Return the units of a repetition, or layers between repetitions."""
    if not run.units:
        indices = list(range(run.start, run.end))
        return cutter.cut(indices, (), [""] * len(indices))
    period = (run.end - run.start) // run.units
    return [
        cutter.whole("unit", f"block {number}", (), list(range(start, start + period)))
        for number, start in enumerate(range(run.start, run.end, period), 1)
    ]


def _grouped(nodes: list[BlockNode]) -> list[BlockNode]:
    """Take neighbors together until there are few enough; first those with the same name but the number."""
    nodes = sorted(nodes, key=lambda node: node.first)
    alike = True
    while len(nodes) > _MAX_CHILDREN:
        runs: list[list[BlockNode]] = []
        for node in nodes:
            fits = runs and len(runs[-1]) < _GROUP
            if fits and (not alike or stem(runs[-1][-1].label) == stem(node.label)):
                runs[-1].append(node)
            else:
                runs.append([node])
        nodes = [run[0] if len(run) == 1 else _group(run) for run in runs]
        alike = False
    return nodes


def _group(run: list[BlockNode]) -> BlockNode:
    label = f"{run[0].label.split(' – ')[0]} – {run[-1].label.split(' – ')[-1]}"
    return BlockNode("group", label, run[0].path[:-1], children=run)


def repetitions(numbers: Sequence[int]) -> list[Run]:
    """Split a sequence into runs that repeat and the rest between them.

    The period that covers most is taken, the shortest of equals; then what it leaves over is searched again.
    """
    open_parts, found = [(0, len(numbers))], list[Run]()
    while open_parts:
        low, high = open_parts.pop()
        best = _best(numbers, low, high)
        if best is None:
            found.append(Run(low, high, 0))
            continue
        first, period, units = best
        last = first + period * units
        found.append(Run(first, last, units))
        open_parts += [part for part in ((low, first), (last, high)) if part[0] < part[1]]
    return sorted(found, key=lambda run: run.start)


def _best(numbers: Sequence[int], low: int, high: int) -> tuple[int, int, int] | None:
    """Return first position, period and number of units of the repetition that covers most."""
    best: tuple[int, int, int] | None = None
    for period in _periods(numbers, low, high):
        first, length = _longest(numbers, low, high, period)
        units = length // period + 1
        if units >= _MIN_UNITS and (best is None or units * period > best[1] * best[2]):
            best = first, period, units
    return best


def _periods(numbers: Sequence[int], low: int, high: int) -> list[int]:
    """Return the distances at which equal layers most often follow each other, ascending."""
    last: dict[int, int] = {}
    distances: Counter[int] = Counter()
    for position in range(low, high):
        before = last.get(numbers[position])
        if before is not None and MIN_PERIOD <= position - before <= _MAX_PERIOD:
            distances[position - before] += 1
        last[numbers[position]] = position
    ordered = sorted(distances.items(), key=lambda item: (-item[1], item[0]))
    return sorted(period for period, _ in ordered[:_CANDIDATES])


def _longest(numbers: Sequence[int], low: int, high: int, period: int) -> tuple[int, int]:
    """Return where the longest stretch begins in which each layer equals the one a period later."""
    best, length = (low, 0), 0
    for position in range(low, high - period):
        length = length + 1 if numbers[position] == numbers[position + period] else 0
        if length > best[1]:
            best = position - length + 1, length
    return best


def _structure_numbers(layers: Sequence[LayerFacts]) -> list[int]:
    """Return a number for each layer, equal for layers of the same structure."""
    known: dict[object, int] = {}
    return [
        known.setdefault((layer.type, _shape(layer.inputs), _shape(layer.outputs)), len(known))
        for layer in layers
    ]


def _shape(uses: Sequence[TensorUse]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((use.format, tuple(use.dimensions)) for use in uses)
