"""What a capture says of its GPU."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.roofline.table import IDLE_WORDS, split_words
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex

_NUMBER = regex(r"\s*(\d+(?:\.\d+)?)")
_BYTES_PER_MIB = 2**20


@dataclass(frozen=True)
class Device:
    """What a capture says of its GPU, as numbers."""

    name: str
    words: frozenset[str]
    compute_capability: str
    sms: int | None
    clock_ghz: float | None
    memory_gb: float | None
    bus_bits: int | None
    memory_clock_ghz: float | None
    l2_bytes: int | None

    @property
    def bandwidth_gbs(self) -> float | None:
        """Bus width x memory clock x 2: memory moves data twice per clock of the rate that CUDA states."""
        if self.bus_bits is None or self.memory_clock_ghz is None:
            return None
        return self.bus_bits / 8 * self.memory_clock_ghz * 2


def read_device(device: Mapping[str, str]) -> Device:
    """Return the device that trtexec's section "Device Information" states."""
    name = middle_ellipsis(device.get("Selected Device", "").strip(), 100)
    memory = _number(device, "Device Global Memory")
    return Device(
        name=name,
        words=frozenset(split_words(name)) - IDLE_WORDS,
        compute_capability=device.get("Compute Capability", "").strip(),
        sms=_whole(device, "SMs"),
        clock_ghz=_first(device, "Application Compute Clock Rate", "Compute Clock Rate"),
        memory_gb=memory * _BYTES_PER_MIB / 1e9 if memory else None,
        bus_bits=_whole(device, "Memory Bus Width"),
        memory_clock_ghz=_first(device, "Application Memory Clock Rate", "Memory Clock Rate"),
        l2_bytes=_whole(device, "L2 Cache Size", _BYTES_PER_MIB),
    )


def _number(device: Mapping[str, str], key: str) -> float | None:
    found = _NUMBER.match(device.get(key, ""))
    value = float(found.group(1)) if found else 0.0
    return value if 0 < value < 1e9 else None


def _whole(device: Mapping[str, str], key: str, unit: int = 1) -> int | None:
    value = _number(device, key)
    return int(value * unit) if value else None


def _first(device: Mapping[str, str], *keys: str) -> float | None:
    return next((value for key in keys if (value := _number(device, key))), None)
