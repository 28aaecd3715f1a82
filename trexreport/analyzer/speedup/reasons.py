"""What may be the cause where a layer takes longer than expected, as far as the files show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.speedup import SpeedupReason
from trexreport.analyzer.rules.context import QUANTIZED, Context
from trexreport.analyzer.rules.convolution.channels import CHANNELS_PER_UNIT, channels_of
from trexreport.analyzer.rules.patterns import activations, is_conversion
from trexreport.analyzer.rules.quantization.residual_adds import mixed_adds, origin_of
from trexreport.analyzer.speedup.precisions import COMPUTED, multiplies
from trexreport.model.data_format import BITS

#: A layer reaches less of its roofline than another if its share is smaller by this factor.
_LESS = 0.98


class Reasons:
    """What the files of the engine of the lower precision show.

    Args:
        context: That engine.
        precision: Its lower precision.
        launch_ms: What the launch of a kernel takes; 0 if it is not known.
    """

    def __init__(self, context: Context, precision: str, launch_ms: float) -> None:
        self.context = context
        self.precision = precision
        self._launch_ms = launch_ms

    @cached_property
    def residual(self) -> frozenset[int]:
        """Layers with a residual Add that mixes types, and those around it that its wide input concerns."""
        found = mixed_adds(self.context)
        return frozenset(
            layer.index for add in found for layer in (add.layer, *add.sources, *add.conversions, *add.kept)
        )

    def of_fallback(self, layer: LayerFacts) -> list[SpeedupReason]:
        """Return why a layer may compute in a wider type."""
        found = list(self._of_fallback(layer))
        return found or (["faster-tactic"] if layer.precision in COMPUTED else [])

    def of_conversions(self, layers: Iterable[LayerFacts]) -> list[SpeedupReason]:
        """Return why there may be conversions."""
        found: list[SpeedupReason] = []
        for layer in layers:
            uses = (*layer.inputs, *layer.outputs)
            if layer.index in self.residual:
                found.append("residual-add")
            elif any(self.context.is_input(use.tensor) or self.context.is_output(use.tensor) for use in uses):
                found.append("engine-io")
            elif self._is_beside_wider(layer):
                found.append("beside-wider")
            elif layer.index in self.context.reformat_of:
                found += ["layout"] if self.context.reformat_of[layer.index].change == "layout" else []
        return list(dict.fromkeys(found))

    def of_kernels(
        self, layers: Sequence[LayerFacts], before: Sequence[LayerFacts], *, slower: bool
    ) -> list[SpeedupReason]:
        """Return why kernels may be slower, or faster, than expected from those that they replace."""
        (now_on_cuda, now_on_tensor), (then_on_cuda, _) = self._cores(layers), self._cores(before)
        found: list[SpeedupReason] = []
        if slower and now_on_cuda and not then_on_cuda:
            found.append("cuda-cores")
        if not slower and then_on_cuda and now_on_tensor and not now_on_cuda:
            found.append("left-cuda-cores")
        now, then = self._reached(layers), self._reached(before)
        if now and then and now < _LESS * then and slower:
            found.append("less-of-roofline")
        if now and then and then < _LESS * now and not slower:
            found.append("more-of-roofline")
        if slower and any(layer.roof and layer.roof.bound == "latency" for layer in layers):
            found.append("latency-bound")
        return found

    def _of_fallback(self, layer: LayerFacts) -> Iterator[SpeedupReason]:
        if self.precision in QUANTIZED and self._has_qdq:
            if not self._reads_quantized(layer):
                yield "missing-qdq"
                return
        elif any("--stronglyTyped" in command for command in self.context.analysis.commands):
            yield "strongly-typed"
            return
        channels, unit = channels_of(layer), CHANNELS_PER_UNIT.get(self.precision)
        if channels is not None and self.context.is_convolution(layer) and unit:
            if channels.are_grouped:
                yield "grouped-channels"
            elif channels.read % unit or channels.written % unit:
                yield "unaligned-channels"

    @cached_property
    def _has_qdq(self) -> bool:
        """Whether the model has Q/DQ, as names of layers or the ONNX model show."""
        model = self.context.analysis.onnx
        if model is not None and any(node.op_type == "QuantizeLinear" for node in model.nodes):
            return True
        return any(
            "quantizelinear" in name.lower()
            for layer in self.context.layers
            for name in (layer.name, *layer.origins)
        )

    def _reads_quantized(self, layer: LayerFacts) -> bool:
        """Return whether Q/DQ is on every input of a layer, perhaps before conversions."""
        kinds = [origin_of(self.context, tensor)[0] for tensor in activations(self.context, layer)]
        return not {"computed", "float"}.intersection(kinds)

    def _cores(self, layers: Iterable[LayerFacts]) -> tuple[bool, bool]:
        """Return whether layers of either engine multiply on CUDA cores, and whether on Tensor Cores.

        Neither is known of kernels whose names do not show it.
        """
        context = self.context
        found = {context.kernel(layer).tensor_cores for layer in layers if multiplies(context, layer)}
        return False in found, True in found

    def _is_beside_wider(self, layer: LayerFacts) -> bool:
        def is_converting(each: LayerFacts) -> bool:
            return is_conversion(self.context, each)

        around = [
            *self.context.predecessors(layer, is_converting),
            *self.context.successors(layer, is_converting),
        ]
        bits = BITS[self.precision]
        types = {name for each in around for name in (each.precision, each.output_precision)} & COMPUTED
        return any(BITS[name] > bits for name in types)

    def _reached(self, layers: Sequence[LayerFacts]) -> float | None:
        """Return the share of their roofline that layers reach beside launches; None if it is not known."""
        roofs = [layer.roof.roof_ms for layer in layers if layer.roof]
        times = [max(layer.avg_ms - self._launch_ms, 0.0) for layer in layers if layer.avg_ms]
        if len(roofs) != len(layers) or len(times) != len(layers) or not math.fsum(times):
            return None
        return math.fsum(roofs) / math.fsum(times)
