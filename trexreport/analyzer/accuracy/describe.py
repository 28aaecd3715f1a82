"""Describe the accuracy of an engine: errors, increases, and the layers that cause them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from trexreport.analyzer.accuracy.flow import Flow, layer_flow, model_flow
from trexreport.analyzer.accuracy.increase import Explained, KnownError, explain_errors
from trexreport.analyzer.accuracy.match import match_of_engine
from trexreport.analyzer.accuracy.plan import plan_precision
from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.accuracy import (
    AccuracyFacts,
    AccuracyJoin,
    ErrorMeasure,
    LayerErrorFacts,
    TensorErrorFacts,
    TensorState,
    TrialFacts,
)
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy, TuningTrial

#: Layers that are listed as the possible cause of one increase.
_MAX_BETWEEN = 100
#: Part of an error that an increase has at least.
_LEAST_PART = 0.01
#: A measure is taken if at least this part of the tensors that have any has it.
_ENOUGH = 0.5


def describe_accuracy(
    results: AccuracyResults,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    onnx: OnnxFacts | None,
) -> AccuracyFacts:
    """Return the accuracy of an engine.

    Args:
        results: What the files state.
        layers: Of the engine.
        tensors: Of the engine.
        onnx: The model, if it is known.
    """
    flow = _flow(results, layers, tensors, onnx)
    measure = _measure(results.tensors)
    joins = {each.name: _join(each.name, flow) for each in results.tensors}
    known = {}
    for each in results.tensors:
        is_finite = not (each.candidate_non_finite and not each.reference_non_finite)
        error = _error(each, measure) if is_finite else None
        known[each.name] = KnownError(error, each.reference_norm, is_finite, _offset(each))
    by_tensor = [name for name, (join, _) in joins.items() if join in ("tensor", "onnx")]
    explained = explain_errors(flow, known, by_tensor)
    facts = [
        _facts(_Known(each, known[each.name], explained.get(each.name), *joins[each.name]), flow, measure)
        for each in results.tensors
    ]
    facts.sort(key=_rank)
    of_layers = _by_layer(facts, len(layers))
    outputs = {each.name for each in tensors if each.role == "output"}
    errors = [each.error for each in facts if each.figures.name in outputs and each.error is not None]
    return AccuracyFacts(
        results.format,
        results.files,
        results.candidate,
        results.reference,
        results.iterations,
        measure,
        results.measure if measure == "own" or results.trials else "",
        match_of_engine(facts, layers, tensors, results.iterations),
        facts,
        of_layers,
        sum(bool(each.layers) for each in facts),
        max(errors, default=None),
        plan_precision(facts, layers, onnx) if measure in ("relative", "cosine") else [],
        _describe_trials(results.trials),
        results.metrics,
    )


def _flow(
    results: AccuracyResults,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    onnx: OnnxFacts | None,
) -> Flow:
    """Return the graph in which more of the tensors are; that of the model if both have as many."""
    by_layers = layer_flow(layers, tensors)
    if onnx is None or not onnx.nodes:
        return by_layers
    by_model = model_flow(onnx)
    names = [each.name for each in results.tensors]

    def found(flow: Flow) -> int:
        return sum(name in flow.writers for name in names)

    return by_model if found(by_model) >= found(by_layers) else by_layers


def _join(name: str, flow: Flow) -> tuple[AccuracyJoin | None, int | None]:
    """Return how a tensor is found, and the position of its node."""
    if name in flow.writers:
        return ("onnx" if flow.is_model else "tensor"), flow.writers[name]
    at = flow.named.get(name, -1)
    if at >= 0:
        return "name", at
    return None, None


_MEASURES: Sequence[tuple[ErrorMeasure, Callable[[TensorAccuracy], float | None]]] = (
    ("relative", lambda each: each.relative_error),
    ("cosine", lambda each: _of_cosine(each.cosine_similarity)),
    ("relative-difference", lambda each: each.relative_difference),
    ("own", lambda each: each.value),
    ("absolute", lambda each: each.mean_abs_error if each.mean_abs_error is not None else each.max_abs_error),
)


def _of_cosine(similarity: float | None) -> float | None:
    """Return the relative error of two vectors of one length with this similarity."""
    return None if similarity is None else math.sqrt(max(0.0, 2 * (1 - similarity)))


def _measure(tensors: Sequence[TensorAccuracy]) -> ErrorMeasure | None:
    """Return the best measure that most of the tensors have."""
    counts = {name: sum(read(each) is not None for each in tensors) for name, read in _MEASURES}
    most = max(counts.values())
    for name, count in counts.items():
        if count and count >= _ENOUGH * most:
            return name
    return "range" if any(each.candidate_range for each in tensors) else None


def _error(figures: TensorAccuracy, measure: ErrorMeasure | None) -> float | None:
    read = dict(_MEASURES).get(measure) if measure else None
    return read(figures) if read else None


def _offset(figures: TensorAccuracy) -> float | None:
    """Return the root mean square of the reference as a part of half its range; None if not known."""
    norm, limits, count = figures.reference_norm, figures.reference_range, figures.elements
    if norm is None or limits is None or not count:
        return None
    half = limits[1] / 2 - limits[0] / 2
    return norm / math.sqrt(count) / half if half > 0 else None


class _Known(NamedTuple):
    """What is known of one tensor; `at` is the position of the node that computes it."""

    figures: TensorAccuracy
    own: KnownError
    explained: Explained | None
    join: AccuracyJoin | None
    at: int | None


def _facts(known: _Known, flow: Flow, measure: ErrorMeasure | None) -> TensorErrorFacts:
    figures, own, explained, join, at = known
    layers = list(flow.nodes[at].layers) if at is not None else []
    input_error = explained.error if explained else None
    increase = None
    if own.error is not None and input_error is not None and measure != "absolute":
        increase = own.error - input_error
        # Less is rounding, which every layer adds.
        increase = increase if increase > _LEAST_PART * own.error else 0.0
    nodes = explained.nodes if explained else ()
    between = sorted({layer for node in nodes for layer in flow.nodes[node].layers} | set(layers))
    return TensorErrorFacts(
        figures,
        _state(figures, own),
        join,
        layers,
        at if flow.is_model else None,
        own.error,
        input_error,
        increase,
        between[-_MAX_BETWEEN:],
        len(between),
        len(nodes),
        not own.is_finite and (explained is None or explained.is_finite),
        _range_ratio(figures),
    )


def _state(figures: TensorAccuracy, known: KnownError) -> TensorState:
    if figures.has_other_shape:
        return "other-shape"
    if not known.is_finite:
        return "not-finite"
    if known.error is not None:
        return "compared"
    if figures.mismatch_percent is not None:
        return "integer"
    return "range" if figures.candidate_range else "unknown"


def _range_ratio(figures: TensorAccuracy) -> float | None:
    if figures.candidate_range is None or figures.reference_range is None:
        return None
    ours, theirs = (max(map(abs, each)) for each in (figures.candidate_range, figures.reference_range))
    return ours / theirs if theirs > 0 and ours / theirs < math.inf else None


def _rank(each: TensorErrorFacts) -> tuple[bool, bool, float, float, float, str]:
    drift = abs(math.log(each.range_ratio)) if each.range_ratio else 0.0
    return (
        not each.begins_non_finite,
        each.state != "not-finite",
        -(each.increase or 0.0),
        -(each.error or 0.0),
        -drift,
        each.figures.name,
    )


def _by_layer(facts: Sequence[TensorErrorFacts], count: int) -> list[LayerErrorFacts | None]:
    """Return what is known of each layer: of several tensors the largest error and the largest increase."""
    found: list[LayerErrorFacts | None] = [None] * count
    for at, each in enumerate(facts):
        if each.error is None and each.state != "not-finite":
            continue
        for layer in each.layers:
            before = found[layer]
            if before is None:
                found[layer] = LayerErrorFacts(
                    at, each.error, each.increase, each.begins_non_finite, _among(each)
                )
            else:
                is_larger = (each.increase or 0.0) > (before.increase or 0.0)
                found[layer] = LayerErrorFacts(
                    before.tensor,
                    _larger(before.error, each.error),
                    _larger(before.increase, each.increase),
                    before.begins_non_finite or each.begins_non_finite,
                    _among(each) if is_larger else before.among,
                )
    return found


def _among(each: TensorErrorFacts) -> int:
    """Return of how many layers one causes the increase."""
    return max(each.between_count, 1) if each.steps > 1 and each.increase else 1


def _larger(one: float | None, other: float | None) -> float | None:
    return max((each for each in (one, other) if each is not None), default=None)


def _describe_trials(trials: Sequence[TuningTrial]) -> list[TrialFacts]:
    """Return the builds in the order of the file; the best are those of the Pareto front of time and loss."""
    points = [
        (trial.gpu_time_ms, max(trial.losses.values()), at)
        for at, trial in enumerate(trials)
        if trial.gpu_time_ms is not None and trial.losses and not trial.failure
    ]
    best, least = set(), math.inf
    for _, loss, at in sorted(points):
        if loss < least:
            best.add(at)
            least = loss
    return [
        TrialFacts(
            trial.number,
            trial.gpu_time_ms,
            max(trial.losses.values(), default=None),
            trial.route,
            trial.failure,
            at in best,
        )
        for at, trial in enumerate(trials)
    ]
