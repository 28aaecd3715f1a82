"""Find where errors begin: the error of each tensor beyond what its inputs explain.

Errors propagate, so the largest ones are often far behind the layer that causes them. For each tensor, the
error that its inputs explain is computed from the nearest tensors before it that are known: the root of the
sum of the squares of their relative errors, as independent errors add, times what the function in between
may amplify. For sums, concatenations and functions that make no absolute error larger, where all norms are
known, it is the bound that the norms give: a small difference of large values, or a ReLU of mostly negative
ones, makes the relative error larger without any fault of its own.

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
    """

    error: float | None
    norm: float | None
    is_finite: bool


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
            else _explained(
                flow, known[name], nodes, [at_node[end] for end in ends], len(flow.nodes[start].inputs)
            )
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
    flow: Flow, own: KnownError, nodes: Sequence[int], ends: Sequence[Sequence[KnownError]], inputs: int
) -> Explained:
    before = [each for end in ends for each in end]
    is_finite = all(each.is_finite for each in before)
    errors = [max((each.error for each in end if each.error is not None), default=None) for end in ends]
    known = [each for each in errors if each is not None]
    if ends and not known:
        return Explained(None, nodes, is_finite)
    kind = flow.nodes[nodes[0]].passing
    if len(nodes) == 1 and kind != "plain" and len(ends) == inputs:
        bound = _bound(own, [end[0] for end in ends], kind)
        if bound is not None:
            return Explained(bound, nodes, is_finite)
    is_steep = any(flow.nodes[node].is_steep for node in nodes)
    factor = _STEEP_FACTOR if is_steep else _PLAIN_FACTOR
    return Explained(factor * math.sqrt(math.fsum(each * each for each in known)), nodes, is_finite)


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
