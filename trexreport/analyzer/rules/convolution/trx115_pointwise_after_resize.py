"""TRX115 convolution.pointwise-after-resize."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule, estimate
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import keeps_size
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import is_conversion, only_copies
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.savings import if_worthwhile
from trexreport.numbers import counted, format_number

#: Kind of work, groups, and size of the window of a 1x1 convolution.
_POINTWISE = ("convolution", 1, 1)
#: What joins tensors, or copies them.
_JOINING = frozenset({"Concat", "Copy"})


class _Branch(NamedTuple):
    """A Resize before a convolution, its channels, and the factor by which its pixels become more."""

    layer: LayerFacts
    convolution: int
    channels: int
    factor: float


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} 1x1 convolutions compute on enlarged images.",
    explains={"layers": ("TRX202", "TRX507", "TRX914"), "share": ("TRX205", "TRX601", "TRX605")},
    thresholds=(min_gain(3.0),),
)
def pointwise_after_resize(context: Context, *, gain_percent: float) -> Hits:
    """A 1x1 convolution computes on an image that a Resize enlarged.

    Cost:
        A 1x1 convolution mixes the channels of each pixel, and a Resize the pixels of each channel, so that
        either may come first. Behind the Resize the convolution computes as many times more as that enlarges
        the image. So do the heads of segmentation networks, which enlarge features of several sizes, join and
        mix them.

    Recommendation:
        Compute the 1x1 convolution before the Resize: the weights of an interpolation add up to 1, so that
        the result stays the same but for rounding, its bias included. Where Concat joins several tensors,
        split the weights by these, compute each part at its own size, enlarge the results and add them up; a
        projection without an activation before the Resize can be multiplied into them. An activation behind
        the convolution comes after the Resize.

    False alarm:
        The convolution and the Resize run on few channels. Resizes whose result other layers read too are
        left out, as are those with an activation or a normalization between them and the convolution.

    Est. savings:
        An estimate: from 0 up to the part of the convolution's time that enlarging multiplied, that of the
        copies between, and that of the Resize for the channels that become fewer; without the time of adding
        up, at the rate of the Resize.
    """
    resizes = (layer for layer in context.layers if layer.type == "Resize")
    found = (branch for layer in resizes if (branch := _branch(context, layer)) is not None)
    of_convolution = group_by(found, lambda each: each.convolution)
    hits = [_hit(context, context.layers[index], of_convolution[index]) for index in sorted(of_convolution)]
    yield from if_worthwhile(context, [hit for hit in hits if hit is not None], gain_percent)


def _hit(context: Context, layer: LayerFacts, branches: Sequence[_Branch]) -> Hit | None:
    work = layer.work
    if work is None or not layer.avg_ms or (work.kind, work.groups, math.prod(work.kernel)) != _POINTWISE:
        return None
    if not keeps_size(layer) or sum(each.channels for each in branches) > work.k:
        return None
    resizes = [each.layer for each in branches]
    copies = _copies(context, layer)
    factors = sorted({each.factor for each in branches})
    times = " to ".join(format_number(each, 2) for each in dict.fromkeys((factors[0], factors[-1])))
    layers = (layer, *copies, *resizes)
    return Hit(
        f"{{layer}} computes 1x1 on images that {counted(len(branches), 'Resize', 'Resizes')} before it made "
        f"{times} times as large; together they {takes_time(context, layers)}.",
        layers,
        estimate(0.0, _saved_ms(context, layer.avg_ms, work, branches, copies), "rule"),
        {"Channels": f"{work.k} to {work.n}"},
    )


def _branch(context: Context, resize: LayerFacts) -> _Branch | None:
    """Return what a Resize enlarges for a single layer, if it does."""
    if not resize.inputs or len(resize.outputs) != 1:
        return None
    # Of these uses: the tensor that it writes may be a part of what Concat joins.
    before, after = resize.inputs[0].dimensions, resize.outputs[0].dimensions
    if len(before) != len(after) or before[:2] != after[:2] or min((*before, *after), default=0) < 1:
        return None
    factor = math.prod(after[2:]) / math.prod(before[2:])
    if factor <= 1:
        return None
    readers, passed = search([resize], context.successors, partial(_joins, context), len(context.layers))
    written = [use.tensor for each in (resize, *passed) for use in each.outputs]
    if len(readers) != 1 or not readers[0].inputs or any(map(context.is_output, written)):
        return None
    # What a convolution adds to its result, as in feature pyramids, is another input.
    is_convolved = context.base_of(readers[0].inputs[0].tensor) in map(context.base_of, written)
    return _Branch(resize, readers[0].index, before[1], factor) if is_convolved else None


def _joins(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only converts, or joins channels."""
    return is_conversion(context, layer) or (only_copies(layer) and copied(layer) <= _JOINING)


def _copies(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the copies and reformats directly before a layer, in turn."""
    found: list[LayerFacts] = []
    while True:
        before = context.predecessors(found[-1] if found else layer)
        if len(before) != 1 or not _joins(context, before[0]) or before[0] in found:
            return found
        found.append(before[0])


def _saved_ms(
    context: Context, time_ms: float, work: Operation, branches: Sequence[_Branch], copies: list[LayerFacts]
) -> float:
    """Return the most time in ms that computing before enlarging saves."""
    less = sum(each.channels / work.k * (1 - 1 / each.factor) for each in branches)
    enlarging_ms = [(each.layer.avg_ms or 0.0) * work.n / each.channels for each in branches]
    fewer_channels_ms = context.time_ms(each.layer for each in branches) - sum(enlarging_ms)
    summands = len(branches) + (sum(each.channels for each in branches) < work.k)
    # A Resize mostly writes; a sum reads all summands and writes one tensor of that size.
    adding_ms = (summands + 1) * max(enlarging_ms) if summands > 1 else 0.0
    return max(less * time_ms + context.time_ms(copies) + fewer_channels_ms - adding_ms, 0.0)
