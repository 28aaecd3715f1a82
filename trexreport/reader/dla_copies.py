"""Find the copies to and from a DLA that a profile has beside the layers of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.model import InputWarning
from trexreport.model.fused_names import is_dla_transfer
from trexreport.numbers import counted
from trexreport.reader.graph_file import RawLayer
from trexreport.reader.layer_profile import LayerProfile


class DlaCopies(NamedTuple):
    """The copies, as layers of which only the names are known, and the note on them."""

    layers: tuple[RawLayer, ...] = ()
    notes: tuple[InputWarning, ...] = ()


def unlisted_dla_copies(layers: Sequence[RawLayer], profile: LayerProfile) -> DlaCopies:
    """Return the rows of a profile for copies and waits, which the layer information does not list.

    TensorRT times them as layers: "x to nvm", "y from nvm", "x copy finish" (NVIDIA/TensorRT issue 3143).
    """
    names = [row.name for row in profile.rows if layers and is_dla_transfer(row.name)]
    listed = {layer.name for layer in layers}
    copies = tuple(RawLayer(name, {}) for name in names if name not in listed)
    if not copies:
        return DlaCopies()
    what = counted(len(copies), "copy or wait", "copies and waits")
    message = f"The profile has {what} of a DLA, which the layer information does not list."
    return DlaCopies(copies, (InputWarning("info", "dla-copies", message),))
