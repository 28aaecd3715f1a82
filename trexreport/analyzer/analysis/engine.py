"""What the engine is, needs and was read from."""

from __future__ import annotations

from dataclasses import dataclass

from trexreport.analyzer.analysis.layers import Group


@dataclass
class Identity:
    """What the engine is and what it ran on; empty texts where no file says it."""

    name: str
    model: str
    gpu: str
    tensorrt_version: str
    precisions: str
    shapes: str
    batch: int | None
    synthetic: bool
    names_only: bool
    optimization_profile: int
    optimization_profiles: list[int]


@dataclass
class BindingFacts:
    """An input or output of the engine."""

    name: str
    mode: str
    dimensions: list[int]
    format: str
    size_bytes: int | None
    shape_range: list[list[int]] | None = None


@dataclass
class Memory:
    """Bytes by what they are for; each tensor counts once.

    Attributes:
        weights_bytes: Constant data of the layers and constant tensors; at least this where
            `weights_unknown` > 0.
        constants_bytes: The part of `weights_bytes` that stands in the file as tensors that no layer writes.
        layers_without_weights: Myelin kernels, of which TensorRT does not say what weights they own.
        activations_bytes: All tensors between layers, each once, though they share memory in time.
        bindings_unknown, activations_unknown: Tensors of unknown size, which the sums beside them leave out.
        peak_live_bytes: The most that is needed at one time if memory is reused perfectly; at least this
            where `activations_unknown` > 0, as is each of `live_bytes`.
        peak_layer: Index of the layer at which that is.
        stated: Figures that TensorRT's own log gives, as texts.
    """

    weights_bytes: int
    weights_unknown: int
    constants_bytes: int
    constants: int
    layers_without_weights: int
    weights_by_type: list[Group]
    bindings_bytes: int
    bindings: int
    bindings_unknown: int
    activations_bytes: int
    activations: int
    activations_unknown: int
    peak_live_bytes: int
    peak_layer: int | None
    live_bytes: list[int]
    padding_bytes: int
    stated: dict[str, str]


@dataclass
class SourceFacts:
    """A file that the analysis was made from."""

    role: str
    name: str
    size_bytes: int
    sha256: str


@dataclass
class Note:
    """Something that was missing, odd or repaired; `affects` names sections of the report."""

    severity: str
    slug: str
    message: str
    source: str
    affects: list[str]
    hint: str
