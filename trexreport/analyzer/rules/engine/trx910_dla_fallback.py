"""TRX910 engine.dla-fallback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.engine.dla import dla_use, waits_for_one_part
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import timed
from trexreport.numbers import counted

_MAX_TYPES = 5


@built_in_rule(
    "warning",
    needs=(),
    thresholds=(min_share(2.0, "all these layers together"),),
    explains={
        "layers": ("TRX303", "TRX401", "TRX502", "TRX604", "TRX914", "TRX918"),
        "share": ("TRX911",),
    },
)
def dla_fallback(context: Context, *, share_percent: float) -> Hits:
    """Layers of an engine for a DLA run on the GPU.

    Cost:
        Each part of the network between two parts on the DLA copies its tensors from one to the other and
        back, and the GPU is not free for other work, which is what a DLA is used for.

    Recommendation:
        [unless dla-named: The build log names each layer that the DLA does not support, and why ("Switching
        this layer's device type to GPU").] [if dynamic-on-dla: Build with fixed shapes, as a DLA takes no
        dynamic ones.] [if fp32-on-dla: Let these layers compute in FP16 or INT8, as a DLA has no other
        types.] [..10, if fp32-on-dla, if no-half: --fp16 allows it.] [if not-on-dla: Build for the GPU alone
        otherwise.] Replace such operations in the model (kernel sizes, padding, types, batch and dynamic
        shapes have limits on a DLA). [if activates-on-gpu: Train the model with an activation that a DLA has,
        such as ReLU, a clipped ReLU (ReLU6), Sigmoid or TanH.] [if dla-full: Fewer layers on the GPU between
        the parts leave fewer parts, so that those beyond the limit of a DLA core run on it, too.] [if
        several-parts: Or move them to one end of the network, so that the DLA runs one part.] [if
        normalizes-on-gpu: Where the model can be trained with it, batch normalization, which folds into the
        convolution before it, takes the place of group and instance normalization.] [if mostly-on-gpu, unless
        not-on-dla: An engine for the GPU alone may be faster: compare both.] [8.6..: --layerDeviceTypes
        chooses the device of single layers.]

    False alarm:
        A few layers before or after the DLA's part, such as the decoding of detections, belong on the GPU,
        and an engine may be divided on purpose: without the options of the build it is information, and
        nothing where one part runs on the DLA, so that the GPU only begins or ends the work. Which layers run
        on the DLA is read from types, formats and names of layers; without layers, from what the log of the
        build says, whose list of the GPU's layers does not show which of them are between parts.

    Est. savings:
        Not estimated: how fast a DLA runs these layers is not known.
    """
    if not context.layers:
        yield from _stated_in_log(context)
    use = context.cached(dla_use)
    if not use.fallbacks or not context.is_significant(use.fallbacks, share_percent):
        return
    if not use.is_asked and len(use.on_dla) == 1:
        return
    layers = slowest_first(use.fallbacks)
    types = Counter(layer.type for layer in layers if layer.type).most_common(_MAX_TYPES)
    ran = counted(len(layers), "layer runs", "layers run")
    others = counted(len(use.on_dla), "part of the network runs", "parts of the network run")
    rest = f"; {others} on the DLA" if use.on_dla else "; none runs on the DLA"
    rest += _beyond_limit(context)
    yield Hit(
        f"{ran} on the GPU in an engine built for a DLA{timed(context, layers)}{rest}.",
        tuple(layers),
        None,
        {"Types": ", ".join(f"{count} {name}" for name, count in types)} if types else {},
        severity=None if use.is_asked or not use.on_dla else "info",
        affected=tuple(each for each in use.transfers if _is_beside(context, each, layers)),
    )


def _is_beside(context: Context, transfer: LayerFacts, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a transfer brings a tensor to layers on the GPU, or takes one from them."""
    if waits_for_one_part(context):
        return False
    near = {each.index for each in (*context.predecessors(transfer), *context.successors(transfer))}
    return not near.isdisjoint(each.index for each in layers)


def _stated_in_log(context: Context) -> Hits:
    """Yield what the log of a build states of the layers that no file describes."""
    count, _, refused = context.build_fact("Layers not on the DLA").partition(": ")
    parts, _, names = context.build_fact("Parts on the DLA").partition(": ")
    on_gpu, _, beside = context.build_fact("Layers beside the DLA").partition(": ")
    kinds = context.build_fact("Operations not on the DLA")
    unsupported = f"; the DLA does not support {kinds}" if kinds else ""
    if int(parts or 0) > 1 and on_gpu:
        layers = counted(int(on_gpu), "layer runs", "layers run")
        yield Hit(
            f"{counted(int(parts), 'part')} of the network run on the DLA, as the log lists them, and "
            f"{layers} on the GPU between or beside them ({beside}){unsupported}{_beyond_limit(context)}.",
            evidence={"On the DLA": names, "Types": context.build_fact("Types beside the DLA")},
        )
    elif count:
        alone = "; no layer runs on the DLA" if context.build_fact("Layers that a DLA can run") else ""
        reasons = context.build_fact("Reasons not on the DLA")
        stated = f". As TensorRT states, {reasons}" if reasons else ""
        yield Hit(
            f"The DLA does not support {counted(int(count), 'layer')}, which the GPU runs "
            f"({refused}){_beyond_limit(context)}{alone}{stated}."
        )
    elif limited := _stated_limit(context, "part"):
        yield Hit(f"{limited}.")


def _beyond_limit(context: Context) -> str:
    """Return a clause on the parts beside others that a core of the DLA takes no more; "" without any."""
    limited = _stated_limit(context, "further part")
    return f"; {limited}" if limited else ""


def _stated_limit(context: Context, part: str) -> str:
    """Return how many parts the GPU runs as a core of the DLA takes no more; empty where none is known."""
    more, _, limit = context.build_fact("Parts beyond the DLA's limit").rstrip(")").partition(" (limit: ")
    if not more:
        return ""
    runs = counted(int(more), f"{part} that the DLA supports runs", f"{part}s that the DLA supports run")
    return f"{runs} on the GPU, as a DLA core takes {limit}"
