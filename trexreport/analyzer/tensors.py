"""Collect the values that flow through an engine, each once."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import TensorFacts, TensorUse
from trexreport.model import Engine, Layer, Tensor


class TensorTable:
    """Every value of the engine by name and version, with who writes and who reads it."""

    def __init__(self, engine: Engine) -> None:
        self.facts: list[TensorFacts] = []
        self._index: dict[tuple[str, int], int] = {}
        self._formats: dict[int, Tensor] = {}
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

    def uses(self, tensors: Sequence[Tensor]) -> list[TensorUse]:
        """Return a layer's view of its tensors, pointing into this table."""
        return [self._use(tensor) for tensor in tensors]

    def _use(self, tensor: Tensor) -> TensorUse:
        index = self._index[tensor.name, tensor.version]
        facts = self.facts[index]
        if _look_alike(tensor, self._formats[index]):
            return TensorUse(index, list(tensor.dimensions), facts.format, facts.size_bytes)
        return TensorUse(index, list(tensor.dimensions), tensor.format.short, tensor.size_bytes)

    def unpadded_bytes(self, index: int) -> int | None:
        """Return what the tensor would take without its layout's padding of channels."""
        tensor = self._formats[index]
        bits = tensor.format.bits
        if bits is None or -1 in tensor.dimensions:
            return None
        count = 1
        for extent in tensor.dimensions:
            count *= extent
        return -(-count * bits // 8)

    def _visit(self, tensor: Tensor, inputs: set[str]) -> TensorFacts:
        key = (tensor.name, tensor.version)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.facts)
            self._formats[index] = tensor
            self.facts.append(_facts(tensor, _role(tensor, inputs)))
            return self.facts[index]
        facts = self.facts[index]
        if _look_alike(tensor, self._formats[index]):
            return facts
        size = tensor.size_bytes
        # Views of one buffer differ where branches are concatenated in place; the largest is the buffer.
        if size is not None and (facts.size_bytes is None or size > facts.size_bytes):
            self._formats[index] = tensor
            facts.size_bytes = size
            facts.dimensions = list(tensor.dimensions)
            facts.format, facts.layout = tensor.format.short, tensor.format.layout
            facts.data_type = tensor.format.data_type
        return facts

    def _alias(self, layer: Layer) -> None:
        """Let a no-op's outputs share its input's memory."""
        source = self._index[layer.inputs[0].name, layer.inputs[0].version]
        owner = self.facts[source].alias_of
        for tensor in layer.outputs:
            result = self._index[tensor.name, tensor.version]
            # A buffer that other layers fill too is more than this no-op's input.
            if self.facts[result].producers == [layer.index]:
                self.facts[result].alias_of = source if owner is None else owner

    def _close_loops(self) -> None:
        """Let what a loop reads before it writes it come from the last writer, whose memory it shares."""
        last = dict(sorted(self._index))
        owners = {facts.alias_of for facts in self.facts}
        for (name, version), index in self._index.items():
            facts, writer = self.facts[index], self.facts[self._index[name, last[name]]]
            if version == 0 and last[name] > 0 and facts.role == "constant":
                facts.role = "activation"
                facts.producers = list(writer.producers)
                if facts.alias_of is None and writer.alias_of is None and index not in owners:
                    facts.alias_of = self._index[name, last[name]]

    def _mark_outputs(self, engine: Engine) -> None:
        """Only the last value of an output's name leaves the engine."""
        for binding in engine.bindings:
            if binding.mode == "output" and binding.tensor is not None:
                index = self._index.get((binding.tensor.name, binding.tensor.version))
                if index is not None:
                    self.facts[index].role = "output"


def _look_alike(one: Tensor, other: Tensor) -> bool:
    """Tell whether two layers see a tensor in the same way, as nearly all do."""
    return one.dimensions == other.dimensions and one.format is other.format


def _facts(tensor: Tensor, role: str) -> TensorFacts:
    return TensorFacts(
        name=tensor.name,
        version=tensor.version,
        dimensions=list(tensor.dimensions),
        format=tensor.format.short,
        data_type=tensor.format.data_type,
        layout=tensor.format.layout,
        size_bytes=tensor.size_bytes,
        role=role,
    )


def _role(tensor: Tensor, inputs: set[str]) -> str:
    if tensor.version > 0:
        return "activation"
    return "input" if tensor.name in inputs else "constant"
