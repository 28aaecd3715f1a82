"""Sentences and labels of a comparison of engines."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.analysis.comparison import (
    BlockBasis,
    ComparedEngine,
    Comparison,
    FindingChange,
    LayerScaling,
)
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.analyzer.analysis.waterfall import Waterfall
from trexreport.numbers import (
    counted,
    format_ms,
    format_number,
    format_percentage,
    format_signed,
    join_names,
    middle_ellipsis,
    without_noise,
)
from trexreport.wording.identity import gpu_name, input_shapes

#: How many engines are named in the ranking, and how long a name is in a sentence.
_MAX_RANKED, _MAX_NAME = 3, 60
#: Steps below this part of the largest are not named among the largest.
_LEAST_STEP = 0.01
#: From this ratio on, two enqueue times differ by more than the load of the host.
_OTHER_ENQUEUING = 1.25
_BLOCK_STEPS: Mapping[BlockBasis, str] = {
    "modules": "Steps are modules of the model, by layer names.",
    "module series": "Steps are modules of the model, by layer names; * is any number.",
    "repeated structure": "Layer names state no modules: steps are repeated blocks of {}.",
    "layer ranges": "Layer names state no modules: steps are ranges of layers of {}.",
}


def signed_ms(difference_ms: float | None) -> str:
    """Return a difference with its sign; a dash for none."""
    return format_signed(difference_ms, format_ms)


def signed_percent(value: float | None, of: float | None) -> str:
    """Return by how many percent a value differs from another; nothing where that is not defined."""
    if value is None or not of:
        return ""
    return format_signed(without_noise(100 * (value / of - 1), 100.0), format_percentage)


def is_comparable(engine: ComparedEngine) -> bool:
    """Return whether the ratio of the times is meaningful, as files and conditions do not prevent it."""
    verdict = engine.verdict
    if verdict is None or verdict.verdict != "inconclusive":
        return True
    return not (engine.blocking_conditions or is_contradicted(verdict))


def is_contradicted(verdict: Verdict) -> bool:
    """Return whether files contradict each other, so that it is not known how the times differ."""
    return any(reason.code == "contradictory-files" for reason in verdict.reasons)


def ratio_of(engine: ComparedEngine) -> float | None:
    """Return the time of a candidate over the baseline's, from iterations or else from averages."""
    verdict = engine.verdict
    if verdict is None:
        return None
    if verdict.median_ratio:
        return verdict.median_ratio.value
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    return after / before if before and after else None


def headline(comparison: Comparison) -> str:
    """Return the title: what is compared with what."""
    names = [engine.name for engine in comparison.engines]
    if len(names) == 1 and comparison.external_latencies:
        others = [each.name for each in comparison.external_latencies]
        return f"{names[0]} vs. {', '.join(others) if len(others) < 3 else f'{len(others)} others'}"
    baseline = names.pop(comparison.baseline)
    if len(names) > 2:
        return f"{len(names)} engines vs. {baseline}"
    return f"{' and '.join(names)} vs. {baseline}" if names else baseline


def ranking(comparison: Comparison) -> str:
    """Return which of three or more engines take the least time; nothing where the times are not comparable.

    It is the order of medians. Verdicts are against the baseline, so that of two others none is known.
    """
    baseline = comparison.engines[comparison.baseline]
    judged = [
        (engine, engine.verdict) for engine in comparison.engines if engine.verdict and is_comparable(engine)
    ]
    times = [
        (verdict.candidate.median_ms, middle_ellipsis(engine.name, _MAX_NAME))
        for engine, verdict in judged
        if verdict.candidate.median_ms is not None
    ]
    metrics = {engine.verdict_metric for engine, _ in judged}
    baseline_ms = judged[0][1].baseline.median_ms if judged else None
    if len(times) < 2 or len(metrics) != 1 or baseline_ms is None:
        return ""
    left_out = len(comparison.engines) - 1 - len(times)
    short = middle_ellipsis(baseline.name, _MAX_NAME)
    ranked = sorted([(baseline_ms, f"the baseline {short}"), *times], key=lambda each: each[0])
    first, *rest = (f"{name} ({format_ms(time)})" for time, name in ranked[:_MAX_RANKED])
    if all(verdict.verdict != "faster" for _, verdict in judged):
        result = f"No engine is faster than the baseline {short} ({format_ms(baseline_ms)})."
    else:
        result = f"{first} has the lowest {metrics.pop()}, followed by {' and '.join(rest)}."
    sentences = [
        result,
        "Verdicts are against the baseline; to compare two others, make one of them the baseline.",
        f"{counted(left_out, 'engine')} with different test conditions left out." if left_out else "",
    ]
    return " ".join(filter(None, sentences))


def synthetic(comparison: Comparison) -> str:
    """Return which captures a generator wrote; nothing if all were measured."""
    names = [
        middle_ellipsis(engine.name, _MAX_NAME) for engine in comparison.engines if engine.identity.synthetic
    ]
    if not names:
        return ""
    if len(comparison.engines) == 1:
        return "This capture is synthetic: it was generated, not measured on a GPU."
    if len(names) == len(comparison.engines):
        return "These captures are synthetic: they were not measured on a GPU."
    more = f" and {len(names) - _MAX_RANKED} more" if names[_MAX_RANKED:] else ""
    return f"Synthetic, not measured on a GPU: {', '.join(names[:_MAX_RANKED])}{more}."


