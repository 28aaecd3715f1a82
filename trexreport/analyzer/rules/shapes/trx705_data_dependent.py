"""TRX705 shapes.data-dependent."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.shapes.shape_copies import TO_HOST
from trexreport.numbers import counted

#: Layers whose results have a size that only their data tells, and what manages such sizes.
_DATA_DEPENDENT = frozenset({"NonZero", "NMS", "TrainStation"})


@rule(
    "TRX705",
    "shapes.data-dependent",
    "warning",
    many="Shapes depend on data in {count} ways.",
)
def data_dependent(context: Context) -> Iterator[Hit]:
    """The host waits for sizes that only the data tells.

    Cost:
        How many elements NonZero, NMS or a mask selects is known when the GPU has computed it. The host
        must wait for that before it can launch what follows; the GPU then runs dry, and a CUDA graph cannot
        hold the engine.

    Advice:
        Give results a fixed size: TopK or a fixed number of boxes with a score instead of NonZero, Where
        and multiplication by a mask instead of selecting, the EfficientNMS plugin with a fixed maximum
        instead of NonMaxSuppression. Or cut the network before and run the rest on the host.

    False alarm:
        The layers stand at the very end, where nothing waits for them but the application.

    Bound:
        None: the waiting stands in no layer's time. Compare GPU compute time with the sum of the layers.
    """
    found = [
        layer for layer in context.layers if layer.type in _DATA_DEPENDENT or TO_HOST in layer.name.casefold()
    ]
    if not found:
        return
    types = sorted({layer.type for layer in found})
    yield Hit(
        f"The host waits for the size of what {counted(len(found), 'layer')} give, as it depends on data.",
        tuple(found),
        None,
        {"Types": ", ".join(types)},
    )
