"""Cut long runs of layers where the fewest tensors are alive between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.blocks import BlockKind
from trexreport.analyzer.blocks.listing import BlockNode
from trexreport.analyzer.module_paths import Path

#: Minimum, usual and maximum number of layers of a run.
MIN_LAYERS, USUAL_LAYERS, MAX_LAYERS = 20, 40, 80


class Cutter:
    """Makes blocks of layers that no name divides."""

    def __init__(self, layers: Sequence[LayerFacts], tensors: Sequence[TensorFacts]) -> None:
        self._layers = layers
        self._tensors = tensors

    def cut(self, indices: list[int], path: Path, names: Sequence[str]) -> list[BlockNode]:
        """Return runs of the given layers, ascending.

        Args:
            indices: The layers.
            path: Path of the module that they belong to.
            names: For each layer the tiny module inside of it, or nothing; cuts keep these whole if they can.
        """
        starts = self._starts(indices, names)
        bounds = [*starts, len(indices)]
        return [
            BlockNode("layers", _label(names[start:end], indices[start:end]), path, indices[start:end])
            for start, end in zip(starts, bounds[1:], strict=True)
        ]

    def whole(self, kind: BlockKind, label: str, path: Path, indices: list[int]) -> BlockNode:
        """Return one block of the given layers, divided into runs if they are many."""
        if len(indices) <= MAX_LAYERS:
            return BlockNode(kind, label, path, indices)
        return BlockNode(kind, label, path, children=self.cut(indices, path, [""] * len(indices)))

    def _starts(self, indices: list[int], names: Sequence[str]) -> list[int]:
        count = len(indices)
        starts = [0] if count else []
        if count <= MAX_LAYERS:
            return starts
        alive = self._alive(indices)
        while count - starts[-1] > MAX_LAYERS:
            start = starts[-1]
            ends = range(start + MIN_LAYERS, min(start + MAX_LAYERS, count - MIN_LAYERS) + 1)
            # The choice depends on the distance only, so that what repeats is cut alike.
            starts.append(
                min(
                    ends,
                    key=lambda end: (
                        bool(names[end]) and names[end - 1] == names[end],
                        alive[end - 1],
                        abs(end - start - USUAL_LAYERS),
                        end,
                    ),
                )
            )
        return starts

    def _alive(self, indices: list[int]) -> list[int]:
        """Count, for the gap after each position, the tensors written above and read below it."""
        place = {index: position for position, index in enumerate(indices)}
        change = [0] * (len(indices) + 1)
        for position, index in enumerate(indices):
            for use in self._layers[index].outputs:
                last = max(
                    (place.get(reader, 0) for reader in self._tensors[use.tensor].consumers), default=0
                )
                if last > position:
                    change[position] += 1
                    change[last] -= 1
        return list(accumulate(change))


def _label(names: Sequence[str], indices: Sequence[int]) -> str:
    """Name a run by the tiny modules in it, or by its first and its last layer."""
    first, last = indices[0], indices[-1]
    if all(names):
        return names[0] if names[0] == names[-1] else f"{names[0]} – {names[-1]}"
    if last - first >= len(indices):
        return "other layers"
    return f"layer {first}" if first == last else f"layers {first} – {last}"
