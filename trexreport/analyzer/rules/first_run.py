"""Find layers that a first run of the engine lengthens: it loads kernels and modules within their times."""

from __future__ import annotations

import math
import re
from statistics import median

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Rule
from trexreport.analyzer.rules.usual_times import usual_ms
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

#: In a first run layers may take many times as long: then few alike show it.
_MIN_LAYERS, _FACTOR = 3, 8.0
_REFORMAT = regex(r"^reformatting", re.IGNORECASE)
_CONVOLUTION = regex(r"conv", re.IGNORECASE)
#: Share of layer time, in percent, from which on the first layer of such a run counts as well.
_FIRST_PERCENT = 5.0
#: Part of the time of a place that these layers take, from which on it says nothing of other runs.
_MOSTLY = 0.5
#: What is about the measurement itself, and about these layers.
_RULES = frozenset({"TRX915"})


@dataclass(frozen=True)
class FirstRun:
    """Layers that take far longer than in later runs.

    Attributes:
        above: By index a layer that takes many times as long as others of its kind, and their time in ms.
        first: The first layer, which has no others of its kind; None unless it takes much of the time.
    """

    above: dict[int, tuple[LayerFacts, float]]
    first: LayerFacts | None = None


def first_run(context: Context) -> FirstRun:
    """Return the layers that the first run lengthened, as far as names show it; use `Context.cached`."""
    if not (context.may_be_first_run and context.analysis.identity.names_only):
        return FirstRun({})
    # Numbers without a module before them count all nodes of a network, not the blocks that repeat.
    named = [layer for layer in context.layers if layer.avg_ms and "/" in layer.name]
    named = [layer for layer in named if not _REFORMAT.search(layer.name)]
    above: dict[int, tuple[LayerFacts, float]] = {}
    # The first node of a name has no number: "Reshape", "Reshape_1".
    for members in group_by(named, lambda layer: re.sub(r"_?\d+", "", layer.name)).values():
        if len(members) >= _MIN_LAYERS:
            kind_ms = median(map(usual_ms, members))
            least_ms = _FACTOR * kind_ms
            if _CONVOLUTION.search(members[0].name):
                # Shapes of convolutions differ: it has to be far from all others.
                least_ms = _FACTOR * sorted(map(usual_ms, members))[-2]
            slow = (each for each in members if usual_ms(each) >= least_ms)
            above |= {layer.index: (layer, kind_ms) for layer in slow}
    timed = (layer for layer in context.layers if layer.avg_ms)
    first = next(timed, None) if above else None
    if first is None or first.index in above or context.share_percent(usual_ms(first)) < _FIRST_PERCENT:
        return FirstRun(above)
    return FirstRun(above, first)


def follows_from_first_run(rule: Rule, hit: Hit, context: Context) -> bool:
    """Return whether most of the time that a hit is about comes from a first run."""
    if rule.code in _RULES or not hit.layers or not context.may_be_first_run:
        return False
    found = context.cached(first_run)
    excess = {index: usual_ms(layer) - kind_ms for index, (layer, kind_ms) in found.above.items()}
    if found.first is not None:
        excess[found.first.index] = usual_ms(found.first)
    part_ms = math.fsum(excess.get(index, 0.0) for index in {layer.index for layer in hit.layers})
    return part_ms > _MOSTLY * context.time_ms(hit.layers)
