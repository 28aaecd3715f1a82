"""Group the layers of a table, and put several tables side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex._libraries import pass_on

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "group_count",
    "group_mean_attr",
    "group_sum_attr",
    "shape_to_str",
    "stack_dataframes",
    "stack_dicts",
]
__getattr__ = pass_on(__name__, __all__, "Dict List Tuple functools pd")


def group_count(df: pd.DataFrame, grouping_attr: str) -> pd.DataFrame:
    """Return how many layers have each value of a column: columns `grouping_attr` and "count".

    Args:
        df: A row for each layer, as `EnginePlan.df`.
        grouping_attr: The column whose values make the groups, such as "type".
    """
    counts: pd.DataFrame = df.groupby([grouping_attr]).size().reset_index(name="count")
    return counts


def group_sum_attr(df: pd.DataFrame, grouping_attr: str, reduced_attr: str | list[str]) -> pd.DataFrame:
    """Return the sum of one or several columns over the layers of each value of another.

    Args:
        df: A row for each layer, as `EnginePlan.df`.
        grouping_attr: The column whose values make the groups, such as "type".
        reduced_attr: The columns with the numbers, such as "latency.avg_time" (in ms).
    """
    sums: pd.DataFrame = df.groupby([grouping_attr])[reduced_attr].sum().reset_index()
    return sums


def group_mean_attr(df: pd.DataFrame, grouping_attr: str, reduced_attr: str | list[str]) -> pd.DataFrame:
    """Return the mean of one or several columns over the layers of each value of another.

    Args:
        df: A row for each layer, as `EnginePlan.df`.
        grouping_attr: The column whose values make the groups, such as "type".
        reduced_attr: The columns with the numbers, such as "latency.avg_time" (in ms).
    """
    means: pd.DataFrame = df.groupby([grouping_attr])[reduced_attr].mean().reset_index()
    return means


def shape_to_str(shape: Sequence[object]) -> str:
    """Return dimensions without spaces, such as "[1,3,224,224]"."""
    return f"[{','.join(map(str, shape))}]"


def stack_dicts(
    dict_list: Sequence[Mapping[Any, Any]], empty_placeholder: object = 0
) -> dict[Hashable, list[Any]]:
    """Return for each key of any dictionary its values in all of them, with a placeholder where it is absent.

    Keys are in the order in which they first appear.
    """
    keys = dict.fromkeys(key for each in dict_list for key in each)
    return {key: [each.get(key, empty_placeholder) for each in dict_list] for key in keys}


def stack_dataframes(
    df_list: Sequence[pd.DataFrame], names_col: str, values_col: str, empty_placeholder: object = 0
) -> dict[Hashable, list[Any]]:
    """Return for each name in a column of any table its values of another column in all tables."""
    dicts = [dict(zip(df[names_col].tolist(), df[values_col].tolist(), strict=True)) for df in df_list]
    return stack_dicts(dicts, empty_placeholder)
