"""The values of the section on the ONNX model, and its tables as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis.onnx import OnnxFacts, OnnxGroup, OnnxNodeFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, format_bytes, list_names
from trexreport.wording.onnx import EVIDENCE, NO_REASON, REASONS, coverage
from trexreport.wording.shares import percent

_MAX_NODES, _MAX_NAMES = 30, 5

#: Modules that may take less of the total layer time are left out where there are many.
_MIN_PERCENT = 0.5
_MAX_MODULES, _DEEPEST = 40, 8


@dataclass(frozen=True)
class AbsentRow:
    """Nodes that are in no layer for one reason."""

    why: str
    count: int
    types: str
    names: str


@dataclass(frozen=True)
class ModelRows:
    """The rows of the section's tables."""

    modules: Sequence[ModuleRow]
    modules_left_out: int
    groups: Mapping[str, Sequence[OnnxGroup]]
    nodes: Sequence[OnnxNodeFacts]
    nodes_left_out: int
    has_sources: bool
    absent: Sequence[AbsentRow]


def model_values(found: OnnxFacts | None) -> dict[str, Any]:
    """Return the values that the template of the section uses; none without a model."""
    if found is None:
        return {}
    return {
        "model_facts": _facts(found),
        "model_rows": _rows(found),
        "model_coverage": coverage(found),
        "evidence": EVIDENCE,
    }


def share_range(each: OnnxGroup | OnnxNodeFacts, total_ms: float | None, unit: str = "") -> str:
    """Return the percentage of the total layer time that something takes, as its two bounds: "12.3–15.0".

    Args:
        each: What takes it.
        total_ms: The total layer time.
        unit: What follows the numbers; the heading of a column has it otherwise.
    """
    if not total_ms or each.alone_ms is None or each.shared_ms is None:
        return MISSING
    bounds = (each.alone_ms, each.alone_ms + each.shared_ms)
    low, high = (percent(100 * bound_ms / total_ms).removesuffix("%") for bound_ms in bounds)
    return f"{low if low == high else f'{low}–{high}'}{unit}"


def _facts(found: OnnxFacts) -> dict[str, str]:
    opsets = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in sorted(found.opsets.items()))
    return {
        "File": f"{found.file}, {format_bytes(found.size_bytes)}" if found.size_bytes else found.file,
        "Exporter": " ".join(filter(None, (found.producer, found.producer_version))),
        "Opset": opsets,
        "SHA-256": found.sha256,
    }


def _rows(found: OnnxFacts) -> ModelRows:
    modules, left_out = module_rows(found)
    inside = sorted(
        (node for node in found.nodes if node.layers), key=lambda node: (-most_ms(node), node.index)
    )
    groups = {"Node type": found.by_op_type, "Class": found.by_class, "Source line": found.by_source}
    return ModelRows(
        modules,
        left_out,
        {title: of_title for title, of_title in groups.items() if of_title},
        inside[:_MAX_NODES],
        max(len(inside) - _MAX_NODES, 0),
        bool(found.by_source),
        _absent(found.nodes),
    )


def _absent(nodes: Sequence[OnnxNodeFacts]) -> list[AbsentRow]:
    """Return the nodes that are in no layer, by reason, most first; those of unknown reason last."""
    by_reason: dict[str, list[OnnxNodeFacts]] = {}
    for node in nodes:
        if not node.layers:
            by_reason.setdefault(REASONS[node.reason] if node.reason else NO_REASON, []).append(node)
    rows = []
    ordered = sorted(by_reason.items(), key=lambda each: (each[0] == NO_REASON, -len(each[1]), each[0]))
    for why, found in ordered:
        types = Counter(node.op_type for node in found).most_common()
        rows.append(
            AbsentRow(
                why,
                len(found),
                list_names([name for name, _ in types], _MAX_NAMES),
                list_names([node.name for node in found], _MAX_NAMES),
            )
        )
    return rows


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
