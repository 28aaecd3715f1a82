"""See that the layers in a log are an excerpt of an engine's, so that figures are of a part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from trexreport.model import InputWarning
from trexreport.numbers import counted
from trexreport.reader.verbose_layers import HEADING, broken_lines

#: What of a note says that the layers are an excerpt: what none of them writes may be no input.
SLUG = "log-layers-excerpt"
_SIDES = ("Inputs", "Outputs")
_HINT = "Give the whole log, as the program wrote it."


def excerpt_note(records: Sequence[Mapping[str, Any]], log: str) -> InputWarning | None:
    """Return by what the layers of a log that lists no inputs and outputs show that some are missing.

    Args:
        records: The layers.
        log: A verbose log; empty for a log in the inspector's one-line format.
    """
    signs = []
    if log and HEADING not in log:
        signs.append("the heading of the list is missing")
    if (parts := _parts(records)) > 1:
        signs.append(f"they are in {parts} parts that share no tensor")
    # A terminal breaks lines of whole lists, too.
    if signs and (broken := broken_lines(log)):
        are = "is" if len(broken) == 1 else "are"
        signs.append(f"{counted(len(broken), 'line')} {are} broken, the first of them line {broken[0]}")
    if not signs:
        return None
    listed = counted(len(records), "layer")
    message = f"The log lists {listed}, likely an excerpt, and all figures are of these: {'; '.join(signs)}."
    return InputWarning("degraded", SLUG, message, "", ("overview", "layers", "graph", "memory"), _HINT)


def _parts(records: Sequence[Mapping[str, Any]]) -> int:
    """Return into how many parts the layers fall that state tensors.

    What a layer reads and none writes may be another's output by a reshape that TensorRT left out.
    """
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    read, written = (
        {tensor["Name"] for each in records for tensor in _tensors(each, side)} for side in _SIDES
    )
    for record in records:
        tensors = [tensor for side in _SIDES for tensor in _tensors(record, side)]
        for tensor in tensors:
            group[root(tensor["Name"])] = root(tensors[0]["Name"])
            if (tensor["Name"] in read) != (tensor["Name"] in written):
                elements = math.prod(each for each in tensor["Dimensions"] if isinstance(each, int))
                group[root(f"of {abs(elements)} elements")] = root(tensor["Name"])
    return sum(name == owner for name, owner in group.items())


def _tensors(record: Mapping[str, Any], side: str) -> list[Mapping[str, Any]]:
    tensors = [tensor for tensor in record.get(side) or () if isinstance(tensor, dict)]
    return [
        each
        for each in tensors
        if isinstance(each.get("Name"), str) and isinstance(each.get("Dimensions"), list)
    ]
