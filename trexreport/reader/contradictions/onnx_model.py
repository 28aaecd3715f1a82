"""Whether the inputs and outputs of an engine are those of the ONNX model beside it.

TensorRT's parser keeps their names, the extents of inputs where they are not dynamic, and their types, but
for INT64 and FP64 in earlier versions and for what --inputIOFormats and --outputIOFormats choose.
"""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.model import Binding, Engine, InputWarning
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxValue
from trexreport.numbers import format_shape, join_names, middle_ellipsis
from trexreport.reader.contradictions.build_shapes import Shape
from trexreport.reader.contradictions.layers import is_one_shape
from trexreport.reader.contradictions.stated import Fact, Stated, flag_values, graph_file, option_values
from trexreport.reader.layer_names import without_profile

#: The types of onnx.proto that inputs and outputs of an engine have, as TensorRT may take them.
_TYPES = {
    "FLOAT": ("FP32",),
    "DOUBLE": ("FP64", "FP32"),
    "FLOAT16": ("FP16", "FP32"),
    "BFLOAT16": ("BF16", "FP32"),
    "INT64": ("INT64", "INT32"),
    "INT32": ("INT32",),
    "BOOL": ("BOOL",),
}
#: Types of numbers, of which an option or a program may choose another one, and of indices and masks.
_NUMBERS = frozenset({"FP64", "FP32", "FP16", "BF16", "FP8", "INT8", "FP4", "INT4"})
_INDICES = frozenset({"INT64", "INT32", "BOOL"})
#: How many names a message states.
_MAX_NAMES, _MAX_NAME = 6, 40


def _bindings(engine: Engine) -> Iterator[tuple[str, Binding]]:
    """Yield the inputs and outputs that the file of the layers states itself, with the names of the model."""
    if engine.onnx is None or any(note.slug == "bindings-inferred" for note in engine.notes):
        return
    yield from ((without_profile(each.name), each) for each in engine.bindings if each.mode != "unknown")


def other_export(engine: Engine) -> Iterator[InputWarning]:
    """Yield a note if an input or an output has a name that no tensor of the model has.

    Two exports of one model may name them differently, so that this is not a contradiction.
    """
    if engine.onnx is None:
        return
    graph = engine.onnx.graph
    known = {each.name for each in (*graph.inputs, *graph.outputs)}
    if not known:
        return
    known.update(_tensors(graph))
    unknown = [name for name, _ in _bindings(engine) if name not in known]
    if unknown:
        are = "an input or output" if len(unknown) == 1 else "inputs or outputs"
        names = join_names([middle_ellipsis(name, _MAX_NAME) for name in unknown[:_MAX_NAMES]])
        message = f"{engine.onnx.file} has no tensor of the names of {are} of the engine: {names}."
        hint = "Give the model that the engine was built from: this may be another export of it."
        yield InputWarning("degraded", "onnx-other-names", message, engine.onnx.file, ("model",), hint)


def _tensors(graph: OnnxGraph) -> Iterator[str]:
    """Yield the names of the tensors of a graph and of those in it."""
    for node in graph.nodes:
        yield from node.outputs
        for inner in node.graphs.values():
            yield from _tensors(inner)


def _ends(engine: Engine) -> Iterator[tuple[str, Binding, OnnxModel, OnnxValue]]:
    """Yield the inputs and outputs that engine and model have in common."""
    if engine.onnx is None:
        return
    graph = engine.onnx.graph
    by_name = {each.name: each for each in (*graph.inputs, *graph.outputs)}
    for name, binding in _bindings(engine):
        if name in by_name:
            yield name, binding, engine.onnx, by_name[name]


def _shapes(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    for name, binding, model, value in _ends(engine):
        extents = _extents(value)
        if binding.mode == "output":
            extents = _computed(extents, model.graph)
        tensor = binding.tensor
        if not extents or tensor is None or not tensor.dimensions:
            continue
        own = tuple(tensor.dimensions)
        yield Stated(file, Shape(own, own, is_of_layer=True), format_shape(own), name)
        yield Stated(model.file, Shape(extents, extents), format_shape(extents), name)


def _extents(value: OnnxValue) -> tuple[int, ...]:
    return tuple(each if isinstance(each, int) and each >= 0 else -1 for each in value.shape or ())


def _computed(extents: tuple[int, ...], graph: OnnxGraph) -> tuple[int, ...]:
    """Return what binds of the extents that a model states of an output, as TensorRT computes its own.

    Exporters and tools that change the extents of the inputs may leave those of the outputs as they were.
    """
    if any(-1 in _extents(each)[1:] for each in graph.inputs):
        return ()
    return (-1, *extents[1:]) if len(extents) > 1 else ()


def _types(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    for name, binding, model, value in _ends(engine):
        expected = _TYPES.get(value.data_type)
        tensor = binding.tensor
        if expected is None or tensor is None or tensor.format.data_type not in _NUMBERS | _INDICES:
            continue
        own = tensor.format.data_type
        yield Stated(file, frozenset({own}), own, name)
        kind = _INDICES if expected[0] in _INDICES else _NUMBERS
        allowed = frozenset(expected) if _keeps_types(engine, binding) else kind
        yield Stated(model.file, allowed, expected[0], name)


def _keeps_types(engine: Engine, binding: Binding) -> bool:
    """Return whether the command of the build is known and chooses no type of an input or an output."""
    flag, option = (
        ("inputIOFormats", "Input(s)") if binding.mode == "input" else ("outputIOFormats", "Output(s)")
    )
    builds = [
        each
        for each in engine.files
        if any("--onnx=" in command and "--loadEngine" not in command for command in each.setup.commands)
    ]
    chosen = (
        *(value for each in engine.files for value in flag_values(each, flag)),
        *(
            value
            for each in engine.files
            for value in option_values(each.setup.build_options, option)
            if not value.startswith("fp32")
        ),
    )
    return bool(builds) and not chosen


ONNX_FACTS = (
    Fact("model-shapes", "shape", _shapes, is_one_shape, "model"),
    Fact("model-types", "type", _types, lambda one, other: not one.isdisjoint(other), "model"),
)
