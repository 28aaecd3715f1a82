"""What the inputs and outputs of an engine are, which decides how to avoid their transfers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.engine import BindingFacts, InputShape
from trexreport.analyzer.rules.after_products import mostly
from trexreport.analyzer.rules.caches import reads_cache
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.io_formats import is_requested_already, only_type_can_be_requested
from trexreport.analyzer.rules.io_sizes import are_narrower
from trexreport.analyzer.rules.layer_tests import Test, all_layers, of_engine
from trexreport.analyzer.rules.patterns import fused_attentions
from trexreport.analyzer.transfers import find_transfers
from trexreport.model import BindingMode
from trexreport.regex import regex

#: Names of caches of keys and values, and of other states that one step of a model hands to the next.
_STATE = regex(
    r"(?:^|[^a-z])(?:past|present)(?![a-z])|(?:kv|key|value|conv)_?cache|cache_?[kv](?![a-z])|(?:^|[^a-z])kv(?![a-z])"
)
#: Words of names that say only on which side of a step a state is; this many pairs of an input and an output
#: that differ in nothing else are states, as layers have one each: one pair may be an image and its result.
_SIDES = frozenset(
    {
        "cur", "current", "in", "init", "input", "new", "next", "old", "out", "output", "prev", "previous",
        "updated",
    }
)  # fmt: skip
_WORD, _MIN_PAIRS = regex(r"[a-z]+|\d+", re.ASCII), 4
#: Part of the bytes, and of the transfers, from which on advice is about it.
_MOSTLY, _MUCH = 0.5, 0.3
_IMAGE_RANK = 4
#: What has fewer pixels in either direction, by channels, is a vector, a small table, or the latents of a
#: diffusion model, which have as many channels as an image with transparency.
_MIN_PIXELS = {1: 8, 3: 8, 4: 256}
#: Several frames of a video are stacked in the channels; a feature map has fewer pixels.
_FRAME_PIXELS, _MOST_FRAMES = 256, 10
#: Each copy takes this long, in ms, if only for a few bytes.
_MANY_INPUTS, _FIXED_COST_MS = 8, 0.02
#: Part of the time of transfers from which on they overlap, although the rest fits none of them.
_MOSTLY_HIDDEN = 0.9
_WHOLE_NUMBERS = frozenset({"INT32", "INT64", "BOOL", "UINT8", "INT8"})
#: As frameworks export indices, and as TensorRT reads them.
_INDICES = frozenset({"INT64", "INT32"})


def handed_on_states(context: Context) -> list[str]:
    """Return the names of states for the next step, if most of what is copied are such; else none.

    Where only options state the inputs, those of these.
    """
    sizes = [(each.name, each.size_bytes) for each in context.analysis.bindings]
    if all(size is None for _, size in sizes):
        # Of equal types the number of elements decides.
        created: Sequence[BindingFacts | InputShape] = context.analysis.bindings
        sizes = [
            (each.name, _elements(each.dimensions)) for each in created or context.analysis.identity.inputs
        ]
    known = context.cached(states)
    of_states = [each for each in sizes if each[0] in known or _STATE.search(each[0].casefold())]
    if any(size is None for _, size in sizes):
        are_most = len(of_states) >= _MOSTLY * len(sizes)
    else:
        are_most = sum(size or 0 for _, size in of_states) >= _MOSTLY * sum(size or 0 for _, size in sizes)
    return [name for name, _ in of_states] if are_most else []


def _elements(extents: Sequence[int]) -> int | None:
    return math.prod(extents) if min(extents, default=0) > 0 else None


def states(context: Context) -> Collection[str]:
    """Return the names of I/O tensors that are states for the next step; call it through `Context.cached`.

    They are called so, or several inputs and outputs differ only in which side of a step they are.
    """
    bindings = context.analysis.bindings
    keys = [{_state_key(each) for each in bindings if each.mode == mode} for mode in ("input", "output")]
    paired = common if len(common := keys[0] & keys[1]) >= _MIN_PAIRS else ()
    return {e.name for e in bindings if _STATE.search(e.name.casefold()) or _state_key(e) in paired}


def _state_key(binding: BindingFacts) -> tuple[object, ...]:
    """Return the words of a name, the format, the number of axes and the first extent."""
    words = [word for word in _WORD.findall(binding.name.casefold()) if word not in _SIDES]
    return tuple(words), binding.format, len(binding.dimensions), tuple(binding.dimensions[:1])


def _has_images(mode: str, *, in_color: bool = False) -> Callable[[Context, Sequence[LayerFacts]], bool]:
    """Return a test whether images are much of the bytes of inputs or outputs, and not bytes or classes.

    Frames in channels may be outputs where an input has as many; else they are scores of as many classes. One
    channel may be a depth, which 8 bits do not hold, so that images in color may be asked for.
    """

    def test(context: Context, _: Sequence[LayerFacts]) -> bool:
        types = _types(context, mode)
        if types and types <= _WHOLE_NUMBERS:
            return False
        bindings = context.analysis.bindings
        given = {each.dimensions[1] for each in bindings if each.mode == "input" and is_image(each)}
        images = [
            each
            for each in bindings
            if is_image(each)
            if each.mode == "input" or _colors(each) in ({3, 4} if in_color else _MIN_PIXELS.keys() | given)
        ]
        # A result of fewer pixels than the image, such as boxes or scores by place, is none.
        least = min((_pixels(each) for each in images if each.mode == "input"), default=0)
        found = [each.size_bytes or 0 for each in bindings if each.mode == mode]
        of_images = [each.size_bytes or 0 for each in images if each.mode == mode and _pixels(each) >= least]
        return bool(of_images) and sum(of_images) >= _MUCH * sum(found)

    return test


def _decodes(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether the engine reads or writes the states of earlier tokens."""
    names = (each.name.casefold() for each in context.analysis.bindings)
    return any(map(_STATE.search, names)) or any(
        reads_cache(context, [each]) for each in context.cached(fused_attentions)
    )


