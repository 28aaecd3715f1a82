"""How accurate an engine is, tensor by tensor, and which layers cause it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.model.accuracy import AccuracyFormat, TensorAccuracy

#: What the errors are, by which tensors are ranked: the L2 norm of the difference divided by that of the
#: reference; the same, computed from the cosine similarity; the mean of the elements' relative differences;
#: the file's own figure; the mean absolute difference, which is not comparable between tensors. "range": only
#: the ranges are known, and errors are not.
ErrorMeasure = Literal["relative", "cosine", "relative-difference", "own", "absolute", "range"]
#: How a tensor was found: a layer writes it, a node of the ONNX model writes it, or one has its name.
AccuracyJoin = Literal["tensor", "onnx", "name"]
#: What is known of a tensor. "not-finite": NaN or infinity where the reference has none.
TensorState = Literal["compared", "not-finite", "other-shape", "integer", "range", "unknown"]
#: Whether the file is about this engine, as far as names and sizes of the tensors show: "partly" with fewer
#: than half of its tensors, all outputs of the engine among them; "unproven" without these.
AccuracyMatch = Literal["same", "partly", "unproven", "other", "unknown"]


@bulk_facts
class TensorErrorFacts:
    """One tensor, with its error and what of it came with its inputs.

    Attributes:
        figures: As the files state them.
        join: None where no layer and no node is known that computes it.
        layers: Indices of the layers that compute it.
        node: Index of the node of the ONNX model; None without one.
        error: In the measure of `AccuracyFacts`; None if not known.
        input_error: The error that its inputs explain: that of the nearest tensors before it that are known,
            times what a layer may amplify. None if not known.
        increase: The error beyond that, at least 0; None if not known.
        between: Indices of the layers between those tensors and this one, its own included: one of them
            causes the increase. The last 100 of them in the order of execution.
        between_count: Number of all of them.
        steps: Number of layers or nodes between; 1 where all inputs are known.
        begins_non_finite: It has NaN or infinity, and no known tensor before it has.
        range_ratio: Largest magnitude divided by that of the reference; None if not known.
    """

    figures: TensorAccuracy
    state: TensorState
    join: AccuracyJoin | None
    layers: Sequence[int]
    node: int | None
    error: float | None
    input_error: float | None
    increase: float | None
    between: Sequence[int]
    between_count: int
    steps: int
    begins_non_finite: bool
    range_ratio: float | None


@bulk_facts
class LayerErrorFacts:
    """What is known of the accuracy of one layer.

    Attributes:
        tensor: Index of the tensor among those of `AccuracyFacts` that the figures are of.
        error: The largest error of what it writes; None if not known.
        increase: The largest increase of a tensor that it computes; None if not known.
        among: Number of layers of which one causes this increase, as no tensor between them is known; 1
            where it is this layer.
    """

    tensor: int
    error: float | None
    increase: float | None
    begins_non_finite: bool
    among: int = 1


@dataclass(frozen=True)
class PlanStep:
    """A layer to keep in a higher precision, or several of which one causes the error.

    Attributes:
        layer: Index of the layer that writes the tensor.
        among: Indices of all layers of the step, in the order of execution: more than one where no tensor
            between them is known.
        nodes: Names of the ONNX nodes that they compute, as flags of trtexec take them.
        share_percent: Their part of the sum of the squares of all increases.
        removed_percent: The sum of the parts of this step and those before.
        cost_ms: Estimated time that they take longer in FP16, without layers of the steps before; None if
            not known.
    """

    layer: int
    among: Sequence[int]
    nodes: Sequence[str]
    share_percent: float
    removed_percent: float
    cost_ms: float | None


@dataclass(frozen=True)
class TrialFacts:
    """One build that trtexec's autotuner tried.

    Attributes:
        loss: The largest loss of its tensors; None if not known.
        is_best: No other one is both faster and more accurate.
    """

    number: int
    gpu_time_ms: float | None
    loss: float | None
    route: str
    failure: str
    is_best: bool


@dataclass(frozen=True)
class AccuracyFacts:
    """The accuracy of an engine, as files state it.

    Attributes:
        candidate, reference: What computed the values; "" if not stated.
        iterations: Number of inputs that were compared; None if not stated.
        measure: What the errors are.
        measure_name: What the file calls its own figure; else "".
        tensors: In the order of the ranking: where NaN and infinity begin first, then by increase, then by
            error.
        layers: For each layer of the engine what is known of it; None where nothing is.
        joined: Number of tensors of which the layers are known.
        output_error: The largest error of the engine's outputs; None if not known.
        plan: Layers to keep in a higher precision, the most useful first; empty where none is to be gained.
        metrics: Figures of the whole model.
    """

    format: AccuracyFormat
    files: Sequence[str]
    candidate: str
    reference: str
    iterations: int | None
    measure: ErrorMeasure | None
    measure_name: str
    match: AccuracyMatch
    tensors: Sequence[TensorErrorFacts]
    layers: Sequence[LayerErrorFacts | None]
    joined: int
    output_error: float | None
    plan: Sequence[PlanStep]
    trials: Sequence[TrialFacts]
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class AccuracyPoint:
    """Layers that do the same part of the model in two engines: the time they save and the error they add.

    Attributes:
        layers: Indices of the candidate's layers.
        saved_ms: Time of the baseline's layers minus that of the candidate's.
        added_error: Largest increase of the candidate's layers minus that of the baseline's; that of a
            baseline without an accuracy file counts as 0, as the candidate is then compared with it.
        is_best: No other one saves at least as much time and adds less error.
        among: Number of the candidate's layers of which one adds the error; above 1 the plan leaves it out.
        removed_percent: Of what the plan chose, up to this one, the part of the sum of the squares of all
            added errors; None of others.
        cost_ms: Of what the plan chose, up to this one, the time that the baseline's precision costs; None of
            others.
    """

    layers: Sequence[int]
    name: str
    saved_ms: float
    added_error: float
    is_best: bool
    removed_percent: float | None = None
    cost_ms: float | None = None
    among: int = 1


@dataclass(frozen=True)
class ComparedAccuracy:
    """The accuracy of an engine of a comparison.

    Attributes:
        metrics: Figures of the whole model.
        measure: What the errors are; None without errors by tensor.
        output_error: The largest error of the engine's outputs; None if not known.
        points: The largest added error first; empty for the baseline.
        plan: Positions of points whose layers, in the baseline's precision, remove 80% of the error for the
            least time.
    """

    metrics: Mapping[str, float]
    measure: ErrorMeasure | None
    output_error: float | None
    points: Sequence[AccuracyPoint] = ()
    plan: Sequence[int] = ()
