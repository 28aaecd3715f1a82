"""Roofline: achieved performance of layers over arithmetic intensity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import (
    format_count,
    format_ms,
    format_number,
    format_percent,
    format_percentage,
    middle_ellipsis,
)
from trexreport.renderer.charts.catalog.shared import MAX_POINTS, layer_series
from trexreport.renderer.charts.chart import Axis, Chart, Pair, ReferenceLine, Slope

_MIN_RADIUS, _MAX_RADIUS = 2.5, 9.0
_WHOLE = 100.0
_MEASURED, _MEASURED_RADIUS = "measured:measured", 3.0
_BY_COUNTERS = (
    " A dashed line leads to the layer as Nsight Compute measured it: bytes of device memory, and operations "
    "of Tensor Cores."
)
#: How many points are named, by how many characters, and how far apart two of them are: parts of the chart's
#: width and height.
_MAX_CAPTIONS, _CAPTION = 4, 28
_APART, _ABOVE = 0.28, 0.1


def roofline(analysis: Analysis) -> Chart | None:
    """Show performance over arithmetic intensity, below the ceilings of the GPU if it is known."""
    points = roofline_points(analysis)
    if not points:
        return None
    shown, gpu = points[:MAX_POINTS], analysis.roofline.gpu
    layers = [layer for layer, _, _ in shown]
    longest = layers[0].avg_ms or 1.0
    ceilings = _ceilings(layers, gpu.bandwidth_gbs) if gpu else ()
    measured = _measured(analysis, shown)
    captions = _captions(shown, ceilings)
    series = layer_series(
        [*layers, *(each.layer for each in measured)],
        [*(intensity for _, intensity, _ in shown), *(each.pair.x2 for each in measured)],
        [*(tflops for _, _, tflops in shown), *(each.pair.y2 for each in measured)],
        "Layers",
        places=(*(_place(layer, intensity) for layer, intensity, _ in shown), *(e.place for e in measured)),
        roles=(*(f"precision:{layer.precision}" for layer in layers), *([_MEASURED] * len(measured))),
        radii=(
            *(_radius((layer.avg_ms or 0.0) / longest) for layer in layers),
            *([_MEASURED_RADIUS] * len(measured)),
        ),
        captions=(*captions, *([""] * len(measured))) if any(captions) else captions,
    )
    title = f"Roofline of {gpu.name}" if gpu else "Performance over arithmetic intensity"
    if len(points) > MAX_POINTS:
        title += f": the {MAX_POINTS} slowest of {format_count(len(points))} layers"
    return Chart(
        "roofline",
        "points",
        title,
        "Each point is a layer: its performance over its operations per byte of data moved. "
        f"The area of a point is the time of the layer: the largest is {format_ms(longest)}."
        + (_BY_COUNTERS if measured else ""),
        (series,),
        x=Axis("Arithmetic intensity", "FLOP/byte", "log"),
        y=Axis("Performance", _performance_unit(layers), "log"),
        height=380 if gpu else 0,
        reference_lines=ceilings,
        pairs=tuple(each.pair for each in measured),
        slopes=(Slope(gpu.bandwidth_gbs / 1e3, f"Memory {_whole(gpu.bandwidth_gbs)} GB/s"),) if gpu else (),
    )


def roofline_points(analysis: Analysis) -> list[tuple[LayerFacts, float, float]]:
    """Return each layer that has a place, its arithmetic intensity and its 10^12 operations a second."""
    points = [
        (layer, intensity, layer.flops / layer.avg_ms / 1e9)
        for layer in analysis.layers
        if layer.flops and layer.avg_ms and layer.excess != "impossible" and (intensity := _intensity(layer))
    ]
    # Large ones first, so that they hide no small one.
    points.sort(key=lambda point: (-(point[0].avg_ms or 0.0), point[0].index))
    return points


@dataclass(frozen=True)
class _Measured:
    """A layer where Nsight Compute measured it, joined with where its tensors have it."""

    layer: LayerFacts
    pair: Pair
    place: str


def _measured(analysis: Analysis, shown: Sequence[tuple[LayerFacts, float, float]]) -> list[_Measured]:
    """Return the measured points of the layers shown: bytes of device memory, operations of Tensor Cores.

    Where no Tensor Core worked, the operations are those by shapes.
    """
    counters = analysis.counters
    by_layer = {each.layer: each for each in counters.layers} if counters else {}
    found = []
    for layer, intensity, tflops in shown:
        counts = by_layer.get(layer.index)
        if counts is None or not counts.dram_bytes or not layer.flops or not layer.avg_ms:
            continue
        operations = counts.tensor_operations or layer.flops
        x, y = operations / counts.dram_bytes, operations / layer.avg_ms / 1e9
        error = f", {format_percentage(counts.bytes_percent)} of the bytes by tensors"
        text = f"measured: {format_number(x)} FLOP/byte{error if counts.bytes_percent is not None else ''}"
        found.append(_Measured(layer, Pair(intensity, tflops, x, y), text))
    return found


def _captions(
    points: Sequence[tuple[LayerFacts, float, float]], ceilings: Sequence[ReferenceLine]
) -> tuple[str, ...]:
    """Name the layers with the most headroom, or the slowest ones where no roofline is known."""
    captions = [""] * len(points)
    has_roofs = any(layer.roof and layer.roof.headroom_ms for layer, _, _ in points)

    def gain(place: int) -> float:
        layer = points[place][0]
        return (layer.roof.headroom_ms or 0.0) if has_roofs and layer.roof else (layer.avg_ms or 0.0)

    places = [(math.log10(x), math.log10(max(y, 1e-12))) for _, x, y in points]
    wide, high = (max(axis) - min(axis) or 1.0 for axis in zip(*places, strict=True))
    # The axis reaches up to the ceilings, which brings the points closer together.
    lowest, roofs = min(y for _, y in places), [math.log10(line.value) for line in ceilings if line.value > 0]
    high = max([high, *(roof - lowest for roof in roofs)])
    named: list[tuple[float, float]] = []
    for place in sorted(range(len(points)), key=lambda each: (-gain(each), each))[: 4 * _MAX_CAPTIONS]:
        if len(named) == _MAX_CAPTIONS:
            break
        at = places[place]
        # Texts beside each other would overlap.
        if all(abs(at[0] - x) > _APART * wide or abs(at[1] - y) > _ABOVE * high for x, y in named):
            named.append(at)
            captions[place] = middle_ellipsis(points[place][0].name, _CAPTION)
    return tuple(captions)


def _performance_unit(layers: list[LayerFacts]) -> str:
    """Return the unit of the layers shown: operations on integers are not floating-point operations."""
    units = {"TOP/s" if layer.precision in ("INT8", "INT4") else "TFLOP/s" for layer in layers}
    return ", ".join(sorted(units))


def _whole(value: float) -> str:
    return format_count(value) if value == int(value) else format_number(value, 4)


def _intensity(layer: LayerFacts) -> float | None:
    if layer.roof:
        return layer.roof.intensity
    if layer.work:
        return layer.work.intensity
    return layer.flops / layer.moved_bytes if layer.flops and layer.moved_bytes else None


def _radius(share: float) -> float:
    """Return a radius that makes the area grow with the share of the slowest layer's time."""
    return round(max(_MIN_RADIUS, _MAX_RADIUS * math.sqrt(share)), 1)


