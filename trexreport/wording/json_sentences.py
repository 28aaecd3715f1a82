"""The sentences that JSON documents carry beside the facts that they state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trexreport.analyzer.analysis import members
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Condition
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.wording.comparison import block_steps, no_waterfalls
from trexreport.wording.conditions import condition_effect
from trexreport.wording.verdict import reason_sentences

#: By type of the facts, what is added to their members. The schemas list these with the first line of each
#: function's docstring.
SENTENCES: Mapping[type, Mapping[str, Callable[[Any], str | list[str]]]] = {
    Comparison: {"block_steps": block_steps},
    ComparedEngine: {"no_waterfalls": no_waterfalls},
    Condition: {"effect": condition_effect},
    Verdict: {"sentences": reason_sentences},
}


def members_and_sentences(value: Any) -> dict[str, Any]:
    """Return what a dataclass holds by name, and its sentences.

    Raises:
        TypeError: It is not a dataclass.
    """
    added = SENTENCES.get(type(value))
    if added is None:
        return members(value)
    return members(value) | {name: sentence(value) for name, sentence in added.items()}
