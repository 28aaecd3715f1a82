"""Read what NVIDIA's tegrastats prints of the GPU and the CPU of a Jetson.

A line has the whole state, such as

    RAM 3012/7620MB … EMC_FREQ 12%@2133 GR3D_FREQ 98%@[1007] … gpu@52.5C … VDD_GPU_SOC 4123mW/4123mW

Fields and their spelling differ by board and by release; what a line does not state is None. Source: Jetson
Linux Developer Guide, "tegrastats utility".
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from trexreport.regex import regex

#: How a line begins, with the time from some releases on.
_LINE = regex(r"(?:(\d\d-\d\d-\d{4} \d\d:\d\d:\d\d) )?RAM \d{1,9}/\d{1,9}MB ", re.ASCII)
#: tegrastats prints one line a second unless asked for another interval.
_USUAL_S = 1.0
_GPU = regex(r"\bGR3D_FREQ (\d{1,9})%(?:@\[?(\d{1,9})\]?)?", re.ASCII)
_MEMORY = regex(r"\bEMC_FREQ (\d{1,9})%(?:@(\d{1,9}))?", re.ASCII)
_CPU = regex(r"\bCPU \[([^]\n]{1,400})\]", re.ASCII)
_CORE = regex(r"(\d{1,3})%@(\d{1,5})", re.ASCII)
_TEMPERATURE = regex(r"\bgpu@(-?\d{1,9}(?:\.\d{1,9})?)C", re.ASCII | re.IGNORECASE)
#: Columns of the samples, in the order of the file.
QUANTITIES = (
    *("sm_clock_mhz", "memory_clock_mhz", "power_w", "energy_j", "temperature_c"),
    *("gpu_utilization_percent", "memory_utilization_percent", "throttle_reasons"),
)
#: Power rails of the GPU, by what is on them besides: nothing, the SoC, the CPU.
RAILS = (
    *("VDD_GPU", "VDD_SYS_GPU", "POM_5V_GPU", "GPU"),
    *("VDD_GPU_SOC", "VDD_CPU_GPU_CV", "POM_5V_CPU_GPU"),
)
_KELVIN = -100.0
_RAIL = regex(rf"(?<!\w)({'|'.join(RAILS)}) (\d{{1,9}})(?:mW)?/\d{{1,9}}(?:mW)?", re.ASCII)


def read_line(line: str) -> tuple[dict[str, float | int | None], str]:
    """Return the quantities of a GPU that a line states, and the power rail that it names."""
    found: dict[str, float | int | None] = dict.fromkeys(QUANTITIES)
    for pattern, percent, clock in (
        (_GPU, "gpu_utilization_percent", "sm_clock_mhz"),
        (_MEMORY, "memory_utilization_percent", "memory_clock_mhz"),
    ):
        if match := pattern.search(line):
            found[percent] = int(match[1])
            found[clock] = int(match[2]) if match[2] else None
    match = _TEMPERATURE.search(line)
    # Boards whose GPU is asleep report -256 °C.
    if match and float(match[1]) > _KELVIN:
        found["temperature_c"] = float(match[1])
    powers = {match[1]: int(match[2]) for match in _RAIL.finditer(line)}
    rail = next((each for each in RAILS if each in powers), "")
    if rail:
        found["power_w"] = powers[rail] / 1000
    return found, rail


def only_readings(content: str) -> str:
    """Return the lines of tegrastats with nothing but what is read of them."""
    kept = []
    for line in content.splitlines():
        if begin := _LINE.match(line):
            found = [begin[0].rstrip()]
            if cores := _CPU.search(line):
                states = (
                    core[0] if (core := _CORE.match(each.strip())) else "off" for each in cores[1].split(",")
                )
                found.append(f"CPU [{','.join(states)}]")
            found += [
                match[0] for pattern in (_MEMORY, _GPU, _TEMPERATURE) if (match := pattern.search(line))
            ]
            kept.append(" ".join([*found, *(match[0] for match in _RAIL.finditer(line))]))
    return "\n".join([*kept, ""])


def is_tegrastats(content: str) -> bool:
    """Return whether a text begins with a line of tegrastats."""
    return bool(_LINE.match(content))


def samples_of_tegrastats(content: str) -> dict[str, Any]:
    """Return what a log of tegrastats states in the form of `X.engine.gpu.json`."""
    lines = [(found, line) for line in content.splitlines() if (found := _LINE.match(line))]
    rows = [read_line(line)[0] for _, line in lines]
    interval_s = _interval_s([found[1] for found, _ in lines if found[1]])
    columns = {each: [row[each] for row in rows] for each in QUANTITIES}
    samples = {"time_s": [row * interval_s for row in range(len(rows))], **columns}
    busy = [line for row, (_, line) in zip(rows, lines, strict=True) if row["gpu_utilization_percent"]]
    return {"samples": samples, "gpu": _cpu_facts(busy)}


def _cpu_facts(lines: Sequence[str]) -> dict[str, float]:
    """Return what the CPU did in lines with a busy GPU; nothing where they do not state it."""
    cores = [found[1].split(",") for line in lines if (found := _CPU.search(line))]
    known = [[found for core in each if (found := _CORE.match(core.strip()))] for each in cores]
    if not known or not all(known):
        return {}
    return {
        "cpu_busiest_core_percent": statistics.median(max(int(core[1]) for core in each) for each in known),
        "cpu_clock_mhz": max(int(core[2]) for each in known for core in each),
        "cpu_cores": max(map(len, cores)),
        "cpu_cores_on": max(map(len, known)),
    }


def _interval_s(stamps: Sequence[str]) -> float:
    """Return the time between two lines; their stamps are of whole seconds."""
    try:
        first, last = (
            datetime.strptime(stamps[at], "%m-%d-%Y %H:%M:%S").replace(tzinfo=timezone.utc) for at in (0, -1)
        )
    except (IndexError, ValueError):
        return _USUAL_S
    seconds = (last - first).total_seconds()
    return seconds / (len(stamps) - 1) if seconds > 0 else _USUAL_S
