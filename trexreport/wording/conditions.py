"""Labels and sentences for the conditions of builds and measurements that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis.comparison import (
    BY_DEFAULT,
    Comparison,
    Condition,
    ConditionKind,
    ConditionSeverity,
)

#: Conditions that decide what a query's time is made of.
_MEASURED = frozenset({"CUDA graph", "data transfers", "streams", "spin-wait", "separate profiling"})
_CLOCK = "Compute-bound layers take time in inverse proportion to the clock."
_MEMORY_CLOCK = "Memory-bound layers take time in inverse proportion to the clock."
#: What a fact does to the times, by its name.
_EFFECTS: Mapping[str, str] = {
    "GPU": "GPUs differ in speed.",
    "compute capability": "Each GPU architecture has kernels of its own.",
    "SMs": "Fewer SMs do less work in parallel.",
    "batch": "A larger batch is more work; times per item can be compared.",
    "input shapes": "Larger inputs are more work.",
    "input transfers": "Longer transfers show larger inputs, which are more work.",
    "build shapes": "For a range of shapes, kernels are tuned for its optimum, and the host may wait.",
    "TensorRT": "Versions differ in fusions and kernels.",
    "CUDA": "CUDA includes libraries of kernels.",
    "driver": "Drivers differ in kernel launches and clock management.",
    "compute clock": _CLOCK,
    "memory clock": _MEMORY_CLOCK,
    "power limit": "A lower limit lowers the clock.",
    "locked clock": "Clocks that are not locked change with load and temperature.",
    "clock while measured": _CLOCK,
    "memory clock while measured": _MEMORY_CLOCK,
    "throttling": "Power and thermal limits lower the clock of any engine.",
    "other processes": "They use a part of the GPU.",
    "precision options": "The builder chooses among the precisions that are enabled.",
    "CUDA graph": "Without a CUDA graph, inference may be enqueue-bound.",
    "data transfers": "Latency includes the transfers between host and GPU unless they are disabled.",
    "streams": "Concurrent queries share the GPU.",
    "spin-wait": "Spin-wait detects the end of a query sooner than a blocking wait.",
    "separate profiling": "Profiling layers during the measurement slows it down.",
    "duration and warm-up": "A GPU that is not warmed up runs at other clocks.",
    "measured iterations": "More iterations narrow the confidence interval.",
    "runs": "Several runs show the spread between repeated measurements.",
    "profiled iterations": "More iterations make layer times more precise.",
    "profiling verbosity": "It determines what is known of the layers, not their time.",
    "optimization profile": "Each optimization profile has kernels for its own range of shapes.",
    "multiply-adds": "Compute-bound layers take time in proportion to them.",
    "output shapes": "Other output shapes mean other work, or another model.",
    "model file": "Another file may be another network, or one with Q/DQ layers.",
}
#: What other options and properties do to the times.
_EFFECTS_OF_KINDS: Mapping[ConditionKind, str] = {
    "fact": "",
    "build option": "Other build options may give another engine.",
    "measurement option": "Other measurement options may give other times.",
    "device property": "It is a property of the GPU.",
}
_SEVERITY_TEXTS: Mapping[ConditionSeverity, str] = {
    "blocking": "blocks the comparison",
    "explanatory": "may explain a difference",
    "harmless": "does not affect times",
}


def condition_title(condition: Condition) -> str:
    """Return the name of a condition with its kind: "build option “Sparsity”"."""
    return condition.name if condition.kind == "fact" else f"{condition.kind} “{condition.name}”"


def condition_effect(condition: Condition) -> str:
    """Return what a condition does to the times, in one sentence."""
    if condition.kind == "fact":
        return _EFFECTS[condition.name]
    if condition.severity == "harmless":
        return "It does not affect times."
    return _EFFECTS_OF_KINDS[condition.kind]


def severity_text(condition: Condition) -> str:
    """Return what it means that a condition differs: "blocks the comparison", or would if it differed."""
    if condition.severity == "blocking" and not condition.differs:
        return "would block the comparison"
    return _SEVERITY_TEXTS[condition.severity]


def different_conditions(names: Sequence[str]) -> str:
    """Return a sentence that names the blocking conditions that differ; nothing if none does."""
    if not names:
        return ""
    return f"Different test conditions: {_differ(names)}."


def different_measurement(comparison: Comparison, engine: int) -> str:
    """Return a sentence if an engine was not measured like the baseline; nothing else."""
    return _different_measurement(
        [
            each.name
            for each in comparison.conditions
            if each.name in _MEASURED
            and (one := each.values[comparison.baseline].removesuffix(BY_DEFAULT))
            and (other := each.values[engine].removesuffix(BY_DEFAULT))
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


def conditions_sentence(comparison: Comparison) -> str:
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
