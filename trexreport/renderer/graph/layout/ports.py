"""Choose where on the lower and upper border of a box its edges leave and arrive."""

from __future__ import annotations

from math import inf

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.layering import Layering
from trexreport.renderer.graph.layout.ranking import Arc

_PORT_GAP = 26.0
_CORNER = 10.0
_STRAIGHT = 50.0


@dataclass(frozen=True)
class Ports:
    """For each arc the x coordinate where it leaves its tail below and where it reaches its head above."""

    below: list[float]
    above: list[float]


def assign_ports(layering: Layering, arcs: list[Arc], xs: list[int], widths: list[float]) -> Ports:
    """Spread the ends of the arcs over the borders, each as near as possible to where it comes from."""
    place = layering.places()
    outs: list[list[int]] = [[] for _ in range(layering.nodes)]
    ins: list[list[int]] = [[] for _ in range(layering.nodes)]
    for number, (tail, head) in enumerate(arcs):
        outs[tail].append(number)
        ins[head].append(number)
    chains = layering.chains
    # Lanes run on the right, so their arcs take the last ports.
    below_other = [chain[1] if chain else -1 for chain in chains]
    above_other = [chain[-2] if chain else -1 for chain in chains]
    for sides, others in ((outs, below_other), (ins, above_other)):
        for numbers in sides:
            numbers.sort(key=lambda number: (place[others[number]] if others[number] >= 0 else inf, number))
    below = [xs[other] if other >= 0 else inf for other in below_other]
    ports = Ports([float(xs[tail]) for tail, _ in arcs], [float(xs[head]) for _, head in arcs])
    for vertex, numbers in enumerate(outs):
        _spread(ports.below, numbers, [below[number] for number in numbers], xs[vertex], widths[vertex])
    # The far ends are known better now: look again from above, then once more from below.
    for vertex, numbers in enumerate(ins):
        wanted = [_far_end(chains[number], ports.below[number], xs, -2) for number in numbers]
        _spread(ports.above, numbers, wanted, xs[vertex], widths[vertex])
    for vertex, numbers in enumerate(outs):
        wanted = [_far_end(chains[number], ports.above[number], xs, 1) for number in numbers]
        _spread(ports.below, numbers, wanted, xs[vertex], widths[vertex])
    return ports


def _far_end(chain: list[int], port: float, xs: list[int], index: int) -> float:
    if not chain:
        return inf
    return port if len(chain) == 2 else xs[chain[index]]


def _spread(ports: list[float], numbers: list[int], wanted: list[float], center: float, width: float) -> None:
    """Set the ports of one border, in the given order; a single one is in the middle."""
    if len(numbers) < 2:
        return
    corner = min(_CORNER, width / 5)
    low, high = center - width / 2 + corner, center + width / 2 - corner
    gap = min(_PORT_GAP, (high - low) / (len(numbers) - 1))
    for index, want in enumerate(wanted):
        if abs(want - center) < 0.5:
            # Leave the straight edge its place in the middle: each half has to hold the rest of its side.
            gap = min(gap, (high - center) / max(index, len(numbers) - 1 - index))
    targets = [min(max(want, low), high) for want in wanted]
    weights = [_STRAIGHT if abs(want - center) < 0.5 else 1.0 for want in wanted]
    for number, port in zip(numbers, keep_apart(targets, weights, gap, low, high), strict=True):
        ports[number] = port


def keep_apart(
    targets: list[float], weights: list[float], gap: float, low: float, high: float
) -> list[float]:
    """Move values as little as possible (weighted least squares) so that they ascend by at least `gap`."""
    groups: list[tuple[float, float, int]] = []  # mean, weight, members
    for index, (target, weight) in enumerate(zip(targets, weights, strict=True)):
        mean, total, members = target - index * gap, weight, 1
        while groups and groups[-1][0] > mean:
            before, heavy, more = groups.pop()
            mean = (mean * total + before * heavy) / (total + heavy)
            total, members = total + heavy, members + more
        groups.append((mean, total, members))
    top = high - gap * (len(targets) - 1)
    placed = [min(max(mean, low), top) for mean, _, members in groups for _ in range(members)]
    return [value + index * gap for index, value in enumerate(placed)]
