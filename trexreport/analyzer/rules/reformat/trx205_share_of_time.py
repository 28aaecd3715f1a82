"""TRX205 reformat.share-of-time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts, Reformat, slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.reformat import reformat_rule
from trexreport.analyzer.rules.rule import Hit, Threshold
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, format_ms, format_percent

#: Where names alone are known no other rule reports one or two reformats.
_MIN_NAMED = 2


@reformat_rule(
    "warning",
    needs=(),
    thresholds=(
        min_share(5, "all reformats"),
        Threshold("min_count", 3, 1, 1e6, "Minimum number of reformats.", former_name="least-count"),
        percent("bytes_percent", 20.0, "Minimum share of the bytes that layers move, without a profile."),
    ),
    explains={"share": ("TRX508",)},
)
@untimed_as_info
def share_of_time(
    context: Context, *, share_percent: float, min_count: float, bytes_percent: float
) -> Iterator[Hit]:
    """Reformats are a large part of the engine.

    Cost:
        Reformats compute nothing. Many of them indicate that neighboring layers use different types and
        formats.

    Recommendation:
        Begin with the places that the other rules on reformats and quantization report (TRX201 to TRX207,
        TRX301), the slowest first; the section on reformats lists all with their neighbors.

    False alarm:
        A small engine at batch 1: each kernel takes a few microseconds whatever it does, so that few
        reformats are a large share. Kernels that only move data (Reshape, Transpose, Concat) count too and
        may be what the model needs. Where a file contains only names these identify reformats; two are
        enough, and what they change is not known. Without a profile the share of the bytes that layers read
        and write counts, and it is information; where not all bytes are known, nothing is reported.
        Conversions of a DLA are TRX911's.

    Est. savings:
        Not estimated: the rules on single places estimate their savings.
    """
    reformats = context.analysis.reformats
    transfers = {layer.index for layer in context.cached(dla_use).transfers}
    named = [layer for layer in context.layers if is_named_reformat(layer) and layer.index not in transfers]
    moves = [layer for layer in context.layers if is_named_move(layer)]
    layers = slowest_first([*(context.layers[each.layer] for each in reformats), *named, *moves])
    if len(layers) < (min_count if reformats else min(min_count, _MIN_NAMED)) or not context.is_significant(
        layers, share_percent
    ):
        return
    of_bytes = _share_of_bytes(context, layers)
    if not context.total_ms and 100 * of_bytes < max(bytes_percent, 1e-9):
        return
    kinds = Counter(each.kind for each in reformats)
    nouns = {"reformat": kinds["reformat"] + len(named), "data movement kernel": kinds["kernel"] + len(moves)}
    parts = [counted(count, noun) for noun, count in nouns.items() if count]
    move = "moves" if len(layers) == 1 else "move"
    amount = (
        takes_time(context, layers)
        if context.total_ms
        else f"{move} {format_percent(of_bytes)} of all bytes that layers read and write"
    )
    yield Hit(
        f"{' and '.join(parts)} {amount}.",
        tuple(layers),
        evidence=_by_change(context, reformats) | ({"Identified": "by name"} if named or moves else {}),
    )


def _share_of_bytes(context: Context, layers: Iterable[LayerFacts]) -> float:
    """Return which share of the bytes that all layers read and write these do; 0 if not all are known."""
    running = [layer.moved_bytes for layer in context.layers if not layer.structural]
    if None in running:
        return 0.0
    return sum(layer.moved_bytes or 0 for layer in layers) / (sum(each or 0 for each in running) or 1)


def _by_change(context: Context, reformats: Sequence[Reformat]) -> dict[str, str]:
    """Return count and time of the reformats by what they change, the slowest first."""
    times = {
        change.capitalize(): [each.time_ms or 0.0 for each in members]
        for change, members in group_by(reformats, lambda each: each.change).items()
    }
    ranked = sorted(times, key=lambda change: (-math.fsum(times[change]), change))
    if not context.total_ms:
        return {
            change: str(len(times[change])) for change in sorted(ranked, key=lambda each: -len(times[each]))
        }
    return {change: f"{len(times[change])}, {format_ms(math.fsum(times[change]))}" for change in ranked}
