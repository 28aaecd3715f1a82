"""What a fix saves: a bound that holds in reality, or an estimate as a range, and what it is based on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from trexreport.lazy_dataclass import bulk_facts

#: "bound": a fix saves at most this. "estimate": it likely saves an amount in this range.
GainKind = Literal["bound", "estimate"]
#: What savings are based on: the time of layers that are removed, the measured traffic of tensors that become
#: smaller, padding among the multiplications, one kernel in place of several, the roofline, layers of this
#: engine that already follow the recommendation, the GPU's peaks in another type with fewer bytes, published
#: speedups, measured transfers, the measured time in which the GPU waits, the measured times of queries, what
#: the rule states. "auxiliary-stream": layers that other streams may hide count from 0 on. "gpu-time":
#: layers' times are scaled to GPU compute time, which is less. "partial": some places have no figure.
GainBasisCode = Literal[
    "removed-layers",
    "less-traffic",
    "less-padding",
    "fused-kernel",
    "roof",
    "same-engine",
    "peaks",
    "published",
    "measured-transfer",
    "measured-gap",
    "measured-queries",
    "rule",
    "auxiliary-stream",
    "gpu-time",
    "partial",
]
GAIN_KINDS: tuple[GainKind, ...] = get_args(GainKind)
GAIN_BASIS_CODES: tuple[GainBasisCode, ...] = get_args(GainBasisCode)


@bulk_facts
class GainBasis:
    """What savings are based on.

    Attributes:
        low_factor, high_factor: Of "roof" the share of the roofline that is assumed to be reached, 0 to 1,
            with 0 where all may stay; of "same-engine", "peaks" and "published" the assumed speedup, with 1
            where all may stay; None for others.
        references: Indices of the layers of this engine that show it.
        source: Where published figures are from; empty for others.
    """

    code: GainBasisCode
    low_factor: float | None = None
    high_factor: float | None = None
    references: Sequence[int] = ()
    source: str = ""


@bulk_facts
class GainPart:
    """What one layer contributes to savings, from its own time.

    Attributes:
        layer: Its index.
    """

    layer: int
    low_ms: float
    high_ms: float


@bulk_facts
class Gain:
    """What a fix saves.

    Attributes:
        kind: Whether the savings are a bound or an estimate.
        low_ms: Minimum of the estimate; of a bound 0, or what is certain.
        high_ms: Maximum of the estimate, or the bound.
        bases: What they are based on, the largest first.
        parts: The layers whose time they are part of, in the order of their indices, all among the
            finding's layers. Empty if they are not the time of layers; what exceeds their sum is not, either.
        low_percent, high_percent: Of total layer time; of the query time if not all is the time of
            layers, and where the layers take less than 70% of GPU compute time.
    """

    kind: GainKind
    low_ms: float
    high_ms: float
    bases: Sequence[GainBasis] = ()
    parts: Sequence[GainPart] = ()
    low_percent: float | None = None
    high_percent: float | None = None

    @property
    def ranking_ms(self) -> float:
        """The figure by which findings are ordered: the bound, or the middle of the estimate."""
        return self.high_ms if self.kind == "bound" else (self.low_ms + self.high_ms) / 2

    @property
    def ranking_percent(self) -> float | None:
        """`ranking_ms` as a percentage."""
        if self.low_percent is None or self.high_percent is None:
            return None
        return self.high_percent if self.kind == "bound" else (self.low_percent + self.high_percent) / 2
