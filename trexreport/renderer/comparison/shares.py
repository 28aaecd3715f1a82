"""What names of the model take in each engine, by operator or by module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis.comparison import Comparison, Share
from trexreport.numbers import format_ms
from trexreport.wording.comparison import signed_ms

_MOST_SHARES = 25


@dataclass(frozen=True)
class ShareView:
    """Latency of the layers that stand for some names of the model, in each engine."""

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
        return None if unknown or (before is None and after is None) else (after or 0.0) - (before or 0.0)

    ranked = sorted(shares, key=lambda share: -abs(difference(share) or 0.0))
    return [
        ShareView(
            label=" + ".join(share.names[:3]) or "layers that name none",
            more=max(0, len(share.names) - 3),
            times=[format_ms(time) if time is not None else "" for time in share.times_ms],
            difference="0" if difference(share) == 0 else signed_ms(difference(share)),
        )
        for share in ranked[:_MOST_SHARES]
    ]


def in_common(comparison: Comparison, shares: Sequence[Share], focus: int) -> float:
    """Return which part of the names stands in both the baseline and a candidate."""
    known = [(share.layers[comparison.baseline], share.layers[focus]) for share in shares if share.names]
    told = [pair for pair in known if any(pair)]
    return sum(all(pair) for pair in told) / len(told) if told else 1.0
