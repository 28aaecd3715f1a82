"""Give each layer its measured time: by name, then by order among equal names, never by position alone.

Find the layers whose names a printed table of times cuts at the width of its column.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from itertools import takewhile
from operator import attrgetter, methodcaller

from trexreport.model import IMPOSSIBLE, InputWarning, Layer, LayerTime
from trexreport.numbers import list_names, middle_ellipsis
from trexreport.reader.layer_profile import LayerProfile

#: Shorter names are not cut.
_MIN_WIDTH = 20
#: A column cuts all long names at one width; one such name alone may just be the longest.
_MIN_CUT = 2
_ELLIPSES = ("...", "\u2026")
_LATENCY_PANELS = ("latency", "layers")
_SAME_RUN_HINT = "Export the layer information in the same run as the profile."
#: Layers that do work also where no kernel is named; others may alias their input, and so take no time.
_COMPUTING_TYPES = {
    *("Activation", "Convolution", "ConvActPool", "Deconvolution", "FullyConnected", "MatrixMultiply"),
    *("Normalization", "PointWise", "Pooling", "Resize", "Scale", "SoftMax", "gemm"),
}
#: What a layer has besides its time, in order.
_UNTIMED = attrgetter(*(field.name for field in fields(Layer) if field.name != "time"))


def join_profile(
    layers: Sequence[Layer], profile: LayerProfile, name: str
) -> tuple[tuple[Layer, ...], list[InputWarning]]:
    """Return the layers with their times, and notes of what did not find its counterpart."""
    # The last row of a name first, as they are taken from the end.
    waiting: dict[str, list[int]] = {}
    for position in reversed(range(len(profile.rows))):
        waiting.setdefault(profile.rows[position].name, []).append(position)
    joined = []
    unprofiled = []
    zero = []
    used = set()
    own = {layer.name for layer in layers}
    cut = cut_names([layer.name for layer in layers], [row.name for row in profile.rows])
    for layer in layers:
        queue = waiting.get(cut.get(layer.name, layer.name)) or _other_spelling(layer.name, waiting, own)
        if queue:
            position = queue.pop()
            used.add(position)
            time = profile.rows[position].time
            if _is_impossibly_zero(layer, time):
                zero.append(layer.name)
                time = None
            joined.append(_with_time(layer, time))
        else:
            joined.append(layer)
            if not layer.is_structural:
                unprofiled.append(layer.name)
    left = [row.name for position, row in enumerate(profile.rows) if position not in used]
    repeated = [each for each in left if each in own]
    foreign = [each for each in left if each not in own]
    notes = _notes(unprofiled, foreign, len(profile.rows), name)
    if cut:
        message = f"{name} cuts the names of layers, which were found by their beginnings: {len(cut)}."
        notes.append(InputWarning("repaired", "profile-names-cut", message, name))
    if repeated:
        message = f"Entries of {name} that repeat a layer's, which were left out: {_few(repeated)}."
        notes.append(InputWarning("degraded", IMPOSSIBLE, message, name, _LATENCY_PANELS))
    if zero:
        message = (
            f"Layers that compute and take 0 ms in {name}, so that their times are unknown: {_few(zero)}."
        )
        notes.append(InputWarning("degraded", IMPOSSIBLE, message, name, _LATENCY_PANELS))
    return tuple(joined), notes


def _is_impossibly_zero(layer: Layer, time: LayerTime | None) -> bool:
    """Return whether a layer takes no time although it computes something."""
    if time is None or time.avg_ms or time.median_ms or time.total_ms or layer.is_structural:
        return False
    is_empty = bool(layer.outputs) and all(0 in each.dimensions for each in layer.outputs)
    return not is_empty and (bool(layer.tactic) or layer.type in _COMPUTING_TYPES)


def _with_time(layer: Layer, time: LayerTime | None) -> Layer:
    # dataclasses.replace takes several times as long.
    return Layer(*(*_UNTIMED(layer), time))


def _other_spelling(name: str, waiting: dict[str, list[int]], own: set[str]) -> list[int] | None:
    """Look for the name as JSON escapes it, and as JSON reads it where it was not escaped.

    trtexec writes names into its profile as they are, so that a backslash in them changes what is read.
    """
    spellings = [json.dumps(name, ensure_ascii=False)[1:-1]]
    if "\\" in name:
        with suppress(ValueError):
            spellings.append(json.loads(f'"{name}"', strict=False))
    return next((waiting[each] for each in spellings if each not in own and each in waiting), None)


def _notes(unprofiled: list[str], left: list[str], rows: int, name: str) -> list[InputWarning]:
    notes = []
    if rows and len(left) == rows:
        message = f"No layer of {name} is in the graph file: they are of different engines or builds."
        return [
            InputWarning(
                "degraded", "profile-of-other-engine", message, name, _LATENCY_PANELS, _SAME_RUN_HINT
            )
        ]
    if unprofiled:
        message = f"Layers that are not in {name}, and so have no time: {_few(unprofiled)}."
        notes.append(InputWarning("degraded", "layers-not-profiled", message, name, _LATENCY_PANELS))
    if left:
        message = f"Entries of {name} that are not layers of the graph file: {_few(left)}."
        notes.append(
            InputWarning("degraded", "profile-without-layer", message, name, _LATENCY_PANELS, _SAME_RUN_HINT)
        )
    return notes


def _few(names: list[str]) -> str:
    shown = (name if name.strip() else f'"{name}"' for name in names)
    return list_names([middle_ellipsis(name, 60) for name in shown], 3)


def cut_names(layers: Sequence[str], rows: Sequence[str]) -> dict[str, str]:
    """Return names of layers to the names of the rows that are their beginnings.

    A row may be cut if it ends with an ellipsis, or if no row is longer and several are as long. As many
    layers as rows must begin so, else which is which is not known.

    Args:
        layers: The names of all layers.
        rows: Those of the table, in its order.
    """
    known, count = set(layers), Counter(rows)
    widest = max(map(len, rows), default=0)
    if sum(len(row) == widest for row in rows) < _MIN_CUT:
        widest = 0
    cut = [(row, beginning) for row in count if row not in known and (beginning := _beginning(row, widest))]
    names = sorted(name for name in layers if name not in count) if cut else []
    found: dict[str, str] = {}
    for row, beginning in cut:
        # Names that begin alike stand together.
        rest = (names[at] for at in range(bisect_left(names, beginning), len(names)))
        whole = list(takewhile(methodcaller("startswith", beginning), rest))
        if len(whole) == count[row]:
            found.update(dict.fromkeys(whole, row))
    return found


def _beginning(row: str, widest: int) -> str:
    """Return what a row has of a name, or an empty text if the name is whole."""
    ellipsis = next((each for each in _ELLIPSES if row.endswith(each)), "")
    left = row.removesuffix(ellipsis)
    return left if len(left) >= _MIN_WIDTH and (ellipsis or len(row) == widest) else ""
