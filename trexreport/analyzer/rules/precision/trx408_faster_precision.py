"""TRX408 precision.faster-precision."""

from __future__ import annotations

from trexreport.analyzer.analysis.tactics import FormatsFacts, LayerTactics
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_difference, min_share
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.numbers import format_ms, format_percent

#: Less is within the noise of the few runs in which the builder times a tactic.
_MIN_DIFFERENCE_MS = 0.002
#: Types whose tactics can take the place of each other.
_COMPUTED = FLOATS | QUANTIZED | {"TF32"}


@built_in_rule(
    "info",
    needs=("layers", "tactics"),
    section="tactics",
    many="{count} layers use a slower tactic than one that the builder timed in another precision{extent}.",
    thresholds=(
        min_difference(10, "of the fastest tactic in the other precision, in percent of the chosen one"),
        min_share(1, "a layer"),
    ),
)
def faster_precision(context: Context, *, difference_percent: float, share_percent: float) -> Hits:
    """The builder timed a faster tactic in another precision than the one that the layer uses.

    Cost:
        Q/DQ nodes, precisions that the network or the build options state, and reformats around a layer can
        make the builder choose a slower tactic. A layer that is slower in INT8 than in FP16 is quantized in
        vain.

    Recommendation:
        [if explicit: Leave out the Q/DQ nodes around a layer that is slower when quantized.] [8.4..10,
        unless typed, unless no-layer-types: Check whether --layerPrecisions with --precisionConstraints
        states its type.] If a reformat next to the layer is the reason, let its neighbors compute in the same
        type.

    False alarm:
        The builder chooses for the engine as a whole: reformats that the faster tactic needs may take longer
        than it saves. Times of the build are from few runs, so differences of less than 10% or 2 µs are not
        reported, nor layers with less than 1% of layer time. A quantized layer that is slower than in FP16 or
        FP32 is a warning.

    Est. savings:
        An estimate for each layer: its time, times the difference of the two tactics in the build, down to
        nothing if reformats take as long.
    """
    tactics = context.analysis.tactics
    for each in tactics.layers if tactics else ():
        if each.layer is None or not each.chosen_ms or each.operation:
            continue
        layer, other = context.layers[each.layer], _faster(each, difference_percent)
        if other is None or not _counts(context, layer, share_percent):
            continue
        saved = -(other.difference_percent or 0.0) / 100
        gain = (
            of_layers("estimate", [(layer, 0.0, saved * (layer.avg_ms or 0.0))], "rule")
            if layer.avg_ms
            else None
        )
        is_in_vain = each.precision in QUANTIZED and other.precision in FLOATS
        yield Hit(
            f"{LAYER}{timed(context, [layer])} uses {each.precision} and took {format_ms(each.chosen_ms)} "
            f"in the build; a tactic in {other.precision} took {format_ms(other.fastest_ms)}, "
            f"{format_percent(saved)} less.",
            (layer,),
            gain,
            {"Chosen": each.precision, "Faster": other.precision},
            severity="warning" if is_in_vain and layer.avg_ms else None,
        )


def _faster(layer: LayerTactics, difference_percent: float) -> FormatsFacts | None:
    """Return the fastest combination of formats in another precision, if it is faster by enough."""
    found = [
        each
        for each in layer.formats
        if each.outcome == "faster"
        and each.precision != layer.precision
        and {each.precision, layer.precision} <= _COMPUTED
        and (each.difference_percent or 0.0) <= -difference_percent
        and (layer.chosen_ms or 0.0) - (each.fastest_ms or 0.0) >= _MIN_DIFFERENCE_MS
    ]
    return min(found, key=lambda each: each.fastest_ms or 0.0, default=None)


def _counts(context: Context, layer: LayerFacts, share_percent: float) -> bool:
    """Return whether a layer takes enough time; without a profile any may."""
    return not context.total_ms or context.share_percent(layer.avg_ms or 0.0) >= share_percent
