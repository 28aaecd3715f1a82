"""Collect the values that flow through an engine, each once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import TensorFacts, TensorUse
from trexreport.analyzer.analysis.layers import TensorRole
from trexreport.model import TORN, Engine, Layer, Tensor
from trexreport.model.stated_sizes import most_weights_bytes
from trexreport.model.tensor_views import tensor_views, unwritten_operands
from trexreport.model.torn_tensors import torn_tensors


@dataclass(slots=True)
class _Value:
    """A value while the layers are visited: the largest view of its tensor, and who writes and reads it."""

    tensor: Tensor
    role: TensorRole
    producers: list[int] = field(default_factory=list)
    consumers: list[int] = field(default_factory=list)
    alias_of: int | None = None

    def facts(self) -> TensorFacts:
        tensor = self.tensor
        return TensorFacts(
            tensor.name,
            tensor.version,
            tensor.dimensions,
            tensor.format.short,
            tensor.format.data_type,
            tensor.format.layout,
            tensor.size_bytes,
            self.role,
            self.producers,
            self.consumers,
            self.alias_of,
        )


class TensorTable:
    """Every value of the engine by name and version, with who writes and who reads it."""

    def __init__(self, engine: Engine) -> None:
        self._values: list[_Value] = []
        self._index: dict[tuple[str, int], int] = {}
        # A tensor may bear the mark of an optimization profile that the binding's name lacks.
        inputs = {
            each.tensor.name if each.tensor else each.name for each in engine.bindings if each.mode == "input"
        }
        for layer in engine.layers:
            for tensor in layer.inputs:
                self._visit(tensor, inputs).consumers.append(layer.index)
            for tensor in layer.outputs:
                self._visit(tensor, inputs).producers.append(layer.index)
        self._mark_outputs(engine)
        for layer in engine.layers:
            if layer.type == "NoOp" and len(layer.inputs) == 1:
                self._alias(layer)
        self._close_loops()
        self._is_torn = any(note.slug == TORN for note in engine.notes)
        if self._is_torn:
            self._join_torn(torn_tensors(engine.layers, engine.bindings))
        self._find_views(engine)
        if not any(layer.outputs for layer in engine.layers):
            # What a file does not say who writes does not have to be a constant.
            for value in self._values:
                value.role = "activation" if value.role == "constant" else value.role
        self.facts = [value.facts() for value in self._values]
        #: Most layers see a tensor alike.
        self._uses = [
            TensorUse(index, facts.dimensions, facts.format, facts.size_bytes)
            for index, facts in enumerate(self.facts)
        ]

    def uses(self, tensors: Sequence[Tensor]) -> tuple[TensorUse, ...]:
        """Return a layer's view of its tensors, pointing into this table."""
        found = []
        for tensor in tensors:
            index = self._index[tensor.name, tensor.version]
            if _same_view(tensor, self._values[index].tensor):
                found.append(self._uses[index])
            else:
                found.append(TensorUse(index, tensor.dimensions, tensor.format.short, tensor.size_bytes))
        # Smaller than a list, as are the texts and extents that layers share with what was read.
        return tuple(found)

    def padded(self) -> list[int]:
        """Return the indices of the tensors whose layout may pad channels."""
        return [index for index, value in enumerate(self._values) if value.tensor.format.channel_multiple > 1]

    def unpadded_bytes(self, index: int) -> int | None:
        """Return what the tensor would take without its layout's padding of channels."""
        tensor = self._values[index].tensor
        bits = tensor.format.bits
        if bits is None or -1 in tensor.dimensions:
            return None
        return -(-math.prod(tensor.dimensions) * bits // 8)

    def _visit(self, tensor: Tensor, inputs: set[str]) -> _Value:
        key = (tensor.name, tensor.version)
        index = self._index.get(key)
        if index is None:
            self._index[key] = len(self._values)
            value = _Value(tensor, _role(tensor, inputs))
            self._values.append(value)
            return value
        value = self._values[index]
        if not _same_view(tensor, value.tensor):
            size, known = tensor.size_bytes, value.tensor.size_bytes
            # Views of one buffer differ where branches are concatenated in place; the largest is the buffer.
            is_larger = size is not None and (known is None or size > known)
            if is_larger or (size == known and _states_more(tensor, value.tensor)):
                value.tensor = tensor
        return value

    def _alias(self, layer: Layer) -> None:
        """Let a no-op's outputs share its input's memory."""
        source = self._index[layer.inputs[0].name, layer.inputs[0].version]
        owner = self._values[source].alias_of
        for tensor in layer.outputs:
            result = self._values[self._index[tensor.name, tensor.version]]
            # A buffer that other layers fill too is more than this no-op's input.
            if result.producers == [layer.index]:
                result.alias_of = source if owner is None else owner

    def _close_loops(self) -> None:
        """Let what a loop reads before it writes it come from the last writer, whose memory it shares."""
        last: dict[str, int] = {}
        for name, version in self._index:
            last[name] = max(version, last.get(name, 0))
        owners = {value.alias_of for value in self._values}
        for name, version in last.items():
            index = self._index.get((name, 0)) if version else None
            if index is None or self._values[index].role != "constant":
                continue
            value, writer = self._values[index], self._values[self._index[name, version]]
            value.role = "activation"
            value.producers = list(writer.producers)
            if value.alias_of is None and writer.alias_of is None and index not in owners:
                value.alias_of = self._index[name, version]

    def _join_torn(self, torn: Mapping[str, str]) -> None:
        """Let what a file calls by two names share its memory."""
        for read, written in torn.items():
            value, source = self._values[self._index[read, 0]], self._index[written, 1]
            owner = self._values[source].alias_of
            value.role = "activation"
            value.alias_of = source if owner is None else owner

    def _find_views(self, engine: Engine) -> None:
        """Let parts of tensors under names of their own share the memory of these."""
        constants = {key[0] for key, at in self._index.items() if self._values[at].role == "constant"}
        if not constants:
            return
        views = tensor_views(engine.layers, engine.bindings)
        self._join_torn({name: source for name, source in views.items() if name in constants})
        left = [value for value in self._values if value.role == "constant"]
        limit = most_weights_bytes(engine.setup.build_facts)
        exceeds = limit is not None and sum(value.tensor.size_bytes or 0 for value in left) > limit
        names = {value.tensor.name for value in left}
        flowing = unwritten_operands(engine.layers, names, all_of_them=exceeds, is_torn=self._is_torn)
        for value in left:
            if value.tensor.name in flowing:
                value.role = "activation"

    def _mark_outputs(self, engine: Engine) -> None:
        """Only the last value of an output's name leaves the engine."""
        for binding in engine.bindings:
            tensor = binding.tensor
            if binding.mode == "output" and tensor and (tensor.name, tensor.version) in self._index:
                # What layers write in place is larger than each of them sees it.
                self._visit(tensor, set()).role = "output"


def _same_view(one: Tensor, other: Tensor) -> bool:
    """Return whether two layers see a tensor in the same way, as nearly all do."""
    return one is other or (one.dimensions == other.dimensions and one.format is other.format)


def _states_more(one: Tensor, other: Tensor) -> bool:
    """Return whether one view also states the layout: a kernel of Myelin states the data type alone."""
    same = one.dimensions == other.dimensions and one.format.data_type == other.format.data_type
    return same and bool(one.format.layout) and not other.format.layout


def _role(tensor: Tensor, inputs: set[str]) -> TensorRole:
    if tensor.version > 0:
        return "activation"
    return "input" if tensor.name in inputs else "constant"
