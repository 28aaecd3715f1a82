"""What a floating-point section between quantized layers contains, where advice depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, Context
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.layer_tests import Test
from trexreport.analyzer.rules.patterns import activations

_POOLINGS = ("Pooling", "AveragePool", "GlobalAveragePool", "MaxPool", "Mean", "Reduce", "ReduceMean")
_SUMS = ("Add", "SUM", "Sum", "ElementWise")
_MOVES = ("Concat", "Reshape", "Resize", "Shuffle", "Slice", "Split", "Transpose", "Upsample")


def _contains(*names: str) -> Test:
    """Return a test whether what computes in floating point does one of these operations."""
    return lambda _, layers: any(_does(each, names) for each in layers)


def _add_tensors(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether what computes in floating point adds several tensors, not only a bias."""
    return any(_does(each, _SUMS) and len(activations(context, each)) > 1 for each in layers)


def _does(layer: LayerFacts, names: Iterable[str]) -> bool:
    return _computes(layer) and not copied(layer).isdisjoint(names)


def _computes(layer: LayerFacts) -> bool:
    """Return whether a layer is in the section, and neither leads to it nor away from it."""
    return layer.precision in FLOATS and layer.type != "Reformat" and not is_named_reformat(layer)


#: Without words: the advice names what it is for.
SECTION_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "section-pools": (_contains(*_POOLINGS), ""),
    "section-adds": (_add_tensors, ""),
    "section-moves": (_contains(*_MOVES), ""),
    "section-plugin": (lambda context, layers: any(map(context.is_plugin, layers)), ""),
}
