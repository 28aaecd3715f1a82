"""The sentences that JSON documents carry beside the facts that they state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from trexreport.analyzer.analysis import Analysis, Gpu, Identity, RooflineObstacle, reader_of
from trexreport.analyzer.analysis.blocks import BlockDifference
from trexreport.analyzer.analysis.budget import BudgetCheck, LimitOutcome
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Condition
from trexreport.analyzer.analysis.counters import CountersFacts
from trexreport.analyzer.analysis.execution import ComparedExecution, Execution
from trexreport.analyzer.analysis.gains import Gain
from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.analyzer.analysis.kernels import IdleTime, KernelTraceFacts
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.analyzer.analysis.speedup import ExpectedSpeedup
from trexreport.analyzer.analysis.timing import GapReason
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.wording.blocks import block_difference
from trexreport.wording.budget import check_remarks, limit_reason, limit_title
from trexreport.wording.comparison import block_steps, no_waterfalls
from trexreport.wording.conditions import condition_effect
from trexreport.wording.execution import compared_execution_sentence, execution_remarks, execution_sentence
from trexreport.wording.gains import savings, savings_basis
from trexreport.wording.gpu_watch import gpu_watch_sentence, gpu_watch_warnings
from trexreport.wording.identity import input_shapes
from trexreport.wording.kernels import counters_sentence, idle_sentence, trace_sentence
from trexreport.wording.latency import gap_reason_sentence
from trexreport.wording.memory import memory_amounts
from trexreport.wording.phases import comparison_sentence, phases_sentence
from trexreport.wording.roofline import gpu_match, roofline_obstacle_sentence
from trexreport.wording.sections import section_sentences
from trexreport.wording.speedup import gap_sentences, speedup_sentences
from trexreport.wording.timing import measurement_warnings
from trexreport.wording.verdict import reason_sentences


def _amounts(analysis: Analysis) -> dict[str, str]:
    """Return figure of memory to its text, which states how many parts of it are unknown."""
    return memory_amounts(analysis.memory)


#: By type of the facts, what is added to their members, or takes the place of one. The schemas list what is
#: added with the first line of each function's docstring.
SENTENCES: Mapping[type, Mapping[str, Callable[[Any], str | list[str] | dict[str, str]]]] = {
    Analysis: {
        "amounts": _amounts,
        "sentences": section_sentences,
        "measurement_warnings": measurement_warnings,
    },
    BlockDifference: {"sentence": block_difference},
    ComparedExecution: {"sentence": compared_execution_sentence},
    Execution: {"sentence": execution_sentence, "remarks": execution_remarks},
    Gain: {"sentence": savings, "basis": savings_basis},
    GapReason: {"sentence": gap_reason_sentence},
    Gpu: {"match": gpu_match},
    CountersFacts: {"sentence": counters_sentence},
    IdleTime: {"sentence": idle_sentence},
    KernelTraceFacts: {"sentence": trace_sentence},
    GpuWatch: {"sentence": gpu_watch_sentence, "warnings": gpu_watch_warnings},
    Identity: {"shapes": input_shapes},
    RooflineObstacle: {"sentence": roofline_obstacle_sentence},
    Comparison: {"block_steps": block_steps},
    ComparedEngine: {"no_waterfalls": no_waterfalls},
    Condition: {"effect": condition_effect},
    BudgetCheck: {"remarks": check_remarks},
    ExpectedSpeedup: {"sentences": speedup_sentences, "gap_sentences": gap_sentences},
    PhasesComparison: {"sentence": comparison_sentence},
    PhasesFacts: {"sentence": phases_sentence},
    LimitOutcome: {"title": limit_title, "reason": limit_reason},
    Verdict: {"sentences": reason_sentences},
}


def members_and_sentences(value: Any) -> dict[str, Any]:
    """Return what a dataclass holds by name, and its sentences.

    Raises:
        TypeError: It is not a dataclass.
    """
    kind: object = type(value)
    return _document_of(kind)(value)


@cache
def _document_of(kind: Any) -> Callable[[Any], dict[str, Any]]:
    """Return what `members_and_sentences` is for facts of one type."""
    read, added = reader_of(kind), SENTENCES.get(kind)
    if added is None:
        return read
    return lambda value: read(value) | {name: sentence(value) for name, sentence in added.items()}


def sentence(fact: object) -> str:
    """Return the sentence about a single fact, such as a `GapReason`."""
    return str(SENTENCES[type(fact)]["sentence"](fact))
