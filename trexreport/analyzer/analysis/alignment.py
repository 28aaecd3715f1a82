"""Which layers of several engines do the same part of the model, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: By what layers were matched, the strongest evidence first.
MatchKey = Literal["ONNX metadata", "parts of the name", "tensor names", "data flow", "order, type and shape"]
MATCH_KEYS: tuple[MatchKey, ...] = get_args(MatchKey)
#: What differs in structure from the baseline.
Change = Literal[
    "candidate only",
    "baseline only",
    "fused",
    "split",
    "precision changed",
    "tactic changed",
    "reformats added",
    "reformats removed",
]


@dataclass(slots=True)
class AlignedRow:
    """Layers of several engines that do the same part of the model; lists have an item for each engine.

    Attributes:
        layers: Indices of the layers that compute.
        helpers: Indices of reformats, quantizers, no-ops and the like, beside the layers that they serve.
        keys: Those of `MATCH_KEYS` by which an engine's layers were matched with those of engines before it;
            empty for the first that has layers in the row, which is the baseline where it has any.
        changes: What differs from the baseline in structure; empty for the baseline itself.
        cut: Names link the row to others; they were separated, as the group would have been too large.
    """

    layers: list[list[int]]
    helpers: list[list[int]]
    keys: list[list[MatchKey]]
    changes: list[list[Change]]
    cut: bool = False


@dataclass
class Alignment:
    """Engines aligned; each layer of each engine is in exactly one row.

    Attributes:
        baseline: Index of the engine that the others are compared with.
        rows: In the baseline's order of execution; what it lacks is where the others run it.
        row_of: For each engine and layer the index of its row.
        cut: How many links between rows were cut for size; 0 nearly always.
    """

    baseline: int
    rows: list[AlignedRow]
    row_of: list[list[int]]
    cut: int = 0
