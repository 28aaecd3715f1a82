"""What the builder timed for each layer and what it chose, as a verbose log of the build states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import dataclass
from trexreport.model.tactics import DropReason

#: What became of a combination of formats: it is that of the engine; its fastest tactic is slower, equally
#: fast or faster than the chosen one; none was timed; or what the engine uses is not known.
FormatsOutcome = Literal["chosen", "slower", "equal", "faster", "not timed", "not known"]


@dataclass(frozen=True)
class TacticFacts:
    """A tactic that was timed.

    Attributes:
        tactic: Its number as the log writes it.
        time_ms: Of one execution during the build.
        kernel: Its name, or empty.
        runner: The kind of implementation, such as "CaskConvolution", or empty.
        chosen: The engine uses it.
    """

    tactic: str
    time_ms: float
    kernel: str
    runner: str
    chosen: bool


@dataclass(frozen=True)
class FormatsFacts:
    """A combination of formats of a layer's inputs and outputs.

    Attributes:
        inputs, outputs: Data type and layout of each tensor, such as "FP16 NHWC8".
        precision: Data type of the first input that is not an index; empty if there is none.
        outcome: What became of it.
        fastest_ms: Time of its fastest tactic; None if none was timed.
        difference_percent: By how much that is slower than the chosen tactic; negative if it is faster.
        tactics: The fastest that were timed, fastest first.
        timed: How many were timed.
        dropped: Reason to how often, for what was not timed.
        cached: How often the timing cache answered instead.
        profiling_s: Time that it took to time them; None if the log does not state it.
    """

    inputs: Sequence[str]
    outputs: Sequence[str]
    precision: str
    outcome: FormatsOutcome
    fastest_ms: float | None
    difference_percent: float | None
    tactics: Sequence[TacticFacts]
    timed: int
    dropped: Mapping[DropReason, int]
    cached: int
    profiling_s: float | None


@dataclass(frozen=True)
class LayerTactics:
    """A layer, or an operation inside a Myelin region, with what was timed for it.

    Attributes:
        name: As the log writes it.
        layer: Index of the engine's layer; None if the engine has none of this name.
        operation: It is an operation inside a Myelin region.
        chosen_ms: Time of the chosen tactic; None if it is not known.
        kernel: Name of the chosen tactic, else its kind of implementation; empty if not known.
        precision: Data type that the chosen tactic reads; empty if not known.
        second_ms: Time of the fastest other tactic for the same formats; None without one.
        margin_percent: By how much that is slower than the chosen one; negative if it is faster.
        by_precision_ms: Data type to the time of its fastest tactic.
        timed: How many tactics were timed.
        cached: How often the timing cache answered instead.
        profiling_s: Time that it took to time them; None if the log does not state it.
        build_percent: The share of this in the time of the build; None if either is not known,
            or if time stamps of whole seconds leave it open.
        formats: What was timed, the chosen combination first, then by time.
    """

    name: str
    layer: int | None
    operation: bool
    chosen_ms: float | None
    kernel: str
    precision: str
    second_ms: float | None
    margin_percent: float | None
    by_precision_ms: Mapping[str, float]
    timed: int
    cached: int
    profiling_s: float | None
    build_percent: float | None
    formats: Sequence[FormatsFacts]


@dataclass(frozen=True)
class Tactics:
    """What the builder timed.

    Attributes:
        layers: The layers whose timing took longest first; without these times in the order of the log.
        timed: How many tactics were timed.
        cached: How often the timing cache answered instead; up to 8.6 the reformats are among them.
        build_s: Time of the build; None if no file states it.
        profiling_s: Time that it took to time the tactics of layers; None if the log does not state it.
        reformats: How many conversions between formats were timed.
        reformat_s: Time that this took; None if the log does not state it.
        from_stamps: Times are differences of the log's time stamps, which count whole seconds.
        left_out: Layers and combinations of formats beyond what is read.
        layer_ms: Of each of the engine's layers the time of its chosen tactic, None where it is not known, if
            they show how the layers' times compare: most are known, and those of equal work agree. Empty
            otherwise.
        whole_ms: What shares of these times are of: the GPU compute time if they come close to it, else their
            sum; None without them.
    """

    layers: Sequence[LayerTactics] = field(default_factory=tuple)
    timed: int = 0
    cached: int = 0
    build_s: float | None = None
    profiling_s: float | None = None
    reformats: int = 0
    reformat_s: float | None = None
    from_stamps: bool = False
    left_out: int = 0
    layer_ms: Sequence[float | None] = field(default_factory=tuple)
    whole_ms: float | None = None
