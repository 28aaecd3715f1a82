"""Read what Polygraphy logs of the build and of the comparison with a reference.

"    Flags                  | [FP16, INT8]", before 0.38 "    Precision | TF32: False, FP16: True"; "Int8
Calibration is using randomly generated input data."; for each output "Error Metrics: logits" and "FAILED |
Difference exceeds tolerance (rel=0.001, abs=0.001)", or "PASSED | ...".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.numbers import list_names
from trexreport.regex import regex

_FLAGS = regex(r" {2,8}Flags +\| \[([A-Z0-9_, ]{0,400})\]")
_PRECISION = regex(r" {2,8}Precision +\| (TF32: (?:True|False)(?:, [\w ]{1,40}: (?:True|False)){1,9})")
_TYPES = ("FP16", "BF16", "INT8", "FP8")
_RANDOM = "Int8 Calibration is using randomly generated input data"
_OUTPUT = regex(r" *Error Metrics: (.{1,2000})")
_RESULT = regex(r" *(PASSED|FAILED) \| Difference (?:is within|exceeds) tolerance \((.{1,200})\)")
_MOST_NAMED = 4


def precision_of_build(line: str) -> str:
    """Return the types that a line allows the builder, as trtexec writes them; empty for other lines.

    A strongly typed network has its types from the model.
    """
    flags = _FLAGS.match(line)
    allowed = set(flags[1].split(", ")) if flags else set()
    if found := _PRECISION.match(line):
        allowed = {each.partition(":")[0] for each in found[1].split(", ") if each.endswith("True")}
    if not (flags or found) or "STRONGLY_TYPED" in allowed:
        return ""
    return "+".join(["FP32", *(each for each in _TYPES if each in allowed)])


@dataclass
class PolygraphyResults:
    """What one run says."""

    output: str = ""
    tolerance: str = ""
    compared: dict[str, None] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
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
        elif text.startswith(_RANDOM):
            self.has_random_calibration = True

    def facts(self) -> dict[str, str]:
        """Return the facts of the run by name."""
        found = {}
        if self.failed:
            names = list_names(list(self.failed), _MOST_NAMED)
            found["Outputs beyond the tolerance"] = f"{len(self.failed)} of {len(self.compared)}: {names}"
            found["Tolerance of the comparison"] = self.tolerance
        if self.has_random_calibration:
            found["Inputs of the calibration"] = "random"
        return found
