"""Compare where a framework runs the nodes of a model: which moved between execution providers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis.execution import ComparedExecution, Execution, MovedNode, NodeUse

_Key = tuple[str, str, int]


def compare_execution(baseline: Execution | None, candidate: Execution | None) -> ComparedExecution | None:
    """Return which nodes run elsewhere; None unless both are known, of one framework.

    Nodes are matched by name and operator. Names of TensorRT's engines contain hashes and match none.
    """
    if baseline is None or candidate is None or baseline.framework != candidate.framework:
        return None
    both = (baseline, candidate)
    before, after = (_outside(each) for each in both)
    # What one does not name may be any of those that the other lists.
    complete = [all(node.name for node in each.fallbacks) for each in both]
    moved = [
        MovedNode(
            key[0],
            key[1],
            before[key].provider if key in before else "",
            after[key].provider if key in after else "",
            before[key].time_ms if key in before else None,
            after[key].time_ms if key in after else None,
        )
        for key in {**before, **after}
        if (key in before or complete[0])
        and (key in after or complete[1])
        and (key not in before or key not in after or before[key].provider != after[key].provider)
    ]
    moved.sort(key=lambda each: (-max(each.before_ms or 0.0, each.after_ms or 0.0), each.name, each.operator))
    return ComparedExecution(
        moved=moved,
        outside=(len(baseline.fallbacks), len(candidate.fallbacks)),
        outside_ms=(baseline.outside_ms, candidate.outside_ms),
        run_ms=(baseline.run_ms, candidate.run_ms),
        unnamed=sum(not node.name for each in both for node in each.fallbacks),
    )


def _outside(execution: Execution) -> Mapping[_Key, NodeUse]:
    """Return the nodes outside of TensorRT by name, operator and place among those of both."""
    found: dict[_Key, NodeUse] = {}
    counts: dict[tuple[str, str], int] = {}
    for node in _named(execution.fallbacks):
        place = (node.name, node.operator)
        found[node.name, node.operator, counts.get(place, 0)] = node
        counts[place] = counts.get(place, 0) + 1
    return found


def _named(nodes: Iterable[NodeUse]) -> Iterable[NodeUse]:
    return (node for node in nodes if node.name)
