"""Read what Polygraphy logs of the calibration and of the comparison with a reference.

"Int8 Calibration is using randomly generated input data."; for each output "Error Metrics: logits" and
"FAILED | Difference exceeds tolerance (rel=0.001, abs=0.001)", or "PASSED | ..."; earlier versions name the
output before it ("FAILED | Output: 'logits' | Difference ..."). Of each runner it states the values:
"trt-runner-N0-TIME: logits | Stats: mean=nan, std-dev=nan, …, min=nan at (0, 1), max=nan at (0, 1), …".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.numbers import list_names
from trexreport.regex import regex

_RANDOM = "Int8 Calibration is using randomly generated input data"
_OUTPUT = regex(r" *Error Metrics: (.{1,2000})")
_RESULT = regex(
    r" *(PASSED|FAILED) \| (?:Output: .{1,2000}? \| )?"
    r"Difference (?:is within|exceeds) tolerance \((.{1,200})\)"
)
#: Sums of finite values overflow, as a mean or a variance of FP16 does; the smallest and the largest do not.
_STATS = regex(
    r" *(\w{1,40})-runner-\S{1,60}: (.{1,2000}?) \| Stats: .{1,400}\bmin=(\S{1,40}) .{1,99}\bmax=(\S+)"
)
_ENGINE = "trt"
_MOST_NAMED = 4


@dataclass
class PolygraphyResults:
    """What one run says."""

    output: str = ""
    tolerance: str = ""
    compared: dict[str, None] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    not_finite: dict[str, set[bool]] = field(default_factory=dict)
    has_random_calibration: bool = False

    def take(self, text: str) -> None:
        """Read a message."""
        if found := _OUTPUT.fullmatch(text):
            self.output = found[1]
        elif self.output and (found := _RESULT.match(text)):
            self.compared[self.output] = None
            if found[1] == "FAILED":
                self.failed[self.output] = None
                self.tolerance = found[2]
        elif found := _STATS.match(text):
            if not all(map(_is_finite, found.group(3, 4))):
                self.not_finite.setdefault(found[2], set()).add(found[1] == _ENGINE)
        elif text.startswith(_RANDOM):
            self.has_random_calibration = True

    def facts(self) -> dict[str, str]:
        """Return the facts of the run by name."""
        found = {}
        if self.failed:
            names = list_names(list(self.failed), _MOST_NAMED)
            found["Outputs beyond the tolerance"] = f"{len(self.failed)} of {len(self.compared)}: {names}"
            found["Tolerance of the comparison"] = self.tolerance
        if broken := [name for name, of_engine in self.not_finite.items() if of_engine == {True}]:
            found["Outputs with NaN or infinity"] = list_names(broken, _MOST_NAMED)
        if self.has_random_calibration:
            found["Inputs of the calibration"] = "random"
        return found


def _is_finite(value: str) -> bool:
    """Return whether a value is none of "nan", "inf" and "-inf"."""
    return value.strip("-,").lower() not in {"nan", "inf"}
