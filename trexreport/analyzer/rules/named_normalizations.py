"""Normalizations that run as several kernels, where a file contains only names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.regex import regex

#: An ONNX node in a name, with its module: "/norm/" and "Sqrt" of "PWN(PWN(/norm/Sqrt), /norm/Div)".
_NODE = regex(r"(?:^|[\s(,])([^\s(),+]*/)?([A-Z][A-Za-z]{1,30})(?:_\d{1,9})?(?=$|[),\s])")
_UNNAMED = regex(r"\(Unnamed Layer\* \d{1,9}\) \[\w{1,40}\]")
_MEAN, _SQUARE, _CAST, _ROOTS = "ReduceMean", "Pow", "Cast", frozenset({"Sqrt", "Rsqrt"})
_BEFORE_ROOT = frozenset({_MEAN, _SQUARE, _CAST, "Add", "Mul", "Sub"})
#: Each at most once after the root: division, scale and shift. Another addition is that of a residual.
_AFTER_ROOT = frozenset({_CAST, "Add", "Div", "Mul", "Reciprocal"})
_LEAST_LAYERS = 3


@dataclass
class _Normalization:
    """Layers that follow each other, and the operations of their nodes in one module."""

    module: str
    layers: list[LayerFacts] = field(default_factory=list)
    before: Counter[str] = field(default_factory=Counter)
    after: set[str] = field(default_factory=set)
    has_root: bool = False

    def take(self, layer: LayerFacts, nodes: Sequence[tuple[str, str]]) -> bool:
        """Add a layer if it continues the normalization, and return whether it does."""
        before, after, has_root = [], set(self.after), self.has_root
        for module, operation in nodes:
            if module != self.module or operation in after:
                return False
            if operation in _ROOTS:
                has_root = True
            elif operation not in (_AFTER_ROOT if has_root else _BEFORE_ROOT):
                return False
            elif not has_root:
                before.append(operation)
            elif operation != _CAST:
                after.add(operation)
        if not nodes:
            return False
        self.layers.append(layer)
        self.before.update(before)
        self.after, self.has_root = after, has_root
        return True

    @property
    def is_whole(self) -> bool:
        """Whether it has a mean of squares and a root, in several layers."""
        squares = self.before[_MEAN] > 1 or _SQUARE in self.before
        return self.has_root and _MEAN in self.before and squares and len(self.layers) >= _LEAST_LAYERS


def named_normalizations(layers: Sequence[LayerFacts]) -> list[list[LayerFacts]]:
    """Return the timed layers of each normalization that by name is several kernels, in order.

    They follow each other, in one module if names have modules: the mean, the difference, its square, the
    mean of that, the root, and what divides, scales and shifts. One without the first two (RMS) counts, too.
    """
    found: list[_Normalization] = []
    current: _Normalization | None = None
    for layer in layers:
        if not layer.avg_ms or is_named_reformat(layer) or is_named_move(layer):
            continue
        nodes = [] if layer.type else _NODE.findall(_UNNAMED.sub("", layer.name))
        if current is not None and current.take(layer, nodes):
            continue
        current = None
        if not {_MEAN, _SQUARE}.isdisjoint(operation for _, operation in nodes):
            start = _Normalization(nodes[0][0])
            if start.take(layer, nodes):
                current = start
                found.append(start)
    return [each.layers for each in found if each.is_whole]
