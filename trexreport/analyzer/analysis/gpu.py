"""What the GPU did while the engine was measured."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class GpuRun:
    """The GPU during one run, such as "profile" or "timing"; None where it was not told.

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
    reasons: list[str] = field(default_factory=list)


@dataclass
class GpuWatch:
    """Samples of the GPU's state, and what they come to.

    Attributes:
        sentence: What they show.
        locked_clock: At which clock the multiprocessors were held, in words; empty if they were free.
        power_limit_w: What the board was allowed to take.
        max_sm_clock_mhz, max_memory_clock_mhz: What the board can reach.
        warnings: What they say against the measurement.
        other_processes: Those that had memory on the GPU beside the measurement, one text each.
        begins_s: When each of `runs` began.
        time_s: Times of the samples that are drawn, at most 800, the extremes kept; the columns that follow
            belong to it.
    """

    sentence: str
    samples: int
    runs: list[GpuRun]
    locked_clock: str = ""
    power_limit_w: float | None = None
    max_sm_clock_mhz: float | None = None
    max_memory_clock_mhz: float | None = None
    warnings: list[str] = field(default_factory=list)
    other_processes: list[str] = field(default_factory=list)
    begins_s: list[float] = field(default_factory=list)
    time_s: list[float] = field(default_factory=list)
    sm_clock_mhz: list[float | None] = field(default_factory=list)
    memory_clock_mhz: list[float | None] = field(default_factory=list)
    power_w: list[float | None] = field(default_factory=list)
    temperature_c: list[float | None] = field(default_factory=list)
    utilization_percent: list[float | None] = field(default_factory=list)

    @property
    def timed(self) -> GpuRun:
        """The run that the query times are of: the first one that is called so, else the last one."""
        return next((run for run in self.runs if run.name.startswith("timing")), self.runs[-1])
