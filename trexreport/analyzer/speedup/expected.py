"""Expect how long the layers of an engine take in a lower precision.

A layer takes the time of a launch, which no precision changes, plus the rest of its time, scaled as its
roofline time changes: it then reaches the same share of its roofline as before (`floor + roof / share`, as
`trexreport.analyzer.rules.expected` has it). Without a roofline time the GPU's peaks and the bytes of its
tensors scale it, whichever change less; without the peak of either type the bytes alone.

Which types: convolutions and matrix products compute in the lower precision. FP16 and BF16 are expected of
every other layer, too; INT8 only of layers that TensorRT quantizes (pooling, resizing, simple pointwise
operations, moving data), and FP8 and narrower types of none of them. Tensors are as narrow as all layers that
write and read them allow; those of the engine itself keep their types. A conversion between types that are
then equal vanishes, if it keeps the layout. The contents of plugins are unknown: their time stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.speedup import SpeedupBasis
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import is_conversion, is_pointwise, only_copies, operations
from trexreport.analyzer.speedup.precisions import COMPUTED, multiplies, narrower
from trexreport.model.data_format import BITS, is_known_layout

_QUANTIZED_TYPES = frozenset({"Pooling", "Resize", "Shuffle", "Concat", "Concatenation", "Slice", "Padding"})
#: Pointwise operations for which TensorRT has INT8 kernels; others compute in floating point.
_QUANTIZED_OPERATIONS = frozenset(
    {"Add", "Sub", "Mul", "Max", "Min", "Relu", "Clip", "LeakyRelu", "Leaky_relu", "PRelu", "Cast", "Move"}
)
_HALF_BITS = 16


class Types(NamedTuple):
    """The types in which a layer computes, reads and writes."""

    computed: str
    read: list[str]
    written: list[str]


def types_of(layer: LayerFacts, data_types: Sequence[str]) -> Types:
    """Return the types of a layer, given those of the engine's tensors."""
    return Types(
        layer.precision,
        [data_types[use.tensor] for use in layer.inputs],
        [data_types[use.tensor] for use in layer.outputs],
    )


class Expected(NamedTuple):
    """How long a layer should take, and what that rests on."""

    time_ms: float
    basis: SpeedupBasis


