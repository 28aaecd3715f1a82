"""Layers of an engine with their tensors and weights, under the attribute names of TREx."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trexreport import model
from trexreport.model import LayerTime, Tensor
from trexreport.reader.assemble import read_layer
from trexreport.reader.graph_file import RawLayer
from trexreport.reader.values import mapping, records, text
from trexreport.reader.versions import TensorVersions
from trexreport.trex._libraries import pass_on
from trexreport.trex.activations import Activation, create_activations, readable

__all__ = ["Activation", "Layer", "create_activations", "fold_no_ops"]
__getattr__ = pass_on(__name__, __all__, "Dict List np pd")

#: What is drawn elsewhere, or says the same as another key.
_NOT_IN_TOOLTIP = {"InputRegions", "OutputRegions", "Inputs", "Outputs", "ParameterType", "LayerName"}
_Value = tuple[str, int]


class Layer:
    """One layer of an `EnginePlan`, its sizes in bytes and without padding.

    Args:
        raw_dict: The file's record of the layer.

    Attributes:
        name: Unique in the plan: a second layer of the same name ends in "_2".
        type: ParameterType, else LayerType; `subtype` is the LayerType.
        metadata: The layers of the original model, or None if the file has none.
        inputs, outputs: Tensors; in a plan after folding of no-ops.
        precision: Data type of the first input, or None without inputs.
        output_precision: Data type of the first output, or None without outputs.
        inputs_size_bytes, outputs_size_bytes, total_io_size_bytes: Bytes of tensors without padding.
        weights_cnt, weights_type, weights_size: Elements, the file's data type and bytes; 0, None and 0
            without weights. `bias_cnt`, `bias_type` and `bias_size` likewise.
        total_footprint_bytes: Bytes of inputs, outputs and weights; the bias is left out, as TREx does.
        index: Position in `EnginePlan.all_layers`.
        model: The layer as the reader made it.
    """

    def __init__(self, raw_dict: Mapping[str, Any]) -> None:
        raw = RawLayer(text(raw_dict.get("Name")), dict(raw_dict))
        self._take(read_layer(0, raw, raw.name, TensorVersions()), readable(raw.name))
        # A record alone does not say which of the values of a name it means.
        for tensor in (*self.inputs, *self.outputs):
            tensor.version = 0

    @classmethod
    def of(cls, layer: model.Layer, name: str) -> Layer:
        """Return the view of a layer that was read already, under a name that is unique in its plan."""
        made = cls.__new__(cls)
        made._take(layer, name)  # noqa: SLF001
        return made

    def _take(self, layer: model.Layer, name: str) -> None:
        self.name = name
        self.index = layer.index
        self.model = layer
        self.type = layer.type
        self.subtype = layer.subtype
        self.tactic = layer.tactic or "TensorRT"
        stated = layer.attributes.get("Metadata")
        self.metadata = readable(stated) if isinstance(stated, str) else None
        self.inputs = [Activation.of(tensor) for tensor in layer.inputs]
        self.outputs = [Activation.of(tensor) for tensor in layer.outputs]
        self.raw_dict = _raw_dict(layer, name)
        self.precision = self.inputs[0].precision if self.inputs else None
        self.output_precision = self.outputs[0].precision if self.outputs else None
        self.inputs_size_bytes = sum(tensor.size_bytes for tensor in self.inputs)
        self.outputs_size_bytes = sum(tensor.size_bytes for tensor in self.outputs)
        self.total_io_size_bytes = self.inputs_size_bytes + self.outputs_size_bytes
        self.weights_cnt, self.weights_type, self.weights_size = _owned(layer, "weights")
        self.bias_cnt, self.bias_type, self.bias_size = _owned(layer, "bias")
        self.total_footprint_bytes = self.total_io_size_bytes + self.weights_size

    @property
    def time(self) -> LayerTime | None:
        """The profiler's figures, or None if the layer was not profiled."""
        return self.model.time

    def tooltip(self) -> str:
        r"""Return every raw attribute but the tensors, sorted, each ended by Graphviz's "\n"."""
        shown = sorted(self.raw_dict.keys() - _NOT_IN_TOOLTIP)
        return "".join(f"{key}:{self.raw_dict[key]}\\n" for key in shown)

    def __repr__(self) -> str:
        return f"Layer({self.name})"


