"""Charts that compare several engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from trexreport.trex import colors, interactive, misc, notebook, plotting
from trexreport.trex._stacks import show
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

_LATENCY = "latency.avg_time"
#: Where trtexec's statistics have the mean.
_MEAN = 2


def get_plans_names(plans: Sequence[EnginePlan]) -> list[str]:
    """Return the names of the plans, with their number if two are equal."""
    names = [plan.name for plan in plans]
    if len(set(names)) == len(names):
        return names
    return [f"{name}{number}" for number, name in enumerate(names)]


def compare_engines_overview(plans: Sequence[EnginePlan]) -> None:
    """Show a list of charts that compare two or more engines."""
    names = get_plans_names(plans)
    times = [misc.group_sum_attr(plan.df, "type", ["latency.pct_time", _LATENCY]) for plan in plans]
    stacked = partial(plotting.stacked_bars, bar_names=names, values_col=_LATENCY)
    by_type: dict[str, Any] = {
        "names_col": "type",
        "colormap": colors.layer_colormap,
        "xaxis_title": "Engine",
    }
    bars = partial(plotting.plotly_bar2, names_col="type", orientation="h", showlegend=True)
    pies = partial(plotting.plotly_pie2, colormap=colors.precision_colormap)
    counts = [misc.group_count(plan.df, "type") for plan in plans]
    charts: dict[str, Any] = {
        "Stacked latencies by layer type": partial(_latency_per_type, plans, names, times),
    }
    batches = [batch for plan in plans if (batch := _batch(plan))]
    if len(batches) == len(plans):
        charts["Stacked latencies by layer type (BS normalized)"] = partial(
            stacked,
            df_list=[
                table.assign(**{_LATENCY: table[_LATENCY] / batch})
                for table, batch in zip(times, batches, strict=True)
            ],
            empty_symbol=math.nan,
            yaxis_title="Latency (ms)",
            **by_type,
        )
    charts |= {
        "Layer count comparison": partial(bars, dict(zip(names, counts, strict=True)), values_col="count"),
        "Layer-type latency comparison": partial(
            bars, dict(zip(names, times, strict=True)), values_col=_LATENCY
        ),
        "Layer latency by precision": partial(
            stacked,
            df_list=[misc.group_sum_attr(plan.df, "precision", [_LATENCY]) for plan in plans],
            names_col="precision",
            colormap=colors.precision_colormap,
        ),
    }
    for title, column in (("Precision counts", "precision"), ("Output precision counts", "output_precision")):
        tables = [misc.group_count(plan.df, column) for plan in plans]
        charts[title] = partial(
            pies, charts=[(table, name, "count", column) for table, name in zip(tables, names, strict=True)]
        )
    shares = [misc.group_sum_attr(plan.df, "precision", "latency.pct_time") for plan in plans]
    charts["Precision latency"] = partial(
        pies,
        charts=[
            (table, name, "latency.pct_time", "precision") for table, name in zip(shares, names, strict=True)
        ],
    )
    if all(_throughput(plan) > 0 for plan in plans):
        charts["Throughput"] = partial(_throughput_per_plan, plans, names)
    interactive.InteractiveDiagram_2(charts, "Diagram:")


def _throughput(plan: EnginePlan) -> float:
    """Return the throughput in qps, or 0 if it is not known."""
    return float(plan.performance_summary.get("Throughput") or 0)


def _batch(plan: EnginePlan) -> int | None:
    """Return the first extent of the first input; None if it is not known."""
    inputs, _ = plan.get_bindings()
    shape = inputs[0].shape if inputs else []
    return shape[0] if shape and shape[0] > 0 else None


def _throughput_per_plan(plans: Sequence[EnginePlan], names: list[str], title: str) -> None:
    import plotly.express as px

    fig = px.bar(x=[_throughput(plan) for plan in plans], y=names, orientation="h")
    plotting.trex_base_layout(fig)
    fig.update_layout(title=title, xaxis_title="Throughput (inferences / sec)", yaxis_title="Engine")
    show(fig)


def _latency_per_type(
    plans: Sequence[EnginePlan], names: list[str], times: list[pd.DataFrame], title: str
) -> None:
    """Show layer time by type as stacked bars, with throughput and latency if all engines have them."""
    stacked = partial(
        plotting.stacked_bars,
        title,
        bar_names=names,
        df_list=times,
        names_col="type",
        values_col=_LATENCY,
        colormap=colors.layer_colormap,
        display_tbl=False,
        xaxis_title="Engine",
        yaxis_title="Latency (ms)",
    )
    if all(_throughput(plan) > 0 for plan in plans):
        _with_throughput(plans, names, stacked)
    else:
        stacked()
    table = plotting.stacked_tabular_df(names, times, "type", _LATENCY, empty_symbol=math.nan)
    table["speedup"] = table[names[0]] / table[names[-1]]
    print(f'\'speedup\' refers to the speedup of "{names[-1]}" relative to "{names[0]}"')
    notebook.display_df(table, range_highlights=speedup_range_highlights("speedup", threshold=0.03))


def _with_throughput(plans: Sequence[EnginePlan], names: list[str], stacked: Any) -> None:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    fig = make_subplots(specs=[[{"secondary_y": True}]])
    stacked(fig=fig)
    latency = [_mean_latency(plan) for plan in plans]
    points = (
        ("Throughput (IPS)", [_throughput(plan) for plan in plans], "#FFBF00", True),
        ("Real Latency", latency, "#DE3163", False),
    )
    for name, values, color, is_second in points:
        marker = {"size": 12, "color": color}
        fig.add_trace(go.Scatter(x=names, y=values, name=name, marker=marker), secondary_y=is_second)
    plotting.trex_base_layout(fig)
    fig.update_yaxes(title_text="Throughput (inferences / sec)", secondary_y=True)
    show(fig)


def _mean_latency(plan: EnginePlan) -> float | None:
    statistics = plan.performance_summary.get("Latency")
    return statistics[_MEAN] if isinstance(statistics, list) and len(statistics) > _MEAN else None


def speedup_range_highlights(col_name: str, threshold: float) -> dict[str, Any]:
    """Return D-Tale's colors of a column of speedups: green and orange beyond the threshold."""

    def rule(value: float, red: int, green: int, blue: int, alpha: int) -> dict[str, Any]:
        return {"active": True, "value": value, "color": {"r": red, "g": green, "b": blue, "a": alpha}}

    return {
        col_name: {
            "active": True,
            "equals": rule(1, 255, 245, 157, 0),
            "greaterThan": rule(1.0 + threshold, 0, 255, 0, 1),
            "lessThan": rule(1.0 - threshold, 245, 166, 35, 1),
        }
    }
