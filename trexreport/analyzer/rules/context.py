"""What rules can ask about an engine."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts, slowest_first
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.layers import TensorRole
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.kernels import Kernel, read_kernel
from trexreport.analyzer.rules.kinds import LayerKinds, Test
from trexreport.analyzer.rules.outliers import with_usual_times
from trexreport.model import PART

Step = Callable[[LayerFacts], list[LayerFacts]]
T = TypeVar("T")

#: Floating-point types that need no scale.
FLOATS = frozenset({"FP32", "FP16", "BF16"})
#: Those of 16 bits.
HALVES = FLOATS - {"FP32"}
#: Types of quantized tensors.
QUANTIZED = frozenset({"INT8", "FP8", "INT4", "FP4"})
#: Types in which Tensor Cores multiply faster than CUDA cores do in FP32.
LOW_PRECISIONS = QUANTIZED | HALVES

#: Total layer time up to this factor of GPU compute time counts as equal: the two are from different runs.
_MAX_EXCESS = 1.1
#: Where the layers take less than this part of GPU compute time, their shares say little of a query.
_MOSTLY_LAYERS = 0.7
#: Maximum number of layers that a search for a pattern looks through; the patterns are smaller.
_MAX_SEARCHED = 24


def search(
    starts: Iterable[LayerFacts], step: Step, through: Test, max_passed: int = _MAX_SEARCHED
) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the layers at which a search ends, and those it looked through, nearest first.

    Args:
        starts: Where to begin.
        step: Gives the neighbors of a layer.
        through: Layers that are looked through.
        max_passed: Maximum number of these.
    """
    ends: dict[int, LayerFacts] = {}
    passed: dict[int, LayerFacts] = {}
    waiting = list(starts)
    for layer in waiting:
        for other in step(layer):
            if not through(other):
                ends[other.index] = other
            elif other.index not in passed and len(passed) < max_passed:
                passed[other.index] = other
                waiting.append(other)
    return list(ends.values()), list(passed.values())


