"""The bar of the overview: layer time by block, type, precision, and by what bounds the layers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from trexreport.analyzer.analysis import MISSING_ROWS, Analysis, Block, Group, LayerFacts, slowest_first
from trexreport.analyzer.analysis.blocks import full_path
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.charts.catalog.shared import MS, min_segment, with_rest_summed
from trexreport.renderer.charts.chart import Chart, Series
from trexreport.renderer.links import filter_link, layer_link, term
from trexreport.renderer.palette import RING
from trexreport.wording.sections import section_sentence

#: Blocks that a bar can show side by side.
_MAX_BLOCKS = 16
#: Names of modules that hold a model and do not say which part of it.
_WRAPPERS = frozenset({"model", "module"})
#: A block with a larger share of the time is divided, as long as there is room.
_DIVIDED_PERCENT = 15.0
#: A block with more than this part of the time says nothing of where it goes.
_UNDIVIDED = 0.9
_MAX_SEGMENTS, _MAX_LAYERS = 24, 6
#: What names of sections have for the number of a module that repeats.
_REPEATED = "*"
#: A run of layers is named by one of them with more than this part of its time.
_MAIN_PART = 0.5
#: Sums that differ by less are the same.
_ROUNDING = 1e-6
#: What Myelin puts at the end of the names of its kernels, whose types say little of what they compute.
_MYELIN = regex(r"_myl\d*_\d+$")
_BOUNDS = ("compute", "memory", "latency")


@dataclass(frozen=True)
class Segment:
    """A segment of the bar: its name, time, color and where it leads."""

    name: str
    time_ms: float
    role: str
    link: str = ""


def breakdowns(analysis: Analysis) -> dict[str, Chart]:
    """Return the bars by what they divide the time by; the first is the one to show first."""
    parts = _parts(analysis)
    found = {
        "type": _by_type(analysis),
        "block": _by_block(analysis, parts),
        "precision": _by_precision(analysis),
        "bound": _by_bound(analysis),
    }
    bars = {key: chart for key, chart in found.items() if chart is not None}
    # The name of a layer that has no type says less than that of its block.
    if _divide(parts) and (analysis.identity.names_only or _is_mostly_myelin(analysis)):
        return {"block": bars["block"], **bars}
    return bars


def _divide(parts: Sequence[Segment]) -> bool:
    """Return whether parts say where the time goes: not if one has nearly all of it."""
    times = [part.time_ms for part in parts]
    return bool(times) and max(times) <= _UNDIVIDED * math.fsum(times)


def repeated_sections(analysis: Analysis) -> list[Group]:
    """Return sections where modules repeat, the slowest first: all decoder layers are one part."""
    blocks = analysis.blocks
    if blocks.basis != "names" or not any(_REPEATED in each.name for each in blocks.sections):
        return []
    return sorted(blocks.sections, key=lambda each: -(each.time_ms or 0.0))


def section_name(section: Group) -> str:
    """Return the path of a section without what holds the whole model."""
    outer, _, inner = section.name.partition("/")
    return inner if inner and outer in _WRAPPERS else section.name


def _parts(analysis: Analysis) -> list[Segment]:
    """Return the parts of the model that the bar shows: sections where modules repeat, else blocks."""
    if sections := repeated_sections(analysis):
        found = [(section_name(each), each.time_ms, "") for each in sections]
    else:
        blocks = shown_blocks(analysis)
        names = [
            block_name(analysis, block, name) for block, name in zip(blocks, block_names(blocks), strict=True)
        ]
        found = [(name, block.time_ms, block_link(block)) for name, block in zip(names, blocks, strict=True)]
    return [Segment(name, ms or 0.0, f"rank:{rank}", link) for rank, (name, ms, link) in enumerate(found)]


def shown_blocks(analysis: Analysis) -> list[Block]:
    """Return the blocks that divide the engine for one bar, the slowest first; none if nothing divides it."""
    blocks = analysis.blocks.items
    if not blocks or analysis.blocks.basis == "order":
        return []
    chosen = [blocks[each] for each in blocks[0].children]
    while True:
        room = _MAX_BLOCKS - len(chosen) + 1
        large = [
            block
            for block in chosen
            if block.children
            and len(block.children) <= room
            and ((block.share_percent or 0.0) > _DIVIDED_PERCENT or len(chosen) < 3)
        ]
        if not large:
            break
        widest = max(large, key=lambda block: (block.share_percent or 0.0, -block.id))
        chosen.remove(widest)
        chosen += [blocks[each] for each in widest.children]
    timed = [block for block in chosen if block.time_ms]
    return sorted(timed, key=lambda block: (-(block.time_ms or 0.0), block.id)) if len(timed) > 1 else []


def block_names(blocks: Sequence[Block]) -> list[str]:
    """Return what blocks are called side by side: the ends of their paths, else the whole paths.

    An end that names no part, such as the last of "backbone/conv_encoder/model", gives way to what is before.
    """
    ends = [_end(full_path(block)) for block in blocks]
    uses = Counter(ends)
    return [end if uses[end] == 1 else full_path(block) for end, block in zip(ends, blocks, strict=True)]


def block_name(analysis: Analysis, block: Block, name: str) -> str:
    """Return what a block is called: a run of layers, of which one takes most of the time, by that layer."""
    layers = [analysis.layers[index] for index in block.layers] if block.kind == "layers" else []
    slowest = slowest_first(layers)[:1]
    if not slowest or (slowest[0].avg_ms or 0.0) <= _MAIN_PART * (block.time_ms or 0.0):
        return name
    return f"{slowest[0].name} and {len(layers) - 1} more" if len(layers) > 1 else slowest[0].name


def _end(path: str) -> str:
    """Return the last part of a path that names something, with what follows it."""
    parts = path.split("/")
    named = (place for place in range(len(parts) - 1, -1, -1) if parts[place].lower() not in _WRAPPERS)
    return "/".join(parts[next(named, -1) :])


def block_link(block: Block) -> str:
    """Return the link to the layers of a block."""
    return filter_link(term("block", full_path(block)))


def _is_mostly_myelin(analysis: Analysis) -> bool:
    """Return whether kernels of Myelin take most of the time."""
    times = [layer.avg_ms or 0.0 for layer in analysis.layers if _MYELIN.search(layer.name)]
    return 2 * math.fsum(times) > (analysis.latency.layer_sum_ms or math.inf)


def _by_type(analysis: Analysis) -> Chart | None:
    """Show the time by type, or by layer where types are unknown."""
    if analysis.identity.names_only:
        layers = slowest_first(layer for layer in analysis.layers if layer.avg_ms)
        segments = [
            Segment(layer.name, layer.avg_ms or 0.0, f"rank:{rank}", layer_link(layer.index))
            for rank, layer in enumerate(layers)
        ]
        return _bar(analysis, "strip", "Time by layer", segments, _MAX_LAYERS)
    segments = [
        Segment(group.name, group.time_ms, f"type:{group.name}", filter_link(term("type", group.name)))
        for group in analysis.by_type
        if group.time_ms
    ]
    return _bar(analysis, "strip", "Time by layer type", segments)


def _by_block(analysis: Analysis, parts: Sequence[Segment]) -> Chart | None:
    return _bar(analysis, "strip-block", "Time by block", parts, len(RING))


def _by_precision(analysis: Analysis) -> Chart | None:
    if analysis.identity.names_only:
        return None
    segments = [
        Segment(
            group.name, group.time_ms, f"precision:{group.name}", filter_link(term("precision", group.name))
        )
        for group in analysis.by_precision
        if group.time_ms
    ]
    return _bar(analysis, "strip-precision", "Time by precision", segments)


def _by_bound(analysis: Analysis) -> Chart | None:
    times: dict[str, list[float]] = {bound: [] for bound in (*_BOUNDS, "")}
    for layer in analysis.layers:
        if layer.avg_ms:
            times[_bound(layer)].append(layer.avg_ms)
    if not any(times[bound] for bound in _BOUNDS):
        return None
    segments = [
        Segment(
            f"{bound}-bound" if bound else "not known",
            math.fsum(times[bound]),
            f"bound:{bound}" if bound else "neutral",
            filter_link(term("bound", bound)) if bound else "",
        )
        for bound in times
        if times[bound]
    ]
    return _bar(analysis, "strip-bound", "Time by bound", segments)


def _bound(layer: LayerFacts) -> str:
    return (layer.roof.bound if layer.roof else None) or ""


def _bar(
    analysis: Analysis, key: str, title: str, segments: Sequence[Segment], most: int = _MAX_SEGMENTS
) -> Chart | None:
    """Return a bar of segments, the slowest first; the rest of more than `most`, or too small, is one."""
    segments = sorted(segments, key=lambda each: -each.time_ms)
    times = [each.time_ms for each in segments]
    if not times:
        return None
    names, kept, shown = with_rest_summed([each.name for each in segments], times, most, min_segment(times))
    unlisted_ms = (analysis.latency.layer_sum_ms or 0.0) - math.fsum(times)
    if unlisted_ms > _ROUNDING * math.fsum(times):
        names, kept = [*names, MISSING_ROWS], [*kept, unlisted_ms]
    series = Series(
        x=tuple(kept),
        labels=tuple(names),
        roles=(*(each.role for each in segments[:shown]), *["neutral"] * (len(names) - shown)),
        links=tuple(each.link for each in segments[:shown]),
    )
    summary = section_sentence(analysis, "latency")
    return Chart(key, "strip", title, summary, (series,), x=MS, shares=True)
