"""Accuracy: errors in the order of execution, and the builds that an autotuner tried."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.accuracy import AccuracyFacts, TrialFacts
from trexreport.numbers import counted
from trexreport.renderer.charts.catalog.shared import MAX_POINTS, layer_series
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.wording.accuracy import RELATIVE

_MIN_POINTS = 2


def errors(analysis: Analysis) -> Chart | None:
    """Show the error of each layer, and its increase over that of the inputs, in the order of execution."""
    found = analysis.accuracy
    if found is None:
        return None
    known = [
        (layer, each)
        for layer, each in zip(analysis.layers, found.layers, strict=True)
        if each and each.error
    ]
    if len(known) < _MIN_POINTS:
        return None
    largest = sorted(
        known, key=lambda pair: (-(pair[1].increase or 0.0), -(pair[1].error or 0.0), pair[0].index)
    )
    shown = sorted(largest[:MAX_POINTS], key=lambda pair: pair[0].index)
    factor = 100 if found.measure in RELATIVE else 1
    increased = [(layer, each) for layer, each in shown if each.increase]

    def series(name: str, role: str, layers: list[LayerFacts], values: list[float], radius: float) -> Series:
        positions = (layer.index for layer in layers)
        return layer_series(layers, positions, values, name, role, radii=(radius,) * len(layers))

    return Chart(
        "accuracy",
        "points",
        "Error and its increase by layer",
        f"The error of {counted(len(shown), 'layer')} in the order of execution, and its increase over what "
        "the inputs explain; errors of 0 have no place on the logarithmic axis.",
        (
            series(
                "Error",
                "neutral",
                [layer for layer, _ in shown],
                [factor * (each.error or 0) for _, each in shown],
                3.0,
            ),
            series(
                "Increase",
                "error",
                [layer for layer, _ in increased],
                [factor * (each.increase or 0) for _, each in increased],
                4.5,
            ),
        ),
        Axis("Layer (execution order)"),
        Axis(_title(found), "%" if factor > 1 else "", "log"),
    )


def _title(found: AccuracyFacts) -> str:
    return found.measure_name[:40] or "Error"


def trials(analysis: Analysis) -> Chart | None:
    """Show the builds that trtexec's autotuner tried: the loss of accuracy over time."""
    found = analysis.accuracy
    points = [each for each in found.trials if each.gpu_time_ms and each.loss is not None] if found else []
    if found is None or len(points) < _MIN_POINTS:
        return None

    def series(name: str, role: str, of_series: list[TrialFacts], radius: float) -> Series:
        return Series(
            name,
            role,
            tuple(each.gpu_time_ms for each in of_series),
            tuple(each.loss for each in of_series),
            tuple(f"Build {each.number}" for each in of_series),
            radii=(radius,) * len(of_series),
        )

    best = [each for each in points if each.is_best]
    others = [each for each in points if not each.is_best][: MAX_POINTS - len(best)]
    return Chart(
        "trials",
        "points",
        "Loss of accuracy over time of tried builds",
        f"{counted(len(points), 'build')} of the autotuner; no other one is both faster and more accurate "
        f"than {len(best)} of them.",
        (series("Other builds", "neutral", others, 3.0), series("Best builds", "accent", best, 4.5)),
        Axis("GPU time", "ms"),
        Axis(_title(found) if found.measure_name else "Loss"),
    )
