"""Charts of the convolutions by two or three of their figures."""

from __future__ import annotations

from trexreport.trex import interactive, plotting
from trexreport.trex._stacks import show
from trexreport.trex.engine_plan import EnginePlan

_EFFICIENCIES = ("attr.compute_efficiency", "attr.memory_efficiency", "attr.arithmetic_intensity")
#: Title, x, y and size of each chart of two figures of the convolutions.
_SCATTERS = {
    "Compute-efficiency vs. FMAs (size = footprint)": (
        _EFFICIENCIES[0],
        "attr.macs",
        "total_footprint_bytes",
    ),
    "Memory-efficiency vs. footprint (size = FMAs)": (_EFFICIENCIES[1], "total_footprint_bytes", "attr.macs"),
    "Compute-efficiency vs. memory-efficiency (size = AI)": _EFFICIENCIES,
    "Memory footprint vs FMAs (size = AI)": ("total_footprint_bytes", "attr.macs", _EFFICIENCIES[2]),
    "Arithmetic-intensity vs. compute-efficiency (size = memory-efficiency)": (
        *("attr.arithmetic_intensity", "attr.compute_efficiency", "attr.memory_efficiency"),
    ),
    "Arithmetic-intensity vs. memory-efficiency (size = compute-efficiency)": (
        *("attr.arithmetic_intensity", "attr.memory_efficiency", "attr.compute_efficiency"),
    ),
}
#: Title and color of each chart of the extents as matrix multiplications.
_MNK = {
    "MxNxK color=mean time; size=mean time": "latency.avg_time",
    "MxNxK color=arithmetic intensity; size=mean time": "attr.arithmetic_intensity",
    "MxNxK color=compute efficiency; size=mean time": "attr.compute_efficiency",
    "MxNxK color=memory efficiency; size=mean time": "attr.memory_efficiency",
}


def report_card_gemm_MNK(plan: EnginePlan) -> None:  # noqa: N802 - TREx's name
    """Show a list of charts of convolutions by their extents as matrix multiplications."""

    def render(choice: str, color: str) -> None:
        _scatter(plan, f"Implicit GEMM {choice}", ("attr.M", "attr.N", "attr.K"), color, "latency.avg_time")

    interactive.InteractiveDiagram(render, _MNK, "Diagram")


def report_card_gemm_MNK_scatter(plan: EnginePlan) -> None:  # noqa: N802 - TREx's name
    """Show a list of charts of convolutions: time by one extent as a matrix multiplication."""

    def render(choice: str, extent: str) -> None:
        _scatter(plan, choice, (extent, "latency.avg_time"), "total_footprint_bytes", None)

    choices = {f"{each} vs. Latency (color = footprint)": f"attr.{each}" for each in "MNK"}
    interactive.InteractiveDiagram(render, choices, "Diagram")


def report_card_efficiency_vs_latency_3d(plan: EnginePlan) -> None:
    """Show convolutions by compute efficiency, memory efficiency and arithmetic intensity."""
    title = "Compute-efficiency vs Memory-efficiency vs Latency"
    _scatter(plan, title, _EFFICIENCIES, "total_footprint_bytes", "latency.avg_time")


def report_card_perf_scatter(plan: EnginePlan) -> None:
    """Show a list of charts of convolutions by two of their figures."""

    def render(choice: str, x: str, y: str, size: str) -> None:
        _scatter(plan, choice, (x, y), "latency.avg_time", size)

    interactive.InteractiveDiagram(render, _SCATTERS, "Diagram")


def _scatter(plan: EnginePlan, title: str, axes: tuple[str, ...], color: str, size: str | None) -> None:
    """Show the convolutions whose figures are known as points in two or three dimensions."""
    import plotly.express as px

    used = list(dict.fromkeys([*axes, color, *([size] if size else [])]))
    convs = plan.get_layers_by_type("Convolution").dropna(subset=used)
    if convs.empty:
        print("The engine plan does not contain convolutions whose shapes are known.")
        return
    places = dict(zip("xyz", axes, strict=False))
    draw = px.scatter_3d if len(axes) == len("xyz") else px.scatter
    fig = draw(
        convs[[*used, "Name"]], **places, color=color, size=size, size_max=18, opacity=0.7, hover_name="Name"
    )
    plotting.trex_base_layout(fig)
    fig.update_layout(margin={"l": 0, "r": 0, "b": 0, "t": 50}, title={"text": title, "x": 0.5})
    show(fig)
