"""Rules on shapes: unknown ones, those that the host works out, and those that suit the GPU badly."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts, Operation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import for_time
from trexreport.numbers import TIMES, counted, format_percent

#: Layers that work out shapes on the host, or carry them between host and GPU.
_HOST_TYPES = frozenset({"shape_call", "ShapeHostToDevice", "DeviceToShapeHost"})
#: What TensorRT appends to the name of a layer that carries a shape to the GPU.
_TO_DEVICE = "hosttodevicecopy"
#: The same for one that carries it to the host, which has to wait for it.
_TO_HOST = "devicetoshapehostcopy"
#: Layers whose results have a size that only their data tells, and what manages such sizes.
_DATA_DEPENDENT = frozenset({"NonZero", "NMS", "TrainStation"})
#: Elements that rows must be a multiple of so that kernels can load 16 bytes at a time.
_ALIGNMENT = {"FP16": 8, "BF16": 8, "INT8": 16, "FP8": 16, "INT4": 32, "FP4": 32}
#: The smallest tile of the result that matrix kernels commonly give to one multiprocessor.
_TILE = 64


@rule(
    "TRX701",
    "shapes.unresolved",
    "warning",
    many="Shapes are unknown in {count} ways.",
    section="layers",
)
def unresolved(context: Context) -> Iterator[Hit]:
    """Tensors have extents that only run time tells.

    Cost:
        Without extents there are no sizes, so memory, traffic and work of these layers are unknown, and the
        rules that need them say nothing. It does not slow the engine down.

    Advice:
        Write the layer information in the run that profiles, with shapes: trtexec --loadEngine=ENGINE
        --shapes=INPUT:1x3x224x224 --exportLayerInfo=FILE --exportProfile=FILE. A run with --skipInference
        has no shapes yet. In a program give the inspector an execution context whose input shapes are set.

    False alarm:
        Kernels of Myelin (names in lower case, such as kgen) keep -1 whatever the shapes; those alone are
        information. Build with fixed shapes to see them.

    Bound:
        None: it concerns the report, not the engine.
    """
    found = [layer for layer in context.layers if not layer.structural and _has_unknown_extent(layer)]
    if not found:
        return
    of_myelin = all(layer.type[:1].islower() or layer.type == "Myelin" for layer in found)
    work = sum(not layer.structural for layer in context.layers)
    whose = ", all of them Myelin's" if of_myelin else ""
    verb = "has" if len(found) == 1 else "have"
    yield Hit(
        f"{len(found)} of {counted(work, 'layer')} {verb} tensors of unknown extents{whose}.",
        tuple(found),
        severity="info" if of_myelin else None,
    )


def _has_unknown_extent(layer: LayerFacts) -> bool:
    return any(min(use.dimensions, default=0) < 0 for use in (*layer.inputs, *layer.outputs))


@rule(
    "TRX702",
    "shapes.host-overhead",
    "info",
    many="Shapes are worked out at run time in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 1.0, 0, 100, "Time of these layers, in percent of the layers' sum."),
    ),
)
def host_overhead(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Working out shapes takes time in every query.

    Cost:
        Where shapes are dynamic, the host computes them before the kernels can start and copies what the
        GPU needs of them. The GPU has nothing to do meanwhile.

    Advice:
        Build for fixed shapes (export the model without dynamic axes, or give trtexec one --shapes), or
        make fewer extents dynamic. Fold shape arithmetic beforehand with onnxsim or polygraphy surgeon
        sanitize --fold-constants. A CUDA graph captured for each shape hides the rest.

    False alarm:
        The shapes do change from query to query, and padding to fixed ones would cost more.

    Bound:
        All the time of these layers, as fixed shapes need none of them.
    """
    found = [layer for layer in context.layers if layer.avg_ms and _works_on_shapes(layer)]
    if context.share_percent(context.time_ms(found)) < share_percent:
        return
    found.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    verb = "works out or copies" if len(found) == 1 else "work out or copy"
    yield Hit(
        f"{counted(len(found), 'layer')} {verb} shapes{for_time(context, found)}.",
        tuple(found),
        context.time_ms(found),
    )


def _works_on_shapes(layer: LayerFacts) -> bool:
    name = layer.name.casefold()
    return layer.type in _HOST_TYPES or _TO_DEVICE in name or _TO_HOST in name


