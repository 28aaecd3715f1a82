"""What the GPU did while an engine was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trexreport.lazy_dataclass import dataclass

#: Bit of NVML's clocks event reasons to its name in words. Source: NVML API, "NvmlClocksEventReasons".
CLOCK_EVENT_REASONS = {
    0x001: "idle",
    0x002: "application clocks",
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clock",
    0x200: "board limit",
    0x400: "reliability",
}


@dataclass(frozen=True)
class GpuPhase:
    """A part of the measurement, such as "profile" or "timing"; seconds since the watch began."""

    name: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class GpuProcess:
    """Another process that had memory on the GPU."""

    pid: int
    program: str = ""
    memory_bytes: int | None = None


@dataclass(frozen=True)
class GpuSamples:
    """Samples of the GPU's state, in columns of equal length; None where it was not reported.

    Attributes:
        time_s: Seconds since the watch began, ascending.
        energy_j: A meter that only ever grows.
        throttle_reasons: Bits of `CLOCK_EVENT_REASONS`.
        other_processes: Those that do not belong to the measurement.
        locked_sm_clock: In MHz, or "sustained"; None if the clocks were free.
        set_power_limit_w: None if the limit was left as it was.
        facts: What the GPU is and what its limits are, under the file's own keys.
    """

    time_s: tuple[float, ...]
    sm_clock_mhz: tuple[float | None, ...] = ()
    memory_clock_mhz: tuple[float | None, ...] = ()
    power_w: tuple[float | None, ...] = ()
    energy_j: tuple[float | None, ...] = ()
    temperature_c: tuple[float | None, ...] = ()
    gpu_utilization_percent: tuple[float | None, ...] = ()
    memory_utilization_percent: tuple[float | None, ...] = ()
    throttle_reasons: tuple[int | None, ...] = ()
    phases: tuple[GpuPhase, ...] = ()
    other_processes: tuple[GpuProcess, ...] = ()
    locked_sm_clock: float | str | None = None
    set_power_limit_w: float | None = None
    facts: Mapping[str, str | float | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.time_s)
