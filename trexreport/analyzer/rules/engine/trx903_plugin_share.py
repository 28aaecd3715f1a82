"""TRX903 engine.plugin-share."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted, middle_ellipsis

_WIDEST_NAME = 80


@rule(
    "TRX903",
    "engine.plugin-share",
    "info",
    many="{count} kinds of plugins take a large part of the time.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 2.0, 0, 100, "Time of one kind of plugin, in percent of the layers' sum."),
    ),
)
def plugin_share(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Plugins take a large part of the time.

    Cost:
        TensorRT fuses nothing into a plugin, cannot choose among kernels for it and often must reformat its
        inputs and outputs, as most plugins know few types and layouts.

    Advice:
        See whether TensorRT has the operation itself and leave the plugin out: InstanceNormalization is
        native from 10.0 on, and in 8.6 with the parser flag NATIVE_INSTANCENORM, attention from 10.14 on.
        Else let the plugin accept FP16 or INT8 and the layouts of its neighbors, and put the pointwise
        work around it inside.

    False alarm:
        The plugin is there because it is faster than what TensorRT makes of the same nodes. Measure both.

    Bound:
        None: only a trial tells how fast the operation would be without the plugin.
    """
    kinds: dict[str, list[LayerFacts]] = {}
    for layer in context.layers:
        if context.is_plugin(layer):
            name = layer.attributes.get("PluginType")
            kinds.setdefault(name if isinstance(name, str) else "", []).append(layer)
    for kind, layers in sorted(kinds.items()):
        if context.share_percent(context.time_ms(layers)) < share_percent:
            continue
        layers.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
        who = f"{counted(len(layers), 'plugin')} of one kind run" if len(layers) > 1 else "A plugin runs"
        shown = {"Plugin": middle_ellipsis(kind, _WIDEST_NAME)} if kind else {}
        yield Hit(f"{who}{for_time(context, layers)}.", tuple(layers), None, shown)