def _raw_dict(layer: model.Layer, name: str) -> dict[str, Any]:
    """Return the file's record with a unique, readable name and the type of deconvolutions, as in TREx."""
    raw = {"Name": "", "LayerType": layer.subtype, **layer.attributes}
    raw["Name"] = name
    for key, tensors in (("Inputs", layer.inputs), ("Outputs", layer.outputs)):
        listed = records(raw.get(key))
        # Only an engine that no file was read for has layers without their record.
        raw[key] = listed if len(listed) == len(tensors) else [_record(tensor) for tensor in tensors]
    if layer.type == "Deconvolution" and "ParameterType" in raw:
        raw["ParameterType"] = layer.type
    if isinstance(raw.get("Metadata"), str):
        raw["Metadata"] = readable(raw["Metadata"])
    return raw


def _record(tensor: Tensor) -> dict[str, Any]:
    return {
        "Name": tensor.name,
        "Dimensions": list(tensor.dimensions),
        "Format/Datatype": tensor.format.text,
    }


def _owned(layer: model.Layer, role: str) -> tuple[int, str | None, int]:
    """Return elements, data type as the file spells it, and bytes of the constant data of one role."""
    owned = [each for each in layer.weights if each.role == role]
    if not owned:
        return 0, None, 0
    keys = ("Weights", "ConvWeights") if role == "weights" else ("Bias", "ConvBias")
    stated = (text(mapping(layer.attributes.get(key)).get("Type")) for key in keys)
    data_type = next(filter(None, stated), owned[0].data_type)
    return sum(each.count or 0 for each in owned), data_type, sum(each.size_bytes or 0 for each in owned)


def fold_no_ops(layers: Iterable[Layer], bindings: Iterable[str]) -> list[Layer]:
    """Return the layers without no-ops; the tensors of their neighbors change in place.

    What reads a no-op's output reads its input instead. Where only the outside reads it, the layer that
    makes the input writes under the output's name instead, so that the binding keeps its producer.
    """
    layers, names = list(layers), set(bindings)
    no_ops = [layer for layer in layers if layer.type == "NoOp" and layer.inputs and layer.outputs]
    kept = [layer for layer in layers if layer.type != "NoOp"]
    sources = _sources(no_ops)
    renamed = _renamed(layers, no_ops, sources, names)
    for layer in kept if sources else ():
        read = [sources.get(_value(tensor), tensor) for tensor in layer.inputs]
        layer.inputs = [renamed.get(_value(tensor), tensor) for tensor in read]
        layer.outputs = [renamed.get(_value(tensor), tensor) for tensor in layer.outputs]
    return kept


def _value(tensor: Activation) -> _Value:
    """Return name and version, which together identify one value."""
    return tensor.name, tensor.version


def _sources(no_ops: Iterable[Layer]) -> dict[_Value, Activation]:
    """Return the source of each no-op's output, through chains of no-ops."""
    sources: dict[_Value, Activation] = {}
    for layer in no_ops:
        source = layer.inputs[0]
        source = sources.get(_value(source), source)
        for tensor in layer.outputs:
            sources[_value(tensor)] = source
    return sources


def _renamed(
    layers: Sequence[Layer], no_ops: Iterable[Layer], sources: Mapping[_Value, Activation], bindings: set[str]
) -> dict[_Value, Activation]:
    """Return the new form of each tensor that a no-op without readers hands to a binding."""
    read = {_value(tensor) for layer in layers for tensor in layer.inputs}
    written = {_value(tensor) for layer in layers if layer.type != "NoOp" for tensor in layer.outputs}
    renamed: dict[_Value, Activation] = {}
    for layer in no_ops:
        for tensor in layer.outputs:
            source = _value(sources[_value(tensor)])
            is_leaf = _value(tensor) not in read and tensor.name in bindings
            # A tensor that is a binding itself, or feeds two, keeps its name.
            if is_leaf and source in written and source[0] not in bindings and source not in renamed:
                renamed[source] = tensor
    return renamed
