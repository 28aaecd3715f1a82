"""The cells of TREx's comparison of engines: charts and tables of several, and layers of two side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex import activations, colors, engine_plan, interactive, misc, notebook, plotting
from trexreport.trex._libraries import pass_on
from trexreport.trex._matching import (
    aligned_layers,
    aligned_merge_plans,
    get_io_dimensions,
    get_io_formats,
    get_io_precisions,
    match_layers,
)
from trexreport.trex._overview import compare_engines_overview, get_plans_names, speedup_range_highlights
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "activations",
    "aligned_layers",
    "aligned_merge_plans",
    "colors",
    "compare_engines_layer_details",
    "compare_engines_layer_latencies",
    "compare_engines_overview",
    "compare_engines_summaries_tbl",
    "engine_plan",
    "get_io_dimensions",
    "get_io_formats",
    "get_io_precisions",
    "get_plans_names",
    "interactive",
    "match_layers",
    "misc",
    "notebook",
    "plotting",
    "speedup_range_highlights",
]
__getattr__ = pass_on(__name__, __all__, "Dict List Tuple copy go make_subplots np partial pd px")

_LATENCY = "latency.avg_time"


def compare_engines_summaries_tbl(plans: Sequence[EnginePlan], orientation: str = "vertical") -> None:
    """Show summary, measurement, GPU and options of several engines as one table.

    Args:
        plans: The engines.
        orientation: "vertical" gives each engine a column, anything else a row.
    """
    import pandas as pd

    facts: tuple[Sequence[Mapping[str, Any]], ...] = (
        [engine_plan.summary_dict(plan) for plan in plans],
        [plan.performance_summary for plan in plans],
        [plan.device_properties for plan in plans],
        [plan.builder_cfg for plan in plans],
    )
    merged: dict[Any, list[Any]] = {}
    for group in facts:
        merged |= misc.stack_dicts(group, empty_placeholder="")
    names = get_plans_names(plans)
    if orientation == "vertical":
        table = pd.DataFrame(list(merged.values()), index=list(merged), columns=names)
        table["attribute"] = list(merged)
    else:
        table = pd.DataFrame(merged)
        table["plan"] = names
    print('"Average time": the sum of the layer latencies, when profiling layers separately')
    print(
        '"Latency": [min, max, mean, median, 99% percentile] of the engine latency without profiling; seven '
        "values have the 90% and 95% percentiles before the last"
    )
    notebook.display_df(plotting.rotate_columns(table))


def _distinct_names(plan1: EnginePlan, plan2: EnginePlan) -> None:
    """Give plans of one name different ones, as they are columns of one table."""
    if plan1.name == plan2.name and plan1 is not plan2:
        plan1.name += ".0"
        plan2.name += ".1"


def compare_engines_layer_latencies(
    plan1: EnginePlan, plan2: EnginePlan, threshold: float, exact_matching: bool
) -> None:
    """Show a list of tables and bars of the layers of two engines, side by side.

    Args:
        plan1: The baseline.
        plan2: Compared with it.
        threshold: Speedups beyond 1 ± this are colored.
        exact_matching: See `match_layers`.
    """
    _distinct_names(plan1, plan2)
    pairs = match_layers(plan1, plan2, exact_matching)
    merged = aligned_merge_plans(plan1, plan2, pairs)
    masks = {
        "All": merged["type"].notna(),
        "Precision Mismatch": (merged["in-p (1)"] != merged["in-p (2)"])
        | (merged["out-p (1)"] != merged["out-p (2)"]),
        "Tactic Mismatch": merged["tactic (1)"] != merged["tactic (2)"],
    }

    def render(choice: str, _: str) -> None:
        chosen = masks.get(choice, merged["type"] == choice)
        print(f"Legend:\n\t1: {plan1.name}\n\t2: {plan2.name}")
        print(f'"in-p (1)" are the input precisions of the layer in {plan1.name}. Similarly,')
        print(f'"out-p (2)" are the output precisions of the layer in {plan2.name}')
        notebook.display_df(
            merged[chosen], range_highlights=speedup_range_highlights("speedup (2)", threshold)
        )
        shown = [pair for pair, keep in zip(pairs, chosen, strict=True) if keep]
        tables = dict(zip((plan1.name, plan2.name), aligned_layers(plan1, plan2, shown), strict=True))
        sums = [f"\n\t{name}: {table[_LATENCY].sum():.3f} ms" for name, table in tables.items()]
        print(f"Latencies:{''.join(sums)}")
        plotting.plotly_bar2(
            tables,
            f"Layer Latency Comparison (Layer Type={choice})",
            values_col=_LATENCY,
            names_col="id",
            showlegend=True,
        )

    choices = [*masks, *dict.fromkeys(merged["type"])]
    interactive.InteractiveDiagram(render, {each: each for each in choices}, "Dataframe")


def compare_engines_layer_details(plan1: EnginePlan, plan2: EnginePlan) -> None:
    """Show a list of the layers of two engines, and of the chosen one what differs."""
    import pandas as pd

    _distinct_names(plan1, plan2)
    merged = aligned_merge_plans(plan1, plan2, match_layers(plan1, plan2, exact_matching=True))
    rows = {
        "name": "",
        "avg_time": "avg_time",
        "tactic": "tactic",
        "input precision": "in-p",
        "output precision": "out-p",
        "formats": "formats",
    }

    def render(_: str, row_id: int) -> None:
        row = merged.iloc[row_id]
        sides = [[_cell(row, column, side) for column in rows.values()] for side in (0, 1)]
        same = ["Same" if one == other else "Different" for one, other in zip(*sides, strict=True)]
        comparison = ["", row["speedup (2)"], *same[2:]]
        columns = [list(rows), comparison, *sides]
        notebook.display_df(
            pd.DataFrame(
                list(zip(*columns, strict=True)),
                index=list(rows),
                columns=["attribute", "comparison", plan1.name, plan2.name],
            )
        )

    choices = {f"{at}: {layer_type}": at for at, layer_type in enumerate(merged["type"])}
    interactive.InteractiveDiagram(render, choices, "Choose Layer:")


def _cell(row: pd.Series[Any], column: str, side: int) -> Any:
    """Return a cell of one of two engines; their names are the last two columns."""
    return row[f"{column} ({side + 1})"] if column else row.iloc[side - 2]
