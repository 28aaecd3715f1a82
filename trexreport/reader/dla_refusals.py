"""Read which layers TensorRT's builder does not let run on a DLA, and why.

"Layer 'up1' (RESIZE): Unsupported on DLA. Switching this layer's device type to GPU.", before 8.4 "Default
DLA is enabled but layer up1 is not supported on DLA, falling back to GPU."; before it "/s/Slice_1: DLA only
supports slicing 4 dimensional tensors.", "DLA Layer conv1 does not support dynamic shapes in any dimension.";
"DLA only supports FP16 and Int8 precision type. Switching fc device type to GPU."; "DLA supports only 16
subgraphs per DLA core. Switching to GPU for layer {ForeignNode[Conv_8...Conv_9]}"; "setDefaultDeviceType was
called but no layer in the network can run on DLA."
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from trexreport.numbers import counted, list_names
from trexreport.reader.dla_placement import MOVES
from trexreport.regex import regex

_NOT_ON_DLA = regex(
    r"Layer '(.{1,500}?)' \((\w{1,40})\): Unsupported on DLA"
    r"|(?:Default DLA is enabled but )?layer (.{1,500}?) is not (?:supported|running) on DLA, falling back"
)
_BEYOND_DLA = regex(
    r"DLA supports only (\d{1,4}) subgraphs per DLA core\. Switching to GPU for layer (.{1,2000})"
)
_REASON = regex(
    r"DLA [Ll]ayer (.{1,500}?) (does not support .{1,200})|(.{1,500}?): DLA ((?:only|cores? do) .{1,200})"
)
_PRECISION = regex(
    r"DLA (only supports FP16 and Int8 precision) type\. Switching (.{1,500}) device type to GPU"
)
_NOTHING = "no layer in the network can run on DLA"
#: The operation that ends a name: "/features.4/block.0.2/HardSwish", "Resize_104".
_OPERATION = regex(r"(?:^|/)([A-Z][A-Za-z]{2,40})(?:_\d{1,6})?$", re.ASCII)
_MOST_NAMED, _MOST_REASONS = 4, 3


@dataclass
class DlaRefusals:
    """What one run says."""

    layers: dict[str, tuple[str, str]] = field(default_factory=dict)
    reasons: dict[str, dict[str, None]] = field(default_factory=dict)
    beyond: dict[str, str] = field(default_factory=dict)
    runs_nothing: bool = False

    def take(self, text: str) -> bool:
        """Read a warning, and return whether it is about the DLA."""
        if "DLA" not in text:
            return False
        text = text.strip()
        if found := _NOT_ON_DLA.match(text):
            name = found[1] or found[3]
            operation = _OPERATION.search(name)
            self.layers[name] = (operation[1] if operation else found[2] or "", found[2] or "")
        elif found := _BEYOND_DLA.match(text):
            self.beyond[found[2]] = found[1]
        elif found := _PRECISION.match(text):
            self.reasons.setdefault(found[1], {})[found[2]] = None
        elif found := _REASON.match(text):
            reason = re.sub("^cores? do ", "does ", found[2] or found[4]).rstrip(".")
            self.reasons.setdefault(reason, {})[found[1] or found[3]] = None
        elif _NOTHING in text:
            self.runs_nothing = True
        else:
            return False
        return True

    def facts(self) -> dict[str, str]:
        """Return the facts of the build by name."""
        found = {}
        if self.layers:
            # Constants and reshapes are there for other layers.
            names = sorted(self.layers, key=lambda name: self.layers[name][1] in MOVES)
            found["Layers not on the DLA"] = f"{len(names)}: {list_names(names, _MOST_NAMED)}"
            work = [kind for kind, of in self.layers.values() if of not in MOVES]
            kinds = Counter(filter(None, work or [kind for kind, _ in self.layers.values()]))
            if common := kinds.most_common(_MOST_NAMED):
                found["Operations not on the DLA"] = ", ".join(f"{count} {kind}" for kind, count in common)
        if self.reasons:
            most = sorted(self.reasons.items(), key=lambda each: -len(each[1]))[:_MOST_REASONS]
            found["Reasons not on the DLA"] = "; ".join(
                f"it {reason} ({next(iter(of)) if len(of) == 1 else counted(len(of), 'layer')})"
                for reason, of in most
            )
        if self.beyond:
            limit = next(iter(self.beyond.values()))
            found["Parts beyond the DLA's limit"] = f"{len(self.beyond)} (limit: {limit})"
        if self.runs_nothing:
            found["Layers that a DLA can run"] = "none"
        return found
