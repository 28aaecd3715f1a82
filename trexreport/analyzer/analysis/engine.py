"""What the engine is, needs and was read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from trexreport.analyzer.analysis.layers import Group
from trexreport.lazy_dataclass import dataclass
from trexreport.model import BindingMode, NoteSeverity


@dataclass(frozen=True)
class InputShape:
    """An input tensor and its dimensions; -1 for one that is not known."""

    name: str
    dimensions: Sequence[int]


@dataclass(frozen=True)
class Identity:
    """What the engine is and what it ran on; empty texts where no file states it.

    Attributes:
        precisions: Those that the builder was allowed.
        named_precisions: Those that the name of a loaded engine or of its log states, where no option does.
        board: That the GPU is a part of, as Jetson and DRIVE state it.
    """

    name: str
    model: str
    gpu: str
    tensorrt_version: str
    precisions: str
    inputs: Sequence[InputShape]
    batch: int | None
    synthetic: bool
    names_only: bool
    optimization_profile: int
    optimization_profiles: Sequence[int]
    named_precisions: str = ""
    board: str = ""


@dataclass(frozen=True)
class BindingFacts:
    """An input or output of the engine.

    Attributes:
        run_dimensions, run_bytes: Those of the measured run, if the others are dynamic; None if not stated.
    """

    name: str
    mode: BindingMode
    dimensions: Sequence[int]
    format: str
    size_bytes: int | None
    shape_range: Sequence[Sequence[int]] | None = None
    run_dimensions: Sequence[int] | None = None
    run_bytes: int | None = None


@dataclass(frozen=True)
class Memory:
    """Bytes by what they are for; each tensor counts once.

    Attributes:
        weights_bytes: Constant data of the layers and constant tensors; a lower bound where
            `weights_unknown` > 0.
        constants_bytes: The part of `weights_bytes` that the file lists as tensors that no layer writes.
        layers_without_weights: Layers that may have weights which no file states, such as Myelin regions.
        layers_with_weights: Layers that state theirs.
        hidden_weights_bytes: Estimate of the weights of products that no file states, from their extents.
        products_with_hidden_weights: How many products have such weights.
        activations_bytes: All tensors between layers, each once, though they share memory over time.
        bindings_in_run: Dynamic inputs and outputs that are counted with the extents of the measured run.
        bindings_unknown, activations_unknown: Tensors of unknown size, which the sums beside them leave out.
        peak_live_bytes: The maximum that is needed at one time if memory is reused perfectly; a lower bound
            where `activations_unknown` > 0, as is each of `live_bytes`.
        peak_layer: Index of the layer at which that is.
        stated: Figures that TensorRT's own log gives, as texts.
        stated_activation_bytes: Its total activation memory, which an execution context allocates for the
            largest shapes, or what a log states that the context allocated; None where no log states either.
        stated_for: The largest shapes of the build, by input, where the run had smaller ones.
    """

    weights_bytes: int
    weights_unknown: int
    constants_bytes: int
    constants: int
    layers_without_weights: int
    layers_with_weights: int
    hidden_weights_bytes: int
    products_with_hidden_weights: int
    weights_by_type: Sequence[Group]
    bindings_bytes: int
    bindings: int
    bindings_in_run: int
    bindings_unknown: int
    activations_bytes: int
    activations: int
    activations_unknown: int
    peak_live_bytes: int
    peak_layer: int | None
    live_bytes: Sequence[int]
    padding_bytes: int
    stated: Mapping[str, str]
    stated_activation_bytes: int | None
    stated_for: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceFacts:
    """A file that the analysis was made from."""

    role: str
    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Note:
    """Something that was missing, odd or repaired; `affects` names sections of the report."""

    severity: NoteSeverity
    slug: str
    message: str
    source: str
    affects: Sequence[str]
    hint: str
