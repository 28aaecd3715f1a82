"""What parts of an engine cost: layers and blocks that a shell pattern chooses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.blocks import Blocks, full_path
from trexreport.analyzer.analysis.budget import LimitReason, MetricReason, MetricReasonCode
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.contradictions import FigureGroup
from trexreport.analyzer.budget import figures
from trexreport.analyzer.budget.limits import REGRESSION_OF_PART, Limited, MetricValue, Part
from trexreport.analyzer.budget.regression import NO_BASELINE, obstacles_of
from trexreport.lazy_dataclass import dataclass


class _Whole(NamedTuple):
    """What parts belong to.

    Attributes:
        comparison: With the baseline; None without one.
        missing: Why times of layers are not known; empty if all were measured.
    """

    analysis: Analysis
    comparison: Comparison | None
    missing: Sequence[LimitReason]


@dataclass(frozen=True, kw_only=True)
class PartFigure(Limited):
    """A figure of some layers.

    Attributes:
        known: What is known of it, from the layers and the whole engine.
        section: The section of the report that it is from.
    """

    known: Callable[[Sequence[LayerFacts], _Whole], MetricValue]
    section: str = "latency"


def measure_part(part: Part, key: str, analysis: Analysis, comparison: Comparison | None) -> MetricValue:
    """Return what is known of a figure of a part; of the worst one where the limit is for each."""
    members = _members(part, analysis)
    if not members:
        return MetricValue(None, [MetricReason("nothing-fits")])
    measure = PART_FIGURES[key].known
    whole = _Whole(analysis, comparison, figures.missing_times(analysis))
    if not part.each:
        indices = sorted({index for _, found in members for index in found})
        together = [analysis.layers[index] for index in indices]
        known = measure(together, whole)
        return known._replace(layers=known.layers or figures.slowest_names(together))
    measured = [
        (name, measure([analysis.layers[index] for index in found], whole)) for name, found in members
    ]
    return _worst(measured, is_block=part.is_block)


def _worst(measured: Sequence[tuple[str, MetricValue]], *, is_block: bool) -> MetricValue:
    """Return the largest of several figures, of which any that is not known makes the largest uncertain."""
    name, worst = max(measured, key=lambda each: -math.inf if each[1].value is None else each[1].value)
    uncertain = [known.missing for _, known in measured if known.missing]
    missing = []
    if uncertain:
        code: MetricReasonCode = "blocks-not-known-in-full" if is_block else "layers-not-known-in-full"
        missing.append(MetricReason(code, len(uncertain), len(measured), of=uncertain[0]))
    if worst.value is None:
        return MetricValue(None, missing)
    remark = MetricReason("most-of-blocks" if is_block else "most-of-layers", len(measured))
    return MetricValue(worst.value, missing, [remark], [name])


def _members(part: Part, analysis: Analysis) -> list[tuple[str, list[int]]]:
    """Return name and layers of what fits the pattern; of nested blocks the outermost."""
    if part.is_block:
        return _blocks(part.pattern.strip("/"), analysis.blocks)
    return [
        (layer.name, [layer.index])
        for layer in analysis.layers
        if fnmatchcase(layer.name, part.pattern) and not (layer.structural and not layer.avg_ms)
    ]


def _blocks(pattern: str, blocks: Blocks) -> list[tuple[str, list[int]]]:
    found = []
    inside: set[int] = set()
    # Parents come before children.
    for block in blocks.items[1:]:
        if block.parent in inside:
            inside.add(block.id)
        # A group gathers neighbors for the picture; what it holds has names of its own.
        elif block.kind != "group" and fnmatchcase(full_path(block), pattern):
            inside.add(block.id)
            found.append((full_path(block), block.layers))
    return found


def _regression(layers: Sequence[LayerFacts], whole: _Whole) -> MetricValue:
    """Return by how many percent the rows of layers take longer than in the baseline.

    A row is the same part of the model in both; so what was fused or split is compared with what it was
    made of.
    """
    comparison = whole.comparison
    if comparison is None:
        return NO_BASELINE
    if missing := obstacles_of(comparison):
        return MetricValue(None, missing)
    rows = [comparison.rows[row] for row in sorted({comparison.row_of[1][layer.index] for layer in layers})]
    if any(row.sides[1].difference_ms is None for row in rows):
        return MetricValue(None, [MetricReason("rows-not-measured")])
    before, after = (math.fsum(row.sides[side].time_ms or 0.0 for row in rows) for side in (0, 1))
    if not before:
        return MetricValue(None, [MetricReason("no-time-in-baseline")])
    return MetricValue(100 * (after - before) / before)


_TIMES: Sequence[FigureGroup] = ("layers", "layer-times")
#: By name in the configuration, in the order of the outcomes.
PART_FIGURES: Mapping[str, PartFigure] = {
    "time-ms": PartFigure("ms", rests_on=_TIMES, known=lambda layers, _: figures.time_of(layers)),
    "share-percent": PartFigure(
        "%", most=100, rests_on=_TIMES, known=lambda layers, whole: figures.share_of(layers, whole.missing)
    ),
    "count": PartFigure(
        section="layers",
        rests_on=("layers",),
        known=lambda layers, _: MetricValue(sum(not each.structural for each in layers)),
    ),
    "reformats": PartFigure(
        section="precision",
        rests_on=("layers",),
        known=lambda layers, whole: figures.reformats_among(layers, whole.analysis),
    ),
    "fp32-layers": PartFigure(
        section="precision",
        rests_on=("layers",),
        known=lambda layers, whole: figures.fp32_among(layers, whole.analysis),
    ),
    REGRESSION_OF_PART: PartFigure("%", rests_on=_TIMES, known=_regression),
}