def why(comparison: Comparison, index: int) -> str:
    """Return what most of the difference of an engine from the baseline is made of.

    Nothing where no layer was measured, files contradict the times of layers, or nothing differs.
    """
    engine = comparison.engines[index]
    by_cause = next((each for each in engine.waterfalls if each.by == "cause"), None)
    contradictions = (*comparison.engines[comparison.baseline].contradictions, *engine.contradictions)
    if by_cause is None or contradicted(contradictions, ["layer-times"]):
        return ""
    outside = _outside(comparison, index)
    if not by_cause.difference_ms:
        return outside
    causes = outside or f"Main causes: {_largest_steps(by_cause)}."
    return " ".join(filter(None, (total_sentence(engine), causes, scaling_sentence(engine.scaling))))


def _outside(comparison: Comparison, index: int) -> str:
    """Return that most of the difference between query times is in no layer; nothing if it is not."""
    engine = comparison.engines[index]
    if engine.outside_layers_ms is None:
        return ""
    return (
        f"Most of the difference in {engine.verdict_metric} is outside of the layers "
        f"({signed_ms(engine.outside_layers_ms)}){_enqueuing(comparison, index)}."
    )


def _enqueuing(comparison: Comparison, index: int) -> str:
    """Return how the enqueue time differs; nothing if it hardly does or is not known."""
    baseline, engine = comparison.engines[comparison.baseline], comparison.engines[index]
    before, after = baseline.figures.enqueue_ms, engine.figures.enqueue_ms
    if not before or not after or max(after / before, before / after) < _OTHER_ENQUEUING:
        return ""
    return f", and the median enqueue time differs: {format_ms(before)} → {format_ms(after)}"


def scaling_sentence(found: LayerScaling | None) -> str:
    """Return by which factor layers differ alike, and what that means; nothing if there is no factor."""
    if found is None:
        return ""
    is_slower = found.ratio > 1
    level, than = ("lower", "a worse engine") if is_slower else ("higher", "a better engine")
    beside = "" if is_slower else " beside the baseline"
    times = f"{format_number(found.ratio)} times as long{' per item' if found.per_item else ''}"
    if not found.in_queries:
        return (
            f"{found.layers.capitalize()} layers take {times}, alike, which query times do not show: the GPU "
            "was likely in another state only while the layers were timed."
        )
    if found.others is None:
        states = [
            f"a {level} clock",
            *(["a power limit"] if is_slower else []),
            f"other work on the GPU{beside}",
        ]
        if not found.is_one_gpu:
            states.append("another GPU")
        return f"All layers take {times}, alike: {join_names(states, 'or')} is more likely than {than}."
    others = f"{format_number(found.others)} times"
    if found.layers == "compute-bound":
        return (
            f"Compute-bound layers take {times}, memory-bound layers {others}: a {level} SM clock is more "
            f"likely than {than}."
        )
    return (
        f"Memory-bound layers take {times}, compute-bound layers {others}: a {level} memory clock, or other "
        f"work that uses the memory{beside}, is more likely than {than}."
    )


def total_sentence(engine: ComparedEngine) -> str:
    """Return by how much the total layer time differs; nothing where no layer was measured."""
    if not engine.waterfalls:
        return ""
    waterfall = engine.waterfalls[0]
    way = f"{format_ms(waterfall.baseline_ms)} → {format_ms(waterfall.candidate_ms)}"
    return f"Total layer time: {way} ({signed_ms(waterfall.difference_ms)})."


def steps_sentence(waterfall: Waterfall) -> str:
    """Return the largest steps in one sentence."""
    largest = _largest_steps(waterfall)
    return f"Largest steps: {largest}." if largest else "No difference."


def _largest_steps(waterfall: Waterfall) -> str:
    steps = [step for step in waterfall.steps if step.difference_ms][:3]
    # The first is the largest; what is less than a hundredth of it explains nothing.
    largest = [step for step in steps if abs(step.difference_ms) >= _LEAST_STEP * abs(steps[0].difference_ms)]
    return ", ".join(f"{step.name} {signed_ms(step.difference_ms)}" for step in largest)


def about(change: FindingChange) -> str:
    """Return what a finding states; one of a single layer says "it", and so needs the rule's title."""
    if not change.message.startswith("It "):
        return change.message
    return f"{change.title.rstrip('.')}. {change.message}"


def alike(engine: ComparedEngine) -> str:
    """Return that no part of an engine differs in time from the baseline; nothing where one does."""
    changed = any(step.difference_ms for waterfall in engine.waterfalls for step in waterfall.steps)
    return "" if changed else "No difference: every part takes exactly as long as in the baseline."


def no_waterfalls(engine: ComparedEngine) -> str:
    """Return why the difference is not divided into steps; nothing if it is."""
    if not engine.unmeasured:
        return ""
    verb = "has" if len(engine.unmeasured) == 1 else "have"
    return f"{' and '.join(engine.unmeasured)} {verb} no layer times, so there is no breakdown."


def block_steps(comparison: Comparison) -> str:
    """Return in one sentence what the steps of the waterfalls by block are."""
    return _BLOCK_STEPS[comparison.block_basis].format(comparison.block_engine)


def alike_facts(comparison: Comparison) -> list[str]:
    """Return what all engines have in common, for the head of the page."""
    identities = [engine.identity for engine in comparison.engines]
    facts = (
        ("", {gpu_name(identity) for identity in identities}),
        ("TensorRT ", {identity.tensorrt_version for identity in identities}),
        ("", {input_shapes(identity) for identity in identities}),
    )
    return [
        (what + next(iter(values))).strip() for what, values in facts if len(values) == 1 and values != {""}
    ]