def _limits(direction: str) -> Callable[[Context, Sequence[LayerFacts]], bool]:
    """Return a test whether copies in a direction limit the throughput, so that the others do not matter."""

    def test(context: Context, _: Sequence[LayerFacts]) -> bool:
        found = find_transfers(context.analysis.latency)
        return found is not None and found.limiting == direction

    return test


def is_image(binding: BindingFacts) -> bool:
    """Return whether an input or output is an image, or several frames, by its extents."""
    extents = binding.dimensions
    if len(extents) != _IMAGE_RANK or _STATE.search(binding.name.casefold()):
        return False
    return any(
        channels in _MIN_PIXELS and all(each < 0 or each >= _MIN_PIXELS[channels] for each in pixels)
        for channels, pixels in ((extents[1], extents[2:]), (extents[-1], extents[1:-1]))
    ) or (extents[1] in range(3, 3 * _MOST_FRAMES + 1, 3) and min(extents[2:]) >= _FRAME_PIXELS)


def _colors(image: BindingFacts) -> int:
    """Return the number of channels of an image, which may be its last extent."""
    last = image.dimensions[-1]
    return last if last in _MIN_PIXELS else image.dimensions[1]


def _pixels(image: BindingFacts) -> int:
    """Return the number of pixels of an image, which has fewer channels than rows or columns."""
    return math.prod(sorted(max(each, 0) for each in image.dimensions[1:])[-2:])


def _types(context: Context, role: str) -> set[str]:
    return {tensor.data_type for tensor in context.tensors if tensor.role == role}


def _are_mostly(types: Collection[str], role: str) -> Callable[[Context, Sequence[LayerFacts]], bool | None]:
    """Return a test whether most bytes of inputs or outputs have one of some types, None if not stated."""

    def test(context: Context, _: Sequence[LayerFacts]) -> bool | None:
        sizes = [(each.data_type, each.size_bytes or 0) for each in context.tensors if each.role == role]
        # A log alone states the types since TensorRT 10.
        sizes = sizes or [
            (each.format, each.size_bytes or 0)
            for each in context.analysis.bindings
            if each.mode == role and each.format
        ]
        of_type = sum(size for name, size in sizes if name in types)
        return of_type >= _MOSTLY * sum(size for _, size in sizes) > 0 if sizes else None

    return test


