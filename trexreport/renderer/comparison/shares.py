"""Layer time by names of the model in each engine: by operator or by module."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_number, format_signed, without_noise

_MAX_SHARES = 25


@dataclass(frozen=True)
class ShareView:
    """Layer time of some names of the model, in each engine."""

    label: str
    more: int
    times: list[str]
    difference: str


def share_views(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[ShareView]:
    """Return the names of the model whose latency differs most between baseline and candidate."""
    baseline = comparison.baseline

    def difference(share: Share) -> float | None:
        before, after = share.times_ms[baseline], share.times_ms[focus]
        unknown = any(
            time is None and share.layers[engine] for engine, time in ((baseline, before), (focus, after))
        )
        if unknown or (before is None and after is None):
            return None
        return without_noise((after or 0.0) - (before or 0.0), after or 0.0, before or 0.0)

    ranked = sorted(shown_shares(comparison, shares, focus), key=lambda share: -abs(difference(share) or 0.0))
    return [
        ShareView(
            label=" + ".join(share.names[:3]) or "layers without names of the model",
            more=max(0, len(share.names) - 3),
            times=[format_number(time) if time is not None else "" for time in share.times_ms],
            difference=format_signed(difference(share)),
        )
        for share in ranked[:_MAX_SHARES]
    ]


def engines_with(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[int]:
    """Return baseline and candidate, and the engines that share a name with one of them.

    The column of an engine that names its layers in another way would be empty.
    """
    both = {comparison.baseline, focus}
    named = [share for share in shares if share.names]
    return [
        engine
        for engine in range(len(comparison.engines))
        if engine in both
        or any(share.layers[engine] and any(share.layers[each] for each in both) for share in named)
    ]


def shown_shares(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[Share]:
    """Return the shares of which one of the engines with a column has layers."""
    engines = engines_with(comparison, shares, focus)
    return [share for share in shares if any(share.layers[engine] for engine in engines)]


def in_common(comparison: Comparison, shares: Sequence[Share], focus: int) -> float:
    """Return which part of the names is in both the baseline and a candidate."""
    known = [(share.layers[comparison.baseline], share.layers[focus]) for share in shares if share.names]
    either = [pair for pair in known if any(pair)]
    return sum(all(pair) for pair in either) / len(either) if either else 1.0


def modules_are_blocks(comparison: Comparison) -> bool:
    """Return whether the waterfalls by block already show the time of each module."""
    if comparison.block_basis != "modules":
        return False
    blocks = {row.block for row in comparison.rows}
    return all(name in blocks for share in comparison.by_module for name in share.names)