class Expectation:
    """What an engine's layers should take in a lower precision.

    Args:
        context: The engine.
        precision: The lower precision.
        launch_ms: What the launch of a kernel takes; 0 if it is not known.
    """

    def __init__(self, context: Context, precision: str, launch_ms: float) -> None:
        self.context = context
        self.precision = precision
        self._gpu = context.analysis.roofline.gpu
        self._launch_ms = launch_ms
        self._data_types = [tensor.data_type for tensor in context.tensors]
        # Once for each layer: each is asked for again.
        self._types: dict[int, tuple[Types, Types]] = {}

    @cached_property
    def _lowest_types(self) -> list[str]:
        """The narrowest type that is expected of each layer."""
        return [self._lowest(layer) for layer in self.context.layers]

    @cached_property
    def _is_uniform(self) -> bool:
        """Whether the lower precision is expected of every layer, as FP16 is without plugins."""
        return {*self._lowest_types} == {self.precision}

    @cached_property
    def _bound(self) -> frozenset[int]:
        """The values that are inputs or outputs of the engine."""
        context = self.context
        tensors = enumerate(context.tensors)
        return frozenset(context.base_of(at) for at, tensor in tensors if tensor.role in {"input", "output"})

    def types(self, layer: LayerFacts) -> tuple[Types, Types]:
        """Return the types of a layer, and those in the lower precision: the same where none is lower."""
        found = self._types.get(layer.index)
        if found is None:
            stated, lowered = types_of(layer, self._data_types), types_of(layer, self._lowered_tensors)
            if layer.precision in COMPUTED:
                computed = narrower(layer.precision, self._lowest_types[layer.index])
                if computed != layer.precision:
                    lowered = lowered._replace(computed=computed)
            found = self._types[layer.index] = stated, stated if lowered == stated else lowered
        return found

    def like(self, layer: LayerFacts, other: LayerFacts, types: Types) -> Types:
        """Return the types of a layer if it had those of the layer that does its work in another engine."""

        def replaced(own: Sequence[str], given: Sequence[str], default: str) -> list[str]:
            alike = given if len(given) == len(own) else [default] * len(own)
            return [new if {old, new} <= COMPUTED else old for old, new in zip(own, alike, strict=True)]

        stated, _ = self.types(layer)
        computed = other.precision if {layer.precision, other.precision} <= COMPUTED else layer.precision
        return Types(
            computed,
            replaced(stated.read, types.read, other.precision),
            replaced(stated.written, types.written, other.output_precision),
        )

    def time(self, layer: LayerFacts, types: Types) -> Expected:
        """Return the time of a layer with some types; its own time where nothing shows another one."""
        time_ms = layer.avg_ms or 0.0
        stated, _ = self.types(layer)
        if layer.precision not in COMPUTED or self.context.is_plugin(layer):
            return Expected(time_ms, "none")
        if self._vanishes(layer, stated, types) and is_conversion(self.context, layer):
            return Expected(0.0, "bytes")
        bytes_ratio = 1.0 if types == stated else _bytes_ratio(layer, stated, types)
        above_ms = max(time_ms - self._launch_ms, 0.0)
        launch_ms = time_ms - above_ms
        peak, new_peak = self._peaks(layer, types)
        is_known = new_peak is not None or peak is None
        if layer.roof is None or self._gpu is None or not layer.roof.roof_ms or not is_known:
            peaks_ratio = peak / new_peak if peak and new_peak else 0.0
            ratio = max(bytes_ratio, peaks_ratio)
            return Expected(launch_ms + above_ms * ratio, "peaks" if peaks_ratio else "bytes")
        memory_ms, compute_ms = self._roofs(layer)
        compute_ms *= peak / new_peak if peak and new_peak else 1.0
        roof_ms = max(memory_ms * bytes_ratio, compute_ms)
        expected_ms = max(launch_ms + above_ms * roof_ms / layer.roof.roof_ms, roof_ms)
        # A layer that is faster than its roofline, as its data is in a cache, does not have to become slower.
        limit_ms = time_ms if roof_ms <= layer.roof.roof_ms else expected_ms
        return Expected(min(expected_ms, limit_ms), "roofline")

    def _lowest(self, layer: LayerFacts) -> str:
        """Return the narrowest type that is expected of a layer."""
        context, bits = self.context, BITS[self.precision]
        if context.is_plugin(layer):
            return layer.precision if layer.precision in COMPUTED else "FP32"
        if bits >= _HALF_BITS or multiplies(context, layer) or is_conversion(context, layer):
            return self.precision
        if self.precision != "INT8" or context.is_opaque(layer):
            return "FP16"
        if layer.type in _QUANTIZED_TYPES or only_copies(layer):
            return self.precision
        simple = is_pointwise(layer) and _QUANTIZED_OPERATIONS.issuperset(operations(layer))
        return self.precision if simple else "FP16"

    @cached_property
    def _lowered_tensors(self) -> list[str]:
        """The type of each tensor in the lower precision."""
        # Thousands of layers may read one value.
        widest: dict[int, str] = {}
        found = []
        for tensor, stated in enumerate(self._data_types):
            lowered, value = stated, self.context.base_of(tensor)
            if stated in COMPUTED and value not in self._bound:
                if value not in widest:
                    widest[value] = self._widest_around(value)
                lowered = narrower(stated, widest[value])
            found.append(lowered)
        return found

    def _widest_around(self, value: int) -> str:
        """Return the widest type that is expected of the layers that write and read a value."""
        if self._is_uniform:
            return self.precision
        around = (*self.context.producers(value), *self.context.consumers(value))
        lowest = self._lowest_types
        allowed = dict.fromkeys([lowest[layer.index] for layer in around if layer.type != "Constant"])
        if len(allowed) < 2:
            return next(iter(allowed), self.precision)
        return max(allowed, key=BITS.__getitem__)

    def _vanishes(self, layer: LayerFacts, stated: Types, types: Types) -> bool:
        """Return whether a conversion has nothing to do with the new types."""
        if len(stated.read) != 1 or len(stated.written) != 1 or stated.read == stated.written:
            return False
        if types.read != types.written:
            return False
        before, after = (self.context.tensor(use.tensor).layout for use in (*layer.inputs, *layer.outputs))
        return before == after and is_known_layout(before)

    def _roofs(self, layer: LayerFacts) -> tuple[float, float]:
        """Return the times in ms at the memory roof and at the compute roof."""
        roof, gpu = layer.roof, self._gpu
        if roof is None or gpu is None:
            return 0.0, 0.0
        compute_ms = (layer.flops or 0) / (roof.peak_tflops * 1e9) if roof.peak_tflops else 0.0
        if roof.roof == "memory":
            return roof.roof_ms, compute_ms
        moved = layer.flops / roof.intensity if layer.flops and roof.intensity else 0.0
        return moved / (gpu.bandwidth_gbs * 1e6), roof.roof_ms

    def _peaks(self, layer: LayerFacts, types: Types) -> tuple[float | None, float | None]:
        """Return the peaks of a product before and after, as far as known; none where its type stays."""
        if types.computed == layer.precision or self._gpu is None or not multiplies(self.context, layer):
            return None, None
        stated = layer.roof.peak_tflops if layer.roof else None
        peak = stated or self._peak(layer.precision)
        return peak, self._peak(types.computed)

    def _peak(self, name: str) -> float | None:
        gpu = self._gpu
        if gpu is None:
            return None
        names = ("TF32", name) if name == "FP32" else (f"{name}/FP16", name)
        known = (gpu.tensor_tflops.get(each) or gpu.vector_tflops.get(each) for each in names)
        return next((peak for peak in known if peak), None)


def _bytes_ratio(layer: LayerFacts, stated: Types, types: Types) -> float:
    """Return the bytes that a layer moves with new types over those that it moves as it is.

    Without known sizes, tensors have as many elements as each other.
    """
    tensors = [
        *zip(layer.inputs, stated.read, types.read, strict=True),
        *zip(layer.outputs, stated.written, types.written, strict=True),
    ]
    hidden = layer.work.hidden_weights_bytes if layer.work else 0
    weights = (layer.weights_bytes or 0) + hidden
    computed = BITS[types.computed] / BITS[layer.precision]
    is_sized = any(use.size_bytes for use, _, _ in tensors)
    if not is_sized:
        weights = BITS[layer.precision] if weights else 0
    parts = [(float(weights), weights * computed)]
    for use, old, new in tensors:
        size = (use.size_bytes or 0) if is_sized else BITS.get(old, 0)
        known = old in BITS and new in BITS
        parts.append((size, size * BITS[new] / BITS[old] if known else size))
    before, after = (math.fsum(part[side] for part in parts) for side in (0, 1))
    return after / before if before else computed


def is_wider(types: Types, expected: Types) -> bool:
    """Return whether any of some types is wider than expected."""
    if types == expected:
        return False
    pairs = zip(
        (types.computed, *types.read, *types.written),
        (expected.computed, *expected.read, *expected.written),
        strict=True,
    )
    return any(BITS.get(one, 0) > BITS.get(other, 0) for one, other in pairs)
