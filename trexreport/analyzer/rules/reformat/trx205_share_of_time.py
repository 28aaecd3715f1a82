"""TRX205 reformat.share-of-time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import Reformat
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted, format_ms, format_percent


@rule(
    "TRX205",
    "reformat.share-of-time",
    "warning",
    needs=("layers", "profile"),
    many="{count} engines spend much of their time on reformats.",
    section="reformats",
    subject="movement",
    thresholds=(
        Threshold("share_percent", 5, 0, 100, "Least share of the time of all reformats, in percent."),
        Threshold("least_count", 3, 1, 1e6, "Least number of reformats; of fewer, the other rules tell all."),
    ),
)
def share_of_time(context: Context, *, share_percent: float, least_count: float) -> Iterator[Hit]:
    """All reformats together take a large share of the time.

    Cost:
        Reformats compute nothing. Many of them show that neighboring layers disagree on types and layouts.

    Advice:
        Begin with the places that the other rules on reformats and on quantization name (TRX201 to TRX207,
        TRX301), the dearest first; the section on reformats lists all with what stands on their sides.

    False alarm:
        A small engine at batch 1: each kernel takes some microseconds whatever it does, so that few reformats
        are a large share. Kernels that only move data (Reshape, Transpose, Concat) count here too and may be
        what the model asks for.

    Bound:
        None of its own: the rules on single places bound what each could gain.
    """
    reformats = context.analysis.reformats
    layers = [context.layers[each.layer] for each in reformats]
    layers.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    time_ms = context.time_ms(layers)
    share = context.share_percent(time_ms)
    if len(reformats) < least_count or share < share_percent:
        return
    kernels = [each for each in reformats if each.kind == "kernel"]
    own = [each for each in reformats if each.kind != "kernel"]
    parts = [counted(len(own), "reformat")] if own else []
    moves = "moves" if len(kernels) == 1 else "move"
    parts += [f"{counted(len(kernels), 'kernel')} that only {moves} data"] if kernels else []
    takes = "takes" if len(reformats) == 1 else "take"
    yield Hit(
        f"{' and '.join(parts)} {takes} {format_ms(time_ms)}, {format_percent(share / 100)} of the time.",
        tuple(layers),
        evidence=_by_change(reformats),
    )


def _by_change(reformats: Sequence[Reformat]) -> dict[str, str]:
    """Return count and time of the reformats by what they change, the dearest first."""
    members: dict[str, list[float]] = {}
    for each in reformats:
        members.setdefault(each.change.capitalize(), []).append(each.time_ms or 0.0)
    ranked = sorted(members.items(), key=lambda item: (-math.fsum(item[1]), item[0]))
    return {change: f"{len(times)}, {format_ms(math.fsum(times))}" for change, times in ranked}
