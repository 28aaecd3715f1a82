"""Read what TensorRT warns of while it builds or loads an engine, as far as it changes results or times.

Messages of the TensorRT library 7 to 10: "- 103 weights are affected by this issue: Detected subnormal FP16
values.", in 8.4 "Weights [name=conv.weight] had the following issues when converted to FP16:" and lines of
the issues after it; "One or more weights outside the range of INT32 was clamped"; "Running layernorm after
self-attention in FP16 may cause overflow."; "FP16 support requested on hardware without native FP16
support"; "Missing scale and zero-point for tensor x, expect fall back to non-int8 implementation"; "Using an
engine plan file across different models of devices is not recommended"; "No implementation of layer conv1
obeys the requested constraints in strict mode. No conforming implementation was found". What a DLA does not
run is read in `dla_refusals.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.numbers import list_names
from trexreport.reader.dla_placement import DlaPlacement
from trexreport.reader.dla_refusals import DlaRefusals
from trexreport.regex import regex

_COUNTED = regex(r"- (\d{1,9}) weights? (?:is|are) affected by this issue: (.{1,300})")
_NAMED = regex(r"Weights \[name=(.{1,2000})\] had the following issues when converted to FP16")
_SCALE = regex(r"Missing scale and zero-point for tensor (.{1,500}?), expect fall back to non-int8")
_UNMET = regex(r"No implementation of layer (.{1,500}?) obeys the requested constraints")
_BEYOND = "Weights beyond FP16"
#: By a part of the text in lower case the name of the fact.
_ISSUES = (
    ("overflow in fp16", _BEYOND),
    ("infinity", _BEYOND),
    ("less than smallest positive fp16", "Weights below FP16"),
    ("subnormal fp16", "Weights subnormal in FP16"),
)
_MOST_NAMED = 4
_CLAMPED = "outside the range of INT32 was clamped"
#: By a part of the text name and value of a fact.
_STATED = (
    ("ayernorm after self-attention", ("LayerNorm in FP16", "may overflow")),
    ("without native FP16 support", ("FP16 on this GPU", "not native")),
    ("engine plan file across different models of devices", ("Engine of another GPU", "yes")),
)
_MARKS = ("weights", "Weights", "values", "FP16", "zero-point", "plan file", "DLA", "constraints")


@dataclass
class BuilderWarnings:
    """What one run says."""

    counted: dict[str, int] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)
    unscaled: set[str] = field(default_factory=set)
    unmet: dict[str, None] = field(default_factory=dict)
    clamped: int = 0
    stated: dict[str, str] = field(default_factory=dict)
    refusals: DlaRefusals = field(default_factory=DlaRefusals)
    placement: DlaPlacement = field(default_factory=DlaPlacement)
    _weights: str = ""

    def take(self, text: str, *, warns: bool) -> None:
        """Read a line of TensorRT; of lines that do not warn, where the builder places layers."""
        if not warns:
            self.placement.take(text)
            return
        if not any(mark in text for mark in _MARKS):
            return
        if found := _COUNTED.match(text.strip()):
            if name := _issue(found[2]):
                self.counted[name] = max(self.counted.get(name, 0), int(found[1]))
        elif found := _NAMED.match(text):
            self._weights = found[1]
        elif self._weights and text.lstrip().startswith("- "):
            if name := _issue(text):
                self.named.setdefault(name, set()).add(self._weights)
        elif found := _SCALE.match(text):
            self.unscaled.add(found[1])
        elif found := _UNMET.match(text.strip()):
            self.unmet[found[1]] = None
        elif self.refusals.take(text):
            pass
        elif _CLAMPED in text:
            self.clamped += 1
        else:
            self.stated |= dict(fact for part, fact in _STATED if part in text)

    def facts(self) -> dict[str, str]:
        """Return the facts of the build by name."""
        names = dict.fromkeys(name for _, name in _ISSUES)
        counts = {name: max(self.counted.get(name, 0), len(self.named.get(name, ()))) for name in names}
        beyond = list_names(sorted(self.named.get(_BEYOND, ())), _MOST_NAMED)
        counts |= {"Weights clamped to INT32": self.clamped, "Tensors without scales": len(self.unscaled)}
        if self.unmet:
            listed = list_names(list(self.unmet), _MOST_NAMED)
            self.stated["Layers without the requested types"] = f"{len(self.unmet)}: {listed}"
        return (
            {name: f"{count}" for name, count in counts.items() if count}
            | ({_BEYOND: f"{counts[_BEYOND]}: {beyond}"} if beyond else {})
            | self.stated
            | self.refusals.facts()
            | self.placement.facts()
        )


def _issue(text: str) -> str:
    """Return the name of the fact that a line is about; empty for another one."""
    lower = text.lower()
    return next((name for part, name in _ISSUES if part in lower), "")
