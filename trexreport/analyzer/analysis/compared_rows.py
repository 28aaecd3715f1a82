"""The rows of a comparison: layers of several engines that do the same part of the model."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, get_args

from trexreport.analyzer.analysis.alignment import Change, MatchKey
from trexreport.lazy_dataclass import bulk_facts

#: The time of a row against the baseline's; "unknown" where a side was not fully measured.
RowStatus = Literal["within noise", "faster", "slower", "candidate only", "baseline only", "unknown"]

#: Layers that serve others: changing only type, layout or location of data; quantizing; doing nothing.
Helper = Literal["reformats", "quantizers", "no-ops"]

HELPERS: tuple[Helper, ...] = get_args(Helper)

#: Why the time of a row changed. Of the layers that compute, the first that applies is given, as a change of
#: precision brings other kernels and other fusions with it; the layers that serve them have their own.
Cause = Literal[
    "not fully measured",
    "candidate only",
    "baseline only",
    "different shapes",
    "precision changed",
    "fused",
    "split",
    "tactic changed",
    "same layers faster",
    "same layers slower",
    "same layers unchanged",
    "reformats added",
    "reformats removed",
    "reformats faster",
    "reformats slower",
    "reformats unchanged",
    "quantizers added",
    "quantizers removed",
    "quantizers faster",
    "quantizers slower",
    "quantizers unchanged",
    "no-ops added",
    "no-ops removed",
    "no-ops faster",
    "no-ops slower",
    "no-ops unchanged",
]


@bulk_facts
class Member:
    """A layer as a member of a row.

    Attributes:
        index: In the engine's execution order.
        is_helper: It reformats, quantizes or synchronizes for the others of the row.
    """

    index: int
    name: str
    type: str
    precision: str
    output_precision: str
    tactic: str
    time_ms: float | None
    is_helper: bool


@bulk_facts
class RowSide:
    """What one engine does in a row.

    Attributes:
        members: Layers that compute, then those that serve them.
        keys: By what they were matched; see `AlignedRow.keys`.
        time_ms: Sum of the members' times; None if none was measured.
        difference_ms: Against the baseline; None where either side was not fully measured.
        ratio: To the baseline's time; None without a time of both.
        status: Of the time; empty for the baseline and where neither engine has layers.
        changes: What differs in structure; see `AlignedRow.changes`.
        causes: Causes to their contributions to the difference; they add up to it.
    """

    members: list[Member]
    keys: list[MatchKey]
    time_ms: float | None
    difference_ms: float | None = None
    ratio: float | None = None
    status: RowStatus | Literal[""] = ""
    changes: list[Change] = field(default_factory=list)
    causes: dict[Cause, float] = field(default_factory=dict)


@bulk_facts
class ComparedRow:
    """Layers that do the same part of the model.

    Attributes:
        label: Name of the slowest layer of the baseline, else of the first engine that has one.
        more_layers: How many more computing layers that engine has in the row.
        module: Path of the module of the model, empty if no name states it.
        block: The step of the waterfalls by block that it belongs to.
        position: In the baseline's order of execution.
        sides: One for each engine.
        cut: Names link the row to others; they were separated, as the group would have been too large.
    """

    label: str
    more_layers: int
    module: str
    block: str
    position: int
    sides: list[RowSide]
    cut: bool = False


@bulk_facts
class Share:
    """Layers that implement the same names of the model; more than one name is shared, and counted once.

    Attributes:
        names: Operators or modules of the model; empty for layers that name none.
        layers: How many layers of each engine, without structural ones that take no time.
        times_ms: Of each engine; None where none of them was measured.
    """

    names: list[str]
    layers: list[int]
    times_ms: list[float | None]
