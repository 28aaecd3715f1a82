"""Labels and sentences for the conditions of builds and measurements that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import comparison as facts
from trexreport.wording.texts import TEXTS

#: Conditions that decide what a query's time is made of.
_MEASURED = frozenset({"CUDA graph", "data transfers", "streams", "spin-wait", "separate profiling"})
_CLOCK = "Compute-bound layers take time in inverse proportion to the clock."
#: What a fact does to the times, by its name.
_EFFECTS: Mapping[str, str] = TEXTS["conditions"]["effects"]
#: What other options and properties do to the times.
_EFFECTS_OF_KINDS: Mapping[facts.ConditionKind, str] = TEXTS["conditions"]["effects-of-kinds"]
_SEVERITY_TEXTS: Mapping[facts.ConditionSeverity, str] = TEXTS["conditions"]["severities"]


def condition_title(condition: facts.Condition) -> str:
    """Return the name of a condition with its kind: "build option “Sparsity”"."""
    return condition.name if condition.kind == "fact" else f"{condition.kind} “{condition.name}”"


def condition_effect(condition: facts.Condition) -> str:
    """Return what a condition does to the times, in one sentence."""
    if condition.kind == "fact":
        return _EFFECTS[condition.name]
    if condition.severity == "harmless":
        return "It does not affect times."
    return _EFFECTS_OF_KINDS[condition.kind]


def severity_text(condition: facts.Condition) -> str:
    """Return what it means that a condition differs: "blocks the comparison", or would if it differed."""
    if condition.severity == "blocking" and not condition.differs:
        return "would block the comparison"
    return _SEVERITY_TEXTS[condition.severity]


def different_conditions(names: Sequence[str]) -> str:
    """Return a sentence that names the blocking conditions that differ; nothing if none does."""
    if not names:
        return ""
    return f"Different test conditions: {_differ(names)}."


def different_measurement(comparison: facts.Comparison, engine: int) -> str:
    """Return a sentence if an engine was not measured like the baseline; nothing else."""
    return _different_measurement(
        [
            each.name
            for each in comparison.conditions
            if each.name in _MEASURED
            and (one := each.values[comparison.baseline].removesuffix(facts.BY_DEFAULT))
            and (other := each.values[engine].removesuffix(facts.BY_DEFAULT))
            and one != other
        ]
    )


def _different_measurement(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f"The figures are not the same measurement: {_differ(names)}."


def _differ(names: Sequence[str]) -> str:
    """Return that conditions differ, some of which are plurals: "batch differs", "streams differ"."""
    is_one = len(names) == 1 and not names[0].endswith("s")
    return f"{', '.join(names)} {'differs' if is_one else 'differ'}"


def conditions_sentence(comparison: facts.Comparison) -> str:
    """Return whether the test conditions allow the comparison, as far as they are known."""
    differing = [each for each in comparison.conditions if each.differs]
    # Whether it is the same model is decided by the layers, not by a condition that files state.
    models = ["model"] if any("model" in each.blocking_conditions for each in comparison.engines) else []
    blocking = [*models, *(condition_title(each) for each in differing if each.severity == "blocking")]
    explanatory = [condition_title(each) for each in differing if each.severity == "explanatory"]
    measured = [each.name for each in differing if each.name in _MEASURED]
    if blocking:
        return " ".join(filter(None, (different_conditions(blocking), _different_measurement(measured))))
    all_blocking = [each for each in comparison.conditions if each.severity == "blocking"]
    unknown = [condition_title(each) for each in all_blocking if not all(each.values)]
    ends = [f"Not known for all engines: {', '.join(unknown)}."] if unknown else []
    if measured:
        others = [name for name in explanatory if name not in measured]
        also = [f"These may explain a difference, too: {', '.join(others)}."] if others else []
        return " ".join((_different_measurement(measured), *also, *ends))
    if explanatory:
        may = f"These may explain a difference: {', '.join(explanatory)}."
        return " ".join((f"No {'known ' if unknown else ''}blocking condition differs.", may, *ends))
    return " ".join(("No known condition of build or measurement affects the comparison.", *ends))
