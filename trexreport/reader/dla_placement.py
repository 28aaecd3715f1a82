"""Read which layers TensorRT's builder places on a DLA and which on the GPU.

Lines of TensorRT 8 and later: "[DlaLayer] {ForeignNode[Conv_0]}" and "[GpuLayer] SHUFFLE: Reshape_2", before
8.4 without the type; a build without a DLA lists the latter alone. TensorRT 5 to 7 has a line below each of
"--------------- Layers running on DLA: " and "… on GPU: ", such as "{Conv_0,Relu_1}, {Conv_4}, " and
"Reshape_2, Softmax_3, ".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trexreport.numbers import list_names
from trexreport.regex import regex

_ON_DLA, _BESIDE, _ON_GPU = "Parts on the DLA", "Layers beside the DLA", "Layers on the GPU"
#: The facts that list layers.
PLACED = frozenset({_ON_DLA, _ON_GPU})
_HEADING = regex(r"-{3,} Layers [Rr]unning on (DLA|GPU)(:?)")
_PART = regex(r"\{([^{},]{1,500})(?:,[^{}]{0,20000}?)??(?:,([^{},]{1,500}))?\}")
_LINE = regex(r"\[(Dla|Gpu)Layer\] (?:([A-Z][A-Z0-9_]{2,40}): )?(.{1,2000})")
#: Types of layers that move data, which are there for others.
MOVES = frozenset({"SHUFFLE", "REFORMAT", "NOOP", "CONSTANT", "COPY", "CAST"})
_MOST_NAMED, _LONGEST_NAME = 4, 80


@dataclass
class DlaPlacement:
    """The parts and layers that a log lists."""

    on_dla: dict[str, None] = field(default_factory=dict)
    on_gpu: dict[str, str] = field(default_factory=dict)
    _below: str = ""

    def take(self, text: str) -> None:
        """Read a line of TensorRT; a further list of parts on a DLA, of another build, replaces the first."""
        if below := self._below:
            self._below = ""
            if below == "DLA":
                parts = _PART.findall(text)
                self.on_dla |= {f"{{{'...'.join(filter(None, part))}}}": None for part in parts}
            elif text.rstrip().endswith(","):
                # Each name has a comma behind it; another line means that there are none.
                self.on_gpu |= {name: "" for each in text.split(", ") if (name := each.strip(" ,"))}
        if found := _HEADING.match(text.strip()):
            if found[1] == "DLA" and self.on_dla:
                self.on_dla, self.on_gpu = {}, {}
            self._below = found[1] if found[2] else ""
        elif found := _LINE.match(text.strip()):
            if found[1] == "Dla":
                self.on_dla[found[3]] = None
            else:
                self.on_gpu[found[3]] = found[2] or ""

    def listed(self) -> tuple[str, ...]:
        """Return the names of all layers, where none of them is inside a part on the DLA."""
        return () if self.on_dla else tuple(self.on_gpu)

    def facts(self) -> dict[str, str]:
        """Return the facts of the build by name."""
        if not self.on_dla:
            return {_ON_GPU: _listed(list(self.on_gpu))} if self.on_gpu else {}
        found = {_ON_DLA: _listed(list(self.on_dla))}
        if self.on_gpu:
            names = sorted(self.on_gpu, key=lambda name: self.on_gpu[name] in MOVES)
            found[_BESIDE] = _listed(names)
            types = Counter(filter(None, self.on_gpu.values())).most_common(_MOST_NAMED)
            if types:
                found["Types beside the DLA"] = ", ".join(f"{count} {name}" for name, count in types)
        return found


def _listed(names: list[str]) -> str:
    shown = [name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…" for name in names]
    return f"{len(names)}: {list_names(shown, _MOST_NAMED)}"
