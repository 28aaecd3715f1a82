"""Which layers, inputs, outputs and shapes the files name."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from trexreport.model import Engine, FileFacts, Layer
from trexreport.model.data_format import UNKNOWN
from trexreport.model.fused_names import is_dla_transfer
from trexreport.model.implicit_batch import has_explicit_batch
from trexreport.model.written_parts import last_writes, whole_of
from trexreport.numbers import TIMES, counted, format_shape, join_names, middle_ellipsis
from trexreport.reader.bindings import reused_names
from trexreport.reader.contradictions.build_shapes import SHAPE, Shape, allowed_shapes, range_text
from trexreport.reader.contradictions.stated import Fact, Stated, flag_values, graph_file, option_values
from trexreport.reader.impossible import quoted
from trexreport.reader.layer_names import without_profile
from trexreport.regex import regex

#: A profile may name a few layers that the layer information leaves out, such as reformats at inputs.
_UNKNOWN_LAYERS, _UNKNOWN_SHARE = 2, 0.1
#: Part of the native layers that a profile without missing rows may lack, and what its percentages may lack.
_LACKING_SHARE, _WHOLE_ERROR_PERCENT = 0.2, 0.5
#: In logs long names are cut, and colors and other output break lines.
_UNKNOWN_SHARE_OF_LOG = 0.5
_ESCAPES = regex(r"\\(?:u[0-9a-fA-F]{4})?|[^ -~]|\s+")
#: TensorRT's tensors have no more extents.
_MOST_EXTENTS = 8
_EXTENTS = regex(r"\d{1,18}(?:x-?\d{1,18})*", re.ASCII)


class _Layers(NamedTuple):
    """Names of layers, without what writers escape in different ways.

    Attributes:
        share: Which part of them another file may not know.
        is_whole: They are all layers of the engine.
        timed: Those that a profile has a row of, or the rows of a profile by which it lacks none.
    """

    names: tuple[str, ...]
    share: float
    is_whole: bool
    timed: Counter[str]


def _unescaped(name: str) -> str:
    # Nearly all names are plain, and there are tens of thousands of them.
    is_plain = name.isascii() and name.isprintable() and " " not in name and "\\" not in name
    return name if is_plain else _ESCAPES.sub("", name)


def _layers(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        # Copies of a DLA may have rows in a profile and no place in the layer information.
        times = [each for each in file.layer_times if not is_dla_transfer(each[0])]
        names = tuple([_unescaped(name) for name, _ in times])
        if names:
            share = _UNKNOWN_SHARE_OF_LOG if file.role == "log" else _UNKNOWN_SHARE
            shown = times[0][0]
            text = f"{counted(len(names), 'layer')} beginning with {quoted(shown)}"
            layers = _Layers(names, share, file.role == "graph", _timed(engine, file))
            yield Stated(file.file, layers, text)


def _timed(engine: Engine, file: FileFacts) -> Counter[str]:
    """Return names and numbers of the layers that must have a time, or that have one in a whole profile."""
    if file.role == "graph":
        return Counter(_unescaped(without_profile(layer.name)) for layer in engine.layers if _has_row(layer))
    total = math.fsum((time and time.share_percent) or 0.0 for _, time in file.layer_times)
    if file.role != "profile" or abs(total - 100) > _WHOLE_ERROR_PERCENT:
        return Counter()
    return Counter(_unescaped(without_profile(name)) for name, _ in file.layer_times)


def _has_row(layer: Layer) -> bool:
    """Return whether a profile has a row of a layer: Myelin may be profiled as a whole."""
    return (
        bool(layer.type)
        and not layer.is_structural
        and "_my" not in layer.name
        and not is_dla_transfer(layer.name)
    )


def _are_of_one_engine(one: _Layers, other: _Layers) -> bool:
    """Return whether measured layers are those of the engine, and a whole profile's all, but for a few."""
    if one.is_whole == other.is_whole:
        return True
    whole, measured = sorted((one, other), key=lambda each: not each.is_whole)
    known = set(whole.names)
    unknown = sum(name not in known for name in measured.names)
    lacking = (whole.timed - measured.timed).total() if measured.timed else 0
    return unknown <= max(_UNKNOWN_LAYERS, measured.share * len(measured.names)) and lacking <= max(
        _UNKNOWN_LAYERS, _LACKING_SHARE * whole.timed.total()
    )


