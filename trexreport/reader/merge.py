"""Put together what several files say about one engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from trexreport.model.measurement import Measurement, Setup

_Value = TypeVar("_Value")


def merge_setups(setups: Sequence[Setup]) -> Setup:
    """Join setups into one; where two of them have the same key, the earlier one wins.

    Put logs before TREx's metadata, which cuts values at their second colon.
    """
    return Setup(
        model_options=_first_per_key([setup.model_options for setup in setups]),
        build_options=_first_per_key([setup.build_options for setup in setups]),
        inference_options=_first_per_key([setup.inference_options for setup in setups]),
        device=_first_per_key([setup.device for setup in setups]),
        build_facts=_first_per_key([setup.build_facts for setup in setups]),
        tensorrt_version=next((setup.tensorrt_version for setup in setups if setup.tensorrt_version), ""),
        commands=tuple(dict.fromkeys(command for setup in setups for command in setup.commands)),
    )


def merge_measurements(measurements: Sequence[Measurement]) -> Measurement:
    """Join measurements into one; where two of them have the same figure, the earlier one wins."""
    return Measurement(
        throughput_qps=_first([each.throughput_qps for each in measurements]),
        summary=_first_per_key([each.summary for each in measurements]),
        walltime_s=_first([each.walltime_s for each in measurements]),
        gpu_time_s=_first([each.gpu_time_s for each in measurements]),
        warnings=tuple(dict.fromkeys(warning for each in measurements for warning in each.warnings)),
    )


def _first(values: Sequence[float | None]) -> float | None:
    """Return the first value that is there."""
    return next((value for value in values if value is not None), None)


def _first_per_key(mappings: Sequence[Mapping[str, _Value]]) -> dict[str, _Value]:
    """Join mappings; the first one that has a key gives its value, in the order of first sight."""
    joined: dict[str, _Value] = {}
    for mapping in mappings:
        for key, value in mapping.items():
            joined.setdefault(key, value)
    return joined
