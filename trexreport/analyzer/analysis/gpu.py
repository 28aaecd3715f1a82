"""What the GPU did while the engine was measured."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.model import GpuProcess


@dataclass(frozen=True)
class GpuRun:
    """The GPU during one run, such as "profile" or "timing"; None where it is not known.

    Attributes:
        seconds: How long the run took, with loading and warm-up.
        sm_clock_mhz: Median of the samples in which the GPU was busy, as are the other clocks.
        lowest_sm_clock_mhz: The lowest of them.
        power_w: Mean of the samples in which it was busy.
        energy_j: Of the whole run.
        temperature_c: The highest.
        utilization_percent: Part of the time in which a kernel ran, median of the busy samples.
        held_down_percent: Part of the busy samples in which something held the clock down.
        reasons: What that was, most frequent first.
    """

    name: str
    samples: int
    seconds: float
    sm_clock_mhz: float | None = None
    lowest_sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    power_w: float | None = None
    energy_j: float | None = None
    temperature_c: float | None = None
    utilization_percent: float | None = None
    held_down_percent: float | None = None
    reasons: Sequence[str] = ()


@dataclass(frozen=True)
class GpuWatch:
    """Samples of the GPU's state and what they amount to.

    Attributes:
        is_clock_locked: The SM clock was locked for the measurement.
        locked_clock_mhz: At which clock; None if it was locked to the highest that the board sustains.
        power_limit_w: What the board was allowed to take.
        max_sm_clock_mhz, max_memory_clock_mhz: What the board can reach.
        other_processes: Those that had memory on the GPU besides the measurement.
        begins_s: When each of `runs` began.
        time_s: Times of the samples that are drawn, at most 800, the extremes kept; the columns that follow
            belong to it.
    """

    samples: int
    runs: Sequence[GpuRun]
    is_clock_locked: bool = False
    locked_clock_mhz: float | None = None
    power_limit_w: float | None = None
    max_sm_clock_mhz: float | None = None
    max_memory_clock_mhz: float | None = None
    other_processes: Sequence[GpuProcess] = ()
    begins_s: Sequence[float] = ()
    time_s: Sequence[float] = ()
    sm_clock_mhz: Sequence[float | None] = ()
    memory_clock_mhz: Sequence[float | None] = ()
    power_w: Sequence[float | None] = ()
    temperature_c: Sequence[float | None] = ()
    utilization_percent: Sequence[float | None] = ()

    @property
    def timed(self) -> GpuRun:
        """The run that the query times are of: the first whose name starts with "timing", else the last."""
        return next((run for run in self.runs if run.name.startswith("timing")), self.runs[-1])
