"""TRX702 shapes.shape-computation."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule, removed
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.model.shape_copies import copies_shape_to_host
from trexreport.numbers import counted

#: Layers that compute shapes on the host, or copy them between host and GPU.
_HOST_TYPES = frozenset({"shape_call", "ShapeHostToDevice", "DeviceToShapeHost"})
#: Part of the name of a layer that copies a shape to the GPU.
_TO_DEVICE = "hosttodevicecopy"


@built_in_rule(
    "info",
    former_name="shapes.host-overhead",
    needs=("layers", "profile"),
    thresholds=(
        min_share(1.0, "all these layers together"),
        percent("warning_percent", 10.0, "Share from which on it is a warning, in percent of layer time."),
    ),
    explains={"engine": ("TRX805",)},
)
def shape_computation(context: Context, *, share_percent: float, warning_percent: float) -> Hits:
    """Shape computation takes time in every query.

    Cost:
        With dynamic shapes the host computes them before the kernels can start and copies those that the GPU
        needs. The GPU is idle meanwhile.

    Recommendation:
        Build for fixed shapes (export the model without dynamic axes, or use one --shapes with trtexec), or
        make fewer dimensions dynamic. Fold shape arithmetic beforehand with onnxsim or polygraphy surgeon
        sanitize --fold-constants. [unless no-capture: A CUDA graph captured for each shape hides the rest.]

    False alarm:
        The shapes do change from query to query, and padding to fixed ones would cost more.

    Est. savings:
        An estimate: the time of these layers, as fixed shapes need none of them. Kernels that are built for
        fixed shapes may save more.
    """
    found = [layer for layer in context.layers if layer.avg_ms and _computes_shapes(layer)]
    found = context.slowest(found, share_percent)
    if not found:
        return
    yield Hit(
        f"{counted(len(found), 'layer')} for shape computation {takes_time(context, found)}.",
        tuple(found),
        removed(found, "estimate"),
        severity="warning" if context.is_significant(found, warning_percent) else None,
    )


def _computes_shapes(layer: LayerFacts) -> bool:
    moves = copies_shape_to_host(layer.name) or _TO_DEVICE in layer.name.casefold()
    return layer.type in _HOST_TYPES or moves