class Context(LayerKinds):
    """An engine's analysis with its layers as a graph, and what several rules ask about it.

    No-ops, which move no data, are skipped between neighbors.

    Attributes:
        analysis: Everything except the findings.
        gives_advice: Whether findings say why and what to do about it; comparisons only show which there are.
        layers: In execution order. Where a few slow iterations lengthen the mean of one, `avg_ms` is the
            usual time (`outliers`), so that no finding follows from them; `analysis.layers` has the means.
        tensors: `TensorUse.tensor` is an index into them.
        total_ms: Total layer time with these; 0 without a profile.
        layer_time_name: What texts call it: "layer time", or "layer time without outliers" with other times.
        query_ms: Median end-to-end time of a query; total layer time where it was not measured.
        savings_of_ms: What savings in layers are a percentage of: total layer time scaled with `gpu_part`, or
            the time of a query where the GPU mostly does something else, such as waiting for the host.
        reported: Indices of layers of other findings, for rules that sum up the rest; see `Rule.rest_of`.
        gpu_part: Part of total layer time that GPU compute time has room for; 1 up to a tenth more.
    """

    def __init__(self, analysis: Analysis, *, gives_advice: bool = True) -> None:
        self.analysis = analysis
        self.gives_advice = gives_advice
        query = analysis.latency.end_to_end
        whole = analysis.latency.gpu_compute or query
        gpu_ms = whole.median_ms if whole is not None else 0.0
        # Copies, so that no rule sorts or clears them for the others.
        self.layers = with_usual_times(analysis.layers, analysis.latency)
        self.tensors = tuple(analysis.tensors)
        pairs = zip(self.layers, analysis.layers, strict=True)
        change_ms = math.fsum((usual.avg_ms or 0.0) - (mean.avg_ms or 0.0) for usual, mean in pairs)
        self.total_ms = max((analysis.latency.layer_sum_ms or 0.0) + change_ms, 0.0)
        self.query_ms = query.median_ms if query is not None else self.total_ms
        self.gpu_part = gpu_ms / self.total_ms if 0 < _MAX_EXCESS * gpu_ms < self.total_ms else 1.0
        is_known = not contradicted(analysis.contradictions, ["query-times"])
        waits = is_known and 0 < self.total_ms < _MOSTLY_LAYERS * gpu_ms
        self.savings_of_ms = max(self.query_ms, gpu_ms) if waits else self.gpu_part * self.total_ms
        has_outliers = self.layers != tuple(analysis.layers)
        self.layer_time_name = "layer time without outliers" if has_outliers else "layer time"
        self.reported: frozenset[int] = frozenset()
        self._cached: dict[Callable[[Context], object], Any] = {}

    def cached(self, make: Callable[[Context], T]) -> T:
        """Return a function's result for this engine, computed once for all rules that ask for it."""
        if make not in self._cached:
            self._cached[make] = make(self)
        made: T = self._cached[make]
        return made

    # Layers.

    @cached_property
    def uses_tf32(self) -> bool:
        """Whether any layer's kernel multiplies in TF32."""
        return self.has_kind(lambda layer: self.kernel(layer).math_type == "TF32")

    def time_ms(self, layers: Iterable[LayerFacts]) -> float:
        """Return the time of layers in ms, each counted once; unmeasured layers count 0."""
        once = {layer.index: layer.avg_ms or 0.0 for layer in layers}
        return math.fsum(once.values())

    def time_of(self, indices: Iterable[int]) -> float:
        """Return the time of the layers with some indices in ms, as `time_ms` does."""
        return math.fsum([self.layers[index].avg_ms or 0.0 for index in set(indices)])

    def layer_ms(self, index: int) -> float:
        """Return the time in ms of the layer with an index; 0 if it was not measured."""
        return self.layers[index].avg_ms or 0.0

    def savable_ms(self, index: int) -> float:
        """Return the time in ms that a layer can save: all, scaled to GPU compute time."""
        return self.gpu_part * (self.layers[index].avg_ms or 0.0)

    def share_percent(self, time_ms: float) -> float:
        """Return a time's share of total layer time, in percent; 0 without a profile."""
        return 100 * time_ms / self.total_ms if self.total_ms > 0 else 0.0

    def is_significant(self, layers: Iterable[LayerFacts], min_percent: float) -> bool:
        """Return whether layers together reach a share of layer time; without a profile any do."""
        return self.total_ms <= 0 or self.share_percent(self.time_ms(layers)) >= min_percent

    def significant(
        self, layers: Collection[LayerFacts], min_percent: float, each_percent: float
    ) -> list[LayerFacts]:
        """Return the layers that each reach a share of layer time, if all together reach another one."""
        if not self.is_significant(layers, min_percent):
            return []
        return [layer for layer in layers if self.is_significant([layer], each_percent)]

    def slowest(self, layers: Iterable[LayerFacts], min_percent: float) -> list[LayerFacts]:
        """Return layers, the slowest first, if together they reach a share of layer time, else none."""
        found = list(layers)
        return slowest_first(found) if self.is_significant(found, min_percent) else []

    def kernel(self, layer: LayerFacts) -> Kernel:
        """Return what the layer's tactic states about its kernel."""
        return read_kernel(layer.tactic)

    # The graph.

    @cached_property
    def knows_io_tensors(self) -> bool:
        """Whether the inputs and outputs are certain: a log that lists the layers may lack some of them."""
        slugs = {note.slug for note in self.analysis.notes}
        return PART not in slugs and not slugs.issuperset({"layers-from-log", "bindings-inferred"})

    @cached_property
    def lacks_layers(self) -> bool:
        """Whether layers are known from an excerpt, so that others may be of any kind and at any place."""
        slugs = [each.slug for each in self.analysis.notes if each.severity == "degraded"]
        is_cut = any(each.startswith("profile-") for each in slugs)
        return "log-layers-excerpt" in slugs or (self.analysis.identity.names_only and is_cut)

    def base_of(self, tensor: int) -> int:
        """Return the tensor whose memory this one shares through no-ops."""
        if self.tensors[tensor].alias_of is None:
            return tensor
        seen = {tensor}
        while (owner := self.tensors[tensor].alias_of) is not None and owner not in seen:
            seen.add(owner)
            tensor = owner
        return tensor

    @cached_property
    def bases(self) -> Sequence[int]:
        """Of each tensor the one whose memory it shares, as `base_of` returns it."""
        return [
            index if tensor.alias_of is None else self.base_of(index)
            for index, tensor in enumerate(self.tensors)
        ]

    @cached_property
    def _tensors_of_base(self) -> dict[int, list[int]]:
        return group_by(range(len(self.tensors)), self.bases.__getitem__)

    @cached_property
    def _computing(self) -> list[LayerFacts | None]:
        """The layers, with None in the place of no-ops."""
        return [None if layer.type == "NoOp" else layer for layer in self.layers]

    @cached_property
    def _writers(self) -> list[Sequence[LayerFacts]]:
        """Of each tensor the layers that write it."""
        layer_of = self._computing.__getitem__
        return [tuple(filter(None, map(layer_of, self.tensors[base].producers))) for base in self.bases]

    @cached_property
    def _readers(self) -> list[Sequence[LayerFacts]]:
        """Of each tensor the layers that read it."""
        consumers = [tensor.consumers for tensor in self.tensors]
        layer_of = self._computing.__getitem__
        of_base = {
            base: tuple(filter(None, map(layer_of, dict.fromkeys(chain(*map(consumers.__getitem__, names))))))
            for base, names in self._tensors_of_base.items()
        }
        return list(map(of_base.__getitem__, self.bases))

    def producers(self, tensor: int) -> Sequence[LayerFacts]:
        """Return the layers that write a tensor, no-ops skipped."""
        return self._writers[tensor]

    def consumers(self, tensor: int) -> Sequence[LayerFacts]:
        """Return the layers that read a tensor, no-ops skipped."""
        return self._readers[tensor]

    def tensor(self, tensor: int) -> TensorFacts:
        """Return the facts of a tensor."""
        return self.tensors[tensor]

    def is_output(self, tensor: int) -> bool:
        """Return whether a tensor is an output of the engine, no-ops skipped."""
        return self._has_role(tensor, "output")

    def is_input(self, tensor: int) -> bool:
        """Return whether a tensor is an input of the engine, no-ops skipped."""
        return self._has_role(tensor, "input")

    def _has_role(self, tensor: int, role: TensorRole) -> bool:
        return self.bases[tensor] in self._bases_of_role[role]

    @cached_property
    def _bases_of_role(self) -> defaultdict[TensorRole, set[int]]:
        """By role the bases of the tensors that have it."""
        found: defaultdict[TensorRole, set[int]] = defaultdict(set)
        for base, tensor in zip(self.bases, self.tensors, strict=True):
            found[tensor.role].add(base)
        return found

    @cached_property
    def writing_outputs(self) -> Sequence[LayerFacts]:
        """The layers that write an output of the engine, in execution order."""
        names = (self._tensors_of_base[base] for base in self._bases_of_role["output"])
        found = {index for tensor in chain.from_iterable(names) for index in self.tensors[tensor].producers}
        return [self.layers[index] for index in sorted(found)]

    def predecessors(self, layer: LayerFacts, through: Test | None = None) -> list[LayerFacts]:
        """Return the layers whose results a layer reads, each once.

        Args:
            layer: Whose inputs are followed.
            through: Layers that are looked through, such as `is_reformat`.
        """
        return self._walk(layer, self.producing, through)

    def producing(self, layer: LayerFacts) -> list[LayerFacts]:
        """Return the layers that write a layer's inputs, in the order of these."""
        return [writer for use in layer.inputs for writer in self._writers[use.tensor]]

    def successors(self, layer: LayerFacts, through: Test | None = None) -> list[LayerFacts]:
        """Return the layers that read a layer's results, each once.

        Args:
            layer: Whose outputs are followed.
            through: Layers that are looked through, such as `is_reformat`.
        """
        return self._walk(layer, self._consuming, through)

    def _consuming(self, layer: LayerFacts) -> list[LayerFacts]:
        return [reader for use in layer.outputs for reader in self._readers[use.tensor]]

    def _walk(self, layer: LayerFacts, step: Step, through: Test | None) -> list[LayerFacts]:
        found = search([layer], step, through, len(self.layers))[0] if through else step(layer)
        if len(found) == 1:
            # As of most layers.
            return found if found[0].index != layer.index else []
        ends = {end.index: end for end in found}
        ends.pop(layer.index, None)
        return [ends[index] for index in sorted(ends)]
