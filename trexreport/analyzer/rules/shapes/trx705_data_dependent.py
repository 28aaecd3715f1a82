"""TRX705 shapes.data-dependent."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, built_in_rule
from trexreport.analyzer.rules.shapes.shape_copies import TO_HOST
from trexreport.numbers import counted

#: Layers with outputs whose size depends on data, and the layers that manage such sizes.
_DATA_DEPENDENT = frozenset({"NonZero", "NMS", "TrainStation"})


@built_in_rule("warning")
def data_dependent(context: Context) -> Iterator[Hit]:
    """The host waits for sizes that depend on data.

    Cost:
        The number of elements that NonZero, NMS or a mask selects is known only after the GPU has computed
        it. The host waits for that before it launches the next kernels; meanwhile the GPU becomes idle, and a
        CUDA graph cannot contain the engine.

    Recommendation:
        Give results a fixed size: TopK or a fixed number of boxes with a score instead of NonZero, Where and
        multiplication by a mask instead of selection, the EfficientNMS plugin with a fixed maximum instead of
        NonMaxSuppression. Or cut the network before it and run the rest on the host.

    False alarm:
        The layers are at the very end, where only the application waits for them.

    Est. savings:
        Not estimated: the waiting is not in any layer's time. Compare GPU compute time with total layer time.
    """
    found = [
        layer for layer in context.layers if layer.type in _DATA_DEPENDENT or TO_HOST in layer.name.casefold()
    ]
    if not found:
        return
    types = sorted({layer.type for layer in found})
    yield Hit(
        f"{counted(len(found), 'layer has', 'layers have')} outputs with a size that depends on "
        f"data, for which the host waits.",
        tuple(found),
        None,
        {"Types": ", ".join(types)},
    )
