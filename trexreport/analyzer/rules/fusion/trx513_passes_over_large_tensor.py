"""TRX513 fusion.passes-over-large-tensor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.fusion.attention_parts import unfused_attentions
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.layer_kinds import chooses
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import (
    is_conv_or_matmul,
    is_pointwise,
    is_reduction,
    is_softmax,
    only_copies,
    path_to_only_consumer,
)
from trexreport.analyzer.rules.phrases import LAYER, describe_tensor, takes_time
from trexreport.analyzer.rules.roof_share import bytes_bound_everywhere, is_memory_bound
from trexreport.analyzer.rules.savings import fused
from trexreport.numbers import format_bytes
from trexreport.regex import regex

_MIB = 2**20
#: Fewer passes are what the operations need.
_MIN_PASSES = 3
#: A region of Myelin whose last node reduces or chooses, and by what part at least.
_REDUCING_REGION = regex(r"^\{ForeignNode\[.*(?:Reduce[A-Z]\w*|ArgMax|ArgMin)(?:_\d+)?\]\}$", re.ASCII)
_LESS = 8
#: As many layers read the scores of a softmax that is not computed in one pass.
_MIN_READERS = 2


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} chains of layers each pass over one large tensor{extent}.",
    thresholds=(
        min_share(5.0, "all chains together"),
        Threshold("tensor_mib", 32.0, 0, 1e9, "Minimum size of the tensors between the layers, in MiB."),
    ),
    explains={
        "layers": ("TRX202", "TRX401", "TRX501", "TRX502", "TRX507", "TRX604", "TRX914"),
        "share": ("TRX601",),
    },
)
def passes_over_large_tensor(context: Context, *, share_percent: float, tensor_mib: float) -> Hits:
    """Several layers in turn pass over a large tensor without computing much.

    Cost:
        Enlarging, softmax, scaling, sum and ArgMax, as in the soft argmax of a stereo network or at the end
        of a segmentation, and the shuffles and scaling that make an image of the last convolution's result,
        do few operations for each element, and each layer reads and writes the whole tensor: the memory
        bandwidth decides their time, whatever the type is. So it does where a product of few channels writes
        a large tensor that is only reduced.

    Recommendation:
        [unless makes-image, unless only-reduced: Make the tensor smaller: compute the result at a lower
        resolution (such as a quarter) and enlarge that instead of the tensor, with fewer candidates
        (disparities, classes, bins) or with the best ones only.] [if only-reduced: Compute the product and
        the reduction behind it in one kernel, a plugin that keeps the large tensor on the chip, as for the
        points of each pillar of a point cloud; or give them fewer items, where most only fill up a fixed
        maximum.] [if makes-image: Let one kernel make the image of what the last convolution writes, with the
        order, range and type that are needed: a plugin, or the application's own kernel behind the engine.]
        [if upsampled: Take the maximum over classes (ArgMax) before the image is enlarged; a softmax before
        ArgMax changes nothing.] [if softmax: Of a softmax or log-softmax of which few results are used, as
        the scores of known tokens, take these from its input, and subtract the logarithm of the sum from them
        alone.] [unless makes-image, unless only-reduced: Or compute all in one pass, in a plugin.] [if fp32:
        Half the bytes in FP16 make each pass faster, too.]

    False alarm:
        The result needs the full resolution. Tensors that stay in the L2 cache are read faster. Chains of
        pointwise layers alone belong to TRX501, those between two matrix multiplications to TRX503. Products
        count only where the bandwidth bounds them (on an unknown GPU below 32 FLOP per byte), and the next
        layer writes at most an eighth of what it reads.

    Est. savings:
        An estimate: from 0 up to the time of the layers minus that of one kernel, which reads and writes what
        they exchange with others.
    """
    at_least = tensor_mib * _MIB
    passes = list(_tails(context, at_least))
    for found in ([*_chains(context, at_least), *_softmaxes(context, at_least)], _reduced(context, at_least)):
        known = {layer.index for members in passes for layer in members}
        passes += [each for each in found if known.isdisjoint(layer.index for layer in each)]
    chains = [members for members in passes if not _is_of_attention(context, members)]
    if not context.is_significant([layer for members in chains for layer in members], share_percent):
        return
    for members in chains:
        largest = max(
            (use for layer in members for use in (*layer.inputs, *layer.outputs)),
            key=lambda use: use.size_bytes or 0,
        )
        size = format_bytes(largest.size_bytes or 0)
        each_pass = f"{len(members)} layers in turn, from {LAYER} on, each pass over a tensor of {size}"
        if is_conv_or_matmul(context, members[0]):
            each_pass = f"{LAYER} writes a tensor of {size} of which the next layer keeps little"
        yield Hit(
            f"{each_pass}; together they {takes_time(context, members)}.",
            tuple(members),
            from_zero(fused(context, members)),  # TensorRT has no kernel for this
            {"Tensor": describe_tensor(largest)},
        )


def _chains(context: Context, least_bytes: float) -> Iterator[list[LayerFacts]]:
    """Yield layers of few operations of which each alone reads what the one before writes, and that is large.

    Reformats between them belong to them. One layer at least is more than pointwise.
    """
    for members in _runs(context, least_bytes, _computes_little):
        own = [each for each in members if not context.is_reformat(each)]
        if len(own) >= _MIN_PASSES and not all(map(is_pointwise, own)):
            yield members


def _tails(context: Context, least_bytes: float) -> Iterator[list[LayerFacts]]:
    """Yield layers that only move values or compute little between a convolution and a large output."""
    convolutions = {each.index for each in context.convolutions}
    for run in _runs(context, least_bytes, _passes_on):
        reformats, before = _before(context, run[0], least_bytes)
        members = [*reformats, *run]
        moves = [each for each in members if only_copies(each) and not context.is_reformat(each)]
        if len(members) < _MIN_PASSES or not moves:
            continue
        behind, reader = path_to_only_consumer(context, members[-1])
        last = [*members, *behind][-1]
        is_end = reader is None and any(context.is_output(use.tensor) for use in last.outputs)
        is_behind = bool(before) and convolutions.issuperset(each.index for each in before)
        if is_end and is_behind and _is_large(last, least_bytes):
            yield members


def _before(
    context: Context, layer: LayerFacts, least_bytes: float
) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the reformats of a large tensor before a layer, in order, and the layers before them."""
    reformats: list[LayerFacts] = []
    before = context.predecessors(layer)
    while len(before) == 1 and context.is_reformat(before[0]) and _is_large(before[0], least_bytes):
        if before[0].index >= layer.index:
            break  # A damaged file may have layers in a circle.
        layer = before[0]
        reformats.append(layer)
        before = context.predecessors(layer)
    return reformats[::-1], before


def _runs(
    context: Context, least_bytes: float, test: Callable[[LayerFacts], bool]
) -> Iterator[list[LayerFacts]]:
    """Yield layers that pass a test of which each alone reads the large tensor that the one before writes.

    Where several lead to one layer, this and what follows belong to the first.
    """
    chained: set[int] = set()
    for first in context.of_kinds(test):
        if first.index in chained or not first.avg_ms:
            continue
        members, layer = [first], first
        while layer.outputs and _is_large(layer, least_bytes):
            between, reader = path_to_only_consumer(context, layer)
            if reader is None or not reader.avg_ms:
                break
            if not test(reader) and not chooses(reader) and not _reduces_by_name(reader):
                break
            if reader.index in chained:
                break
            members += [*between, reader]
            layer = reader
        chained.update(each.index for each in members)
        yield members


def _reduced(context: Context, least_bytes: float) -> Iterator[list[LayerFacts]]:
    """Yield products that the bytes bound, each with what alone reads its large result: it keeps little.

    Such as the maximum over the points of each pillar.
    """
    for layer in context.products:
        if not layer.avg_ms or not layer.outputs or not _is_large(layer, least_bytes):
            continue
        between, reader = path_to_only_consumer(context, layer)
        if reader is None or not reader.avg_ms or is_conv_or_matmul(context, reader):
            continue
        is_bound = is_memory_bound(layer) if layer.roof is not None else bytes_bound_everywhere(layer)
        if is_bound and (is_reduction(reader) or reader.type == "Pooling") and _writes_little(reader):
            yield [layer, *between, reader]


def _softmaxes(context: Context, least_bytes: float) -> Iterator[list[LayerFacts]]:
    """Yield the layers that together compute one softmax, of which several read the same large tensor.

    The maximum, the sum of the exponentials and the result each are a pass of their own. What they read
    beside the scores, such as a mask, is of the same softmax.
    """
    known: set[int] = set()
    for index, tensor in enumerate(context.tensors):
        if (tensor.size_bytes or 0) < max(least_bytes, 1) or len(tensor.consumers) < _MIN_READERS:
            continue
        found = [each for each in context.consumers(index) if _computes_little(each) and each.avg_ms]
        kinds = {operation for each in found for operation in each.operations}
        has_parts = {"Exp", "Sum"} <= kinds and not all(map(is_pointwise, found))
        indices = {each.index for each in found}
        if has_parts and len(found) >= _MIN_READERS and not known.issuperset(indices):
            known |= indices
            yield found


def _computes_little(layer: LayerFacts) -> bool:
    """Return whether a layer does few operations for each element that it reads or writes."""
    enlarges = layer.type == "Resize" or "Resize" in layer.operations
    return enlarges or is_pointwise(layer) or is_softmax(layer) or is_reduction(layer)


def _passes_on(layer: LayerFacts) -> bool:
    """Return whether a layer only moves values or does few operations for each."""
    return only_copies(layer) or _computes_little(layer)


def _reduces_by_name(layer: LayerFacts) -> bool:
    """Return whether a region of unknown operations reduces at its end, and writes far less than it reads."""
    return _REDUCING_REGION.search(layer.name) is not None and _writes_little(layer)


def _writes_little(layer: LayerFacts) -> bool:
    written, read = (sum(use.size_bytes or 0 for use in each) for each in (layer.outputs, layer.inputs))
    return 0 < written * _LESS <= read


def _is_large(layer: LayerFacts, least_bytes: float) -> bool:
    return (layer.outputs[0].size_bytes or 0) >= max(least_bytes, 1)


def _is_of_attention(context: Context, members: list[LayerFacts]) -> bool:
    return any(each.index in context.cached(unfused_attentions) for each in members)
