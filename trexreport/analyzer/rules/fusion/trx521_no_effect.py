"""TRX521 fusion.no-effect."""

from __future__ import annotations

from trexreport.analyzer.analysis.gains import Gain
from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS
from trexreport.analyzer.rules.fusion.attention_parts import layers_of_attentions
from trexreport.analyzer.rules.gains import from_zero, of_layers, removed
from trexreport.analyzer.rules.layer_kinds import CHOOSING, chooses
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import activations, is_softmax, operations, path_to_only_consumer
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.analyzer.rules.savings import worthwhile

#: Functions that increase with their one argument, and the conversions beside them.
_INCREASING, _BESIDE = frozenset({"Exp", "Log", "Sigmoid", "Softplus", "Tanh"}), frozenset({"Cast", "Move"})
#: A kernel that does nothing to the values among which it chooses.
_CHOICE = CHOOSING | MOVES
#: What a softmax or log-softmax consists of in a generated kernel.
_SOFTMAX = _BESIDE | {
    "Div",
    "Exp",
    "Log",
    "Max",
    "Maxr",
    "MaxReduce",
    "Mul",
    "Reduce",
    "Softmax",
    "Sub",
    "Sum",
}


@built_in_rule(
    "warning",
    needs=("layers",),
    many="{count} layers do not change what the engine computes{extent}.",
    thresholds=(min_gain(1),),
    explains={"layers": ("TRX401", "TRX509", "TRX604", "TRX914", "TRX918"), "share": ("TRX601",)},
)
@worthwhile
def no_effect(context: Context) -> Hits:
    """A layer does not change what the engine computes.

    Cost:
        The largest of several values stays the largest after a softmax, a sigmoid, an exponential or a
        logarithm, so that an ArgMax or TopK behind it finds the same places. A Resize to the size that its
        input has copies it.

    Recommendation:
        [unless resizes: Choose among the values before it. If the chosen values themselves are needed,
        compute a sigmoid of these alone, or divide their exponentials by the sum of all.] [if resizes: Remove
        it from the model, or from the code that computes its size.]

    False alarm:
        The softmax is not along the axis along which ArgMax or TopK chooses. Two values that rounding makes
        equal may change places. Of what moves or scales an image by a fraction of a pixel (ROIs of a
        Resize), the size says nothing.

    Est. savings:
        An estimate: the time of the layer; from 0 where a softmax is not known to be along the axis of the
        choice, or a Resize converts its tensor as well or reads a further one (its ROI), and up to the time
        of its result where the chosen values are needed.
    """
    attention, any_chooses = context.cached(layers_of_attentions), context.has_kind(chooses)
    for layer in context.layers:
        if _resizes_nothing(layer):
            yield Hit(
                f"{LAYER} resizes to the size of its input{timed(context, [layer])}.",
                (layer,),
                _gain_of_resize(context, layer),
            )
        if not any_chooses or layer.index in attention or not _keeps_order(context, layer):
            continue
        _, choice = path_to_only_consumer(context, layer)
        if choice is None or not _only_chooses(choice) or len(activations(context, choice)) != 1:
            continue
        axes = _axis_of_choice(choice), _axis_of_softmax(layer)
        if is_softmax(layer) and None not in axes and axes[0] != axes[1]:
            continue
        kind = "softmax" if is_softmax(layer) else "function that keeps the order"
        text = f"{LAYER}, a {kind}, does not change what {choice.name} chooses{timed(context, [layer])}."
        yield Hit(text, (layer,), _gain(context, layer, choice, is_certain=None not in axes))


def _keeps_order(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only computes an increasing function of each value, or a softmax."""
    if len(layer.inputs) != 1 or len(activations(context, layer)) != 1:
        return False
    found = frozenset(operations(layer))
    if is_softmax(layer):
        return _SOFTMAX.issuperset(found) and not layer.weights_bytes
    return not _INCREASING.isdisjoint(found) and (_INCREASING | _BESIDE).issuperset(found)


def _only_chooses(layer: LayerFacts) -> bool:
    """Return whether a layer chooses among what it reads; a kernel may first add a bias, as routers do."""
    return chooses(layer) and (layer.type in CHOOSING or _CHOICE.issuperset(layer.operations))


def _resizes_nothing(layer: LayerFacts) -> bool:
    """Return whether a layer only resizes, to the extents that it reads."""
    if layer.type != "Resize" and set(layer.operations) != {"Resize"}:
        return False
    read, written = ([use.dimensions for use in uses] for uses in (layer.inputs[:1], layer.outputs))
    return read == written != [] and min(read[0], default=0) > 0


def _gain_of_resize(context: Context, layer: LayerFacts) -> Gain | None:
    """Return what is saved without a Resize; one that converts, or reads a place in an image, may remain."""
    gain = removed([layer], "estimate")
    keeps_format = layer.inputs[0].format == layer.outputs[0].format
    return gain if keeps_format and len(activations(context, layer)) == 1 else from_zero(gain)


def _axis_of_choice(choice: LayerFacts) -> int | None:
    """Return the axis along which a layer chooses: the one whose extent changes, or that is left out."""
    read, written = ([*uses[0].dimensions] if uses else [] for uses in (choice.inputs, choice.outputs))
    changed = [
        at
        for at in range(len(read))
        if written in ([*read[:at], *written[at : at + 1], *read[at + 1 :]], [*read[:at], *read[at + 1 :]])
    ]
    return changed[0] if len(changed) == 1 else None


def _axis_of_softmax(layer: LayerFacts) -> int | None:
    """Return the axis of a softmax that states one, as a bit, or None."""
    bits = layer.attributes.get("Axes")
    return bits.bit_length() - 1 if isinstance(bits, int) and bits > 0 else None


def _gain(context: Context, layer: LayerFacts, choice: LayerFacts, *, is_certain: bool) -> Gain:
    """Return what the choice among the values before a layer saves."""
    chosen = [use for use in choice.outputs if context.tensor(use.tensor).data_type in FLOATS]
    are_needed = any(context.is_output(use.tensor) or context.consumers(use.tensor) for use in chosen)
    time_ms = layer.avg_ms or 0.0
    if not is_softmax(layer):
        return removed([layer], "estimate")
    if are_needed:
        written, moved = layer.outputs[0].size_bytes or 0, layer.moved_bytes or 0
        return of_layers(
            "estimate", [(layer, 0.0, time_ms * written / moved if moved else time_ms)], "less-traffic"
        )
    return of_layers("estimate", [(layer, time_ms if is_certain else 0.0, time_ms)], "removed-layers")
