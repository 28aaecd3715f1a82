"""TRX423 precision.pinned-to-fp32."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import LOW_PRECISIONS, search
from trexreport.analyzer.rules.engine.build_flags import constraints, types_stated
from trexreport.analyzer.rules.gains import of_layers, union
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_pointwise
from trexreport.analyzer.rules.phrases import takes_time, with_others
from trexreport.analyzer.rules.precision.precision_use import used_types
from trexreport.analyzer.rules.precision.speedups import in_half_precision
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, list_names

_MAX_LISTED = 2


@built_in_rule(
    "warning",
    thresholds=(min_share(1, "the layers and the conversions beside them"),),
    explains={
        "layers": ("TRX207", "TRX401", "TRX402", "TRX405", "TRX903"),
        "neighbors": ("TRX201", "TRX203", "TRX204"),
        "share": ("TRX205", "TRX304"),
    },
)
@untimed_as_info
def pinned_to_fp32(context: Context, *, share_percent: float) -> Hits:
    """Options of the build keep layers in FP32.

    Cost:
        The builder has to compute these layers in FP32, or to write it, although it may use a lower precision
        for others: they move twice the bytes, and conversions surround them.

    Recommendation:
        Leave the option out, or state FP32 only for the layers whose accuracy needs it, and compare the
        outputs with Polygraphy. [if sums-inside: TensorRT's kernels of normalizations and softmax sum in FP32
        inside, also where they read and write FP16.]

    False alarm:
        The accuracy needs all of these layers in FP32, as a comparison of the outputs showed.

    Est. savings:
        An estimate: what TRX401 states of FP16 for layers that compute in FP32, up to half of the time of
        plugins, as FP16 has half of the bytes, and up to the full time of the conversions beside them.
    """
    rules = constraints(context)
    if not rules or not (context.requested_precisions | context.cached(used_types)) & LOW_PRECISIONS:
        return
    stated = {layer.index: _pinned(context, layer) for layer in context.layers if not layer.structural}
    pinned = [context.layers[index] for index, texts in stated.items() if texts]
    beside = _conversions(context, pinned)
    if not pinned or not context.is_significant([*pinned, *beside], share_percent):
        return
    options = list(dict.fromkeys(text for texts in stated.values() for text in texts))
    others = with_others(context, pinned, {("conversion",): beside})
    takes = f", which {takes_time(context, pinned)}{others}" if context.total_ms else ""
    yield Hit(
        f"--precisionConstraints={rules} and {list_names(options, _MAX_LISTED)} keep "
        f"{counted(len(pinned), 'layer')} in FP32{takes}.",
        (*pinned, *beside),
        _gain(context, pinned, beside),
        {"Options": ", ".join(options)},
    )


def _gain(context: Context, pinned: Sequence[LayerFacts], beside: Sequence[LayerFacts]) -> Gain | None:
    """Return what FP16 saves of layers, and what conversions beside them take."""
    plugins = [each for each in pinned if context.is_plugin(each)]
    gains = [
        in_half_precision(context, [each for each in pinned if not context.is_plugin(each)]),
        of_layers("estimate", ((each, 0.0, (each.avg_ms or 0.0) / 2) for each in plugins), "less-traffic"),
        of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in beside), "removed-layers"),
    ]
    return union([each for each in gains if each and each.parts], context.savable_ms, context.query_ms)


def _pinned(context: Context, layer: LayerFacts) -> list[str]:
    """Return the options that keep a layer in FP32 that is in FP32."""
    types = {context.tensor(use.tensor).data_type for use in (*layer.inputs, *layer.outputs)}
    if "FP32" not in types or context.is_reformat(layer):
        return []
    stated = types_stated(context, layer)
    # Of several outputs each has a type: "fp32+fp32".
    return [each for each in stated if {*each.rpartition(":")[2].lower().split("+")} == {"fp32"}]


def _conversions(context: Context, pinned: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return what converts the type before and behind layers, looking through pointwise ones in FP32."""
    own = {each.index for each in pinned}

    def passes(layer: LayerFacts) -> bool:
        return layer.index in own or (is_pointwise(layer) and layer.precision == "FP32")

    steps = context.predecessors, context.successors
    ends = [each for step in steps for each in search(pinned, step, passes)[0]]
    changes = {index: reformat.change for index, reformat in context.reformat_of.items()}
    found = {each.index for each in ends if "data type" in changes.get(each.index, "")}
    return [context.layers[index] for index in sorted(found)]
