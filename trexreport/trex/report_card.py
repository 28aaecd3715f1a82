"""The cells of TREx's report card: charts of one engine, by title, and lists that choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from trexreport.trex import colors, df_preprocessing, graphing, interactive, misc, notebook, parser, plotting
from trexreport.trex._graph_options import report_card_draw_plan_graph, report_card_draw_plan_graph_extended
from trexreport.trex._libraries import pass_on
from trexreport.trex._scatters import (
    report_card_efficiency_vs_latency_3d,
    report_card_gemm_MNK,
    report_card_gemm_MNK_scatter,
    report_card_perf_scatter,
)
from trexreport.trex._stacks import show
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

__all__ = [
    "EnginePlan",
    "colors",
    "df_preprocessing",
    "graphing",
    "interactive",
    "layer_latency_sunburst",
    "misc",
    "notebook",
    "parser",
    "plot_engine_timings",
    "plotting",
    "report_card_convolutions_overview",
    "report_card_convolutions_overview_widget",
    "report_card_draw_plan_graph",
    "report_card_draw_plan_graph_extended",
    "report_card_efficiency_vs_latency_3d",
    "report_card_gemm_MNK",
    "report_card_gemm_MNK_scatter",
    "report_card_memory_footprint",
    "report_card_memory_footprint_widget",
    "report_card_perf_overview",
    "report_card_perf_overview_widget",
    "report_card_perf_scatter",
    "report_card_pointwise_lint",
    "report_card_reformat_overview",
    "report_card_table_view",
]
__getattr__ = pass_on(__name__, __all__, "Dict IPython onnx partial pd px widgets")

#: Draws a chart: takes `title` and `do_show`, and returns the figure.
Charts = dict[str, Callable[..., Any]]

_LAYER: dict[str, Any] = {"names_col": "Name", "xaxis_title": "Layer"}
_BY_TYPE: dict[str, Any] = {"color": "type", "colormap": colors.layer_colormap}
_ACROSS: dict[str, Any] = {"orientation": "h", "show_axis_ticks": (True, True)}
_FOOTPRINTS = {
    "weights_size": "Weights",
    "total_io_size_bytes": "Activation",
    "total_footprint_bytes": "Total",
}
#: Title, values and color of each chart of the convolutions.
_CONVOLUTIONS = (
    ("Latency per convolution (color = precision)", "latency.pct_time", "precision"),
    ("Latency per convolution (color = FMAs)", "latency.pct_time", "attr.macs"),
    ("Latency per convolution (color = data size)", "latency.pct_time", "total_footprint_bytes"),
    (
        "Latency per convolution (color = arithmetic intensity)",
        "latency.pct_time",
        "attr.arithmetic_intensity",
    ),
    ("Latency per convolution (color = compute efficiency)", "latency.pct_time", "attr.compute_efficiency"),
    ("Latency per convolution (color = group size)", "latency.pct_time", "attr.groups"),
    ("Latency per convolution (color = kernel size)", "latency.pct_time", "attr.kernel"),
    ("Data footprints", "total_footprint_bytes", "latency.pct_time"),
    ("Fused Multiply-Accumulate (FMAs)", "attr.macs", "latency.pct_time"),
    ("Arithmetic intensity (color = latency)", "attr.arithmetic_intensity", "latency.pct_time"),
    ("Arithmetic intensity (color = footprint)", "attr.arithmetic_intensity", "total_footprint_bytes"),
    ("Compute efficiency (color = latency)", "attr.compute_efficiency", "latency.pct_time"),
    ("Memory efficiency (color = latency)", "attr.memory_efficiency", "latency.pct_time"),
)


def report_card_perf_overview(plan: EnginePlan) -> Charts:
    """Return the charts of latency, types and precisions of an engine by their titles."""
    frame = plan.df
    by_layer = partial(plotting.plotly_bar2, frame, **_LAYER)
    times = frame.groupby(["type"])[["latency.pct_time", "latency.avg_time"]].sum().reset_index()
    by_type = partial(plotting.plotly_bar2, names_col="type", **_BY_TYPE, **_ACROSS)
    of_precision: dict[str, Any] = {"values_col": "latency.avg_time", "colormap": colors.precision_colormap}
    pies = [
        (misc.group_count(frame, "precision"), "Layer Count By Precision", "count", "precision"),
        (
            misc.group_sum_attr(frame, "precision", "latency.pct_time"),
            *("% Latency By Precision", "latency.pct_time", "precision"),
        ),
    ]
    return {
        "Latency per layer (%)": partial(by_layer, values_col="latency.pct_time", **_BY_TYPE),
        "Latency per layer (ms)": partial(by_layer, values_col="latency.avg_time", **_BY_TYPE),
        "Layer latency distribution": partial(
            plotting.plotly_hist, frame, values_col="latency.pct_time", xaxis_title="Latency (%)", **_BY_TYPE
        ),
        "Precision per layer": partial(by_layer, color="precision", **of_precision),
        "Output precision per layer": partial(by_layer, color="output_precision", **of_precision),
        "Count per layer type": partial(by_type, misc.group_count(frame, "type"), values_col="count"),
        "Latency per layer type (ms)": partial(by_type, times, values_col="latency.avg_time"),
        "Latency per layer type (%)": partial(by_type, times, values_col="latency.pct_time"),
        "Precision per layer type": partial(_precision_per_type, plan),
        "Precision rollup": partial(plotting.plotly_pie2, charts=pies, colormap=colors.precision_colormap),
    }


def _precision_per_type(plan: EnginePlan, title: str, do_show: bool = True) -> Figure:
    """Draw rings of layer types and, outside, of their precisions."""
    counts = plan.df.groupby(["type", "precision"]).size().reset_index(name="count")
    return _sunburst(
        counts,
        f"{title}\n({plan.name})",
        ["type", "precision"],
        "count",
        colors.precision_colormap,
        do_show=do_show,
    )


def _sunburst(
    table: pd.DataFrame,
    title: str,
    path: list[str],
    values: str,
    colormap: Mapping[str, str],
    *,
    do_show: bool,
) -> Figure:
    import plotly.express as px

    color = path[0] if colormap is colors.layer_colormap else path[-1]
    known = {key: colormap.get(key, colors.UNKNOWN_KEY_COLOR) for key in table[color]}
    fig = px.sunburst(
        table, path=path, values=values, color=color, color_discrete_map={**known, "(?)": "lightgray"}
    )
    fig.update_layout(title={"text": title, "x": 0.5}, font_size=15)
    if do_show:
        show(fig)
    return fig


def report_card_perf_overview_widget(plan: EnginePlan) -> None:
    """Show a list that chooses among the charts of an engine."""
    interactive.InteractiveDiagram_2(report_card_perf_overview(plan), "Diagram:")


def report_card_convolutions_overview(convs: pd.DataFrame) -> Charts:
    """Return the charts of convolutions (from `plan.get_layers_by_type`) by their titles."""
    bars = partial(plotting.plotly_bar2, convs, names_col="Name")
    return {
        title: partial(
            bars,
            values_col=values,
            color=color,
            colormap=colors.precision_colormap if color == "precision" else None,
        )
        for title, values, color in _CONVOLUTIONS
    }


def report_card_convolutions_overview_widget(convs: pd.DataFrame) -> None:
    """Show a list that chooses among the charts of convolutions."""
    interactive.InteractiveDiagram_2(report_card_convolutions_overview(convs), "Diagram:")


def report_card_table_view(plan: EnginePlan) -> None:
    """Show a list that chooses among the tables of all layers and of those of each type."""

    def render(choice: str, _: str) -> None:
        if choice == "All":
            notebook.display_df(df_preprocessing.clean_for_display(plan.df))
            return
        layers = plan.get_layers_by_type(choice)
        share, time_ms = layers["latency.pct_time"].sum(), layers["latency.avg_time"].sum()
        print(f"{len(layers)} {choice} layers take {share:.2f}% ({time_ms:.5f} ms) of total layer time.")
        notebook.display_df(df_preprocessing.clean_for_display(layers))

    choices = ["All", *dict.fromkeys(plan.df["type"])]
    interactive.InteractiveDiagram(render, {each: each for each in choices}, "Dataframe")


def report_card_memory_footprint(plan: EnginePlan) -> Charts:
    """Return the charts of bytes of weights and tensors by their titles."""
    bars = partial(plotting.plotly_bar2, plan.df, names_col="Name", **_BY_TYPE)
    histogram = partial(plotting.plotly_hist, plan.df, xaxis_title="Size (bytes)", **_BY_TYPE)
    charts: Charts = {
        f"{what} footprint per layer": partial(bars, values_col=column)
        for column, what in _FOOTPRINTS.items()
    }
    for column, what in _FOOTPRINTS.items():
        plural = "Activations" if what == "Activation" else what
        charts[f"{plural} footprint distribution per layer"] = partial(histogram, values_col=column)
    return charts


def report_card_memory_footprint_widget(plan: EnginePlan) -> None:
    """Show a list that chooses among the charts of bytes."""
    interactive.InteractiveDiagram_2(report_card_memory_footprint(plan), "Diagram:")


def report_card_pointwise_lint(plan: EnginePlan) -> None:
    """Show how many operations are fused into pointwise layers, and list them."""
    layers = plan.get_layers_by_type("PointWise")
    count = "attr.n_operations"
    if layers.empty or count not in layers:
        print("The engine plan does not contain pointwise layers whose operations are known.")
        return
    counts = misc.group_count(layers, count)
    times = misc.group_sum_attr(layers, count, "latency.pct_time")
    merged = times.merge(counts, on=count)
    merged["per_op_latency"] = merged["latency.pct_time"] / (merged["count"] * merged[count].clip(lower=1))
    layers["per_op_latency"] = layers["latency.pct_time"] / layers[count].clip(lower=1)
    charts = [
        (counts, "Pointwise layers by number of operations", "count", count),
        (times, "Latency by number of operations (%)", "latency.pct_time", count),
        (merged, "Per op latency by number of operations", "per_op_latency", count),
    ]
    plotting.plotly_pie2("Pointwise Statistics", charts)
    for row in layers.to_dict("records"):
        operations = row.get("attr.operations")
        if isinstance(operations, list) and len(operations) > 1:
            print("\n\t".join([row["Name"], *map(str, operations)]))
    print(layers[["Name", "per_op_latency"]].to_string(index=False))


def layer_latency_sunburst(df: pd.DataFrame, title: str, do_show: bool = True) -> Figure | None:
    """Draw rings of layer types and of the layers' shares of time; return the figure if it is not shown."""
    shares = df.groupby(["type", "latency.pct_time"]).size().reset_index(name="count")
    # TREx gives each share the same size.
    shares["percent"] = shares["count"] * shares["latency.pct_time"]
    values = "percent" if shares["percent"].sum() > 0 else "count"
    path = ["type", "latency.pct_time"]
    fig = _sunburst(shares, title, path, values, colors.layer_colormap, do_show=do_show)
    return None if do_show else fig


