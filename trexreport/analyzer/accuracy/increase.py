"""Find where errors begin: the error of each tensor beyond what its inputs explain.

Errors propagate, so the largest ones are often far behind the layer that causes them. For each tensor, the
error that its inputs explain is computed from the nearest tensors before it that are known: the root of the
sum of the squares of their relative errors, as independent errors add, times what the function in between
may amplify. For sums, concatenations and functions that make no absolute error larger, where all norms are
known, it is the bound that the norms give: a small difference of large values, or a ReLU of mostly negative
ones, makes the relative error larger without any fault of its own. Where a mean is subtracted, the factor is
larger by how far the values are from 0 in parts of their range.

The factors were chosen with random networks of convolutions, residual sums, concatenations, products,
normalizations and scales from 0.01 to 100 in which one layer is perturbed: `tests/random_networks.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trexreport.analyzer.accuracy.flow import Flow, Passing
from trexreport.lazy_dataclass import dataclass

#: What a linear layer, a product or an activation may make of a relative error; one with random weights makes
#: it larger or smaller by about as much.
_PLAIN_FACTOR = 1.5
_STEEP_FACTOR = 8.0
#: Of the functions that are called limited: GELU and SiLU.
_STEEPEST = 1.13
#: Nodes that are looked through for one tensor, and for all together.
_MAX_PASSED = 20_000
_MAX_STEPS = 1_000_000


@dataclass(frozen=True)
class KnownError:
    """What is known of a tensor.

    Attributes:
        error: None if not known, as of integer tensors.
        norm: L2 norm of the reference; None if not known.
        is_finite: Its values are finite where those of the reference are.
        offset: Root mean square of the reference as a part of half its range; above 1 where all values
            differ little from a constant. None if not known.
    """

    error: float | None
    norm: float | None
    is_finite: bool
    offset: float | None = None


@dataclass(frozen=True)
class Explained:
    """What comes with the inputs of a tensor.

    Attributes:
        error: None if it is not known.
        nodes: Positions of the nodes between the known tensors and this one, its own included.
        is_finite: Every known tensor before it is finite.
    """

    error: float | None
    nodes: Sequence[int]
    is_finite: bool


def explain_errors(flow: Flow, known: Mapping[str, KnownError], names: Sequence[str]) -> dict[str, Explained]:
    """Return for each tensor what its inputs explain.

    Args:
        flow: What computes tensors.
        known: Name of a tensor to what is known of it.
        names: Those of the tensors to explain that a node writes.
    """
    at_node: dict[int, list[KnownError]] = {}
    for name, each in known.items():
        if name in flow.writers:
            at_node.setdefault(flow.writers[name], []).append(each)
    rest = _MAX_STEPS
    found = {}
    for name in names:
        start = flow.writers[name]
        nodes, ends = _before(flow, start, at_node, min(rest, _MAX_PASSED))
        rest -= len(nodes)
        found[name] = (
            Explained(None, (start,), is_finite=True)
            if ends is None
            else _explained(flow, known, name, nodes, [at_node[end] for end in ends])
        )
    return found


def _before(
    flow: Flow, start: int, at_node: Mapping[int, object], max_passed: int
) -> tuple[list[int], list[int] | None]:
    """Return the nodes that are passed, and the known ones behind them; None if there are too many."""
    nodes, ends, seen = [start], [], {start}
    for node in nodes:
        for before in flow.nodes[node].inputs:
            if before in seen:
                continue
            seen.add(before)
            if before in at_node:
                ends.append(before)
            elif len(nodes) < max_passed:
                nodes.append(before)
            else:
                return [start], None
    return nodes, ends


def _explained(
    flow: Flow,
    known: Mapping[str, KnownError],
    name: str,
    nodes: Sequence[int],
    ends: Sequence[Sequence[KnownError]],
) -> Explained:
    node = flow.nodes[nodes[0]]
    direct = _direct(flow, known, nodes)
    before = direct or [each for end in ends for each in end]
    is_finite = all(each.is_finite for each in before)
    # A node that is further away is as wrong as the worst of its outputs.
    groups = [[each] for each in direct] if direct else ends
    worst = [max((each.error for each in group if each.error is not None), default=None) for group in groups]
    errors = [each for each in worst if each is not None]
    if ends and not errors:
        return Explained(None, nodes, is_finite)
    if direct and node.passing != "plain":
        bound = _bound(known[name], direct, node.passing)
        if bound is not None:
            return Explained(bound, nodes, is_finite)
    factor = _STEEP_FACTOR if any(flow.nodes[at].is_steep for at in nodes) else _PLAIN_FACTOR
    if any(flow.nodes[at].is_centering for at in nodes):
        factor *= max([1.0, *(each.offset for each in before if each.offset is not None)])
    return Explained(factor * math.sqrt(math.fsum(each * each for each in errors)), nodes, is_finite)


def _direct(flow: Flow, known: Mapping[str, KnownError], nodes: Sequence[int]) -> list[KnownError]:
    """Return what is known of each tensor that a node reads, if that is all it reads; else nothing."""
    node = flow.nodes[nodes[0]]
    if len(nodes) > 1 or {flow.writers.get(each) for each in node.reads} != set(node.inputs):
        return []
    found = [known.get(each) for each in node.reads]
    return [each for each in found if each is not None] if None not in found else []


def _bound(own: KnownError, ends: Sequence[KnownError], kind: Passing) -> float | None:
    """Return the largest relative error that the inputs of a node allow; None if a norm is not known."""
    if not own.norm:
        return None
    sizes = []
    for each in ends:
        if each.error is None or each.norm is None:
            return None
        sizes.append(each.error * each.norm)
    if kind == "joined":
        return math.sqrt(math.fsum(size * size for size in sizes)) / own.norm
    slope = _STEEPEST if kind == "limited" else 1.0
    return slope * math.fsum(sizes) / own.norm
