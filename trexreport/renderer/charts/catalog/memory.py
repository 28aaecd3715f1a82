"""What needs how much memory, and how fast it is worked on."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.renderer.links import layer_link


def live_memory(analysis: Analysis) -> Chart | None:
    """Show the bytes of tensors alive while each layer runs."""
    live = analysis.memory.live_bytes
    if not live or not max(live):
        return None
    series = Series("Live", x=tuple(range(len(live))), y=tuple(live), step=True)
    return Chart(
        "live-memory",
        "line",
        "Tensors alive while each layer runs",
        analysis.sentences["memory"],
        (series,),
        x=Axis("Layer, in execution order"),
        y=Axis("Alive", "bytes"),
    )


def footprint(analysis: Analysis) -> Chart | None:
    """Show what each layer reads, writes and owns."""
    layers = [layer for layer in analysis.layers if layer.moved_bytes]
    if not layers:
        return None
    parts = {
        "Inputs": [layer.input_bytes for layer in layers],
        "Outputs": [layer.output_bytes for layer in layers],
        "Weights": [layer.weights_bytes for layer in layers],
    }
    series = tuple(
        Series(
            name,
            role,
            x=tuple(layer.index for layer in layers),
            y=tuple(values),
            labels=tuple(layer.name for layer in layers),
            links=tuple(layer_link(layer.index) for layer in layers),
        )
        for (name, values), role in zip(parts.items(), ("accent", "neutral", "good"), strict=True)
        if any(values)
    )
    return Chart(
        "footprint",
        "columns",
        "Bytes that each layer moves",
        "Inputs, outputs and weights of each layer.",
        series,
        x=Axis("Layer, in execution order"),
        y=Axis("Moved", "bytes"),
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
    summary = f"The ten largest of {len(sized)} tensors."
    return Chart("largest-tensors", "bars", "Largest tensors", summary, (series,), x=Axis("Size", "bytes"))


def _distinct(names: list[str]) -> list[str]:
    """Number names that occur again, as bars need one name each."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def roof(analysis: Analysis) -> Chart | None:
    """Show achieved speed over arithmetic intensity."""
    layers = [layer for layer in analysis.layers if layer.work and layer.work.intensity and layer.work.tflops]
    if not layers:
        return None
    series = Series(
        "Layers",
        x=tuple(layer.work.intensity for layer in layers if layer.work),
        y=tuple(layer.work.tflops for layer in layers if layer.work),
        labels=tuple(layer.name for layer in layers),
        links=tuple(layer_link(layer.index) for layer in layers),
        roles=tuple(f"precision:{layer.precision}" for layer in layers),
    )
    return Chart(
        "intensity",
        "points",
        "Achieved speed over arithmetic intensity",
        "Each point is a layer: its speed over the operations that it does for each byte it moves.",
        (series,),
        x=Axis("Arithmetic intensity", "FLOP/byte", "log"),
        y=Axis("Achieved", "TFLOP/s", "log"),
    )