def plot_engine_timings(timing_json_file: str, do_show: bool = True) -> Figure | None:
    """Draw the latency of each query, and return the figure if it is not shown."""
    import pandas as pd
    import plotly.express as px

    latencies = parser.read_timing_file(timing_json_file)
    # As plain lists plotly.express takes empty ones for lists of columns.
    samples = pd.DataFrame({"x": range(len(latencies)), "y": latencies})
    fig = px.scatter(samples, title="Engine Timing Samples", x="x", y="y")
    plotting.trex_base_layout(fig)
    fig.update_layout(yaxis_title="Latency (ms)", xaxis_title="Timing Samples", title_x=0.5)
    if do_show:
        show(fig)
    return None if do_show else fig


def report_card_reformat_overview(plan: EnginePlan) -> interactive.InteractiveDiagram_2:
    """Show a list of charts of reformats by their origin."""
    reformats = plan.get_layers_by_type("Reformat")
    origin = "attr.origin"
    # A damaged file may have lists here, which make no groups.
    reformats[origin] = reformats[origin].map(str) if origin in reformats else "not stated"
    bars = partial(plotting.plotly_bar2, names_col=origin, color=origin, **_ACROSS)
    times, shares = (
        misc.group_sum_attr(reformats, origin, f"latency.{each}") for each in ("avg_time", "pct_time")
    )
    charts = {
        "Reformat - Count by origin": partial(
            bars, df=misc.group_count(reformats, origin), values_col="count"
        ),
        "Reformat - Latency by origin": partial(bars, df=times, values_col="latency.avg_time"),
        "Reformat - Percent latency by origin": partial(bars, df=shares, values_col="latency.pct_time"),
    }
    return interactive.InteractiveDiagram_2(charts, "Diagram:")
