"""What a builder timed for each layer before it chose a tactic, as a verbose log states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: Why a tactic or a kind of implementation was not timed: none for these formats, too little workspace or GPU
#: memory, an error of the library, or it was the only one.
DropReason = Literal["no-tactic", "workspace", "gpu-memory", "exception", "only-option"]


@bulk_facts
class TimedTactic:
    """A tactic that was timed.

    Attributes:
        tactic: Its number as the log writes it, such as "0x5b8bf1b8028629d9".
        time_ms: Of one execution.
        kernel: Its name, or empty.
        runner: The kind of implementation, such as "CaskConvolution", or empty.
    """

    tactic: str
    time_ms: float
    kernel: str = ""
    runner: str = ""


@bulk_facts
class TimedFormats:
    """A combination of formats of a layer's inputs and outputs, with the tactics that were timed for it.

    Attributes:
        text: As the log writes it, with the strides: "Half(784,1:8,28,1) -> Half(3136,1:8,112,4)".
        inputs, outputs: Data type and layout of each tensor, such as "FP16 NHWC8".
        tactics: The fastest that were timed, fastest first.
        timed: How many were timed.
        dropped: Reason to how often, for what was not timed.
        cached: How often the timing cache answered instead.
        profiling_s: Time that it took to time them; None if the log does not state it.
    """

    text: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tactics: tuple[TimedTactic, ...] = ()
    timed: int = 0
    dropped: Mapping[DropReason, int] = field(default_factory=dict)
    cached: int = 0
    profiling_s: float | None = None


@bulk_facts
class TimedLayer:
    """A layer, or an operation inside a Myelin region, with what was timed for it."""

    name: str
    formats: tuple[TimedFormats, ...]
    is_operation: bool = False


@dataclass(frozen=True)
class BuildTactics:
    """What a log states of how the builder chose.

    Attributes:
        layers: In the order of the log.
        reformats: How many conversions between formats were timed.
        reformat_s: Time that this took; None if the log does not state it.
        generation_s: Times of the builder for the engine, added up; None if the log does not state them.
        left_out: Layers, combinations of formats and tactics beyond what is read.
        from_stamps: Times are differences of the log's time stamps, which count whole seconds.
        file: Name of the log; empty if it is not known.
    """

    layers: tuple[TimedLayer, ...]
    reformats: int = 0
    reformat_s: float | None = None
    generation_s: float | None = None
    left_out: int = 0
    from_stamps: bool = False
    file: str = ""
