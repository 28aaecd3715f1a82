"""Say from samples of the GPU's state whether anything but the engine decided the measured times."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis.gpu import GpuRun, GpuWatch
from trexreport.analyzer.percentiles import median
from trexreport.model import CLOCK_EVENT_REASONS, GpuPhase, GpuProcess, GpuSamples
from trexreport.numbers import counted, format_bytes, format_number, format_percent

#: Reasons for a lower clock that the user chose, or that tell nothing of a busy GPU.
_USUAL_REASONS = {"idle", "application clocks", "sync boost", "display clock"}
_IDLE = 0x1
_MOST_POINTS = 800
_MOST_NAMED = 10
_COLUMNS = ("sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c", "gpu_utilization_percent")


def describe_gpu_watch(samples: GpuSamples | None) -> GpuWatch | None:
    """Return what the samples come to; None without samples."""
    if samples is None or not len(samples):
        return None
    phases = samples.phases or (GpuPhase("measurement", samples.time_s[0], samples.time_s[-1]),)
    runs = [_describe_run(samples, phase) for phase in phases]
    watch = GpuWatch(
        sentence="",
        samples=len(samples),
        runs=runs,
        locked_clock=_locked(samples.locked_sm_clock),
        power_limit_w=samples.set_power_limit_w or _number(samples, "power_limit_w"),
        max_sm_clock_mhz=_number(samples, "max_sm_clock_mhz"),
        max_memory_clock_mhz=_number(samples, "max_memory_clock_mhz"),
        other_processes=[_process(each) for each in samples.other_processes[:_MOST_NAMED]],
        begins_s=[phase.begin_s for phase in phases],
    )
    _draw(watch, samples, phases)
    watch.sentence = _sentence(watch)
    watch.warnings = _warnings(watch)
    return watch


def _warnings(watch: GpuWatch) -> list[str]:
    """Return what the samples say against the measurement."""
    warnings = []
    timed = watch.timed
    if timed.held_down_percent and timed.reasons:
        share = format_percent(timed.held_down_percent / 100)
        warnings.append(
            f"The GPU's clock was held down in {share} of the samples: {', '.join(timed.reasons)}."
        )
    if watch.other_processes:
        warnings.append(f"Others had memory on the GPU meanwhile: {'; '.join(watch.other_processes)}.")
    return warnings


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
        held_down_percent=100 * sum(bool(_reasons(mask)) for mask in masks) / len(masks) if masks else None,
        reasons=[name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))],
    )


def _rows(samples: GpuSamples, phase: GpuPhase) -> list[int]:
    return [row for row, time_s in enumerate(samples.time_s) if phase.begin_s <= time_s <= phase.end_s]


def _is_busy(samples: GpuSamples, row: int) -> bool:
    """Tell whether the GPU worked; a run also loads and compiles, while the clocks rest."""
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


def _locked(clock: float | str | None) -> str:
    if clock is None:
        return ""
    if isinstance(clock, str):
        return "the highest clock that the board sustains"
    return f"{format_number(clock, 4)} MHz"


def _process(process: GpuProcess) -> str:
    memory = "" if process.memory_bytes is None else f", {format_bytes(process.memory_bytes)}"
    return f"{process.program or 'a program'} (process {process.pid}{memory})"


def _sentence(watch: GpuWatch) -> str:
    timed = watch.timed
    if timed.sm_clock_mhz is None:
        were = "was" if watch.samples == 1 else "were"
        return f"{counted(watch.samples, 'sample')} of the GPU {were} taken; its clock is not among them."
    text = f"While queries were timed the SM clock was {format_number(timed.sm_clock_mhz, 4)} MHz"
    if timed.lowest_sm_clock_mhz is not None and timed.lowest_sm_clock_mhz < timed.sm_clock_mhz:
        text += f", at times {format_number(timed.lowest_sm_clock_mhz, 4)} MHz"
    if watch.locked_clock:
        text += f"; it was locked to {watch.locked_clock}"
    elif watch.max_sm_clock_mhz:
        share = format_percent(timed.sm_clock_mhz / watch.max_sm_clock_mhz)
        text += f", {share} of the highest that the board reaches"
    if timed.held_down_percent:
        text += f"; something held it down in {format_percent(timed.held_down_percent / 100)} of the samples"
    elif timed.held_down_percent is not None:
        text += "; nothing held it down"
    return f"{text}."


def _draw(watch: GpuWatch, samples: GpuSamples, phases: Sequence[GpuPhase]) -> None:
    """Fill in the columns to draw."""
    target = {name: getattr(watch, name.removeprefix("gpu_")) for name in _COLUMNS}
    for phase in phases:
        rows = _thinned(samples, _rows(samples, phase), _MOST_POINTS // len(phases))
        watch.time_s += [samples.time_s[row] for row in rows]
        for name, column in target.items():
            values = getattr(samples, name)
            column += [values[row] if values else None for row in rows]


def _thinned(samples: GpuSamples, rows: Sequence[int], most: int) -> list[int]:
    """Return at most so many rows; of each stretch the lowest clock and the highest power stay."""
    most = max(2, most)
    if len(rows) <= most:
        return list(rows)
    stretches = most // 2
    kept: set[int] = set()
    for stretch in range(stretches):
        members = rows[stretch * len(rows) // stretches : (stretch + 1) * len(rows) // stretches]
        kept.add(min(members, key=lambda row: _value(samples.sm_clock_mhz, row)))
        kept.add(max(members, key=lambda row: _value(samples.power_w, row)))
    return sorted(kept)


def _value(column: Sequence[float | None], row: int) -> float:
    return (column[row] if column else None) or 0.0
