"""Rules on memory: how much of the time its bandwidth sets, and what takes most of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import only_copies
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import describe_tensor, for_time
from trexreport.model.data_format import BITS
from trexreport.numbers import counted, format_bytes, format_percent

_MIB = 2**20
#: The fewest bits that TensorRT can store a weight in (INT4 from 10.0 on, FP4 from 10.8 on).
_LEAST_BITS = 4
#: What a tensor core takes at a time; convolutions of fewer channels are slow for that reason.
_FEW_CHANNELS = 8


@rule(
    "TRX601",
    "memory.bound-share",
    "info",
    many="Memory bounds the engine in {count} ways.",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    thresholds=(
        Threshold("share_percent", 50.0, 0, 100, "Time of layers that memory bounds, in percent of the sum."),
    ),
)
def bound_share(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Memory, not arithmetic, bounds most of the time.

    Cost:
        These layers move more bytes for each operation than the GPU can at its peak, so that faster
        arithmetic, such as INT8 in place of FP16 inside a kernel, gains them nothing by itself.

    Advice:
        Move fewer bytes: smaller types for the tensors between layers (quantized inputs and outputs, not
        only weights), fusion of neighbors, no copies and reformats. For products with weights a larger
        batch uses each weight more often.

    False alarm:
        Networks of depthwise convolutions, of pointwise work or of decoding single tokens are so by nature.
        Tensors that stay in the second-level cache are faster than the roof of memory says.

    Bound:
        None here: what each layer could gain is its headroom in the table of the roofline.
    """
    found = [
        layer for layer in context.layers if layer.avg_ms and layer.roof and layer.roof.bound == "memory"
    ]
    share = context.share_percent(context.time_ms(found))
    if not found or share < share_percent:
        return
    cached = context.time_ms(layer for layer in found if layer.roof and layer.roof.fits_l2)
    yield Hit(
        f"{format_percent(share / 100)} of the time is in {counted(len(found), 'layer')} that memory bounds.",
        tuple(found),
        None,
        {"Of it in layers whose data fit in L2": format_percent(context.share_percent(cached) / 100)},
    )


@rule(
    "TRX602",
    "memory.weights-bound",
    "info",
    many="Reading weights takes long in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 10.0, 0, 100, "Time of these layers together, in percent of the sum."),
        Threshold("rows", 16, 1, 4096, "Most rows (M, mostly batch times tokens) of such a product."),
    ),
)
def weights_bound(context: Context, *, share_percent: float, rows: float) -> Iterator[Hit]:
    """Products with few rows spend their time on reading weights.

    Cost:
        With few rows each weight is read for a handful of operations, so the bytes of the weights set the
        time, as in decoding single tokens and in classifiers at batch 1.

    Advice:
        Store weights in fewer bits: INT4 weights with Q/DQ in blocks (from TensorRT 10.0 on), FP8, or FP4
        on Blackwell (from 10.8 on), with TensorRT Model Optimizer. Or use each weight more often: larger
        batches, several tokens at once (speculative decoding).

    False alarm:
        Products so small that launching them takes longer than reading their weights.

    Bound:
        The time of these layers times the part of their bytes that weights are, less what weights of 4 bits
        would leave of it.
    """
    found = [layer for layer in context.layers if layer.work and layer.work.m <= rows and layer.avg_ms]
    shares = {layer.index: _share_of_weights(context, layer) for layer in found}
    bound = [layer for layer in found if shares[layer.index] > 0.5]
    if not bound or context.share_percent(context.time_ms(bound)) < share_percent:
        return
    bound.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    gain_ms = math.fsum(
        (layer.avg_ms or 0.0) * shares[layer.index] * (1 - _LEAST_BITS / max(_LEAST_BITS, _bits(layer)))
        for layer in bound
    )
    weights = sum(_weights_bytes(context, layer) for layer in bound)
    most = max(layer.work.m for layer in bound if layer.work)
    yield Hit(
        f"{counted(len(bound), 'product')} of at most {counted(most, 'row')} read {format_bytes(weights)} of "
        f"weights{for_time(context, bound)}.",
        tuple(bound),
        gain_ms,
        {"Types": ", ".join(sorted({layer.precision for layer in bound}))},
    )


def _weights_bytes(context: Context, layer: LayerFacts) -> int:
    """Return what a layer moves besides results of other layers and its own; 0 if it is not known."""
    inputs = (use for use in layer.inputs if context.facts(use.tensor).role != "constant")
    flowing = sum(use.size_bytes or 0 for use in (*inputs, *layer.outputs))
    return max(0, _traffic_bytes(layer) - flowing)


def _traffic_bytes(layer: LayerFacts) -> int:
    """Return what a layer moves, with the weights that its kernel is taken to hold; 0 if it is not known."""
    if not layer.moved_bytes:
        return 0
    return layer.moved_bytes + (layer.work.hidden_weights_bytes if layer.work else 0)


def _share_of_weights(context: Context, layer: LayerFacts) -> float:
    """Return the part of a layer's traffic that weights are; 0 if it is not known."""
    traffic = _traffic_bytes(layer)
    return _weights_bytes(context, layer) / traffic if traffic else 0.0


