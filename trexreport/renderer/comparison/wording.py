"""What every document of a comparison says in the same words."""

from __future__ import annotations

from trexreport.analyzer.analysis.comparison import (
    BLOCKS,
    EXPLAINS,
    ComparedEngine,
    Comparison,
    FindingChange,
    Waterfall,
)
from trexreport.numbers import MINUS, format_bytes, format_ms, format_number, middle_ellipsis
from trexreport.wording.identity import input_shapes

#: How a verdict is written for people, and the role of its color.
VERDICT_WORDS = {"cant-tell": "can’t tell"}
VERDICT_ROLES = {"faster": "change:faster", "slower": "change:slower"}
#: How many engines are named in their order.
_MOST_RANKED, _MOST_NAME = 3, 60


def verdict_word(verdict: str) -> str:
    """Return a verdict as people write it."""
    return VERDICT_WORDS.get(verdict, verdict)


def verdict_role(verdict: str) -> str:
    """Return the role of a verdict's color."""
    return VERDICT_ROLES.get(verdict, "neutral")


def signed_ms(difference_ms: float | None) -> str:
    """Write a difference with its sign; a dash for none."""
    if difference_ms is None:
        return "–"
    sign = "+" if difference_ms > 0 else MINUS if difference_ms < 0 else ""
    return f"{sign}{format_ms(abs(difference_ms))}"


def signed_percent(value: float | None, of: float | None) -> str:
    """Write by how many percent a value differs from another; nothing where that can't be said."""
    if value is None or not of:
        return ""
    percent = 100 * (value / of - 1)
    sign = "+" if percent > 0 else MINUS if percent < 0 else ""
    return f"{sign}{format_number(abs(percent))}%"


def at_least(size: int | None, unknown: int) -> str:
    """Write a size, given of how many of its parts nothing is known."""
    return f"{'≥ ' if unknown and size is not None else ''}{format_bytes(size)}"


def is_comparable(engine: ComparedEngine) -> bool:
    """Tell whether the ratio of the times means anything: of other models and conditions it does not."""
    return engine.verdict is None or engine.verdict.verdict != "cant-tell" or not engine.obstacles


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
    baseline = names.pop(comparison.baseline)
    if len(names) > 2:
        return f"{len(names)} engines against {baseline}"
    return f"{' and '.join(names)} against {baseline}" if names else baseline


def ranking(comparison: Comparison) -> str:
    """Say of three or more engines which take the least time; nothing where they were not judged by the same.

    It is the order of medians. Verdicts are against the baseline, so that of two others none is known.
    """
    baseline = comparison.engines[comparison.baseline]
    judged = [engine for engine in comparison.engines if engine.verdict and is_comparable(engine)]
    times = [
        (engine.verdict.candidate.median_ms, middle_ellipsis(engine.name, _MOST_NAME))
        for engine in judged
        if engine.verdict and engine.verdict.candidate.median_ms is not None
    ]
    of = {engine.verdict_of for engine in judged}
    before = judged[0].verdict.baseline.median_ms if judged and judged[0].verdict else None
    if len(times) < 2 or len(of) != 1 or before is None:
        return ""
    left_out = len(comparison.engines) - 1 - len(times)
    short = middle_ellipsis(baseline.name, _MOST_NAME)
    ranked = sorted([(before, f"the baseline {short}"), *times], key=lambda each: each[0])
    told = [f"{name} ({format_ms(time)})" for time, name in ranked[:_MOST_RANKED]]
    if all(engine.verdict.verdict != "faster" for engine in judged if engine.verdict):
        first = f"None is known to be faster than the baseline {short} ({format_ms(before)})."
    else:
        first = f"The shortest {of.pop()} is that of {told[0]}; then come {' and '.join(told[1:])}."
    sentences = [
        first,
        "Each was judged against the baseline: to judge two others, make one of them the baseline.",
        f"{left_out} that can't be compared {'is' if left_out == 1 else 'are'} left out." if left_out else "",
    ]
    return " ".join(filter(None, sentences))


def synthetic(comparison: Comparison) -> str:
    """Say which captures a generator wrote; nothing if a GPU measured all."""
    names = [
        middle_ellipsis(engine.name, _MOST_NAME) for engine in comparison.engines if engine.identity.synthetic
    ]
    if not names:
        return ""
    if len(names) == len(comparison.engines):
        return "These captures are synthetic: no GPU measured them."
    told = ", ".join(names[:_MOST_RANKED]) + (
        f" and {len(names) - _MOST_RANKED} more" if names[_MOST_RANKED:] else ""
    )
    return f"Synthetic, and measured by no GPU: {told}."


def why(engine: ComparedEngine) -> str:
    """Say which causes make most of the difference; nothing where no layer was measured or none differs."""
    causes = (each for each in engine.waterfalls if each.by == "cause")
    return next((where_sentence(each) for each in causes if each.difference_ms), "")


def obstacles(engine: ComparedEngine) -> str:
    """Say which conditions stand in the way; nothing if none does."""
    if not engine.obstacles:
        return ""
    verb = "differs" if len(engine.obstacles) == 1 else "differ"
    return f"Not like with like: {', '.join(engine.obstacles)} {verb}."


def about(change: FindingChange) -> str:
    """Return what a finding says; one of a single layer says "it", and so needs the rule's title."""
    if not change.message.startswith("It "):
        return change.message
    return f"{change.title.rstrip('.')}. {change.message}"


def alike(engine: ComparedEngine) -> str:
    """Say that no part of an engine takes another time than in the baseline; nothing where one does."""
    changed = any(step.difference_ms for waterfall in engine.waterfalls for step in waterfall.steps)
    return "" if changed else "Nothing differs: every part takes exactly as long as in the baseline."


def where_sentence(waterfall: Waterfall) -> str:
    """Say in one sentence what most of the difference is made of."""
    total = waterfall.difference_ms
    largest = [step for step in waterfall.steps if step.difference_ms][:3]
    if not largest:
        return "Nothing differs."
    told = "; ".join(f"{step.name} {signed_ms(step.difference_ms)}" for step in largest)
    if not total:
        return f"The sums of the layers are equal: {told}."
    more = "more" if total > 0 else "less"
    return f"The layers take {format_ms(abs(total))} {more} together: {told}."


def conditions_sentence(comparison: Comparison) -> str:
    """Say in one sentence whether like is compared with like."""
    blocking = [each.name for each in comparison.comparability if each.differs and each.gravity == BLOCKS]
    explaining = [each.name for each in comparison.comparability if each.differs and each.gravity == EXPLAINS]
    if blocking:
        verb = "differs" if len(blocking) == 1 else "differ"
        return f"Not like with like: {', '.join(blocking)} {verb} between the engines."
    if explaining:
        return f"Like with like, but for what may explain a difference: {', '.join(explaining)}."
    return "Nothing that is known of build and measurement stands in the way of comparing."


def alike_facts(comparison: Comparison) -> list[str]:
    """Return what all engines have in common, for the head of the page."""
    identities = [engine.identity for engine in comparison.engines]
    facts = (
        ("", {identity.gpu for identity in identities}),
        ("TensorRT ", {identity.tensorrt_version for identity in identities}),
        ("", {input_shapes(identity) for identity in identities}),
    )
    return [
        (what + next(iter(values))).strip() for what, values in facts if len(values) == 1 and values != {""}
    ]
