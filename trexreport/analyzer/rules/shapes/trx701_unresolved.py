"""TRX701 shapes.unresolved."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.numbers import counted


@rule(
    "TRX701",
    "shapes.unresolved",
    "warning",
    many="Shapes are unknown in {count} ways.",
    section="layers",
)
def unresolved(context: Context) -> Iterator[Hit]:
    """Tensors have extents that only run time tells.

    Cost:
        Without extents there are no sizes, so memory, traffic and work of these layers are unknown, and the
        rules that need them say nothing. It does not slow the engine down.

    Advice:
        Write the layer information in the run that profiles, with shapes: trtexec --loadEngine=ENGINE
        --shapes=INPUT:1x3x224x224 --exportLayerInfo=FILE --exportProfile=FILE. A run with --skipInference
        has no shapes yet. In a program give the inspector an execution context whose input shapes are set.

    False alarm:
        Kernels of Myelin (names in lower case, such as kgen) keep -1 whatever the shapes; those alone are
        information. Build with fixed shapes to see them.

    Bound:
        None: it concerns the report, not the engine.
    """
    found = [layer for layer in context.layers if not layer.structural and _has_unknown_extent(layer)]
    if not found:
        return
    of_myelin = all(layer.type[:1].islower() or layer.type == "Myelin" for layer in found)
    work = sum(not layer.structural for layer in context.layers)
    whose = ", all of them Myelin's" if of_myelin else ""
    verb = "has" if len(found) == 1 else "have"
    yield Hit(
        f"{len(found)} of {counted(work, 'layer')} {verb} tensors of unknown extents{whose}.",
        tuple(found),
        severity="info" if of_myelin else None,
    )


def _has_unknown_extent(layer: LayerFacts) -> bool:
    return any(min(use.dimensions, default=0) < 0 for use in (*layer.inputs, *layer.outputs))