def _bits(layer: LayerFacts) -> int:
    return BITS.get(layer.precision, _LEAST_BITS)


@rule(
    "TRX603",
    "memory.large-activation",
    "info",
    many="{count} tensors take most of the memory between layers.",
    section="memory",
    thresholds=(
        Threshold("share_percent", 33.0, 1, 100, "The tensor's part of the peak, in percent."),
        Threshold("peak_mib", 256.0, 0, 1e9, "Peak of the memory between layers worth looking at, in MiB."),
    ),
)
def large_activation(context: Context, *, share_percent: float, peak_mib: float) -> Iterator[Hit]:
    """A single tensor takes much of the memory between layers.

    Cost:
        The largest tensors that live at the same time decide how much memory every execution context takes,
        and so how many contexts or which batch fits on the GPU. Writing and reading them takes time too.

    Advice:
        Look at what makes it: an upsampled or concatenated map, scores of an attention that is not fused, a
        lowered convolution. Use a smaller type there, fuse its writer with its readers, or work in tiles. A
        smaller maximum shape (--maxShapes) lowers what TensorRT sets aside.

    False alarm:
        The GPU has memory to spare and the layers around it are not slow.

    Bound:
        None: it concerns memory, not time.
    """
    memory = context.analysis.memory
    peak, at = memory.peak_live_bytes, memory.peak_layer
    if at is None or peak < peak_mib * _MIB:
        return
    for index, tensor in enumerate(context.tensors):
        size = tensor.size_bytes or 0
        if size * 100 < share_percent * peak or tensor.role != "activation" or tensor.alias_of is not None:
            continue
        touching = sorted((*context.writers(index), *context.readers(index)), key=lambda layer: layer.index)
        if not touching or not touching[0].index <= at <= touching[-1].index:
            continue
        once = tuple({layer.index: layer for layer in touching}.values())
        use = next(
            each
            for layer in once
            for each in (*layer.outputs, *layer.inputs)
            if context.value_of(each.tensor) == index
        )
        yield Hit(
            f"A tensor of {format_bytes(size)} is {format_percent(size / peak)} of the {format_bytes(peak)} "
            f"in use at the peak.",
            once,
            None,
            {"Tensor": describe_tensor(use)},
        )


@rule(
    "TRX604",
    "memory.low-bandwidth",
    "warning",
    many="{count} layers reach little of the memory's bandwidth that bounds them.",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    subject="kernels",
    thresholds=(
        Threshold(
            "reached_percent", 50.0, 0, 100, "Part of the roof reached, in percent, below which it is."
        ),
        Threshold("share_percent", 1.0, 0, 100, "Time of a layer worth naming, in percent of the sum."),
        Threshold("roof_us", 20.0, 0, 1e9, "Time at the roof, in µs, below which latency sets the time."),
    ),
)
def low_bandwidth(
    context: Context, *, reached_percent: float, share_percent: float, roof_us: float
) -> Iterator[Hit]:
    """A layer that memory bounds reaches little of the bandwidth.

    Cost:
        The bytes it must move would take far less time at the GPU's bandwidth. Usual reasons are access in
        steps (a transpose in the same kernel, a reduction along rows of another layout), loads of single
        elements where extents are not aligned, and too little work in flight.

    Advice:
        Give the layer a layout in which neighbors in memory are used together (channels last for few
        channels), move a transpose out of it, align extents. Let the builder try more kernels with
        --builderOptimizationLevel=5 (from 8.6 on).

    False alarm:
        The layer reads some bytes several times, which the sizes of its tensors do not show; or the GPU ran
        at lower clocks than the peaks are for. Layers too small to show a bandwidth are left out, as are
        those that other rules would rather have gone: reformats, copies (TRX507) and convolutions of fewer
        than 8 channels.

    Bound:
        What the layer takes beyond the time that its bytes need at the peak bandwidth.
    """
    for layer in context.layers:
        roof = layer.roof
        if roof is None or roof.bound != "memory" or roof.reached_percent is None:
            continue
        if roof.roof_ms * 1e3 < roof_us:
            continue
        if roof.reached_percent >= reached_percent or _reads_few_channels(context, layer):
            continue
        if context.is_reformat(layer) or only_copies(layer):
            continue
        if context.share_percent(layer.avg_ms or 0.0) < share_percent:
            continue
        yield Hit(
            f"It runs{for_time(context, [layer])}, at {format_percent(roof.reached_percent / 100)} of the "
            f"bandwidth that bounds it.",
            (layer,),
            roof.headroom_ms,
            {"Moved": format_bytes(layer.moved_bytes), "Fits in L2": "yes" if roof.fits_l2 else "no"},
        )


def _reads_few_channels(context: Context, layer: LayerFacts) -> bool:
    extents = layer.inputs[0].dimensions if layer.inputs else []
    return context.is_convolution(layer) and len(extents) > 1 and 0 < extents[1] < _FEW_CHANNELS
