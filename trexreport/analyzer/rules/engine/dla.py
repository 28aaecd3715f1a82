"""Which layers of an engine that was built for a DLA run on it.

Names of the transfers, and that a part of the network on a DLA is one layer `{ForeignNode[first...last]}`, as
in TensorRT's profiles of DLA engines (NVIDIA/TensorRT issue 3143); formats of DLA tensors as in
`nvinfer1::TensorFormat`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.build_flags import flags_used

_TRANSFER = re.compile(r" (?:to|from) nvm$|^nvm | copy finish$")
_REGION = "{ForeignNode["


@dataclass
class DlaUse:
    """The layers of an engine for a DLA, by where they run; all empty for other engines.

    Attributes:
        is_built_for: The build was asked to use a DLA, or some layers run on one.
        transfers: Layers that copy between the memories of DLA and GPU, or wait for that.
        conversions: Reformats to and from formats of the DLA.
        fallbacks: Layers of the network that run on the GPU.
    """

    is_built_for: bool = False
    on_dla: list[LayerFacts] = field(default_factory=list)
    transfers: list[LayerFacts] = field(default_factory=list)
    conversions: list[LayerFacts] = field(default_factory=list)
    fallbacks: list[LayerFacts] = field(default_factory=list)


def dla_use(context: Context) -> DlaUse:
    """Return which layers run on a DLA; call it through `Context.cached`."""
    asked = "--useDLACore" in flags_used(context) or (
        context.build_option("Allow GPU fallback for DLA") == "Enabled"
    )
    transfers = {layer.index for layer in context.layers if _TRANSFER.search(layer.name)}
    certain = {layer.index for layer in context.layers if layer.type.upper().startswith("DLA")}
    if not (asked or transfers or certain or any(_has_dla_format(layer) for layer in context.layers)):
        return DlaUse()
    found = DlaUse(is_built_for=True)
    for layer in context.layers:
        if layer.index in transfers:
            found.transfers.append(layer)
        elif layer.index in certain or _is_region(layer):
            found.on_dla.append(layer)
        elif context.is_reformat(layer):
            if _has_dla_format(layer):
                found.conversions.append(layer)
        elif not layer.structural:
            found.fallbacks.append(layer)
    return found


def _is_region(layer: LayerFacts) -> bool:
    """Return whether a layer is a part of the network on a DLA; those that Myelin runs on the GPU say so."""
    return layer.name.startswith(_REGION) and layer.type not in {"Myelin", "kgen"}


def _has_dla_format(layer: LayerFacts) -> bool:
    return any("DLA" in use.format for use in (*layer.inputs, *layer.outputs))
