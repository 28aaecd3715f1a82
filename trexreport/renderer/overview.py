"""What the first screen of a report shows besides its figures: the bars, the slowest layers and blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from trexreport.analyzer.analysis import Analysis, slowest_first
from trexreport.analyzer.analysis.blocks import full_path
from trexreport.analyzer.analysis.failures import by_error, failures
from trexreport.analyzer.analysis.timing import stated_variation
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, middle_ellipsis
from trexreport.renderer.charts.catalog.breakdown import (
    block_link,
    block_name,
    breakdowns,
    repeated_sections,
    section_name,
)
from trexreport.renderer.links import layer_link
from trexreport.wording.latency import gap_of
from trexreport.wording.measurement import measurement_details, measurement_line
from trexreport.wording.notices import names_only_note, note_sentence, other_input_warnings
from trexreport.wording.timing import steadiness

#: What the bar can be divided by, and how that is called.
BREAKDOWNS = {"block": "Block", "type": "Type", "precision": "Precision", "bound": "Bound"}
_MAX_SLOWEST = 10
#: Below this share of the time the slowest layers say less than the slowest blocks.
_LAYERS_PERCENT = 25.0
#: Names up to this length are not divided.
_SHORT = 14
#: Where names differ within this number of first characters, their beginnings show it.
_BEGINNING = 18
#: Characters of the end that is to stay, where the beginning shows what differs and where not.
_END, _LONG_END = 8, 14
#: An end that begins with what differs is divided if it is longer than this, before its last characters.
_LONGEST_END, _REST = 18, 8
#: Characters before what differs, where names often differ from others: the numbers of their blocks.
_BEFORE = 8
#: Of a beginning; what is longer is not shown in any place.
_LONGEST_BEGINNING = 240


@dataclass(frozen=True)
class Slow:
    """One of the slowest layers or blocks.

    Attributes:
        parts: Of its name; see `name_parts`.
        link: To the layer, or to the layers of the block; empty for modules that repeat.
        note: Its type, or the number of its layers.
        share_percent: Of the total layer time; None if that is not known.
        length: Its time in percent of that of the slowest.
    """

    name: str
    parts: tuple[str, ...]
    link: str
    note: str
    time_ms: float
    share_percent: float | None
    length: float


def overview_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values of the overview, by name; the first of the lists is the one to show first."""
    layers, blocks = _layers(analysis), _blocks(analysis)
    lists = {"layers": layers, "blocks": blocks}
    share = math.fsum(each.share_percent or 0.0 for each in layers)
    if blocks and share < _LAYERS_PERCENT:
        lists = {"blocks": blocks, "layers": layers}
    return {
        "breakdowns": breakdowns(analysis),
        "breakdown_names": BREAKDOWNS | ({"type": "Layer"} if analysis.identity.names_only else {}),
        "slowest_lists": {name: rows for name, rows in lists.items() if rows},
        "steadiness": steadiness(analysis),
        "stated_variation": stated_variation(analysis.measurement_warnings),
        "notices": {
            "failures": [note_sentence(notes[0]) for notes in by_error(failures(analysis))],
            "names_only": names_only_note(analysis),
            "others": other_input_warnings(analysis),
        },
        "measurement": {
            "line": measurement_line(analysis),
            "gap": gap_of(analysis),
            "details": measurement_details(analysis),
        },
    }


def _layers(analysis: Analysis) -> list[Slow]:
    layers = slowest_first(layer for layer in analysis.layers if layer.avg_ms)[:_MAX_SLOWEST]
    return _rows(
        [
            (layer.name, layer_link(layer.index), layer.type, layer.avg_ms or 0.0, layer.share_percent)
            for layer in layers
        ]
    )


def _blocks(analysis: Analysis) -> list[Slow]:
    """Return the slowest sections where modules repeat, else the slowest blocks that contain no others."""
    if sections := repeated_sections(analysis):
        return _rows(
            [
                (
                    section_name(each),
                    "",
                    counted(each.count, "layer"),
                    each.time_ms or 0.0,
                    each.share_percent,
                )
                for each in sections
            ]
        )
    if analysis.blocks.basis == "order":
        return []
    leaves = [block for block in analysis.blocks.items[1:] if not block.children and block.time_ms]
    if len(leaves) < 2:
        return []
    leaves.sort(key=lambda block: (-(block.time_ms or 0.0), block.id))
    return _rows(
        [
            (
                block_name(analysis, block, full_path(block)),
                block_link(block),
                counted(block.count, "layer"),
                block.time_ms or 0.0,
                block.share_percent,
            )
            for block in leaves[:_MAX_SLOWEST]
        ]
    )


def _rows(found: list[tuple[str, str, str, float, float | None]]) -> list[Slow]:
    parts = name_parts([name for name, *_ in found])
    longest = max((time_ms for *_, time_ms, _ in found), default=0.0)
    return [
        Slow(name, each, link, note, time_ms, share, 100 * time_ms / longest)
        for each, (name, link, note, time_ms, share) in zip(parts, found, strict=True)
    ]


# `static/js/format/name_parts.js` divides names alike; `tests/name_part_vectors.json` holds both to one rule.
def name_parts(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the parts of each name: all of a short one, else a beginning and an end that is to stay.

    The beginning or the end has what the name differs in from the one most like it. A long end is two parts,
    of which the first may be cut too, but not where it begins.
    """
    order = sorted(set(names))
    alike = dict.fromkeys(order, 0)
    for first, second in pairwise(order):
        shared = _shared(first, second)
        alike[first] = max(alike[first], shared)
        alike[second] = max(alike[second], shared)
    return [_parts(name, alike[name]) for name in names]


def _parts(name: str, alike: int) -> tuple[str, ...]:
    if len(name) <= _SHORT:
        return (name,)
    is_clear = alike <= _BEGINNING
    start = len(name) - _END if is_clear else min(len(name) - _LONG_END, max(alike - _BEFORE, 1))
    beginning, end = middle_ellipsis(name[:start], _LONGEST_BEGINNING), name[start:]
    if len(end) <= _LONGEST_END:
        return (beginning, end)
    return (beginning, middle_ellipsis(end[:-_REST], _LONGEST_BEGINNING), end[-_REST:])


def _shared(first: str, second: str) -> int:
    """Return how many characters two names have in common from the beginning on."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(first), len(second)))
