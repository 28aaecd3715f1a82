"""Summarize samples of the GPU's state, which show whether anything but the engine set the times."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain

from trexreport.analyzer.analysis.gpu import GpuRun, GpuWatch
from trexreport.analyzer.percentiles import keep_extremes, median
from trexreport.model import CLOCK_EVENT_REASONS, GpuPhase, GpuSamples

#: Reasons for a lower clock that the user chose, or that do not concern a busy GPU.
_USUAL_REASONS = {"idle", "application clocks", "sync boost", "display clock"}
_IDLE = 0x1
_MAX_POINTS = 800
_MAX_PROCESSES = 10


def describe_gpu_watch(samples: GpuSamples | None) -> GpuWatch | None:
    """Return what the samples amount to; None without samples."""
    if samples is None or not len(samples):
        return None
    phases = samples.phases or (GpuPhase("measurement", samples.time_s[0], samples.time_s[-1]),)
    locked, drawn = samples.locked_sm_clock, _drawn_rows(samples, phases)
    return GpuWatch(
        samples=len(samples),
        runs=[_describe_run(samples, phase) for phase in phases],
        is_clock_locked=locked is not None,
        locked_clock_mhz=locked if isinstance(locked, (int, float)) else None,
        power_limit_w=samples.set_power_limit_w or _number(samples, "power_limit_w"),
        max_sm_clock_mhz=_number(samples, "max_sm_clock_mhz"),
        max_memory_clock_mhz=_number(samples, "max_memory_clock_mhz"),
        cpu_busiest_core_percent=_number(samples, "cpu_busiest_core_percent"),
        cpu_clock_mhz=_number(samples, "cpu_clock_mhz"),
        cpu_cores=_number(samples, "cpu_cores"),
        cpu_cores_on=_number(samples, "cpu_cores_on"),
        other_processes=samples.other_processes[:_MAX_PROCESSES],
        begins_s=[phase.begin_s for phase in phases],
        time_s=[samples.time_s[row] for row in drawn],
        sm_clock_mhz=_column(samples.sm_clock_mhz, drawn),
        memory_clock_mhz=_column(samples.memory_clock_mhz, drawn),
        power_w=_column(samples.power_w, drawn),
        temperature_c=_column(samples.temperature_c, drawn),
        utilization_percent=_column(samples.gpu_utilization_percent, drawn),
    )


def _describe_run(samples: GpuSamples, phase: GpuPhase) -> GpuRun:
    rows = _rows(samples, phase)
    busy = [row for row in rows if _is_busy(samples, row)] or rows
    clocks = _known(samples.sm_clock_mhz, busy)
    energy = _known(samples.energy_j, rows)
    masks = [int(mask) for mask in _known(samples.throttle_reasons, busy)]
    counts = Counter(name for mask in masks for name in _reasons(mask))
    powers = _known(samples.power_w, busy)
    return GpuRun(
        name=phase.name,
        samples=len(rows),
        seconds=phase.end_s - phase.begin_s,
        sm_clock_mhz=_median(clocks),
        lowest_sm_clock_mhz=min(clocks, default=None),
        memory_clock_mhz=_median(_known(samples.memory_clock_mhz, busy)),
        power_w=math.fsum(powers) / len(powers) if powers else None,
        energy_j=energy[-1] - energy[0] if len(energy) > 1 and energy[-1] >= energy[0] else None,
        temperature_c=max(_known(samples.temperature_c, rows), default=None),
        utilization_percent=_median(_known(samples.gpu_utilization_percent, busy)),
        highest_utilization_percent=max(_known(samples.gpu_utilization_percent, busy), default=None),
        held_down_percent=100 * sum(bool(_reasons(mask)) for mask in masks) / len(masks) if masks else None,
        reasons=[name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))],
    )


def _rows(samples: GpuSamples, phase: GpuPhase) -> list[int]:
    return [row for row, time_s in enumerate(samples.time_s) if phase.begin_s <= time_s <= phase.end_s]


def _is_busy(samples: GpuSamples, row: int) -> bool:
    """Return whether the GPU worked; a run also loads and compiles, while the clocks idle."""
    use = samples.gpu_utilization_percent[row] if samples.gpu_utilization_percent else None
    if use is not None:
        return use > 0
    mask = samples.throttle_reasons[row] if samples.throttle_reasons else None
    return mask is None or not mask & _IDLE


def _reasons(mask: int) -> list[str]:
    return [name for bit, name in CLOCK_EVENT_REASONS.items() if mask & bit and name not in _USUAL_REASONS]


def _known(column: Sequence[float | None], rows: Iterable[int]) -> list[float]:
    values = (column[row] for row in rows) if column else ()
    return [value for value in values if value is not None]


def _median(values: Sequence[float]) -> float | None:
    return median(sorted(values)) if values else None


def _number(samples: GpuSamples, name: str) -> float | None:
    value = samples.facts.get(name)
    return value if isinstance(value, (int, float)) else None


def _drawn_rows(samples: GpuSamples, phases: Sequence[GpuPhase]) -> list[int]:
    """Return the rows to draw, phase by phase."""
    count = max(2, _MAX_POINTS // len(phases))
    clock, power = (partial(_value, column) for column in (samples.sm_clock_mhz, samples.power_w))
    rows = (keep_extremes(_rows(samples, phase), count, clock, power) for phase in phases)
    return list(chain.from_iterable(rows))


def _column(values: Sequence[float | None], rows: Sequence[int]) -> list[float | None]:
    return [values[row] if values else None for row in rows]


def _value(column: Sequence[float | None], row: int) -> float:
    return (column[row] if column else None) or 0.0
