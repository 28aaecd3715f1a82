"""The times of layers that graphs show, as the table of a plan has them."""

from __future__ import annotations

from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.layer import Layer

#: What may be written into the boxes; the first is the default.
latency_types = ("avg_time", "median_time", "time")


def layer_times(plan: EnginePlan, latency_type: str) -> dict[str, float]:
    """Return the time in ms of each layer that has one, of one of `latency_types`."""
    frame, column = plan.df, f"latency.{latency_type}"
    if column not in frame or "Name" not in frame:
        return {}
    times = zip(frame["Name"], frame[column], strict=True)
    return {name: time for name, time in times if time > 0}


def get_latency(plan: EnginePlan, layer: Layer, latency_type: str) -> float:
    """Return the time of a layer in ms, of one of `latency_types`; 0 without one, as in TREx."""
    frame, column = plan.df, f"latency.{latency_type}"
    if column not in frame or "Name" not in frame:
        return 0
    # Programs ask for one layer after another: a dictionary for each would be slow.
    times = frame[column].to_numpy()[frame["Name"].to_numpy() == layer.name]
    return float(times[0]) if len(times) else 0
