"""A small chart of each kind."""

from __future__ import annotations

from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series, Slope

_MS = Axis("Time", "ms")
_TYPES = ("CaskConvolution", "Reformat", "Pooling", "NoOp")
_ROLES = tuple(f"type:{name}" for name in _TYPES)
_TIMES = (0.711, 0.279, 0.106, None)

CHARTS = {
    chart.key: chart
    for chart in (
        Chart(
            "bars",
            "bars",
            "Time by layer type",
            "Convolutions take most.",
            (
                Series(
                    x=_TIMES, y=_TYPES, roles=_ROLES, links=("#type=conv", "", "javascript:alert(1)", "#x")
                ),
            ),
            x=_MS,
            shares=True,
        ),
        Chart(
            "stacked",
            "bars",
            "Layers by type and precision",
            "Most read INT8.",
            (
                Series("FP16", "precision:FP16", x=(0, 10, 1), y=_TYPES[:3]),
                Series("INT8", "precision:INT8", x=(21, 0, 1), y=_TYPES[:3]),
            ),
            x=Axis("Layers"),
        ),
        Chart(
            "columns",
            "columns",
            "Time of each layer",
            "The second layer is the slowest.",
            (
                Series(
                    x=tuple(range(6)),
                    y=(0.06, 0.2, 0.095, None, 0.03, 0.001),
                    labels=("input", "conv1 + relu", "pool1", "noop", "conv2", "copy"),
                    roles=(
                        "type:Reformat",
                        "type:Conv",
                        "type:Pooling",
                        "type:NoOp",
                        "type:Conv",
                        "type:copy",
                    ),
                    links=tuple(f"#layer={index}" for index in range(6)),
                ),
            ),
            x=Axis("Layer, in execution order"),
            y=_MS,
            shares=True,
        ),
        Chart(
            "line",
            "line",
            "Memory alive",
            "It peaks at the third layer.",
            (
                Series("Before", "rank:0", x=(0, 1, 2, 3, 4), y=(1e6, 3e6, None, 2e6, 5e5), step=True),
                Series("After", "rank:1", x=(0, 1, 2, 3, 4), y=(9e5, 2e6, 2e6, 1e6, 5e5)),
            ),
            x=Axis("Layer"),
            y=Axis("Alive", "bytes"),
            reference_lines=(ReferenceLine(4e6, "limit"),),
        ),
        Chart(
            "points",
            "points",
            "Speed over intensity",
            "Most are held back by memory.",
            (
                Series(
                    x=(0.5, 12.0, 340.0, 0.0),
                    y=(0.02, 1.5, 60.0, 1.0),
                    labels=("a", "b", "c", "d"),
                    roles=("precision:FP16", "precision:INT8", "precision:FP16", "precision:FP32"),
                ),
            ),
            x=Axis("Arithmetic intensity", "FLOP/byte", "log"),
            y=Axis("Achieved", "TFLOP/s", "log"),
            reference_lines=(ReferenceLine(42.0, "ridge", "x"),),
        ),
        Chart(
            "roofs",
            "points",
            "Roofline",
            "One layer is at its roof.",
            (
                Series(
                    x=(0.5, 12.0, 340.0),
                    y=(0.02, 1.5, 60.0),
                    labels=("a", "b", "c"),
                    places=("half an operation a byte", "", ""),
                    roles=("precision:FP32", "precision:FP16", "precision:FP16"),
                    radii=(9.0, 4.0, 2.5),
                ),
            ),
            x=Axis("Arithmetic intensity", "FLOP/byte", "log"),
            y=Axis("Achieved", "TFLOP/s", "log"),
            reference_lines=(
                ReferenceLine(120.0, "FP16: 120", role="precision:FP16", begin=120.0),
                ReferenceLine(15.0, "FP32: 15", role="precision:FP32", begin=15.0),
            ),
            slopes=(Slope(1.0, "memory 1000 GB/s"), Slope(-1.0, "nonsense"), Slope(1e9, "beyond the data")),
        ),
        Chart(
            "histogram",
            "histogram",
            "GPU time",
            "Most take 1.2 ms.",
            (Series("Queries", x=(1.1, 1.15, 1.2, 1.25, 1.3), y=(3, 40, 55, 2)),),
            x=Axis("GPU time", "ms"),
            y=Axis("Queries"),
            reference_lines=(ReferenceLine(1.2, "median", "x"), ReferenceLine(1.21, "mean", "x")),
        ),
        Chart(
            "treemap",
            "treemap",
            "Time of layers by type",
            "Each area is a layer's time.",
            (
                Series("Reformat", "type:Reformat", x=(0.1, 0.05), labels=("copy 1", "copy 2")),
                Series("Conv", "type:Conv", x=(0.4, 0.3, None, 0.2), labels=("c1", "c2", "c3", "c4")),
            ),
            x=_MS,
            height=200,
            shares=True,
        ),
        Chart(
            "strip",
            "strip",
            "Time by layer type",
            "Convolutions take 64.9%.",
            (Series(x=(0.711, 0.279, 0.01), labels=_TYPES[:3], roles=_ROLES[:3], links=("#a", "#b", "#c")),),
            x=_MS,
            shares=True,
        ),
        Chart("empty", "columns", "Time", "", (Series(x=(1, 2), y=(None, float("nan"))),)),
    )
}
