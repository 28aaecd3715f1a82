"""How far the values that an engine computes are from those of a reference, tensor by tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: What the figures were read from: Polygraphy's results of a comparison, the outputs that it saved, trtexec's
#: summary of debug tensors, trtexec's tuning cache, or one figure for each tensor; "metrics" for figures of
#: the whole model alone.
AccuracyFormat = Literal[
    "polygraphy-results", "polygraphy-outputs", "debug-tensors", "tuning-cache", "figures", "metrics"
]


@bulk_facts
class TensorAccuracy:
    """One tensor of the engine beside the same one of the reference. None is not known.

    Attributes:
        data_type: Of the engine's tensor, such as "FP16"; "" if not stated.
        elements: Their number, of all iterations.
        relative_error: L2 norm of the difference divided by the L2 norm of the reference; 0 is equal.
        relative_difference: Mean over the elements of the difference divided by the reference.
        reference_norm: L2 norm of the reference, of all iterations.
        cosine_similarity: The lowest of all iterations.
        max_abs_error: Largest difference of an element.
        mean_abs_error: Mean difference of the elements.
        value: The figure of a file that states one for each tensor; the larger, the worse.
        candidate_range, reference_range: Smallest and largest finite value.
        candidate_non_finite, reference_non_finite: Whether there are infinite values or NaN.
        mismatch_percent: Elements that differ, of integer and boolean tensors.
        has_other_shape: Both tensors have different shapes, so that nothing was compared.
    """

    name: str
    data_type: str = ""
    elements: int | None = None
    relative_error: float | None = None
    relative_difference: float | None = None
    reference_norm: float | None = None
    cosine_similarity: float | None = None
    max_abs_error: float | None = None
    mean_abs_error: float | None = None
    value: float | None = None
    candidate_range: tuple[float, float] | None = None
    reference_range: tuple[float, float] | None = None
    candidate_non_finite: bool | None = None
    reference_non_finite: bool | None = None
    mismatch_percent: float | None = None
    has_other_shape: bool = False


@bulk_facts
class TuningTrial:
    """One build that trtexec's autotuner tried.

    Attributes:
        number: As the file counts.
        gpu_time_ms: None if it was not measured.
        losses: Tensor to the loss of accuracy that the tuner computed; the larger, the worse.
        route: The build's route, as the file states it.
        failure: Why it has no figures; "" if it has.
    """

    number: int
    gpu_time_ms: float | None
    losses: Mapping[str, float]
    route: str = ""
    failure: str = ""


@dataclass(frozen=True)
class AccuracyResults:
    """What is known of the accuracy of an engine.

    Attributes:
        files: Names of the files that it was read from.
        candidate, reference: What the values were computed by, as the files state it; "" if they do not.
        iterations: Number of inputs that were compared; None if not stated.
        measure: What `TensorAccuracy.value` is called in the file, or what the tuner's losses are.
        metrics: Figures of the whole model, such as {"top1": 76.1}.
    """

    format: AccuracyFormat
    files: tuple[str, ...] = ()
    candidate: str = ""
    reference: str = ""
    iterations: int | None = None
    measure: str = ""
    tensors: tuple[TensorAccuracy, ...] = ()
    trials: tuple[TuningTrial, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
