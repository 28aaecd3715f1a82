"""Which findings concern the same time, so that their savings do not add up."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import Analysis, Finding

#: Shares below this part of a finding's time are not worth a mark.
_MIN_PERCENT = 10.0
_MAX_OVERLAPS = 4


def overlapping_findings(analysis: Analysis) -> dict[int, list[tuple[Finding, float]]]:
    """Return for each finding with savings the others with savings whose layers take part of its time.

    The key is the identity of the finding; the figures are in percent of its time, the largest first.
    """
    times = [layer.avg_ms or 0.0 for layer in analysis.layers]
    found = [each for each in analysis.lint.findings if each.gain is not None and each.layers]
    layers = {id(each): frozenset(each.layers) for each in found}
    overlaps: dict[int, list[tuple[Finding, float]]] = {}
    for finding in found:
        own = layers[id(finding)]
        total = math.fsum(times[index] for index in own)
        if not total:
            continue
        shared = [
            (other, 100 * math.fsum(times[index] for index in sorted(own & layers[id(other)])) / total)
            for other in found
            if other is not finding
        ]
        large = sorted((each for each in shared if each[1] >= _MIN_PERCENT), key=lambda each: -each[1])
        if large:
            overlaps[id(finding)] = large[:_MAX_OVERLAPS]
    return overlaps
