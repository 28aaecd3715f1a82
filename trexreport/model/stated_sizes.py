"""Sizes as logs state them: "88883200 bytes", "24.5 MiB"."""

from __future__ import annotations

from collections.abc import Mapping

#: TensorRT 7 writes "Workspace: 16 MB" for 16 MiB, as other programs around it do.
_UNITS = {"bytes": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_UNITS |= {"KB": 2**10, "MB": 2**20, "GB": 2**30}
WEIGHTS = "Total Weights Memory"
#: What logs call the size of the engine, which holds the weights.
ENGINE_SIZES = ("Engine file size", "Engine size", "Loaded engine size")


def stated_bytes(text: str) -> float | None:
    """Return a size in bytes; None for any other text."""
    amount, _, unit = text.partition(" ")
    is_number = amount.isascii() and amount.replace(".", "", 1).isdecimal()
    return float(amount) * _UNITS[unit] if is_number and unit in _UNITS else None


def most_weights_bytes(build_facts: Mapping[str, str]) -> float | None:
    """Return at most how many bytes the weights of an engine take; None if no log states it."""
    sizes = (stated_bytes(build_facts.get(key, "")) for key in (WEIGHTS, *reversed(ENGINE_SIZES)))
    return next((size for size in sizes if size is not None), None)
