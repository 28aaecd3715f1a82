"""TRX207 reformat.around-plugin."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_formats,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.numbers import counted


@rule(
    "TRX207",
    "reformat.around-plugin",
    "warning",
    needs=("layers", "profile"),
    many="{count} plugins have reformats beside them.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def around_plugin(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A plugin has reformats beside it.

    Cost:
        A plugin takes and gives the types and layouts that its author wrote it for, often FP32 or FP16 in the
        plain layout. Its neighbors' data is converted before it and back behind it.

    Advice:
        Let the plugin support what its neighbors use: more combinations in `supportsFormatCombination`
        (FP16 or INT8; kHWC8, kCHW32). Or replace it by operations that TensorRT has itself: InstanceNorm and
        GroupNorm became layers (INormalizationLayer) in 8.6, and are fused by Myelin since 10.

    False alarm:
        The plugin was timed in both layouts and is slower in the other by more than the reformats take.

    Bound:
        All the time of the reformats beside the plugin; the plugin's own time is not counted.
    """
    found = context.once(reformat_places).around_plugins
    if not context.may_matter([layer for _, layers in found for layer in layers], share_percent):
        return
    for plugin, layers in found:
        if context.may_matter(layers, place_percent):
            formats = dict.fromkeys(describe_formats([layer]) for layer in layers)
            yield Hit(
                f"{counted(len(layers), 'reformat')} beside it run{'s' if len(layers) == 1 else ''}"
                f"{for_time(context, layers)}.",
                (plugin, *layers),
                context.time_ms(layers),
                {"Formats": "; ".join(formats), "Shape": describe_shape(layers[0].outputs[0].dimensions)},
            )
