"""The sentences that JSON documents carry beside the facts, by type of fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trexreport.analyzer.analysis import (
    Analysis,
    BlockDifference,
    GapReason,
    Gpu,
    GpuWatch,
    Identity,
    RooflineObstacle,
    members,
)
from trexreport.wording.blocks import block_difference
from trexreport.wording.gpu_watch import gpu_watch_sentence, gpu_watch_warnings
from trexreport.wording.identity import input_shapes
from trexreport.wording.latency import gap_reason_sentence
from trexreport.wording.memory import memory_amounts
from trexreport.wording.roofline import gpu_match, roofline_obstacle_sentence
from trexreport.wording.sections import section_sentences
from trexreport.wording.timing import measurement_warnings


def _amounts(analysis: Analysis) -> dict[str, str]:
    return memory_amounts(analysis.memory)


#: Type of fact to the members that its JSON object has besides its fields, and what returns their values.
SENTENCES: Mapping[type, Mapping[str, Callable[[Any], Any]]] = {
    Analysis: {
        "amounts": _amounts,
        "sentences": section_sentences,
        "measurement_warnings": measurement_warnings,
    },
    BlockDifference: {"sentence": block_difference},
    GapReason: {"sentence": gap_reason_sentence},
    Gpu: {"match": gpu_match},
    GpuWatch: {"sentence": gpu_watch_sentence, "warnings": gpu_watch_warnings},
    Identity: {"shapes": input_shapes},
    RooflineObstacle: {"sentence": roofline_obstacle_sentence},
}


def described_members(fact: Any) -> dict[str, Any]:
    """Return the fields of a fact by name with the sentences about it, as the `default` of `json.dumps` does.

    Raises:
        TypeError: It is no dataclass.
    """
    found = members(fact)
    for name, describe in SENTENCES.get(type(fact), {}).items():
        found[name] = describe(fact)
    return found


def sentence(fact: object) -> str:
    """Return the sentence about a single fact, such as a `GapReason`."""
    text: str = SENTENCES[type(fact)]["sentence"](fact)
    return text
