"""Memory: live tensors, data moved by layers, largest tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.numbers import format_count
from trexreport.renderer.charts.catalog import shared
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.wording.sections import section_sentence

#: A part of the data that a layer moves: its name, the role that colors it, and what returns its bytes.
_Part = tuple[str, str, Callable[[LayerFacts], "int | None"]]


def live_memory(analysis: Analysis) -> Chart | None:
    """Show the size of the tensors that are live while each layer runs."""
    live = analysis.memory.live_bytes
    if not live or not max(live):
        return None
    layers, shown, size = shared.extremes(range(len(live)), live)
    series = Series("Live", x=layers, y=shown, step=True)
    summary = section_sentence(analysis, "memory")
    if size > 1:
        summary += f" Shown: the highest and the lowest value of each group of {format_count(size)} layers."
    return Chart(
        "live-memory",
        "line",
        "Live tensors by layer",
        summary,
        (series,),
        x=Axis("Layer (execution order)"),
        y=Axis("Live tensors", "bytes"),
    )


def footprint(analysis: Analysis) -> Chart | None:
    """Show the size of inputs, outputs and weights of each layer."""
    layers = [layer for layer in analysis.layers if layer.moved_bytes]
    if not layers:
        return None
    parts: tuple[_Part, ...] = (
        ("Inputs", "accent", lambda layer: layer.input_bytes),
        ("Outputs", "neutral", lambda layer: layer.output_bytes),
        ("Weights", "good", lambda layer: layer.weights_bytes),
    )
    size = shared.run_size(layers, shared.MAX_COLUMNS_OF_HALF)
    title, summary = "Data moved per layer", "Inputs, outputs and weights of each layer."
    if size > 1:
        title = f"Data moved per group of {format_count(size)} layers"
        summary = f"Inputs, outputs and weights of each group of {format_count(size)} consecutive layers."
    shown = [each for each in parts if any(map(each[2], layers))]
    series = _of_runs(layers, size, shown) if size > 1 else _of_layers(layers, shown)
    return Chart(
        "footprint",
        "columns",
        title,
        summary,
        series,
        x=Axis("Layer (execution order)"),
        y=Axis("Data moved", "bytes"),
    )


def _of_layers(layers: Sequence[LayerFacts], parts: Sequence[_Part]) -> tuple[Series, ...]:
    """Return the parts of the data that each layer moves."""
    return tuple(
        shared.layer_series(layers, (layer.index for layer in layers), map(part, layers), name, role)
        for name, role, part in parts
    )


def _of_runs(layers: Sequence[LayerFacts], size: int, parts: Sequence[_Part]) -> tuple[Series, ...]:
    """Return the parts of the data that `size` consecutive layers move."""
    runs = shared.runs_of(layers, size)
    middles, links = tuple(run.middle for run in runs), tuple(run.link for run in runs)
    places = tuple(run.place("largest", lambda layer: layer.moved_bytes) for run in runs)
    return tuple(
        Series(
            name,
            role,
            x=middles,
            y=tuple(sum([part(layer) or 0 for layer in run.layers]) for run in runs),
            places=places,
            links=links,
        )
        for name, role, part in parts
    )


def largest_tensors(analysis: Analysis) -> Chart | None:
    """Show the ten largest tensors."""
    sized = [tensor for tensor in analysis.tensors if tensor.size_bytes and tensor.alias_of is None]
    largest = sorted(sized, key=lambda tensor: (-(tensor.size_bytes or 0), tensor.name))[:10]
    if not largest:
        return None
    series = Series(
        x=tuple(tensor.size_bytes for tensor in largest),
        y=tuple(_distinct([tensor.name for tensor in largest])),
        roles=tuple(f"precision:{tensor.data_type}" for tensor in largest),
    )
    summary = f"The ten largest of {format_count(len(sized))} tensors."
    return Chart("largest-tensors", "bars", "Largest tensors", summary, (series,), x=Axis("Size", "bytes"))


def _distinct(names: list[str]) -> list[str]:
    """Number repeated names, as bars need unique names."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
