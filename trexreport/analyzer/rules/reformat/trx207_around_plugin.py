"""TRX207 reformat.around-plugin."""

from __future__ import annotations

from collections.abc import Collection

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.layer_kinds import plugin_type
from trexreport.analyzer.rules.layer_names import named_apart
from trexreport.analyzer.rules.moves import copied_parts
from trexreport.analyzer.rules.patterns import pointwise_groups
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    MUCH_BESIDE,
    describe_formats,
    reformat_places,
)
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, format_shape


@built_in_rule(
    "warning",
    needs=(),
    many="{count} plugins have reformats next to them{extent}.",
    thresholds=(ALL_PLACES, EACH_PLACE),
    explains={"layers": ("TRX201", "TRX202", "TRX301", "TRX501"), "share": ("TRX205", "TRX305")},
)
@untimed_as_info
def around_plugin(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A plugin has reformats next to it.

    Cost:
        A plugin reads and writes the types and layouts that its author implemented, often FP32 or FP16 in the
        linear layout. The tensors of its neighbors are converted before and after it.

    Recommendation:
        [unless own: Make the plugin support the types and layouts of its neighbors: more combinations
        in `supportsFormatCombination` (FP16 or INT8; kHWC8, kCHW32).] [if own: It is a plugin of
        TensorRT, which takes the types and layouts of its documentation: give the layers beside it
        one of these.] [if untyped: Or use TensorRT's own layer for the operation, such as
        IParametricReLULayer for PReLU, which may be fused.] [if normalization: Or replace it with
        TensorRT's own operations: InstanceNorm and GroupNorm became layers (INormalizationLayer) in
        8.6, and Myelin fuses them since 10.]

    False alarm:
        The plugin was timed with both layouts and is slower in the other one by more than the reformats take.
        Without a profile all are information. Where a file contains only names, layers are found whose names
        differ only in numbers and that have reformats before them.

    Est. savings:
        An estimate: up to the full time of the reformats next to the plugin, as the plugin may be slower or
        faster with the other formats; where only names are known also up to that of the layers, which an
        operation of TensorRT may replace that is fused into its neighbors.
    """
    members, around = named_apart(context.layers)
    if members and context.is_significant(around, share_percent):
        of_one_kind = f"{counted(len(members), 'layer')} with names such as {LAYER}{timed(context, members)}"
        reformats = f"{counted(len(around), 'reformat')} next to them{timed(context, around)}"
        yield Hit(
            f"By name, {of_one_kind} have {reformats}; they may be plugins.",
            (*members, *around),
            of_layers(
                "estimate",
                ((each, 0.0, each.avg_ms or 0.0) for each in (*members, *around)),
                "removed-layers",
            ),
            {"Identified": "by name"},
        )
    found = context.cached(reformat_places).around_plugins
    beside = [layer for _, layers in found for layer in layers]
    if not context.is_significant(beside, share_percent):
        return
    of_type = group_by(found, lambda each: plugin_type(context, each[0]) or each[0].name)
    # Small places count where those of all plugins of one type do.
    for places in of_type.values():
        if not context.is_significant((each for _, layers in places for each in layers), place_percent):
            continue
        for plugin, layers in places:
            formats = dict.fromkeys(describe_formats([layer]) for layer in layers)
            parts = copied_parts(context, layers)
            also = f" and {counted(len(parts), 'copy', 'copies')} into a Concat" if parts else ""
            number = counted(len(layers), "reformat")
            removed = [*layers, *parts]
            yield Hit(
                f"{LAYER} needs {number}{also} next to it{timed(context, removed)}.",
                (plugin, *removed),
                of_layers(
                    "estimate", ((each, 0.0, each.avg_ms or 0.0) for each in removed), "removed-layers"
                ),
                {"Formats": "; ".join(formats), "Shape": format_shape(layers[0].outputs[0].dimensions)},
                severity=None if context.is_significant(beside, MUCH_BESIDE) else "info",
                affected=_kept_apart(context, layers),
            )


def _kept_apart(context: Context, reformats: Collection[LayerFacts]) -> tuple[LayerFacts, ...]:
    """Return the pointwise layers that reformats keep from being one kernel."""
    indices = {each.index for each in reformats}
    groups = context.cached(pointwise_groups)
    return tuple(each for group in groups if any(one.index in indices for one in group) for each in group)
