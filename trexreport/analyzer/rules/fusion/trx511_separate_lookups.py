"""TRX511 fusion.separate-lookups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.copy_kinds import reads_places_alone, reads_table
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.patterns import looks_up, only_copies
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, format_count

#: Lookups of a small share are reported where they are this many times as many.
_MANY = 4


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    explains={"layers": ("TRX401", "TRX507", "TRX918"), "share": ("TRX205", "TRX508", "TRX601", "TRX605")},
    thresholds=(
        min_share(2.0, "all lookups"),
        percent("warning_percent", 5.0, "Share from which on it is a warning, in percent of layer time."),
        Threshold("min_count", 4, 2, 1e6, "Minimum number of lookups."),
    ),
)
def separate_lookups(
    context: Context, *, share_percent: float, warning_percent: float, min_count: float
) -> Hits:
    """Many tables are looked up, each by a kernel of its own.

    Cost:
        A lookup (Gather) in a table of embeddings reads few bytes: its time is that of a launch and of
        waiting for memory, once for each table.

    Recommendation:
        Put tables of equal width into one, add an offset to the indices of each, and look all of them up with
        one Gather; or use a plugin that looks up several tables and joins their results. [if fp32: Store the
        tables in FP16.]

    False alarm:
        The lookups depend on each other, or fetch so much that memory bounds them. Only lookups in constant
        tables are counted, and those that together take a share of the time. A small share is information,
        and of few lookups not reported; it grows where other layers become faster.

    Est. savings:
        An estimate: from 0 up to the time of all lookups except that of the slowest, and without the time in
        which their results are read and written at the memory bandwidth, where the GPU's is known (tables in
        FP32 as if they were FP16), and that of the copies which only cut out the indices of one lookup each.
    """
    found = [each for each in context.of_kinds(looks_up) if each.avg_ms and _reads_table(context, each)]
    layers = context.slowest(found, share_percent)
    is_small = not context.is_significant(layers, warning_percent)
    if len(layers) < min_count * (_MANY if is_small else 1):
        return
    slowest = layers[0].index
    ranges = [
        (each, 0.0, 0.0 if each.index == slowest else _above_bytes_ms(context, each)) for each in layers
    ]
    cutting = _cutting(context, layers)
    copies = f", with {counted(len(cutting), 'copy', 'copies')} of their indices," if cutting else ""
    whole = (*layers, *cutting)
    yield Hit(
        f"{format_count(len(layers))} lookups in constant tables run as kernels of their own"
        f"{copies} and {takes_time(context, whole)}.",
        whole,
        of_layers(
            "estimate", [*ranges, *((each, 0.0, each.avg_ms or 0.0) for each in cutting)], "fused-kernel"
        ),
        affected=tuple(_joining(context, layers)),
        severity="info" if is_small else None,
    )


def _reads_table(context: Context, layer: LayerFacts) -> bool:
    return (only_copies(layer) and reads_table(context, layer)) or reads_places_alone(context, layer)


def _cutting(context: Context, lookups: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the copies that only cut out the indices of a lookup, which one lookup reads as they are."""
    found = {layer.index for layer in lookups}
    before = {each.index: each for layer in lookups for each in context.predecessors(layer)}
    return [
        each
        for each in before.values()
        if only_copies(each) and each.avg_ms and {after.index for after in context.successors(each)} <= found
    ]


def _joining(context: Context, lookups: Sequence[LayerFacts]) -> Iterator[LayerFacts]:
    """Yield the copies that mostly join results of the lookups, which one lookup writes as they are."""
    found = {layer.index for layer in lookups}
    for index in sorted({each.index for layer in lookups for each in context.successors(layer)} - found):
        layer = context.layers[index]
        before = context.predecessors(layer)
        of_lookups = sum(each.index in found for each in before)
        joins = only_copies(layer) and of_lookups > 1 and 2 * of_lookups > len(before)
        # Into its place in the joined tensor, one by one.
        copy = context.reformat_of.get(index)
        if joins or (copy is not None and copy.change == "copy" and of_lookups == len(before)):
            yield layer


def _above_bytes_ms(context: Context, layer: LayerFacts) -> float:
    """Return the time of a lookup in ms beyond that of reading and writing what it fetches."""
    gpu, time_ms = context.analysis.roofline.gpu, layer.avg_ms or 0.0
    if gpu is None or not layer.output_bytes:
        return time_ms
    fetched = layer.output_bytes / (2 if layer.precision == "FP32" else 1)
    return max(0.0, time_ms - 2 * fetched / (gpu.bandwidth_gbs * 1e6))
