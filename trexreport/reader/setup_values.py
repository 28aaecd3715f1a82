"""Check what logs and metadata state of the GPU and of the measurement."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from trexreport.model import Measurement, Statistic
from trexreport.reader.impossible import (
    POSITIVE_SECONDS,
    THROUGHPUT,
    ImpossibleValues,
    Kind,
)
from trexreport.reader.values import number
from trexreport.regex import regex

#: Figures of "Device Information" in trtexec's units. No GPU has 1,024 SMs (B300: 160), a bus of 32,768 bits
#: (eight stacks of HBM3e: 8,192), 16 TiB of memory or 4 GiB of cache.
_DEVICE: Mapping[str, Kind] = {
    "SMs": Kind("a number of SMs", 1, 1024, whole=True),
    "Device Global Memory": Kind("the memory of a GPU in MiB", 128, 2**24),
    "Shared Memory per SM": Kind("the shared memory of an SM in KiB", 1, 4096),
    "Memory Bus Width": Kind("the width of a memory bus in bits", 1, 32_768, whole=True),
    "L2 Cache Size": Kind("the size of a cache in MiB", 0.001, 4096),
    **dict.fromkeys(
        ("Compute Clock Rate", "Application Compute Clock Rate"), Kind("the clock of a GPU in GHz", 0.001, 6)
    ),
    **dict.fromkeys(
        ("Memory Clock Rate", "Application Memory Clock Rate"), Kind("a memory clock in GHz", 0.001, 40)
    ),
}
#: What the width of a memory bus is a multiple of.
_BUS_BITS = 32
_AMOUNT = regex(r"\s*([-+]?[\w.+-]+)\s*([A-Za-z]*)", re.ASCII)
_CAPABILITY = regex(r"[1-9]\d?\.\d", re.ASCII)
_TOTALS = {
    "throughput_qps": ("Throughput", THROUGHPUT),
    "walltime_s": ("Total Host Walltime", POSITIVE_SECONDS),
    "gpu_time_s": ("Total GPU Compute Time", POSITIVE_SECONDS),
}
#: trtexec writes 6 significant digits of each figure.
_TOLERANCE = 1e-4
#: What latency is the sum of, and by how much the means of all captures seen differ at most: 0.008%.
_PARTS, _SUM_TOLERANCE = ("H2D Latency", "GPU Compute Time", "D2H Latency"), 1e-3
#: A run has one query at least, but for what rounding leaves of it.
_LEAST_QUERIES = 0.9
#: No engine takes this number of seconds, MiB or bytes.
_LARGEST_FACT = 2.0**48
#: Transfers and enqueues may be left out, and take 0 ms then.
_MAY_BE_ZERO = ("H2D", "D2H", "Enqueue")


def check_device(device: Mapping[str, str], values: ImpossibleValues) -> dict[str, str]:
    """Return the device without figures that no GPU has; an integrated GPU states a clock of 0."""
    kept = {}
    for key, text in device.items():
        kind = _DEVICE.get(key)
        if key == "Compute Capability" and not _CAPABILITY.fullmatch(text.strip()):
            values.refuse(key, text, "is not a compute capability")
            continue
        if kind is None or _is_possible(key, text, kind, values):
            kept[key] = text
    return kept


def _is_possible(key: str, text: str, kind: Kind, values: ImpossibleValues) -> bool:
    found = _AMOUNT.match(text)
    amount = number(found[1]) if found else None
    if amount is None:
        values.refuse(key, text, f"is not {kind.noun}")
        return False
    stated, unit = found[2] if found else "", kind.noun.rpartition(" in ")[2]
    if stated and unit not in (stated, kind.noun):
        values.refuse(key, text, f"is not in {unit}")
        return False
    if key == "Memory Bus Width" and amount % _BUS_BITS:
        values.refuse(key, text, f"is not a multiple of {_BUS_BITS} bits")
        return False
    # Integrated GPUs have no memory clock of their own, and some drivers state none.
    return amount == 0 or values.number(kind, amount, key) is not None


def check_measurement(measurement: Measurement, values: ImpossibleValues) -> Measurement:
    """Return the measurement without figures that contradict each other."""
    totals: dict[str, Any] = {}
    for field, (key, kind) in _TOTALS.items():
        value = getattr(measurement, field)
        totals[field] = None if value is None else values.number(kind, value, key)
    rate, seconds = totals["throughput_qps"], totals["walltime_s"]
    if rate and seconds and rate * seconds < _LEAST_QUERIES:
        values.refuse("Throughput", rate, f"is less than one query in the run of {seconds:g} s")
        totals["throughput_qps"] = None
    summary = {
        name: statistic
        for name, statistic in measurement.summary.items()
        if not _refused(name, statistic, totals["walltime_s"], values)
    }
    averages = measurement.averages
    for gpu_ms, latency_ms in zip(averages.gpu_ms, averages.latency_ms, strict=False) if averages else ():
        if gpu_ms > latency_ms * (1 + _TOLERANCE):
            why = f"is more than the latency that it is a part of, {latency_ms:g}"
            values.refuse("Average GPU latency", gpu_ms, why)
            averages = None
    return replace(measurement, summary=_without_odd_sum(summary, values), averages=averages, **totals)


def _without_odd_sum(summary: dict[str, Statistic], values: ImpossibleValues) -> dict[str, Statistic]:
    """Return a summary without latency and its parts where it is not their sum: any of them may be wrong."""
    compute, latency = (summary.get(name) for name in ("GPU Compute Time", "Latency"))
    if not compute or not latency:
        return summary
    parts = [part for name in _PARTS if (part := summary.get(name))]
    total = math.fsum(part.mean_ms for part in parts)
    if _exceeds(compute, latency):
        why = f"is more than the latency that it is a part of, {latency.mean_ms:g}"
        values.refuse("GPU Compute Time mean", compute.mean_ms, why)
    elif len(parts) < len(_PARTS):
        return summary
    elif abs(total - latency.mean_ms) > _SUM_TOLERANCE * latency.mean_ms:
        why = f"is not the sum of transfers and GPU compute time, {total:g}"
        values.refuse("Latency mean", latency.mean_ms, why)
    elif odd := next(_odd_sums(latency, parts), None):
        values.refuse(*odd)
    else:
        return summary
    return {name: each for name, each in summary.items() if name not in ("Latency", *_PARTS)}


def _odd_sums(latency: Statistic, parts: Sequence[Statistic]) -> Iterator[tuple[str, float, str]]:
    """Yield the figures of latency that no queries can have whose parts have the other figures.

    A query takes as long as its parts together: at each rank latency is between one part at that rank with
    the shortest of the others, and with the longest of them.
    """
    ranks = [dict(_ascending(each)) for each in (latency, *parts)]
    for rank, whole in ranks[0].items():
        for at, part in enumerate(parts):
            others = [each for each in parts if each is not part]
            low, high = (math.fsum(getattr(each, key) for each in others) for key in ("min_ms", "max_ms"))
            known = ranks[at + 1].get(rank)
            if known is None:
                continue
            error = _SUM_TOLERANCE * max(whole, known + high)
            if not known + low - error <= whole <= known + high + error:
                yield (
                    f"Latency {rank}",
                    whole,
                    f"is not the sum of transfers and GPU compute time, {known + low:g} to {known + high:g}",
                )


def _exceeds(part: Statistic, whole: Statistic) -> bool:
    """Return whether times are longer than those that they are a part of."""
    pairs = ((getattr(part, key), getattr(whole, key)) for key in ("min_ms", "mean_ms", "max_ms"))
    return any(one > other * (1 + _TOLERANCE) for one, other in pairs)


def _refused(name: str, statistic: Statistic, walltime_s: float | None, values: ImpossibleValues) -> bool:
    """Refuse a line whose figures do not ascend, are longer than the run, or do not enclose their mean."""
    before = len(values.refused)
    if not statistic.min_ms and not name.startswith(_MAY_BE_ZERO):
        values.refuse(f"{name} min", 0, "is not a time in ms above 0")
    for (one, low), (other, high) in pairwise(_ascending(statistic)):
        if low > high * (1 + _TOLERANCE):
            values.refuse(f"{name} {one}", low, f"is above {other} = {high:g}")
    low, high = statistic.min_ms * (1 - _TOLERANCE), statistic.max_ms * (1 + _TOLERANCE)
    if not low <= statistic.mean_ms <= high:
        values.refuse(f"{name} mean", statistic.mean_ms, "is not between min and max")
    if walltime_s is not None and statistic.max_ms > walltime_s * 1000 * (1 + _TOLERANCE):
        values.refuse(f"{name} max", statistic.max_ms, f"is longer than the run of {walltime_s:g} s")
    return len(values.refused) > before


def _ascending(statistic: Statistic) -> Iterator[tuple[str, float]]:
    """Yield the figures in the order in which they must ascend."""
    yield "min", statistic.min_ms
    ranks = {50.0: ("median", statistic.median_ms)}
    ranks |= {rank: (f"p{rank:g}", time) for rank, time in statistic.percentiles.items() if rank != 50.0}
    yield from (ranks[rank] for rank in sorted(ranks))
    yield "max", statistic.max_ms


def check_build_facts(facts: Mapping[str, str], values: ImpossibleValues) -> dict[str, str]:
    """Return the facts of the build whose numbers are at least 0, with their units."""
    kept = {}
    for key, text in facts.items():
        amount, unit = text.rpartition(" ")[::2]
        is_number = unit in ("s", "MiB", "bytes") and " " not in amount
        found = number(amount) if is_number else 0.0
        if found is not None and 0 <= found < _LARGEST_FACT:
            kept[key] = text
        else:
            values.refuse(key, text, "is not a time or a size")
    return kept
