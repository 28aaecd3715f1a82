"""TRX702 shapes.host-overhead."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.shapes.shape_copies import TO_HOST
from trexreport.numbers import counted

#: Layers that work out shapes on the host, or carry them between host and GPU.
_HOST_TYPES = frozenset({"shape_call", "ShapeHostToDevice", "DeviceToShapeHost"})
#: What TensorRT appends to the name of a layer that carries a shape to the GPU.
_TO_DEVICE = "hosttodevicecopy"


@rule(
    "TRX702",
    "shapes.host-overhead",
    "info",
    many="Shapes are worked out at run time in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 1.0, 0, 100, "Time of these layers, in percent of the layers' sum."),
    ),
)
def host_overhead(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Working out shapes takes time in every query.

    Cost:
        Where shapes are dynamic, the host computes them before the kernels can start and copies what the
        GPU needs of them. The GPU has nothing to do meanwhile.

    Advice:
        Build for fixed shapes (export the model without dynamic axes, or give trtexec one --shapes), or
        make fewer extents dynamic. Fold shape arithmetic beforehand with onnxsim or polygraphy surgeon
        sanitize --fold-constants. A CUDA graph captured for each shape hides the rest.

    False alarm:
        The shapes do change from query to query, and padding to fixed ones would cost more.

    Bound:
        All the time of these layers, as fixed shapes need none of them.
    """
    found = [layer for layer in context.layers if layer.avg_ms and _works_on_shapes(layer)]
    if context.share_percent(context.time_ms(found)) < share_percent:
        return
    found.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    verb = "works out or copies" if len(found) == 1 else "work out or copy"
    yield Hit(
        f"{counted(len(found), 'layer')} {verb} shapes{for_time(context, found)}.",
        tuple(found),
        context.time_ms(found),
    )


def _works_on_shapes(layer: LayerFacts) -> bool:
    name = layer.name.casefold()
    return layer.type in _HOST_TYPES or _TO_DEVICE in name or TO_HOST in name
