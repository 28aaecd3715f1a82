"""Which layers of several engines do the same part of the model, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

#: By what layers were matched, the strongest evidence first.
MATCH_KEYS = ("ONNX metadata", "parts of the name", "tensor names", "data flow", "order, type and shape")


@dataclass(slots=True)
class AlignedRow:
    """Layers of several engines that do the same part of the model; lists have an item for each engine.

    Attributes:
        layers: Indices of the layers that compute.
        helpers: Indices of reformats, quantizers, no-ops and the like, beside the layers that they serve.
        keys: Those of `MATCH_KEYS` by which an engine's layers were matched with those of engines before it;
            empty for the first that has layers in the row, which is the baseline where it has any.
        changes: What differs from the baseline in structure: "only here", "missing", "fused", "split",
            "retyped", "new tactic", "reformats added", "reformats removed"; empty for the baseline itself.
        cut: Names tie the row to others, which would have made it too large to tell anything.
    """

    layers: list[list[int]]
    helpers: list[list[int]]
    keys: list[list[str]]
    changes: list[list[str]]
    cut: bool = False


@dataclass
class Alignment:
    """Engines side by side; each layer of each engine stands in exactly one row.

    Attributes:
        baseline: Index of the engine that the others are held against.
        rows: In the baseline's order of execution; what it lacks stands where the others run it.
        row_of: For each engine and layer the index of its row.
        cut: How many ties between rows were cut for size; 0 nearly always.
    """

    baseline: int
    rows: list[AlignedRow]
    row_of: list[list[int]]
    cut: int = 0
