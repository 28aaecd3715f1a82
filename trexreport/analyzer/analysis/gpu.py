"""What the GPU did while the engine was measured."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.model import GpuProcess

#: A core that does nothing but launch is busy for about this share of the time, in percent.
BUSY_CORE_PERCENT = 80.0
#: Kernels that run for up to this share of the time, in percent, surely leave the GPU to wait.
MOST_WAITING_PERCENT = 60.0


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
        highest_utilization_percent: The highest of them.
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
    highest_utilization_percent: float | None = None


@dataclass(frozen=True)
class GpuWatch:
    """Samples of the GPU's state and what they amount to.

    Attributes:
        is_clock_locked: The SM clock was locked for the measurement.
        locked_clock_mhz: At which clock; None if it was locked to the highest that the board sustains.
        power_limit_w: What the board was allowed to take.
        max_sm_clock_mhz, max_memory_clock_mhz: What the board can reach.
        other_processes: Those that had memory on the GPU besides the measurement.
        cpu_busiest_core_percent: How busy the busiest core was while the GPU was, median; the host's figures
            are known of tegrastats alone.
        cpu_clock_mhz: Highest clock of a core meanwhile.
        cpu_cores, cpu_cores_on: How many cores there are, and how many were on.
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
    cpu_busiest_core_percent: float | None = None
    cpu_clock_mhz: float | None = None
    cpu_cores: float | None = None
    cpu_cores_on: float | None = None

    @property
    def timed(self) -> GpuRun:
        """The run that the query times are of: the first whose name starts with "timing", else the last."""
        return next((run for run in self.runs if run.name.startswith("timing")), self.runs[-1])

    @property
    def kernels_percent(self) -> float | None:
        """For which part of the time kernels ran while queries were timed; None where that is not sure.

        It is sure if the file says when they were timed, or a core was busy all along as the host of a run
        is, and if no sample is of another load, such as the build.
        """
        run = self.timed
        shows_run = (
            run.name.startswith("timing") or (self.cpu_busiest_core_percent or 0.0) >= BUSY_CORE_PERCENT
        )
        steady = (run.highest_utilization_percent or 100.0) <= MOST_WAITING_PERCENT
        return run.utilization_percent if shows_run and steady else None
