"""The layers of an engine by what they are: convolutions, plugins, regions, layers of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from trexreport.analyzer.analysis import LayerFacts, Reformat
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.operations import MATRIX_TYPES
from trexreport.analyzer.rules.layer_names import is_named_region, named_plugin, named_unknown
from trexreport.analyzer.rules.stated import StatedFacts
from trexreport.regex import regex

Test = Callable[[LayerFacts], bool]
T = TypeVar("T")
#: What layers of one kind have in common, beside their operations and that nothing or something is converted.
_KIND = attrgetter("type", "subtype", "precision", "output_precision", "structural", "tactic")

_CONVOLUTION_TYPES = frozenset(
    {"Convolution", "Deconvolution", "ConvActPool", "correlation", "conv", "deconv", "conv_act_pool"}
)
_PRODUCT_TYPES = _CONVOLUTION_TYPES | MATRIX_TYPES
_PRODUCTS = frozenset({"FullyConnected", "BatchMatMul", "Deconvolution"})
_PLUGIN_PREFIXES = ("Plugin", "plugin")
_LOADS_PLUGINS = regex(r"--(?:static|dynamic|)[pP]lugins=")
_OPAQUE = frozenset({"Myelin", "ForeignNode"})


class LayerKinds(StatedFacts):
    """What the layers of an engine are.

    Attributes:
        layers: In execution order.
    """

    layers: tuple[LayerFacts, ...]

    @cached_property
    def all_names(self) -> str:
        """The names of all layers and of what they were built from, one to a line."""
        return "\n".join([name for layer in self.layers for name in (layer.name, *layer.origins)])

    @cached_property
    def untyped(self) -> Sequence[LayerFacts]:
        """The layers of which only the names are known."""
        return tuple(layer for layer in self.layers if not layer.type)

    @cached_property
    def reformat_of(self) -> dict[int, Reformat]:
        """Index of each layer that only moves or converts data, to what it changes."""
        return {reformat.layer: reformat for reformat in self.analysis.reformats}

    def is_reformat(self, layer: LayerFacts) -> bool:
        """Return whether a layer only changes how data lies in memory, or its type."""
        return layer.index in self.reformat_of

    @cached_property
    def _kinds(self) -> list[list[LayerFacts]]:
        """The layers by what `of_kinds` may ask about: an engine has few kinds."""
        reformats = self.reformat_of

        def kind(layer: LayerFacts) -> tuple[object, ...]:
            name = "" if layer.type else layer.name
            return name, _KIND(layer), layer.index in reformats, *layer.operations

        return [*group_by(self.layers, kind).values()]

    def of_kinds(self, test: Test) -> list[LayerFacts]:
        """Return the layers for which a test is true, in execution order; it is asked once for each kind.

        Args:
            test: Of types, precisions, operations and the tactic, whether a layer is structural or a
                reformat, and of the name of one without a type: of nothing else.
        """
        found = [layer for alike in self._kinds if test(alike[0]) for layer in alike]
        return sorted(found, key=attrgetter("index"))

    def by_kind(self, fact: Callable[[LayerFacts], T]) -> list[T]:
        """Return a fact of each layer, in execution order; like the test of `of_kinds` it is asked once."""
        found = {layer.index: known for alike in self._kinds for known in [fact(alike[0])] for layer in alike}
        return [found[layer.index] for layer in self.layers]

    def has_kind(self, test: Test) -> bool:
        """Return whether any layer passes a test as `of_kinds` has it."""
        return any(test(alike[0]) for alike in self._kinds)

    @cached_property
    def convolutions(self) -> Sequence[LayerFacts]:
        """The convolutions, with or without fused operations."""
        return tuple(self.of_kinds(self.is_convolution))

    def is_convolution(self, layer: LayerFacts) -> bool:
        """Return whether a layer convolves, fused with what follows or not."""
        return layer.type in _CONVOLUTION_TYPES or "Deconvolution" in layer.operations

    def is_matmul(self, layer: LayerFacts) -> bool:
        """Return whether a layer multiplies matrices and does not convolve."""
        return layer.type in MATRIX_TYPES

    @cached_property
    def products(self) -> Sequence[LayerFacts]:
        """The convolutions and matrix multiplications, with or without fused operations."""
        return tuple(
            self.of_kinds(
                lambda layer: layer.type in _PRODUCT_TYPES or not _PRODUCTS.isdisjoint(layer.operations)
            )
        )

    @cached_property
    def product_indices(self) -> frozenset[int]:
        """The indices of the products."""
        return frozenset(layer.index for layer in self.products)

    def is_plugin(self, layer: LayerFacts) -> bool:
        """Return whether a layer is a plugin's."""
        if layer.type.startswith(_PLUGIN_PREFIXES) or layer.subtype.startswith(_PLUGIN_PREFIXES):
            return True
        # Only of a layer of unknown type does the name say it.
        return not layer.type and bool(self.plugin_name(layer))

    @cached_property
    def plugins(self) -> Sequence[LayerFacts]:
        """The layers that are a plugin's."""
        return tuple(self.of_kinds(self.is_plugin))

    def plugin_name(self, layer: LayerFacts) -> str:
        """Return the operation of a layer that is a plugin by its name, else an empty text."""
        return named_plugin(layer) or (named_unknown(layer) if self.loads_plugins else "")

    @cached_property
    def loads_plugins(self) -> bool:
        """Whether a command or a log states that a library of plugins is loaded."""
        stated = self.build_fact("Plugin library")
        return bool(stated) or any(_LOADS_PLUGINS.search(command) for command in self.analysis.commands)

    def is_opaque(self, layer: LayerFacts) -> bool:
        """Return whether a layer is a Myelin region (ForeignNode) with operations that no file lists."""
        return layer.type in _OPAQUE or (not layer.type and is_named_region(layer))

    @cached_property
    def opaque(self) -> Sequence[LayerFacts]:
        """The Myelin regions (ForeignNode) with operations that no file lists."""
        return tuple(self.of_kinds(self.is_opaque))