@rule(
    "TRX703",
    "shapes.batch-1",
    "info",
    many="The GPU is not full in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold(
            "share_percent",
            50.0,
            0,
            100,
            "Time of convolutions and products that leave multiprocessors idle, in percent of the sum.",
        ),
    ),
)
def batch_1(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """At batch 1 much of the GPU is idle.

    Cost:
        A convolution or matrix product gives each multiprocessor (SM) a tile of its result. With fewer
        tiles than multiprocessors some have nothing to do, so that a larger batch would take hardly longer.

    Advice:
        For throughput: larger batches, such as by dynamic batching in a server, or several queries at once
        on streams (trtexec --infStreams=4) to see what the GPU can take. For latency alone: a smaller GPU
        or a part of one (MIG) may be as fast.

    False alarm:
        Only the latency of single queries counts; or kernels split the sum over several multiprocessors
        (split-K), which the shapes do not show.

    Bound:
        None: batching does not make a single query faster.
    """
    sms = _multiprocessors(context)
    if context.analysis.identity.batch != 1 or sms is None:
        return
    idle = [layer for layer in context.layers if layer.avg_ms and layer.work and _tiles(layer.work) < sms]
    share = context.share_percent(context.time_ms(idle))
    if not idle or share < share_percent:
        return
    idle.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    yield Hit(
        f"{format_percent(share / 100)} of the time is in {counted(len(idle), 'layer')} with fewer tiles of "
        f"{_TILE} {TIMES} {_TILE} than the GPU's {sms} multiprocessors.",
        tuple(idle),
        None,
        {"Batch": "1", "Multiprocessors": str(sms)},
    )


def _multiprocessors(context: Context) -> int | None:
    """Return the number of SMs that the capture states, else that of the GPU it was matched with."""
    stated = context.analysis.settings.get("Device", {}).get("SMs", "")
    if stated.isascii() and stated.isdecimal():
        return int(stated)
    gpu = context.analysis.roofline.gpu
    return gpu.sms if gpu is not None else None


def _tiles(work: Operation) -> int:
    """Return how many tiles the result has; each group of a convolution and each product has its own."""
    rows, columns = -(-work.m // _TILE), -(-max(1, work.n // work.groups) // _TILE)
    return rows * columns * work.groups * work.batch


@rule(
    "TRX704",
    "shapes.gemm-not-aligned",
    "warning",
    many="{count} matrix products have extents that are not aligned.",
    subject="kernels",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 0.5, 0, 100, "Time of a layer worth naming, in percent of the sum."),
    ),
)
def gemm_not_aligned(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """A matrix product has extents that tensor cores do not take well.

    Cost:
        Kernels load 16 bytes at a time where rows begin at multiples of 16 bytes: extents of 8 elements in
        FP16 and BF16, 16 in INT8 and FP8, 32 in FP4 and INT4. Others load less at a time, copy to padded
        memory first, or do not use tensor cores; the rest of the last tile is computed in vain.

    Advice:
        Pad N and K (hidden size, heads, vocabulary, classes, sequence length) with zeros to the next
        multiple in the model, and cut the result. Look at the kernel's name: "align1" or "align2" gives it
        away.

    False alarm:
        The kernel pads on its own at next to no cost. M (the rows, mostly batch times tokens) is not
        judged, nor products with a vector, which memory bounds.

    Bound:
        What the layer takes beyond its roof, the least time for its operations and bytes; not known without
        the GPU's peaks.
    """
    for layer in context.layers:
        if not (layer.work and context.is_matrix_product(layer)):
            continue
        multiple = _ALIGNMENT.get(layer.precision)
        if multiple is None or context.share_percent(layer.avg_ms or 0.0) < share_percent:
            continue
        extents = {"M": layer.work.m, "N": layer.work.n, "K": layer.work.k}
        odd = [name for name in ("N", "K") if extents[name] % multiple]
        if not odd or min(extents.values()) == 1:
            continue
        what = " and ".join(f"{name} = {extents[name]}" for name in odd)
        yield Hit(
            f"{what} {'is no multiple' if len(odd) == 1 else 'are no multiples'} of {multiple}, which "
            f"{layer.precision} wants; the layer runs{for_time(context, [layer])}.",
            (layer,),
            layer.roof.headroom_ms if layer.roof else None,
            {
                f"M {TIMES} N {TIMES} K": f" {TIMES} ".join(str(extent) for extent in extents.values()),
                "Padded work": format_percent(_padding(layer.work, multiple)),
            },
        )


def _padding(work: Operation, multiple: int) -> float:
    """Return the part that padding N and K to a multiple adds to the work."""
    padded = 1.0
    for extent in (work.n, work.k):
        padded *= -(-extent // multiple) * multiple / extent
    return padded - 1


@rule(
    "TRX705",
    "shapes.data-dependent",
    "warning",
    many="Shapes depend on data in {count} ways.",
)
def data_dependent(context: Context) -> Iterator[Hit]:
    """The host waits for sizes that only the data tells.

    Cost:
        How many elements NonZero, NMS or a mask selects is known when the GPU has computed it. The host
        must wait for that before it can launch what follows; the GPU then runs dry, and a CUDA graph cannot
        hold the engine.

    Advice:
        Give results a fixed size: TopK or a fixed number of boxes with a score instead of NonZero, Where
        and multiplication by a mask instead of selecting, the EfficientNMS plugin with a fixed maximum
        instead of NonMaxSuppression. Or cut the network before and run the rest on the host.

    False alarm:
        The layers stand at the very end, where nothing waits for them but the application.

    Bound:
        None: the waiting stands in no layer's time. Compare GPU compute time with the sum of the layers.
    """
    found = [
        layer
        for layer in context.layers
        if layer.type in _DATA_DEPENDENT or _TO_HOST in layer.name.casefold()
    ]
    if not found:
        return
    types = sorted({layer.type for layer in found})
    yield Hit(
        f"The host waits for the size of what {counted(len(found), 'layer')} give, as it depends on data.",
        tuple(found),
        None,
        {"Types": ", ".join(types)},
    )
