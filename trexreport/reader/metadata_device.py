"""Describe the GPU of TREx's metadata under trtexec's keys and with trtexec's units.

Source of keys and units: sampleDevice.cpp of trtexec 8.0 to 11.1; of the attributes' names and units: CUDA's
CUdevice_attribute, which pycuda and so TREx's device_info.py take over (clocks in kHz, memory in bytes).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from trexreport.reader.impossible import shown
from trexreport.reader.values import number
from trexreport.regex import regex

# TREx's parse_trtexec_log.py drops these units when it turns the texts into numbers.
_UNITS = {
    "Compute Clock Rate": "GHz",
    "Memory Clock Rate": "GHz",
    "Application Compute Clock Rate": "GHz",
    "Application Memory Clock Rate": "GHz",
    "Device Global Memory": "MiB",
    "Shared Memory per SM": "KiB",
    "Memory Bus Width": "bits",
}
# Numbers beyond this are not sizes or clocks, and are not exact as floats either.
_LARGEST = 1e15
# TREx keeps '"NAME" UUID' of trtexec's '  Device 0: "NAME" UUID: GPU-...'; the name is given elsewhere.
_CUT_DEVICE = regex(r"Device \d+", re.ASCII)


def plain_text(value: object) -> str | None:
    """Return a JSON value as a text ("108" for 108.0), or None if it is not a text, number or truth value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    amount = number(value)
    if amount is None or abs(amount) > _LARGEST:
        return None
    return str(int(amount)) if amount.is_integer() else repr(amount)


def is_cut_device(key: str, text: str) -> bool:
    """Return whether a value of "device_information" is one of which TREx kept nothing that counts."""
    return key == "Available Devices" or bool(_CUT_DEVICE.fullmatch(key) and text.endswith("UUID"))


def read_device_value(key: str, value: object, text: str) -> str:
    """Return a value of "device_information", given also as a text, as trtexec writes it."""
    amount = number(value)
    if key == "Compute Capability" and amount is not None and not isinstance(value, str):
        return f"{amount:.1f}"
    if key in _UNITS and amount is not None:
        return f"{plain_text(amount) or text} {_UNITS[key]}"
    return text


def read_device_attributes(attributes: Mapping[Any, Any], left_out: list[str]) -> dict[str, str]:
    """Return the attributes of a GPU that trtexec prints too, names of unusable ones going to `left_out`."""
    device: dict[str, str] = {}
    for name, (key, show) in _ATTRIBUTES.items():
        if name not in attributes:
            continue
        text = show(attributes[name])
        if text is None:
            left_out.append(f"{name} = {shown(attributes[name])}")
        else:
            device[key] = text
    return device


def _dotted(value: object) -> str | None:
    """Return [8, 6] as "8.6"."""
    if not isinstance(value, list) or not value or not all(type(part) is int for part in value):
        return None
    parts = [plain_text(part) for part in value]
    return None if None in parts else ".".join(part for part in parts if part)


def _scaled(factor: float, unit: str, *, whole: bool) -> Callable[[object], str | None]:
    """Return what shows a number of at least 0 divided by a factor, with its unit."""

    def show(value: object) -> str | None:
        amount = number(value)
        if amount is None or not 0 <= amount <= _LARGEST:
            return None
        text = plain_text(float(amount // factor) if whole else amount / factor)
        return f"{text} {unit}".rstrip()

    return show


_ATTRIBUTES: dict[str, tuple[str, Callable[[object], str | None]]] = {
    "Name": ("Selected Device", lambda value: value if isinstance(value, str) else None),
    "ComputeCapability": ("Compute Capability", _dotted),
    "MULTIPROCESSOR_COUNT": ("SMs", _scaled(1, "", whole=True)),
    "CLOCK_RATE": ("Compute Clock Rate", _scaled(1e6, "GHz", whole=False)),
    "TotalMemory": ("Device Global Memory", _scaled(2**20, "MiB", whole=True)),
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": ("Shared Memory per SM", _scaled(2**10, "KiB", whole=True)),
    "GLOBAL_MEMORY_BUS_WIDTH": ("Memory Bus Width", _scaled(1, "bits", whole=True)),
    "MEMORY_CLOCK_RATE": ("Memory Clock Rate", _scaled(1e6, "GHz", whole=False)),
    "L2_CACHE_SIZE": ("L2 Cache Size", _scaled(2**20, "MiB", whole=False)),
    "CUDA_VERSION": ("CUDA Version", _dotted),
}
