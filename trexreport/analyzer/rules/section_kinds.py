"""What a floating-point section between quantized layers contains, where advice depends on it."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.layer_tests import Test

_POOLINGS = ("Pooling", "AveragePool", "GlobalAveragePool", "MaxPool", "Mean", "Reduce", "ReduceMean")
_MOVES = ("Concat", "Reshape", "Resize", "Shuffle", "Slice", "Split", "Transpose", "Upsample")


def _contains(*names: str) -> Test:
    """Return a test whether what computes in floating point does one of these operations."""
    return lambda _, layers: any(not copied(each).isdisjoint(names) for each in layers if _computes(each))


def _computes(layer: LayerFacts) -> bool:
    """Return whether a layer is in the section, and neither leads to it nor away from it."""
    return layer.precision in FLOATS and layer.type != "Reformat" and not is_named_reformat(layer)


#: Without words: the advice names what it is for.
SECTION_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "section-pools": (_contains(*_POOLINGS), ""),
    "section-adds": (_contains("Add", "SUM", "Sum", "ElementWise"), ""),
    "section-moves": (_contains(*_MOVES), ""),
    "section-plugin": (lambda context, layers: any(map(context.is_plugin, layers)), ""),
}
