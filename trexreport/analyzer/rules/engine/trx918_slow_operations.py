"""TRX918 engine.slow-operations."""

from __future__ import annotations

import re

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.channel_attentions import of_reported_attentions
from trexreport.analyzer.rules.copy_kinds import reads_table
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise, is_reduction, looks_up
from trexreport.analyzer.rules.phrases import LAYER, layer_time, takes_time
from trexreport.analyzer.rules.savings import fused
from trexreport.analyzer.rules.slow_kinds import OPERATIONS
from trexreport.numbers import counted, format_count
from trexreport.regex import regex

#: Their bytes take the time: near the roofline fewer of them are the only way to save some.
_OF_BYTES = frozenset({"CumSum", "pooling", "reduction"})
_KIND_OF = {name: kind for kind, names in OPERATIONS.items() for name in names}
#: The operation of a layer of one ONNX node: "RoiAlign" of "/roi/RoiAlign_1".
_ONE_NODE = regex(r"^(?:[^\s|+]*/)?([A-Z][A-Za-z]+(?:L[12])?)(?:__?\d+)?$", re.ASCII)


@built_in_rule(
    "info",
    many="Layers that compute {Operation} take much time{extent}.",
    needs=("profile",),
    explains={"layers": ("TRX502", "TRX914"), "share": ("TRX601", "TRX605")},
    thresholds=(
        min_share(10.0, "the layers of one operation"),
        percent("reached_percent", 50.0, "% of roofline from which on a layer is left out."),
        percent("warning_percent", 30.0, "Share from which on it is a warning, in percent of layer time."),
    ),
)
def slow_operations(
    context: Context, *, share_percent: float, reached_percent: float, warning_percent: float
) -> Hits:
    """An operation that is neither a convolution nor a matrix multiplication takes much of the time.

    Cost:
        [if reads-all: It reads and writes whole tensors for few operations.] [unless reads-all: It computes
        little, but uses the GPU badly: it reads memory in no order, works step by step, or waits.]

    Recommendation:
        [if suppresses: Give the suppression fewer candidates: a higher score threshold or a TopK before it,
        fewer boxes for each class. EfficientNMS_TRT, a plugin of TensorRT (deprecated from 10.12 on), returns
        tensors of a fixed size.] [if chooses, unless picks-class: Choose among fewer candidates: a threshold
        before, a smaller K, along the last dimension.] [if picks-class: Choose the class of fewer pixels or
        tokens: before an image is enlarged, or of those alone that are used.] [if aligns: Fewer boxes or
        sampling points (sampling_ratio), and one for a whole feature pyramid instead of one for each of its
        levels.] [if samples: Sample fewer channels or points, and keep the grid out of the engine if it is
        constant.] [if resizes: Enlarge fewer channels or pixels: behind the convolution that reduces the
        channels.] [if recurs: A recurrence computes one step after the other: fewer steps, a larger batch, or
        convolutions or attention in its place.] [if accumulates: A running sum over tokens, such as the scan
        of a state-space model (Mamba) or linear attention, is fastest in one plugin with the pointwise layers
        around it, which keeps the state on the chip.] [if pools: A pooling reads and writes its whole tensor
        and computes little: pool fewer channels (behind the convolution that reduces them).] [if pools,
        unless pools-images: Give the stride to the convolution before it, use two small windows for a large
        one, and leave out those of stride 1.] [if reduces-extents: Reduce tensors of fewer pixels or
        channels, along the axis that is innermost in memory.] [if moves-16-bits: In 8 bits, between quantized
        layers, it moves half the bytes.] [if looks-up-table: Lookups read their table at random: store it in
        FP16 or fewer bits, and state the places in INT32.] [if picks-elements: A GatherElements (gather in
        PyTorch) reads an index for each element that it writes: where the places follow a rule, as relative
        positions do, Pad, Reshape and Slice put the elements there without indices.] [if wide-indices: Cast
        INT64 indices to INT32, which halves what is read of them.] [if gathers-data, unless looks-up-table,
        unless picks-elements: A Gather reads in the order of its indices: sort these (edges of a graph by
        their nodes), gather along the first dimension, and let one plugin gather, compute and sum up where a
        Scatter follows.] [if sums-up: Elements that meet at one place are added one after the other: sort
        them by their places (edges by their nodes), and sum up each place in a plugin that also gathers and
        computes them.] [if scatters, unless sums-up: Put the parts together with Concat or Where where their
        places are fixed.] [unless reads-all: Compare with another implementation: a plugin, or the same step
        outside of the engine.]

    False alarm:
        The model needs it, and no other implementation is faster. Layers that reach half of their roofline
        are left out unless they pool, reduce or sum up in turn, which fewer bytes make faster, as are plugins
        and regions that hide their layers. Where a file contains only names, layers of one ONNX node count.
        The averages of blocks of squeeze-and-excitation belong to TRX518. It is information below 30% of
        layer time.

    Est. savings:
        An estimate of running sums: from 0 up to what one kernel in place of them and of the pointwise layers
        and reductions beside them saves. Not estimated of others: it depends on what the results are needed
        for.
    """
    found = context.of_kinds(lambda each: bool(_kind(each)))
    found = [each for each in found if each.avg_ms and _may_be_slow(context, each, reached_percent)]
    averages = of_reported_attentions(context, 0)
    found = [each for each in found if each.index not in averages]
    for kind, members in sorted(group_by(found, _kind).items()):
        layers = context.slowest(members, share_percent)
        if not layers:
            continue
        beside = _beside_sums(context, layers) if kind == "CumSum" else ()
        subject = f"{counted(len(layers), 'layer')} of one operation ({kind})"
        which = f"{LAYER} ({kind})" if len(layers) == 1 else subject
        whole = layer_time(context, [*layers, *beside])
        with_beside = f"; with the layers beside {'it' if len(layers) == 1 else 'them'} that is {whole}"
        yield Hit(
            f"{which} {takes_time(context, layers)}{with_beside if beside else ''}.",
            tuple(layers),
            from_zero(fused(context, (*layers, *beside))) if beside else None,
            {"Operation": kind} | _choice(layers),
            severity="warning" if context.is_significant(layers, warning_percent) else None,
            affected=beside,
        )


