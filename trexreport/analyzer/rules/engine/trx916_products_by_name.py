"""TRX916 engine.products-by-name."""

from __future__ import annotations

import re

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.phrases import layer_time, takes_time
from trexreport.numbers import counted, format_percent
from trexreport.regex import regex

#: What names of layers contain: ONNX nodes, kernels of Myelin, and layers of Torch-TensorRT.
_KINDS = {
    "fused attention": regex(r"(?<![a-z])f?mha(?![a-z])", re.ASCII),
    "matrix multiplication": regex(
        r"(?:^|[/_ ])(?:MatMul|Gemm|Einsum)(?![a-z])|^__myl_\w*?Fc(?![a-z])|MATRIX_MULTIPLY|FULLY_CONNECTED",
        re.ASCII,
    ),
}


@built_in_rule(
    "info",
    needs=("profile",),
    thresholds=(
        min_share(50.0, "matrix multiplications and fused attentions"),
        percent("layer_percent", 10.0, "Maximum share of one layer, in percent of layer time."),
    ),
)
def products_by_name(context: Context, *, share_percent: float, layer_percent: float) -> Hits:
    """Many matrix multiplications take most of the time, and none of them much.

    Cost:
        Making one layer faster saves little: the engine is faster if all multiplications are.

    Recommendation:
        [unless slow-int8: Use a lower precision: INT8 with Q/DQ nodes.] [if slow-int8: Use a lower precision:
        FP8 with Q/DQ nodes.] [if fp8, unless slow-int8: FP8 is one, too.] [10.0..: Where few tokens are
        computed at once, use INT4 weights.] Fewer tokens, smaller hidden sizes and larger batches change the
        work itself. [unless no-layer-information, unless detailed: Build with --profilingVerbosity=detailed
        to see the types in which the layers compute now.] [if detailed: --exportLayerInfo shows the types in
        which the layers compute now.]

    False alarm:
        They already compute in the lowest precision that the results allow, which names do not show. Only
        files of names are examined; for others the report groups layers by type.

    Est. savings:
        Not estimated: the names show neither types nor shapes.
    """
    timed = [layer for layer in context.layers if layer.avg_ms]
    if not context.analysis.identity.names_only or not timed:
        return
    found: dict[str, list[LayerFacts]] = {}
    for layer in timed:
        if is_named_reformat(layer):
            continue
        kind = next((name for name, pattern in _KINDS.items() if pattern.search(layer.name)), None)
        if kind is not None:
            found.setdefault(kind, []).append(layer)
    largest = max(layer.avg_ms or 0.0 for layer in timed)
    products = found.get("matrix multiplication", [])
    layers = [layer for members in found.values() for layer in members]
    if not products or context.share_percent(largest) > layer_percent:
        return
    if not context.slowest(layers, share_percent):
        return
    attention = found.get("fused attention", [])
    also = (
        f", {counted(len(attention), 'fused attention')} {layer_time(context, attention)}"
        if attention
        else ""
    )
    yield Hit(
        f"By name, {counted(len(products), 'matrix multiplication')} {takes_time(context, products)}{also}; "
        f"no layer takes more than {format_percent(context.share_percent(largest) / 100)}.",
        tuple(context.slowest(layers, share_percent)),
        None,
        {"Identified": "by name"},
    )
