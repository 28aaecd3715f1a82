"""Which modules of a model are shown: where there are too many, the upper levels and the slow ones."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.onnx import OnnxFacts, OnnxGroup, OnnxNodeFacts
from trexreport.lazy_dataclass import dataclass

#: Modules that may take less of the total layer time are left out where there are many.
_MIN_PERCENT = 0.5
_MAX_MODULES, _DEEPEST = 40, 8


@dataclass(frozen=True)
class ModuleRow:
    """A module as a row of a tree: `label` is the last part of its path."""

    group: OnnxGroup
    name: str
    label: str
    depth: int


def most_ms(each: OnnxGroup | OnnxNodeFacts) -> float:
    """Return the most that something can cost; 0 if no time is known."""
    return (each.alone_ms or 0.0) + (each.shared_ms or 0.0)


def main_modules(found: OnnxFacts) -> list[OnnxGroup]:
    """Return the modules of one level that say the most: the first level with several, slowest first."""
    if not found.total_ms:
        return []
    level = next((each for each in _levels(found) if len(each) > 1), [])
    return sorted(level, key=lambda each: (-most_ms(each), each.name))


def module_rows(found: OnnxFacts) -> tuple[list[ModuleRow], int]:
    """Return the modules that are shown as a tree, and how many are not; none where no name has a module."""
    levels = _levels(found)
    inner = [group for group in found.by_module if group.name]
    shown: Sequence[OnnxGroup] = inner
    if len(inner) > _MAX_MODULES and found.total_ms:
        least_ms = found.total_ms * _MIN_PERCENT / 100
        shown = [group for group in inner if most_ms(group) >= least_ms]
    if len(shown) > _MAX_MODULES:
        names = {group.name for group in shown}
        depth = count = 0
        for level in levels[: _DEEPEST - 1]:
            count += sum(group.name in names for group in level)
            if count > _MAX_MODULES:
                break
            depth += 1
        shown = [group for group in shown if _depth(group) < depth] or shown
    shown = shown[:_MAX_MODULES]
    rows = [
        ModuleRow(group, group.name, group.name.rpartition("/")[2], min(_depth(group), _DEEPEST))
        for group in shown
    ]
    return rows, len(inner) - len(shown)


def _levels(found: OnnxFacts) -> list[list[OnnxGroup]]:
    """Return the modules by their depth in the tree, each level in the order of the tree."""
    levels: list[list[OnnxGroup]] = []
    for group in found.by_module:
        if group.name:
            depth = _depth(group)
            levels += ([] for _ in range(depth + 1 - len(levels)))
            levels[depth].append(group)
    return levels


def _depth(group: OnnxGroup) -> int:
    return group.name.count("/")
