"""TRX914 engine.dominant-layer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import first_node, is_dense
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.memory.weights import reads_weights
from trexreport.analyzer.rules.patterns import is_conversion
from trexreport.analyzer.rules.phrases import LAYER, counted_operations, describe_tensor, takes_time
from trexreport.analyzer.rules.usual_times import usual_ms
from trexreport.numbers import counted, format_ms, format_percent, list_names, middle_ellipsis
from trexreport.regex import regex

#: In engines of fewer layers one takes a large share whatever it does.
_MIN_LAYERS = 10
#: Several layers dominate if each takes this share of layer time, in percent.
_MIN_OF_FEW = 10.0
#: From this part of the roofline on, in percent, a kernel is about as fast as kernels are.
_NEAR_PERCENT = 50.0
#: Which part of GPU compute time the other layers take where they take all of it, as measured twice.
_NEARLY = 0.98
_MAX_NAME_WIDTH = 80
#: Fewer layers of one name show no kind.
_MIN_OF_A_KIND = 2
_MAX_OPERATIONS = 8
#: TensorRT joins the nodes of one layer with " + ", and layers that one kernel computes together with " || ".
_TOGETHER, _NODES = " || ", regex(r" (?:\+|\|\|) ")


@built_in_rule(
    "info",
    explains={"share": ("TRX605",)},
    needs=("profile",),
    thresholds=(
        min_share(20.0, "the layer"),
        Threshold("factor", 2.0, 1, 1e6, "Minimum factor to the time of the next layer."),
        percent("outstanding_percent", 10.0, "Minimum share of one of at least `outstanding-factor`."),
        Threshold("outstanding_factor", 3.0, 1, 1e6, "Factor from which `outstanding-percent` counts."),
        percent("warning_percent", 30.0, "Share from which on it is a warning, in percent of layer time."),
    ),
)
def dominant_layer(
    context: Context,
    *,
    share_percent: float,
    factor: float,
    outstanding_percent: float,
    outstanding_factor: float,
    warning_percent: float,
) -> Hits:
    """One layer, or each of a few, takes far more time than any other.

    Cost:
        What is saved in other layers hardly changes the latency as long as these take so much of it.

    Recommendation:
        [if multiplies: Look there first: how many pixels or tokens and how many channels it computes, in
        which type, and with which kernel. Fewer of them, a lower precision or another operation in the model
        save the most here.] [unless multiplies: Look there first: what it reads and computes, and whether the
        model needs all of it.] [if joined: TensorRT computes several layers in one kernel: look at each of
        them.] [if deconvolution: A deconvolution with a kernel larger than its stride computes several values
        for each pixel: a resize or pixel shuffle behind a convolution may compute less.] [if few-outputs: Few
        output channels leave most of each tile empty: a smaller kernel, or a pixel shuffle behind a
        convolution of more channels and fewer pixels, computes less.] [if dense: A fully connected layer at a
        small batch mostly reads its weights: a larger batch uses them more often, fewer bits make them
        smaller.] Nsight Compute shows what limits the kernel.

    False alarm:
        The layer does most of the model's work and runs as fast as the GPU allows. Where the other
        layers alone take as long as the engine, the layer is left out, as most of its time may be
        waiting for the host or the input. Layers of other rules are passed over: Myelin regions
        (ForeignNode), plugins, reformats, products that mostly read weights (TRX602), parts on a DLA.
        It is information below 30% of layer time, and where the layers reach half of the roofline; one
        of less than 20% that does is left out.
        Engines of fewer than 10 layers and profiles that lack layers are left out.

    Est. savings:
        Not estimated: what the layer can save depends on its work.
    """
    measured = sorted((layer for layer in context.layers if layer.avg_ms), key=lambda layer: -usual_ms(layer))
    if len(measured) < _MIN_LAYERS or context.lacks_layers:
        return
    place = next((at for at, each in enumerate(measured[:-1]) if not _has_own_rule(context, each)), None)
    if place is None:
        return
    layer, following = measured[place : place + 2]
    times_longer = usual_ms(layer) / usual_ms(following)
    least = outstanding_percent if times_longer >= outstanding_factor else share_percent
    found = [layer]
    if times_longer < factor:
        found, least = _few(context, measured[place:], share_percent), share_percent
        following = measured[place + len(found)] if place + len(found) < len(measured) else layer
        times_longer = usual_ms(found[-1]) / usual_ms(following)
    if all(map(_is_near_roof, found)):
        least = max(least, share_percent)  # Below, it is as fast as it can be beside all that is not.
    if times_longer < factor or not context.is_significant([found[-1]], least):
        return
    if is_mostly_launch(context, layer) or _may_wait(context, found):
        return
    times = format_percent(context.share_percent(following.avg_ms or 0.0) / 100)
    which = LAYER if len(found) == 1 else f"{len(found)} layers"
    shown = _known(layer) if len(found) == 1 else {}
    alike = _of_its_kind(context, layer) if len(found) == 1 else ""
    much = context.is_significant(found, warning_percent) and not all(map(_is_near_roof, found))
    yield Hit(
        f"{which} {takes_time(context, found)}, the next layer {times}{alike}.",
        tuple(found),
        None,
        shown,
        severity="warning" if much else None,
    )


def _is_near_roof(layer: LayerFacts) -> bool:
    """Return whether a layer computes, or moves its bytes, about as fast as kernels do."""
    return layer.roof is not None and (layer.roof.reached_percent or 0.0) >= _NEAR_PERCENT


def _of_its_kind(context: Context, layer: LayerFacts) -> str:
    """Return what fully connected layers whose names differ only in numbers take together, or ""."""
    kind = re.sub(r"\d+", "#", first_node(layer))
    of_kind = (each for each in context.layers if re.sub(r"\d+", "#", first_node(each)) == kind)
    members = [each for each in of_kind if each.avg_ms]
    if not is_dense(layer) or len(members) < _MIN_OF_A_KIND:
        return ""
    share = format_percent(context.share_percent(context.time_ms(members)) / 100)
    return f"; with {counted(len(members) - 1, 'layer')} of such names it takes {share}"


def _few(context: Context, measured: Sequence[LayerFacts], share_percent: float) -> list[LayerFacts]:
    """Return the slowest layers that each take a share of layer time, if other rules report none of them."""
    least = max(share_percent, _MIN_OF_FEW)
    found = list(takewhile(lambda each: context.is_significant([each], least), measured))
    if any(_has_own_rule(context, each) for each in found):
        return list(measured[:1])
    return found or list(measured[:1])


def _has_own_rule(context: Context, layer: LayerFacts) -> bool:
    """Return whether the layer is of a kind that other rules report."""
    return (
        context.is_opaque(layer)
        or context.is_plugin(layer)
        or reads_weights(context, layer)
        or is_conversion(context, layer)
        or is_named_reformat(layer)
        or is_named_move(layer)
        or layer.index in context.cached(_of_dla)
    )


def _of_dla(context: Context) -> frozenset[int]:
    """Return the indices of the layers on a DLA, and of those that copy to and from it."""
    use = context.cached(dla_use)
    return frozenset(each.index for each in (*use.on_dla, *use.transfers))


def _may_wait(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether the other layers alone take the time of the whole engine."""
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    return whole is not None and context.total_ms - context.time_ms(layers) >= _NEARLY * whole.median_ms


def _known(layer: LayerFacts) -> dict[str, str]:
    """Return what is known of a layer's work, as evidence."""
    nodes = list(layer.origins) or _NODES.split(layer.name)
    roof, tensors = layer.roof, (*layer.inputs[:1], *layer.outputs[:1])
    together = len(layer.name.split(_TOGETHER))
    shown = {
        "Layer type": layer.type,
        "ONNX operations": list_names(counted_operations(nodes), _MAX_OPERATIONS),
        "In one kernel": counted(together, "layer") if together > 1 else "",
        "ONNX nodes": list_names([middle_ellipsis(each, _MAX_NAME_WIDTH) for each in nodes], _MAX_OPERATIONS),
        "Tensors": " → ".join(describe_tensor(each) for each in tensors),
        "Kernel": layer.tactic,
        "Bound": f"{roof.bound}, roofline time {format_ms(roof.roof_ms)}" if roof and roof.bound else "",
    }
    return {label: text for label, text in shown.items() if text}
