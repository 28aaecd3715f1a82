"""The values of the section on kernels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.kernels import KernelFacts, KernelTraceFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, TIMES, format_count, format_number
from trexreport.renderer.packing import six_digits
from trexreport.renderer.palette import color
from trexreport.renderer.timeline.kernel_rows import kernel_timeline_data
from trexreport.wording.kernels import ALL_WORK, IDLE_CAUSES, MATCHES, timeline_sentence, trace_sentence

#: Kernels of a layer that the panel lists, and characters of their names: a page has all layers.
_PANEL_KERNELS, _PANEL_NAME = 20, 300
#: Layers and ranges whose kernels are in view where there are more than a few; those of the others open.
_SLOWEST, _FEW = 10, 13


@dataclass(frozen=True)
class KernelRow:
    """A kernel with its texts."""

    facts: KernelFacts
    grid: str
    block: str
    launches: str


@dataclass(frozen=True)
class KernelGroup:
    """The kernels of one layer, or of one range that is not a layer.

    Attributes:
        layer: Index of the layer; None for a range.
        title: Name of the range; empty for kernels without one.
        match: How the layer is known; empty for a range.
        time_ms: Of its kernels together.
    """

    layer: int | None
    title: str
    match: str
    time_ms: float
    kernels: tuple[KernelRow, ...]


def kernel_values(facts: KernelTraceFacts | None, max_rows: int) -> dict[str, Any]:
    """Return the values of the section by name; none without a trace.

    Args:
        facts: Of the trace.
        max_rows: The largest number of kernels that are listed, those of the slowest layers.
    """
    if facts is None:
        return {}
    groups = kernel_groups(facts.kernels)
    shown: list[KernelGroup] = []
    rows = 0
    for group in groups:
        if rows + len(group.kernels) > max_rows and shown:
            break
        shown.append(group)
        rows += len(group.kernels)
    return {
        "kernel_groups": shown,
        "kernel_group_count": len(groups),
        "slowest_kernel_groups": _SLOWEST if len(shown) > _FEW else _FEW,
        "idle_causes": {cause: title for cause, (title, _) in IDLE_CAUSES.items()},
        "kernel_launches": launch_count(facts.launches),
        "kernel_trace": trace_sentence(facts),
        "all_work": ALL_WORK,
        "idle_legend": [(color(f"idle:{each.cause}"), IDLE_CAUSES[each.cause][0]) for each in facts.idle],
        "kernel_timeline_note": timeline_sentence(facts),
    }


def kernel_page_data(analysis: Analysis) -> dict[str, Any]:
    """Return what the page's script needs of a trace: the timeline, and the kernels of layers by index."""
    trace = analysis.kernels
    if trace is None:
        return {}
    panels: dict[int, list[list[Any]]] = defaultdict(list)
    for each in trace.kernels:
        if each.layer is not None and len(panels[each.layer]) < _PANEL_KERNELS:
            panels[each.layer].append(
                [
                    each.full_name[:_PANEL_NAME] or ALL_WORK,
                    six_digits(each.time_ms),
                    launch_count(each.launches),
                    extents(each.grid),
                    extents(each.block),
                    each.registers,
                    each.stream,
                ]
            )
    found: dict[str, Any] = {"kernels": panels} if panels else {}
    if trace.timeline:
        found["kernelTimeline"] = kernel_timeline_data(analysis)
    return found


def kernel_groups(kernels: Sequence[KernelFacts]) -> list[KernelGroup]:
    """Return the kernels by layer or range, the slowest group first."""
    ordered = sorted(kernels, key=_group_key)
    found = []
    for (is_other, layer, range_), members in groupby(ordered, key=_group_key):
        own = tuple(members)
        rows = tuple(
            KernelRow(each, extents(each.grid), extents(each.block), launch_count(each.launches))
            for each in own
        )
        match = own[0].match
        time_ms = math.fsum(each.time_ms for each in own)
        found.append(
            KernelGroup(None if is_other else layer, range_, MATCHES[match] if match else "", time_ms, rows)
        )
    return sorted(found, key=lambda group: -group.time_ms)


def _group_key(kernel: KernelFacts) -> tuple[bool, int, str]:
    return kernel.layer is None, kernel.layer or 0, kernel.range


def launch_count(launches: float | None) -> str:
    """Return a mean number of launches; almost all are whole."""
    return format_number(launches) if launches and launches % 1 else format_count(launches)


def extents(numbers: Sequence[int]) -> str:
    """Return the extents of a grid or a block as a page shows them."""
    return TIMES.join(map(str, numbers)) or MISSING
