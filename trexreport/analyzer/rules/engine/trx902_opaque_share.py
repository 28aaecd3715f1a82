"""TRX902 engine.opaque-share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import middle_ellipsis

#: The operation in an ONNX node's name: "MatMul" of "/encoder/layer.3/MatMul_1".
_OPERATION = re.compile(r"(?:^|/)([A-Z][A-Za-z]*)(?:_\d+)?$", re.ASCII)
_WIDEST_NAME = 80
_MOST_OPERATIONS = 8


@rule(
    "TRX902",
    "engine.opaque-share",
    "info",
    many="{count} layers hide the operations inside them.",
    thresholds=(
        Threshold(
            "share_percent",
            10.0,
            0,
            100,
            "Time of all opaque layers together, in percent of the layers' sum.",
        ),
        Threshold("layer_percent", 1.0, 0, 100, "Time of one that is worth naming, in percent of the same."),
        Threshold("most_percent", 33.0, 0, 100, "Time of all from which on it is a warning, in percent."),
    ),
)
def opaque_share(
    context: Context, *, share_percent: float, layer_percent: float, most_percent: float
) -> Iterator[Hit]:
    """A large part of the time is in layers that hide what is inside.

    Cost:
        A "ForeignNode" is a part of the network that TensorRT's compiler Myelin took as a whole. Up to
        TensorRT 8.6 the inspector shows one layer with one time, so nobody sees which operations are slow
        or in which precision they run.

    Advice:
        Build with TensorRT 10 or later, which list the kernels inside with their times and the ONNX nodes
        they are from. To stay on 8.x, mark a tensor inside as an output to split the part, or look at the
        kernels in Nsight Systems.

    False alarm:
        The part is as fast as expected: hiding does not cost time in itself. From `most-percent` on it is a
        warning, as a report that leaves out so much of the engine may miss what matters most.

    Bound:
        None: what is inside is not known.
    """
    opaque = [layer for layer in context.layers if context.is_opaque(layer)]
    share = context.share_percent(context.time_ms(opaque))
    if context.total_ms and share < share_percent:
        return
    for layer in opaque:
        if context.total_ms and context.share_percent(layer.avg_ms or 0.0) < layer_percent:
            continue
        yield Hit(
            f"It hides a part of the network{for_time(context, [layer])}.",
            (layer,),
            None,
            _inside(layer),
            severity="warning" if share >= most_percent else None,
        )


#: The name of a layer that Myelin made of many, between its first and its last one.
_FOREIGN_START, _FOREIGN_END = "{ForeignNode[", "]}"


def _inside(layer: LayerFacts) -> dict[str, str]:
    """Return what the layer's name and its list of ONNX nodes tell of its contents."""
    shown = {}
    if layer.name.startswith(_FOREIGN_START) and layer.name.endswith(_FOREIGN_END):
        first, dots, last = layer.name[len(_FOREIGN_START) : -len(_FOREIGN_END)].rpartition("...")
        if dots and first and last:
            shown = {"First inside": middle_ellipsis(first, _WIDEST_NAME)}
            shown["Last inside"] = middle_ellipsis(last, _WIDEST_NAME)
    found_operations = Counter(
        operation.group(1) for origin in layer.origins if (operation := _OPERATION.search(origin))
    )
    if found_operations:
        commonest = sorted(found_operations.items(), key=lambda item: (-item[1], item[0]))
        texts = [f"{number} {name}" for name, number in commonest[:_MOST_OPERATIONS]]
        more = len(commonest) - len(texts)
        shown["ONNX operations"] = ", ".join(texts) + (f" and {more} more kinds" if more else "")
    return shown