def _place(layer: LayerFacts, intensity: float) -> str:
    text = f"{format_number(intensity)} FLOP/byte, {format_ms(layer.avg_ms)}"
    if layer.roof is None or layer.roof.reached_percent is None:
        return text
    reached = format_percent(layer.roof.reached_percent / 100)
    bound = f", {layer.roof.bound}-bound" if layer.roof.bound else ""
    exceeds = ", exceeds the model" if layer.roof.reached_percent > _WHOLE else ""
    return f"{text}, {reached} of roofline{exceeds}{bound}"


def _ceilings(layers: list[LayerFacts], bandwidth_gbs: float) -> tuple[ReferenceLine, ...]:
    """Return the peak performance that applies to the layers shown, from the ridge point on."""
    peaks: dict[float, list[str]] = {}
    for layer in layers:
        if layer.roof and layer.roof.peak_tflops:
            names = peaks.setdefault(layer.roof.peak_tflops, [])
            if layer.roof.peak_type not in names:
                names.append(layer.roof.peak_type)
    return tuple(
        ReferenceLine(
            tflops,
            f"{', '.join(sorted(names))}: {format_number(tflops, 4 if tflops >= 1000 else 3)}",
            role=f"precision:{min(names).partition('/')[0]}",
            begin=tflops * 1e3 / bandwidth_gbs,
        )
        for tflops, names in sorted(peaks.items())
    )