class _Tensors(NamedTuple):
    """Names of inputs and outputs.

    Attributes:
        inputs: Those that are known to be inputs.
        are_all: There are no inputs but these.
        are_of_run: They are those that a log of a run lists, which may have been shortened.
    """

    names: frozenset[str]
    inputs: frozenset[str]
    are_all: bool = False
    are_of_run: bool = False


def _tensors(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    inferred = any(note.slug == "bindings-inferred" for note in engine.notes)
    if file and engine.bindings and not inferred:
        names = frozenset(without_profile(each.name) for each in engine.bindings)
        inputs = frozenset(without_profile(each.name) for each in engine.bindings if each.mode == "input")
        yield Stated(file, _Tensors(names, inputs, are_all=True), _named(names))
    elif file and inferred:
        found = frozenset(without_profile(each.name) for each in engine.bindings)
        used = (tensor for layer in engine.layers for tensor in (*layer.inputs, *layer.outputs))
        names = frozenset(without_profile(tensor.name) for tensor in used)
        yield Stated(file, _Tensors(names, frozenset()), _named(found))
    for each in engine.files:
        created = frozenset(map(without_profile, each.setup.io_shapes))
        if created:
            inputs = frozenset(map(without_profile, each.setup.input_names))
            tensors = _Tensors(created, inputs, are_of_run=bool(each.measurement.summary))
            yield Stated(each.file, tensors, _named(created))
        given = frozenset(name for name, _ in _given_shapes(each))
        if given:
            yield Stated(each.file, _Tensors(given, given), _named(given))


def _types(engine: Engine) -> Iterator[Stated]:
    of_runs = [(file.file, *each) for file in engine.files for each in file.setup.io_types.items()]
    yield from (Stated(file, kind, kind, name) for file, name, kind in of_runs)
    for each in engine.bindings if of_runs and (file := graph_file(engine)) else ():
        kind = each.tensor.format.data_type if each.tensor else UNKNOWN
        if each.mode != "unknown" and kind != UNKNOWN:
            yield Stated(file, kind, kind, without_profile(each.name))


def _named(names: frozenset[str]) -> str:
    return join_names([middle_ellipsis(name, 40) for name in sorted(names)[:6]])


def _are_of_one_interface(one: _Tensors, other: _Tensors) -> bool:
    """Return whether neither has an input, nor a name at all, that the other would have to have."""
    for each, whole in ((one, other), (other, one)):
        if whole.are_all and not each.inputs <= whole.names:
            return False
        # Layers and options may leave out an input, and a log, too, but not each input and output.
        is_other_kind = not (each.are_all or each.are_of_run)
        if whole.are_of_run and is_other_kind and each.names and each.names.isdisjoint(whole.names):
            return False
    if not all(each.are_all or each.are_of_run for each in (one, other)):
        return True
    return one.names <= other.names or other.names <= one.names


def _given_shapes(file: FileFacts) -> Iterator[tuple[str, str]]:
    """Yield name and extents of the inputs with which a file says that the engine ran."""
    texts = [
        *option_values(file.setup.inference_options, "Input inference shape"),
        *flag_values(file, "shapes"),
    ]
    yield from (found for text in texts for found in SHAPE.findall(text))


def _shapes(engine: Engine) -> Iterator[Stated]:
    has_batch = has_explicit_batch(engine)
    for each in _all_shapes(engine):
        yield replace(each, value=each.value._replace(has_batch=has_batch))


def _all_shapes(engine: Engine) -> Iterator[Stated]:
    of_files = [each for file in engine.files for each in _shapes_of_file(file)]
    names = [without_profile(each.name) for each in engine.bindings]
    stated = Counter([*names, *(each.subject for each in of_files)])
    of_logs = {each for file in engine.files for each in file.setup.shape_ranges.values()}
    file = graph_file(engine)
    # One of several parts that layers write says nothing of the whole.
    partial = (name for name, writes in last_writes(engine.layers).items() if whole_of(writes) is None)
    unclear = {*reused_names(engine.bindings), *partial} if file else set()
    for name, binding in zip(names, engine.bindings if file else (), strict=False):
        if stated[name] == 1 and not binding.shape_range:
            continue  # An engine may have thousands of bindings that no other file mentions.
        if binding.tensor and binding.mode != "unknown" and unclear.isdisjoint((name, binding.name)):
            extents = binding.tensor.dimensions
            shape = Shape(extents, extents, is_of_layer=True)
            yield Stated(file, shape, format_shape(extents), name)
        if binding.shape_range and all(binding.shape_range) and binding.shape_range not in of_logs:
            least, _, most = binding.shape_range
            yield Stated(file, Shape(least, most), range_text(least, most), name)
    yield from of_files


def _shapes_of_file(file: FileFacts) -> Iterator[Stated]:
    yield from allowed_shapes(file)
    if not file.is_build:
        # A command line may repeat a shape any number of times, and all are compared with all.
        for name, text in dict.fromkeys((*file.setup.io_shapes.items(), *_given_shapes(file))):
            extents = tuple(map(int, text.split("x"))) if _EXTENTS.fullmatch(text) else ()
            yield Stated(file.file, Shape(extents, extents), text.replace("x", TIMES), name)


def is_one_shape(one: Shape, other: Shape) -> bool:
    """Return whether both can be shapes of one tensor."""
    return _are_equal_extents(one, other) or _is_reshaped(one, other)


def _is_reshaped(one: Shape, other: Shape) -> bool:
    """Return whether shapes differ by extents of 1, or a layer's by a reshape that TensorRT left out.

    It runs a Gemm of 256×13 as a convolution of 256×13×1×1, for example.
    """
    squeezed = _without_ones(one), _without_ones(other)
    if len(squeezed[0].least) == len(squeezed[1].least) and _are_equal_extents(*squeezed):
        return True
    ranks = {len(one.least), len(other.least)}
    is_dynamic = min(*one.least, *other.least) < 0
    if (
        not (one.is_of_layer or other.is_of_layer)
        or max(ranks) > _MOST_EXTENTS
        or (is_dynamic and len(ranks) < 2)
    ):
        return False
    (fewest, most), (its_fewest, its_most) = map(_elements, (one, other))
    return fewest <= its_most and its_fewest <= most


def _without_ones(shape: Shape) -> Shape:
    kept = [pair for pair in zip(shape.least, shape.most, strict=True) if pair != (1, 1)]
    return shape._replace(least=tuple(low for low, _ in kept), most=tuple(high for _, high in kept))


def _elements(shape: Shape) -> tuple[int, float]:
    """Return how many elements a tensor has at least and at most."""
    fewest = math.prod(1 if extent < 0 else extent for extent in shape.least)
    return fewest, math.inf if min(shape.most) < 0 else math.prod(shape.most)


def _are_equal_extents(one: Shape, other: Shape) -> bool:
    """Return whether the extents that both know can be equal; an implicit batch is not among them."""
    if not one.least or not other.least or -1 in (len(one.least), len(other.least)):
        return True
    if one.has_batch and len(one.least) != len(other.least) and 1 not in (len(one.least), len(other.least)):
        return False
    if abs(len(one.least) - len(other.least)) > 1:
        return len(one.least) == 1 or len(other.least) == 1
    common = min(len(one.least), len(other.least))
    bounds = zip(
        *(extents[len(extents) - common :] for extents in (one.least, one.most, other.least, other.most)),
        strict=True,
    )
    return all(
        min(least, most, its_least, its_most) < 0 or (least <= its_most and its_least <= most)
        for least, most, its_least, its_most in bounds
    )


LAYER_FACTS = (
    Fact("layer-names", "layers", _layers, _are_of_one_engine),
    Fact("io-tensors", "inputs and outputs", _tensors, _are_of_one_interface, "tensors"),
    Fact("io-types", "type", _types, operator.eq, "tensors"),
    Fact("shapes", "shape", _shapes, is_one_shape, "tensors"),
)