def _choice(layers: list[LayerFacts]) -> dict[str, str]:
    """Return among how many elements TopK chooses how many, where all layers do the same."""
    stated = {(each.attributes.get("K"), _extent(each)) for each in layers}
    if len(stated) > 1:
        return {}
    chosen, extent = stated.pop()
    found = {"K": chosen, "Elements along the axis": extent}
    return {label: format_count(each) for label, each in found.items() if type(each) is int}


def _extent(layer: LayerFacts) -> int | None:
    """Return the extent of the one axis that a layer states as a bit of a mask; None if it is not known."""
    axes, shape = layer.attributes.get("Axes"), layer.inputs[0].dimensions if layer.inputs else ()
    at = axes.bit_length() - 1 if type(axes) is int and axes > 0 and axes.bit_count() == 1 else len(shape)
    return shape[at] if at < len(shape) and shape[at] > 0 else None


def _beside_sums(context: Context, layers: list[LayerFacts]) -> tuple[LayerFacts, ...]:
    """Return the layers next to running sums that one plugin would compute with them."""
    beside = {
        each.index: each
        for layer in layers
        for each in (*context.predecessors(layer), *context.successors(layer))
        if is_pointwise(each) or is_reduction(each)
    }
    return tuple(beside.values())


def _may_be_slow(context: Context, layer: LayerFacts, reached_percent: float) -> bool:
    has_own_rules = is_conv_or_matmul(context, layer) or context.is_plugin(layer) or context.is_opaque(layer)
    reached = layer.roof.reached_percent if layer.roof else None
    is_slow = reached is None or reached < reached_percent or _kind(layer) in _OF_BYTES
    # Kernels that gather beside other operations are not called after it, and tables have a rule.
    gathers = _kind(layer) == "Gather" and bool(layer.type)
    if gathers and (not looks_up(layer) or reads_table(context, layer)):
        return False
    return not has_own_rules and is_slow


def _kind(layer: LayerFacts) -> str:
    """Return what a layer's operation is called: by type or kernel, else by its one node; or ""."""
    if layer.type:
        names = (layer.type, *layer.operations)
    else:
        node = _ONE_NODE.match(layer.name)
        names = (node[1],) if node else ()
    return next((_KIND_OF[each] for each in names if each in _KIND_OF), "")
