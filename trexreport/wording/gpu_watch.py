"""Sentences about the state of the GPU during the measurement."""

from __future__ import annotations

from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.model import GpuProcess
from trexreport.numbers import counted, format_bytes, format_number
from trexreport.wording.shares import percent


def gpu_watch_sentence(watch: GpuWatch) -> str:
    """Return at which clock the GPU ran while queries were timed."""
    timed = watch.timed
    if timed.sm_clock_mhz is None:
        were = "was" if watch.samples == 1 else "were"
        return f"{counted(watch.samples, 'sample')} of the GPU {were} taken, without its clock."
    text = f"While queries were timed, the SM clock was {_mhz(timed.sm_clock_mhz)}"
    if timed.lowest_sm_clock_mhz is not None and timed.lowest_sm_clock_mhz < timed.sm_clock_mhz:
        text += f", at times {_mhz(timed.lowest_sm_clock_mhz)}"
    if watch.is_clock_locked:
        text += f"; it was locked to {locked_clock(watch)}"
    elif watch.max_sm_clock_mhz:
        share = percent(100 * timed.sm_clock_mhz / watch.max_sm_clock_mhz)
        text += f", {share} of the board's maximum"
    if timed.held_down_percent:
        text += f"; it was throttled in {percent(timed.held_down_percent)} of the samples"
    elif timed.held_down_percent is not None:
        text += "; it was not throttled"
    return f"{text}."


def locked_clock(watch: GpuWatch) -> str:
    """Return the clock that the GPU was locked to; empty where it was not."""
    if not watch.is_clock_locked:
        return ""
    if watch.locked_clock_mhz is None:
        return "the highest clock that the board sustains"
    return _mhz(watch.locked_clock_mhz)


def gpu_watch_warnings(watch: GpuWatch) -> list[str]:
    """Return what the samples show that speaks against the measurement."""
    warnings = []
    timed = watch.timed
    if timed.held_down_percent and timed.reasons:
        share = percent(timed.held_down_percent)
        warnings.append(f"The GPU clock was throttled in {share} of the samples: {', '.join(timed.reasons)}.")
    if watch.other_processes:
        processes = "; ".join(map(gpu_process, watch.other_processes))
        warnings.append(f"Other processes had memory on the GPU: {processes}.")
    return warnings


def gpu_process(process: GpuProcess) -> str:
    """Return a process that had memory on the GPU, as a phrase."""
    memory = "" if process.memory_bytes is None else f", {format_bytes(process.memory_bytes)}"
    return f"{process.program or 'a program'} (process {process.pid}{memory})"


def _mhz(clock_mhz: float) -> str:
    return f"{format_number(clock_mhz, 4)} MHz"
