"""Read the shapes of an optimization profile that trtexec states of an input."""

from __future__ import annotations

import re

from trexreport.model.measurement import ShapeRange
from trexreport.regex import regex

_EXTENTS = r"\d{1,15}(?:x\d{1,15}){0,7}"
#: Source: printOptimizationProfiles in sampleInference.cpp of trtexec 8.6 to 11.1 (--dumpOptimizationProfile)
#: and setupNetworkAndConfig in sampleEngines.cpp of 9 to 11.1.
_RANGE = regex(
    r"(?:Model input (?P<loaded>.+) \(profile (?P<loaded_profile>\d{1,6})\): |"
    r"Set shape of input tensor (?P<built>.+) for optimization profile (?P<built_profile>\d{1,6}) to: )"
    rf"(?i:min)=(?P<least>{_EXTENTS}),? (?i:opt)=(?P<optimal>{_EXTENTS}),? (?i:max)=(?P<largest>{_EXTENTS})",
    re.ASCII,
)


def read_shape_range(text: str) -> tuple[tuple[int, str], ShapeRange] | None:
    """Return profile and name of an input, and its extents; None of other lines, and of impossible ranges."""
    found = _RANGE.match(text)
    if not found:
        return None
    profile, name = found["loaded_profile"] or found["built_profile"], found["loaded"] or found["built"]
    least, optimal, largest = (
        tuple(map(int, found[each].split("x"))) for each in ("least", "optimal", "largest")
    )
    if not len(least) == len(optimal) == len(largest):
        return None
    is_range = all(low <= best <= high for low, best, high in zip(least, optimal, largest, strict=True))
    return ((int(profile), name), (least, optimal, largest)) if is_range else None
