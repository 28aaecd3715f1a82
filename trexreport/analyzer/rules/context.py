"""What a rule may ask of an engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar, cast

from trexreport.analyzer.analysis import Analysis, LayerFacts, Reformat, TensorFacts
from trexreport.analyzer.kernels import Kernel, read_kernel

Test = Callable[[LayerFacts], bool]
T = TypeVar("T")

#: Types that TensorRT calls floating point with a sign, an exponent and no scale of their own.
FLOATS = frozenset({"FP32", "FP16", "BF16"})
#: Types of quantized tensors.
QUANTIZED = frozenset({"INT8", "FP8", "INT4", "FP4"})
#: Types in which GPUs multiply faster than in FP32.
LOW_PRECISIONS = QUANTIZED | {"FP16", "BF16"}

_CONVOLUTION_TYPES = frozenset(
    {"Convolution", "Deconvolution", "ConvActPool", "correlation", "conv", "deconv", "conv_act_pool"}
)
_MATRIX_TYPES = frozenset({"gemm", "MatrixMultiply", "FullyConnected"})
_PLUGINS = ("Plugin", "plugin")
_OPAQUE = frozenset({"Myelin", "ForeignNode"})


class Context:
    """An engine's analysis with its layers as a graph, and what several rules ask of it.

    Neighbors are found through no-ops, which move nothing.

    Attributes:
        analysis: All that is known but for the findings.
        layers: In execution order.
        tensors: `TensorUse.tensor` is an index into them.
        total_ms: Sum of the layers' times; 0 without a profile.
        query_ms: Median time of a query from end to end; the sum of the layers where it was not measured.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        # Copies that no rule can sort or clear for the others.
        self.layers = tuple(analysis.layers)
        self.tensors = tuple(analysis.tensors)
        self.total_ms = analysis.latency.layer_sum_ms or 0.0
        whole = analysis.latency.end_to_end
        self.query_ms = whole.median_ms if whole is not None else self.total_ms
        self._kernels: dict[str, Kernel] = {}
        self._once: dict[Callable[[Context], object], object] = {}

    def once(self, make: Callable[[Context], T]) -> T:
        """Return what a function makes of this engine, made once for all rules that ask for it."""
        if make not in self._once:
            self._once[make] = make(self)
        return cast("T", self._once[make])

    # What there is to go by.

    def has(self, need: str) -> bool:
        """Tell whether an input that rules may need is there; keys as in `rule.NEEDS`."""
        analysis = self.analysis
        stability = analysis.stability
        return {
            "layers": lambda: bool(self.layers) and not analysis.identity.names_only,
            "profile": lambda: self.total_ms > 0,
            "end-to-end": lambda: analysis.latency.end_to_end is not None,
            "queries": lambda: stability is not None and stability.can_judge,
            "build-options": lambda: bool(analysis.settings.get("Builder")),
            "run-options": lambda: bool(analysis.settings.get("Inference")),
            "version": lambda: self.version is not None,
            "gpu-samples": lambda: analysis.gpu_watch is not None,
            "roofline": lambda: analysis.roofline.gpu is not None,
        }[need]()

    @cached_property
    def version(self) -> tuple[int, int] | None:
        """Major and minor version of TensorRT."""
        parts = self.analysis.identity.tensorrt_version.split(".")
        if len(parts) < 2 or not all(part.isascii() and part.isdecimal() for part in parts[:2]):
            return None
        return int(parts[0]), int(parts[1])

    def build_option(self, key: str) -> str:
        """Return the text of one of trtexec's build options, or an empty text."""
        return self.analysis.settings.get("Builder", {}).get(key, "")

    def run_option(self, key: str) -> str:
        """Return the text of one of trtexec's inference options, or an empty text."""
        return self.analysis.settings.get("Inference", {}).get(key, "")

    @cached_property
    def asked_precisions(self) -> frozenset[str]:
        """The types that the builder was allowed, such as FP32 and FP16; empty if no file says it."""
        words = self.analysis.identity.precisions.replace("+", " ").replace(",", " ").split()
        return frozenset(word.upper() for word in words)

    @cached_property
    def uses_tf32(self) -> bool:
        """Whether the kernel of any layer multiplies in TF32."""
        return any(self.kernel(layer).math_type == "TF32" for layer in self.layers)

    @cached_property
    def least_capability(self) -> int | None:
        """The GPU's compute capability times ten: as stated, else at least that of its newest kernel."""
        gpu = self.analysis.roofline.gpu
        stated = gpu.compute_capability if gpu else ""
        stated = stated or self.analysis.settings.get("Device", {}).get("Compute Capability", "")
        major, dot, minor = stated.partition(".")
        if dot and all(part.isascii() and part.isdecimal() for part in (major, minor)):
            return 10 * int(major) + int(minor)
        tactics = dict.fromkeys(layer.tactic for layer in self.layers)
        found = [read_kernel(tactic).architecture for tactic in tactics]
        return max((each for each in found if each is not None), default=None)

    # Layers.

    def time_ms(self, layers: Iterable[LayerFacts]) -> float:
        """Return the time of layers, each counted once; what was not measured counts nothing."""
        once = {layer.index: layer.avg_ms or 0.0 for layer in layers}
        return math.fsum(once.values())

    def share_percent(self, time_ms: float) -> float:
        """Return a time's share of the sum of all layers; 0 without a profile."""
        return 100 * time_ms / self.total_ms if self.total_ms > 0 else 0.0

    def may_matter(self, layers: Iterable[LayerFacts], least_percent: float) -> bool:
        """Tell whether layers take a share of the time together; without a profile any may."""
        return self.total_ms <= 0 or self.share_percent(self.time_ms(layers)) >= least_percent

    def kernel(self, layer: LayerFacts) -> Kernel:
        """Return what the layer's tactic tells of its kernel."""
        found = self._kernels.get(layer.tactic)
        if found is None:
            found = self._kernels[layer.tactic] = read_kernel(layer.tactic)
        return found

    @cached_property
    def reformat_of(self) -> dict[int, Reformat]:
        """Index of each layer that only moves or converts data to what it does."""
        return {reformat.layer: reformat for reformat in self.analysis.reformats}

    def is_reformat(self, layer: LayerFacts) -> bool:
        """Tell whether a layer only changes how data lies in memory, or its type."""
        return layer.index in self.reformat_of

    def is_convolution(self, layer: LayerFacts) -> bool:
        """Tell whether a layer convolves, fused with what follows or not."""
        return layer.type in _CONVOLUTION_TYPES

    def is_matrix_product(self, layer: LayerFacts) -> bool:
        """Tell whether a layer multiplies matrices and does not convolve."""
        return layer.type in _MATRIX_TYPES

    def is_plugin(self, layer: LayerFacts) -> bool:
        """Tell whether a layer is a plugin's."""
        return layer.type.startswith(_PLUGINS) or layer.subtype.startswith(_PLUGINS)

    def is_opaque(self, layer: LayerFacts) -> bool:
        """Tell whether a layer hides several operations that the file says nothing of."""
        return layer.type in _OPAQUE

    # The graph.

    def value_of(self, tensor: int) -> int:
        """Return the tensor whose memory this one shares: past no-ops."""
        if self.tensors[tensor].alias_of is None:
            return tensor
        seen = {tensor}
        while (owner := self.tensors[tensor].alias_of) is not None and owner not in seen:
            seen.add(owner)
            tensor = owner
        return tensor

    @cached_property
    def _names_of_value(self) -> dict[int, list[int]]:
        names: dict[int, list[int]] = {}
        for index in range(len(self.tensors)):
            names.setdefault(self.value_of(index), []).append(index)
        return names

    def writers(self, tensor: int) -> list[LayerFacts]:
        """Return the layers that make a tensor, past no-ops."""
        indices = self.tensors[self.value_of(tensor)].producers
        return [self.layers[index] for index in indices if self.layers[index].type != "NoOp"]

    def readers(self, tensor: int) -> list[LayerFacts]:
        """Return the layers that read a tensor, past no-ops."""
        value = self.value_of(tensor)
        indices = dict.fromkeys(
            reader for name in self._names_of_value[value] for reader in self.tensors[name].consumers
        )
        return [self.layers[index] for index in indices if self.layers[index].type != "NoOp"]

    def facts(self, tensor: int) -> TensorFacts:
        """Return what is known of a tensor."""
        return self.tensors[tensor]

    def is_output(self, tensor: int) -> bool:
        """Tell whether a tensor leaves the engine, past no-ops."""
        value = self.value_of(tensor)
        return any(self.tensors[name].role == "output" for name in self._names_of_value[value])

    def is_input(self, tensor: int) -> bool:
        """Tell whether a tensor enters the engine, past no-ops."""
        value = self.value_of(tensor)
        return any(self.tensors[name].role == "input" for name in self._names_of_value[value])

    def sources(self, layer: LayerFacts, through: Test | None = None) -> list[LayerFacts]:
        """Return the layers whose results a layer reads, each once.

        Args:
            layer: Whose inputs are followed.
            through: Layers that are looked through, such as `is_reformat`.
        """
        return self._walk(layer, lambda at: [self.writers(use.tensor) for use in at.inputs], through)

    def targets(self, layer: LayerFacts, through: Test | None = None) -> list[LayerFacts]:
        """Return the layers that read a layer's results, each once.

        Args:
            layer: Whose outputs are followed.
            through: Layers that are looked through, such as `is_reformat`.
        """
        return self._walk(layer, lambda at: [self.readers(use.tensor) for use in at.outputs], through)

    def _walk(
        self,
        layer: LayerFacts,
        step: Callable[[LayerFacts], list[list[LayerFacts]]],
        through: Test | None,
    ) -> list[LayerFacts]:
        found: dict[int, LayerFacts] = {}
        waiting, seen = [layer], {layer.index}
        while waiting:
            for group in step(waiting.pop()):
                for other in group:
                    if through is not None and through(other):
                        if other.index not in seen:
                            seen.add(other.index)
                            waiting.append(other)
                    elif other.index != layer.index:
                        found[other.index] = other
        return [found[index] for index in sorted(found)]
