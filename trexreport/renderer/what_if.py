"""The roofline of another GPU: what the page's script draws the measured layers against."""

from __future__ import annotations

from functools import cache
from typing import Any

from trexreport.analyzer.analysis import Analysis, Gpu
from trexreport.analyzer.roofline.peaks import known_gpus, product_types
from trexreport.renderer.charts.catalog.downsampling import MAX_POINTS
from trexreport.renderer.charts.catalog.roofline import roofline_points
from trexreport.renderer.charts.parts import corners
from trexreport.renderer.packing import in_columns, six_digits


def what_if_data(analysis: Analysis) -> dict[str, Any]:
    """Return GPUs and points, ready for JSON; empty without points.

    `gpus` has by column the name and the bandwidth of each, in 10^9 bytes a second, and its peaks in 10^12
    operations a second, as "tensor FP16" of the Tensor Cores and "vector FP32" of the CUDA cores. `here` is
    the GPU of the capture in the same form, without one empty.
    `points` has for each the index of its layer, its arithmetic intensity in operations per byte, and which
    of `kinds` it is of: types of matrix products of which the first known one counts, or `null` for what is
    compared with the FP32 rate of the CUDA cores. `shapes` has the corners of the points of a precision
    around their center, where they are not circles.
    """
    points = roofline_points(analysis)[:MAX_POINTS]
    if not points:
        return {}
    # As the roofline of the engine itself shows it; TensorRT allows TF32 by default.
    allows_tf32 = not any(
        layer.work and layer.precision == "FP32" and layer.roof and layer.roof.peak_type == "FP32"
        for layer, _, _ in points
    )
    kinds: dict[tuple[str, ...] | None, int] = {}
    at = []
    for layer, _, _ in points:
        types = product_types(layer.tactic, layer.precision, allows_tf32=allows_tf32) if layer.work else None
        at.append(kinds.setdefault(None if types is None else tuple(types), len(kinds)))
    here = analysis.roofline.gpu
    precisions = dict.fromkeys(layer.precision for layer, _, _ in points)
    shapes = {each: corners(f"precision:{each}") for each in precisions}
    return {
        "gpus": _known(),
        "here": in_columns([_gpu(here)] if here else []),
        "kinds": [None if types is None else list(types) for types in kinds],
        "points": [
            [layer.index for layer, _, _ in points],
            [six_digits(intensity) for _, intensity, _ in points],
            at,
        ],
        "shapes": {precision: shape for precision, shape in shapes.items() if shape},
    }


@cache
def _known() -> dict[str, Any]:
    """Return the GPUs of the table by column, which are those of all pages."""
    return in_columns([_gpu(gpu) for gpu in known_gpus()])


def _gpu(gpu: Gpu) -> dict[str, Any]:
    units = {"tensor": gpu.tensor_tflops, "vector": gpu.vector_tflops}
    peaks = {f"{unit} {name}": six_digits(each[name]) for unit, each in units.items() for name in each}
    return {"name": gpu.name, "bandwidth": gpu.bandwidth_gbs, **peaks}