def _are_floats(role: BindingMode) -> Callable[[Context, Sequence[LayerFacts]], bool | None]:
    """Return a test whether most bytes of inputs or outputs are FP32: not if no link copies them so fast."""

    def test(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
        return False if are_narrower(context, role) else _are_mostly({"FP32"}, role)(context, layers)

    return test


def _copies_much(role: str) -> Callable[[Context, Sequence[LayerFacts]], bool]:
    """Return a test whether inputs or outputs take much of the transfers, and are not all whole numbers."""

    def test(context: Context, _: Sequence[LayerFacts]) -> bool:
        part, types = _part_of_copies(context, role), _types(context, role)
        return part is not None and part >= _MUCH and (not types or not types <= _WHOLE_NUMBERS)

    return test


def _copies_wide(role: BindingMode) -> Callable[[Context, Sequence[LayerFacts]], bool | None]:
    """Return a test whether inputs or outputs take much of the transfers and are mostly FP32."""
    is_much, are_floats = _copies_much(role), _are_floats(role)
    return lambda context, layers: is_much(context, layers) and are_floats(context, layers)


def _may_be_wide(context: Context, layers: Sequence[LayerFacts]) -> tuple[bool, bool]:
    """Return of inputs and of outputs whether fewer bytes of them would save time, or might."""
    return (
        _unless_limited(_copies_wide("input"), "out")(context, layers) is not False,
        _unless_limited(_copies_wide("output"), "in")(context, layers) is not False,
    )


def _unless_limited(
    test: Callable[[Context, Sequence[LayerFacts]], bool | None], direction: str
) -> Callable[[Context, Sequence[LayerFacts]], bool | None]:
    """Return a test that fails where the copies in the other direction limit the throughput."""
    limits = _limits(direction)
    return lambda context, layers: not limits(context, layers) and test(context, layers)


def _part_of_copies(context: Context, role: str) -> float | None:
    """Return which part of the transfers inputs or outputs take; None without measured ones."""
    latency = context.analysis.latency
    times = {"input": latency.h2d, "output": latency.d2h}
    medians = {key: each.median_ms if each else 0.0 for key, each in times.items()}
    return medians[role] / sum(medians.values()) if sum(medians.values()) > 0 else None


def _are_long(role: BindingMode) -> Callable[[Context, Sequence[LayerFacts]], bool]:
    """Return a test whether most bytes of inputs or outputs are INT64, and their copies matter."""

    def test(context: Context, layers: Sequence[LayerFacts]) -> bool:
        part = _part_of_copies(context, role)
        return _are_mostly({"INT64"}, role)(context, layers) is True and (part is None or part >= _MUCH)

    return test


def _has_many_small_inputs(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether inputs are many, and each copy takes little more than its fixed cost."""
    inputs = sum(each.mode == "input" for each in context.analysis.bindings)
    inward = context.analysis.latency.h2d
    return inputs >= _MANY_INPUTS and inward is not None and inward.median_ms <= inputs * _FIXED_COST_MS


def _overlaps(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether queries follow each other so closely that transfers of one hide behind another."""
    latency = context.analysis.latency
    found = find_transfers(latency)
    if found is None or found.overlap:
        return found is not None
    if found.waiting is not None or found.period_ms is None or latency.gpu_compute is None:
        return False
    parts = latency.gpu_compute.mean_ms, found.inward_ms or 0.0, found.outward_ms or 0.0
    whole_ms = latency.gpu_compute.mean_ms + found.total_ms
    return whole_ms - found.period_ms >= _MOSTLY_HIDDEN * (whole_ms - max(parts))


def _are_whole_numbers(_: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all layers convert between INT64 and INT32; None if some do."""
    return mostly({layer.precision, layer.output_precision} == _INDICES for layer in layers)


def _is_at_output(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer writes an output of the network."""
    return any(context.is_output(use.tensor) for use in layer.outputs)


#: By name a test, and the words where it is not known whether it holds.
IO_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "at-output": (all_layers(_is_at_output), "At an output of the network"),
    "states": (of_engine(handed_on_states), "For states for the next step, such as caches"),
    "many-inputs": (_has_many_small_inputs, "With many small inputs"),
    "byte-inputs": (_unless_limited(_has_images("input"), "out"), "For images"),
    "decodes": (_decodes, "Where a token is decoded"),
    "image-outputs": (_has_images("output"), "For images as outputs"),
    "byte-outputs": (_unless_limited(_has_images("output", in_color=True), "in"), "For images as outputs"),
    "inputs-limit": (_limits("in"), ""),
    "outputs-limit": (_limits("out"), ""),
    "zero-copy": (lambda context, _: context.is_jetson is True, "On Jetson"),
    "overlapping": (_overlaps, ""),
    "wide-copies": (lambda *of: _may_be_wide(*of) == (True, True), ""),
    "wide-inputs-alone": (lambda *of: _may_be_wide(*of) == (True, False), ""),
    "wide-outputs-alone": (lambda *of: _may_be_wide(*of) == (False, True), ""),
    "float-outputs": (_are_floats("output"), ""),
    "long-outputs": (_are_long("output"), ""),
    "class-outputs": (lambda *of: _are_mostly(_INDICES, "output")(*of) is True, ""),
    "long-inputs": (_are_long("input"), ""),
    "much-output": (_copies_much("output"), "Where outputs take the copies' time"),
    "whole": (_are_whole_numbers, "For INT64"),
    "linear-outputs": (all_layers(is_requested_already), "At outputs"),
    "pads-inside": (
        lambda context, layers: all(only_type_can_be_requested(context, each) for each in layers),
        "",
    ),
}
