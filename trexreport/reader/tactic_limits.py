"""Count the tactics that a builder left out for lack of memory or for an error, as a log states them.

Messages of the TensorRT library 5 to 10: "Tactic 4 scratch requested: 102535168, available: 10485760",
"Tactic: 0x12 skipped. Scratch requested: 70778880, available: 1073741824", "Some tactics do not have
sufficient workspace memory to run.", "Tactic Device request: 538MB Available: 166MB. Device memory is
insufficient to use tactic.", "Skipping tactic 0 due to insufficient memory on requested size of 538 detected
for tactic 4.", "Skipping tactic 0x0 due to exception [shape.cpp:136] Assertion failed", "Skipping tactic0x0
due to Myelin error: autotuning: CUDA error 3 allocating 0-byte buffer".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from trexreport.regex import regex

_SCRATCH = regex(r"scratch requested: (\d{1,15}), available: (\d{1,15})", re.ASCII | re.IGNORECASE)
_DEVICE = regex(r"Skipping tactic .{0,99}due to insuff?icient memory on requested size", re.ASCII)
_SIZES = regex(r"Tactic Device request: (\d{1,9}) ?MB Available: (\d{1,9}) ?MB", re.ASCII)
_ERROR = regex(r"Skipping tactic ?\S{1,40} due to (?:exception|Myelin error)", re.ASCII)
_WORKSPACE = "Some tactics do not have sufficient workspace memory to run"


@dataclass
class TacticLimits:
    """What one run says: counts, and the largest requests beyond a limit and that limit, in bytes or MiB."""

    in_workspace: int = 0
    requested: int = 0
    available: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    in_gpu_memory: int = 0
    of_gpu: tuple[int, int] = (0, 0)
    with_errors: int = 0
    is_noted: bool = False

    def take(self, text: str) -> bool:
        """Read a line, and return whether it is about such a tactic."""
        if "tactic" not in text and "Tactic" not in text:
            return False
        if found := _SCRATCH.search(text):
            self.in_workspace += 1
            # In MiB, as powers of two: logs have thousands of sizes.
            self.sizes[1 << (max(1, -(-int(found[1]) >> 20)) - 1).bit_length()] += 1
            # A limit may change between two requests, and a request within its limit says nothing of it.
            pairs = (self.requested, self.available), (int(found[1]), int(found[2]))
            self.requested, self.available = max(pairs, key=lambda pair: (pair[0] > pair[1], pair[0]))
        elif _DEVICE.search(text):
            self.in_gpu_memory += 1
        elif found := _SIZES.search(text):
            self.of_gpu = max(self.of_gpu, (int(found[1]), int(found[2])))
        elif _ERROR.search(text):
            self.with_errors += 1
        elif text.startswith(_WORKSPACE):
            self.is_noted = True
        else:
            return False
        return True

    def facts(self) -> dict[str, str]:
        """Return the facts of the build by name."""
        found = {}
        if self.in_workspace:
            sizes = f"up to {self.requested} bytes requested, {self.available} bytes available"
            found["Tactics without workspace"] = f"{self.in_workspace}, {sizes}"
            each = (f"{count} up to {size} MiB" for size, count in sorted(self.sizes.items()))
            found["Sizes of workspace"] = ", ".join(each)
        if self.is_noted:
            found["Workspace"] = "not sufficient for some tactics"
        if self.in_gpu_memory:
            requested, available = self.of_gpu
            sizes = f", up to {requested} MiB requested, {available} MiB available" if requested else ""
            found["Tactics without GPU memory"] = f"{self.in_gpu_memory}{sizes}"
        if self.with_errors:
            found["Tactics with errors"] = f"{self.with_errors}"
        return found
