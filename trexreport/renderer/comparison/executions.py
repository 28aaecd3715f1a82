"""Where the nodes of the engines of a comparison run, as sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.execution import MovedNode
from trexreport.lazy_dataclass import dataclass
from trexreport.wording.execution import compared_execution_sentence

_MAX_MOVED = 200


@dataclass(frozen=True)
class ExecutionView:
    """A candidate: its sentence, the nodes that moved, and how many there are of them."""

    name: str
    sentence: str
    moved: Sequence[MovedNode]
    count: int
    has_times: bool


def execution_views(comparison: Comparison) -> list[ExecutionView]:
    """Return the candidates of which it is known where nodes run, as it is of the baseline."""
    return [
        ExecutionView(
            engine.name,
            compared_execution_sentence(engine.execution),
            engine.execution.moved[:_MAX_MOVED],
            len(engine.execution.moved),
            None not in engine.execution.outside_ms,
        )
        for engine in comparison.engines
        if engine.execution is not None
    ]
