"""TRX507 fusion.copies."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import only_copies, operations
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule


@rule(
    "TRX507",
    "fusion.copies",
    "warning",
    needs=("layers", "profile"),
    many="{count} layers only copy data.",
    subject="movement",
    thresholds=(
        Threshold("share_percent", 0.5, 0, 100, "A copy's share of the time from which it is told."),
    ),
)
def copies(context: Context, *, share_percent: float) -> list[Hit]:
    """A layer only copies data from one place to another.

    Cost:
        Slices, concatenations, transposes, paddings and reshapes that could not be made a matter of
        addresses read and write their whole tensor and compute nothing.

    Advice:
        Slice: let the layer before write its parts as outputs of their own. Concat: make its inputs of one
        type and layout, which lets their makers write into it in place. Transpose: export the model in the
        layout it computes in, or feed the input in it. Padding: give it to the convolution or pooling behind
        (symmetric zeros). Reshape at an input: change the binding's shape instead.
        Cast to the type that the data has: leave it out of the model.

    False alarm:
        What follows needs the data in that order, and would read it much more slowly otherwise.

    Bound:
        All the time of the layer.
    """
    return [
        Hit(
            f"It only copies data{for_time(context, [layer])}.",
            (layer,),
            layer.avg_ms,
            _traffic(layer),
        )
        for layer in context.layers
        if context.share_percent(layer.avg_ms or 0.0) >= max(share_percent, 1e-9) and only_copies(layer)
    ]


def _traffic(layer: LayerFacts) -> dict[str, str]:
    evidence = {"Operations": " · ".join(operations(layer) or [layer.type])}
    if layer.inputs and layer.outputs:
        before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
        evidence["Shape"] = f"{describe_shape(before)} → {describe_shape(after)}"
    return evidence
