"""Sum up where a framework runs the nodes of a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from trexreport.analyzer.analysis.execution import Execution, NodeUse, ProviderUse
from trexreport.model import execution as model

#: ONNX Runtime inserts them where a tensor goes from the CPU to a GPU or back.
COPIES = {"MemcpyFromHost", "MemcpyToHost"}


def describe_execution(execution: model.Execution | None) -> Execution | None:
    """Return the facts on where nodes run; None if no file states them."""
    if execution is None:
        return None
    whole = _sum_ms(execution.nodes)
    nodes = [
        NodeUse(
            node.name,
            node.operator,
            node.provider,
            node.is_on_tensorrt,
            node.operators,
            node.avg_ms,
            _share(node.avg_ms, whole),
        )
        for node in execution.nodes
    ]
    outside_ms = _sum_ms(node for node in execution.nodes if not node.is_on_tensorrt)
    copies = [node for node in execution.nodes if node.operator in COPIES]
    # Only a profile is in the order of a run.
    is_ordered = whole is not None
    places = [node.is_on_tensorrt for node in execution.nodes]
    engines = {name for name, _ in execution.builds}
    return Execution(
        framework=execution.framework,
        file=execution.file,
        runs=execution.runs,
        warm_up_runs=execution.warm_up_runs,
        run_ms=execution.run_ms,
        nodes_ms=whole,
        operators=execution.operators,
        supported_operators=execution.supported_operators,
        outside_ms=outside_ms,
        outside_percent=_share(outside_ms, whole),
        outside_operators=_outside_operators(execution),
        switches=sum(one != other for one, other in pairwise(places)) if is_ordered else None,
        copies=len(copies) or execution.stated_copies,
        copies_ms=_sum_ms(copies) if copies else None,
        providers=_providers(execution, whole),
        nodes=sorted(nodes, key=lambda node: -(node.time_ms or 0.0)),
        options=execution.options,
        builds=len(execution.builds),
        built_engines=len(engines) if engines and "" not in engines else None,
        build_ms=math.fsum(ms for _, ms in execution.builds) if execution.builds else None,
    )


def _outside_operators(execution: model.Execution) -> int | None:
    inside = _operators([node for node in execution.nodes if node.is_on_tensorrt])
    known = execution.operators is not None and inside is not None
    return max(0, (execution.operators or 0) - (inside or 0)) if known else None


def _providers(execution: model.Execution, whole: float | None) -> list[ProviderUse]:
    # A report on operators may not list each that runs elsewhere, which is at one provider.
    outside = _outside_operators(execution)
    of_provider: dict[str, list[model.ExecutedNode]] = {}
    for node in execution.nodes:
        of_provider.setdefault(node.provider, []).append(node)
    found = [
        ProviderUse(
            name,
            nodes[0].is_on_tensorrt,
            len(nodes),
            _operators(nodes) if nodes[0].is_on_tensorrt or outside is None else outside,
            _sum_ms(nodes),
            _share(_sum_ms(nodes), whole),
        )
        for name, nodes in of_provider.items()
    ]
    return sorted(
        found, key=lambda each: (not each.is_tensorrt, -(each.time_ms or 0.0), -each.nodes, each.name)
    )


def _operators(nodes: Sequence[model.ExecutedNode]) -> int | None:
    counts = [node.operators for node in nodes]
    return None if None in counts else sum(filter(None, counts))


def _sum_ms(nodes: Iterable[model.ExecutedNode]) -> float | None:
    times = [node.avg_ms for node in nodes if node.avg_ms is not None]
    return math.fsum(times) if times else None


def _share(time_ms: float | None, whole: float | None) -> float | None:
    return 100 * time_ms / whole if time_ms is not None and whole else None
