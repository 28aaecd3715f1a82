"""Which layers of an engine that was built for a DLA run on it.

Names are those of TensorRT's profiles of DLA engines (NVIDIA/TensorRT issue 3143): a part of the network on
a DLA is one layer, `{ForeignNode[first...last]}` or before TensorRT 8 `{first,...,last}`; copies are "x to
nvm", "y from nvm", "x copy finish" and "{...} output reformatter 0". Formats of DLA tensors are those of
`nvinfer1::TensorFormat`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.engine.build_flags import flags_used
from trexreport.analyzer.rules.layer_names import is_named_dla_part
from trexreport.model.fused_names import is_dla_transfer
from trexreport.regex import regex

_CONVERSION = regex(r" (?:in|out)put reformatter \d+$|^Reformatting CopyNode ")
_TO_PART = regex(r"^Reformatting CopyNode for Input Tensor \d+ to \{", re.ASCII)
_FINISH = regex(r" finish$")
#: A part of the network that begins with a convolution: "{ForeignNode[conv1/7x7...fc]}".
_FROM_CONVOLUTION = regex(r"^\{ForeignNode\[(?:[^]]*?[/._])??conv[^]]*?\.\.\.", re.ASCII | re.IGNORECASE)
#: Part of the time of transfers from which on one of them waits for the DLA.
_MOSTLY_WAITS = 0.8
_AFTER_NETWORK = regex(r"soft-?max|prob", re.ASCII | re.IGNORECASE)
#: Compute capabilities, times ten, of GPUs beside a DLA: Xavier and Orin, but for Orin Nano.
_BESIDE_DLA = frozenset({72, 87})


@dataclass
class DlaUse:
    """The layers of an engine for a DLA, by where they run; all empty for other engines.

    Attributes:
        is_asked: The options of the build state that it is for a DLA.
        transfers: Layers that copy between the memories of DLA and GPU, convert, or wait for the DLA.
        fallbacks: Layers of the network that run on the GPU.
    """

    is_asked: bool = False
    on_dla: list[LayerFacts] = field(default_factory=list)
    transfers: list[LayerFacts] = field(default_factory=list)
    fallbacks: list[LayerFacts] = field(default_factory=list)


def dla_use(context: Context) -> DlaUse:
    """Return which layers run on a DLA; call it through `Context.cached`."""
    fallback_is_allowed = context.build_option("Allow GPU fallback for DLA") == "Enabled"
    found = DlaUse(is_asked=fallback_is_allowed or "--useDLACore" in flags_used(context))
    if not found.is_asked and not _shows_dla(context.layers):
        return found
    is_after = False
    for layer in context.layers:
        converts = context.is_reformat(layer) or bool(_CONVERSION.search(layer.name))
        if is_dla_transfer(layer.name):
            found.transfers.append(layer)
        elif _is_region(layer):
            found.on_dla.append(layer)
            is_after = True
        elif converts or (is_after and _FINISH.search(layer.name)):
            # What follows a part on the DLA waits for it.
            if (
                is_after
                or _has_dla_format(layer)
                or layer.name.startswith("{")
                or _is_beside_part(context, layer)
            ):
                found.transfers.append(layer)
        elif not layer.structural:
            found.fallbacks.append(layer)
            is_after = False
    return found


def waits_for_one_part(context: Context, _: Sequence[LayerFacts] = ()) -> bool:
    """Return whether one transfer takes nearly all of the transfers' time, beside a single part on a DLA."""
    use = context.cached(dla_use)
    times = sorted(each.avg_ms or 0.0 for each in use.transfers)
    return len(use.on_dla) == 1 and bool(times) and times[-1] >= _MOSTLY_WAITS * math.fsum(times) > 0


def may_be_on_dla(context: Context, layer: LayerFacts) -> bool:
    """Return whether a region that nothing calls Myelin's begins with a convolution, as parts on a DLA do.

    The GPU is one beside a DLA, or not known and the region is all of the network but a softmax.
    """
    if layer.type not in {"", "ForeignNode"} or not _FROM_CONVOLUTION.search(layer.name):
        return False
    gpu, capability = context.analysis.roofline.gpu, context.stated_compute_capability
    device = context.analysis.settings.get("Device", {}).get("Selected Device", "")
    names = f"{gpu.name if gpu else ''} {device}".lower()
    if "nano" in names:
        return False
    if capability is not None or names.strip():
        return capability in _BESIDE_DLA or "xavier" in names or "orin" in names
    others = (each for each in context.layers if not (each.structural or _is_region(each)))
    return not context.lacks_layers and all(
        _AFTER_NETWORK.search(each.name) or _CONVERSION.search(each.name) or context.is_reformat(each)
        for each in others
    )


def _shows_dla(layers: Sequence[LayerFacts]) -> bool:
    """Return whether only an engine with a part on a DLA has such layers."""
    if any(each.upper().startswith("DLA") for each in {layer.type for layer in layers}):
        return True
    formats = {use.format for layer in layers for use in layer.inputs}
    formats |= {use.format for layer in layers for use in layer.outputs}
    names = (layer.name for layer in layers)
    # Of nearly all names the first is false.
    return any("DLA" in each for each in formats) or any(
        is_named_dla_part(name) or (" nvm" in name and is_dla_transfer(name))
        for name in names
        if name[:1] == "{" or " nvm" in name
    )


def _is_region(layer: LayerFacts) -> bool:
    """Return whether a layer is a part of the network on a DLA; those that Myelin runs on the GPU say so."""
    if layer.type.upper().startswith("DLA"):
        return True
    return layer.name.startswith("{") and layer.name.endswith("}") and layer.type not in {"Myelin", "kgen"}


def _is_beside_part(context: Context, layer: LayerFacts) -> bool:
    """Return whether a part on the DLA is beside a layer, as tensors or its name show it."""
    if _TO_PART.search(layer.name):
        return True
    return any(map(_is_region, (*context.successors(layer), *context.predecessors(layer))))


def _has_dla_format(layer: LayerFacts) -> bool:
    return any("DLA" in use.format for use in (*layer.inputs, *layer.outputs))
