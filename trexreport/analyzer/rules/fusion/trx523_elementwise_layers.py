"""TRX523 fusion.elementwise-layers."""

from __future__ import annotations

from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.fusion.pointwise_parts import operations_evidence, shape_evidence
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conversion, is_pointwise_or_move, operations
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, format_percent, middle_ellipsis

#: Of the names of kinds, which are longer than those of layers.
_MAX_NAME = 80


@built_in_rule(
    "info",
    many="{count} kinds of elementwise layers repeat in kernels of their own{extent}, such as {Kind}.",
    needs=("layers", "profile"),
    rest_of="findings",
    thresholds=(
        min_share(3.0, "the layers of one kind"),
        Threshold("layers", 4, 2, 1e6, "Minimum number of layers of one kind."),
    ),
)
def elementwise_layers(context: Context, *, share_percent: float, layers: float) -> Hits:
    """Layers that repeat and compute element by element take time, and no other finding names them.

    Layers are of one kind if type and name are equal, but for numbers, and they are in modules whose paths
    differ in numbers alone.

    Cost:
        Each of them reads a tensor that another kernel has just written, and writes it again, for a few
        operations per element. It also separates what is before it from what follows.

    Recommendation:
        [if casts-inside: The model casts to FP32 and back around these operations: without the casts the
        kernel before may include them. Keep the type, and give constants the same.] [if rotates: A rotation
        of queries and keys by their positions (RoPE) belongs to the attention: plugins of TensorRT-LLM and
        TensorRT Edge-LLM rotate inside. Otherwise compute sines and cosines outside of the engine, in the
        type of the queries.] [if gates: A gate (SwiGLU, GLU) belongs to the multiplication before it: one
        plugin for both, or a newer TensorRT.] [if transposes: A transpose in the same kernel keeps it apart:
        export the layout that the next layer reads.] [if behind-plugin: A plugin is before them, which no
        kernel of TensorRT joins: let it compute them when it writes its result.] [unless casts-inside, unless
        rotates, unless gates, unless transposes, unless behind-plugin, unless between-products: One plugin
        for them and a layer beside them that multiplies nothing, such as a normalization, saves a pass.]
        [unless casts-inside, unless rotates, unless gates, unless transposes, unless behind-plugin, if
        between-products: A plugin would have to multiply, too, as fast as TensorRT's kernel does: try a newer
        TensorRT, which may include them in that.] [if fp32, unless casts-inside: 16 bits in place of FP32
        make them faster.]

    False alarm:
        Nothing before or behind them is a kernel of TensorRT that could include them. Softmax and
        normalizations are left out, as are layers of all other findings, convolutions, multiplications,
        attentions, plugins, reformats and copies.

    Est. savings:
        Not estimated: whether a kernel includes them does not show. A pass is a part of their time: what
        else they add or multiply is still read.
    """
    for alike in context.analysis.alike:
        members = [context.layers[index] for index in alike.layers if index not in context.reported]
        if len(members) < layers or not context.is_significant(members, share_percent):
            continue
        if not all(_is_elementwise(context, each) for each in members):
            continue
        reached = alike.reached_percent if len(members) == len(alike.layers) else None
        kind = middle_ellipsis(alike.name, _MAX_NAME)
        known = {"Kind": kind, "% of roofline": "" if reached is None else format_percent(reached / 100)}
        yield Hit(
            f"{counted(len(members), 'elementwise layer')} of one kind, {kind}, "
            f"{takes_time(context, members)}.",
            tuple(context.slowest(members, 0)),
            None,
            operations_evidence(members[:1]) | shape_evidence(members[0]) | known,
        )


def _is_elementwise(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer computes element by element, and does not only convert."""
    computes = not MOVES.issuperset(operations(layer))
    return computes and is_pointwise_or_move(layer) and not is_conversion(context, layer)
