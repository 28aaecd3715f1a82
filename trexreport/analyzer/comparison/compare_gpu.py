"""What a GPU did while an engine was measured, as texts that can be compared."""

from __future__ import annotations

from trexreport.analyzer.percentiles import median
from trexreport.model import CLOCK_EVENT_REASONS, Engine, GpuSamples
from trexreport.numbers import format_count, format_number, with_unit

#: Reasons for a lower clock that say nothing about the measurement.
_USUAL_REASONS = {"idle", "application clocks", "sync boost", "display clock"}
#: A reason that held for a smaller part of the time made no difference.
_MIN_SHARE = 0.05
_CLOCK_STEP_MHZ = 15


def driver(engine: Engine) -> str:
    """Return the driver's version."""
    found = engine.gpu.facts.get("driver") if engine.gpu else None
    return found if isinstance(found, str) else ""


def power_limit(engine: Engine) -> str:
    """Return what the board was allowed to take."""
    if engine.gpu is None:
        return ""
    known = engine.gpu.set_power_limit_w, engine.gpu.facts.get("power_limit_w")
    return next((f"{each:g} W" for each in known if isinstance(each, (int, float))), "")


def locked_clock(engine: Engine) -> str:
    """Return the locked clock of the SMs, "no" if it was not locked; empty if no file states it."""
    if engine.gpu is None:
        return ""
    locked = engine.gpu.locked_sm_clock
    return "no" if locked is None else f"{locked:g} MHz" if isinstance(locked, (int, float)) else locked


def measured_clock(engine: Engine) -> str:
    """Return the clock of the multiprocessors that was usual while queries were timed."""
    return _usual_clock(engine.gpu, "sm_clock_mhz")


def measured_memory_clock(engine: Engine) -> str:
    """Return the clock of the memory that was usual while queries were timed."""
    return _usual_clock(engine.gpu, "memory_clock_mhz")


def throttling(engine: Engine) -> str:
    """Return what held the clock down while queries were timed; "none" if nothing did."""
    masks = [int(mask) for mask in _timed(engine.gpu, "throttle_reasons") if mask is not None]
    if not masks:
        return ""
    found = [
        name
        for bit, name in CLOCK_EVENT_REASONS.items()
        if name not in _USUAL_REASONS and sum(bool(mask & bit) for mask in masks) >= _MIN_SHARE * len(masks)
    ]
    return ", ".join(found) or "none"


def other_processes(engine: Engine) -> str:
    """Return how many other processes had memory on the GPU."""
    return "" if engine.gpu is None else format_count(len(engine.gpu.other_processes))


def _usual_clock(samples: GpuSamples | None, column: str) -> str:
    known = sorted(each for each in _timed(samples, column) if each)
    if not known:
        return ""
    # Clocks have steps of 15 MHz: a smaller difference between two means is none.
    return with_unit(format_number(_CLOCK_STEP_MHZ * round(median(known) / _CLOCK_STEP_MHZ), 4), "MHz")


def _timed(samples: GpuSamples | None, column: str) -> list[float | None]:
    """Return a column's values of the times at which queries were timed, all if no phase states them."""
    if samples is None:
        return []
    phases = [phase for phase in samples.phases if phase.name.startswith("timing")]
    return [
        value
        for time_s, value in zip(samples.time_s, getattr(samples, column), strict=False)
        if not phases or any(phase.begin_s <= time_s <= phase.end_s for phase in phases)
    ]
