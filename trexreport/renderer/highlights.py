"""Pick what a person should look at first, from figures that any section explains."""

from __future__ import annotations

from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import format_count, format_ms, format_percent, middle_ellipsis
from trexreport.renderer.links import filter_link, layer_link

_MOST = 5
_REDUCED = {"FP16", "BF16", "INT8", "FP8", "INT4", "FP4"}


_OPAQUE_TYPES = {"Myelin", "PluginV2", "PluginV3"}


@dataclass(frozen=True)
class Highlight:
    """One thing to look at: what, how much of the time it is about, and where it is explained."""

    text: str
    share_percent: float | None
    link: str


def highlights(analysis: Analysis) -> list[Highlight]:
    """Return at most five things, those about the most time first, then those about the measurement."""
    costs = [*_slowest(analysis), *_reformats(analysis), *_float_layers(analysis)]
    costs.sort(key=lambda each: -(each.share_percent or 0.0))
    return [*costs, *_measurement(analysis)][:_MOST]


def _slowest(analysis: Analysis) -> list[Highlight]:
    layer = max(analysis.layers, key=lambda each: each.time_ms or 0.0, default=None)
    if layer is None or not layer.time_ms:
        return []
    text = f"The slowest layer is {middle_ellipsis(layer.name, 70)} with {format_ms(layer.time_ms)}."
    return [Highlight(text, layer.share_percent, layer_link(layer.index))]


def _reformats(analysis: Analysis) -> list[Highlight]:
    share = sum(analysis.layers[reformat.layer].share_percent or 0.0 for reformat in analysis.reformats)
    count = sum(bool(reformat.time_ms) for reformat in analysis.reformats)
    if share < 2 or not count:
        return []
    only = "layers do" if count > 1 else "layer does"
    text = f"{format_count(count)} {only} nothing but move data, or change its type or layout."
    return [Highlight(text, share, "#reformats")]


def _float_layers(analysis: Analysis) -> list[Highlight]:
    """Find layers that compute in FP32 in an engine that also computes in a smaller type."""
    shares = {group.name: group.share_percent or 0.0 for group in analysis.by_precision}
    smaller = max((name for name in shares if name in _REDUCED), key=lambda name: shares[name], default=None)
    # What an opaque subgraph computes in, its inputs do not tell.
    full = [
        layer
        for layer in analysis.layers
        if layer.precision == "FP32" and layer.time_ms and layer.type not in _OPAQUE_TYPES
    ]
    share = sum(layer.share_percent or 0.0 for layer in full)
    if smaller is None or share < 2 or shares[smaller] < 1:
        return []
    verb = "layers read" if len(full) > 1 else "layer reads"
    text = f"{format_count(len(full))} {verb} FP32, though the engine also computes in {smaller}."
    return [Highlight(text, share, filter_link("precision:FP32 -type:Myelin,Plugin time>0"))]


def _measurement(analysis: Analysis) -> list[Highlight]:
    found = []
    latency, stability = analysis.latency, analysis.stability
    if latency.is_held_back_by_host:
        text = "Queuing the work takes the host about as long as the GPU computes: it may hold the GPU back."
        found.append(Highlight(text, None, "#timing"))
    if stability and stability.can_judge and not stability.is_steady:
        variation = format_percent(stability.variation_percent / 100)
        text = f"The measurement is unsteady: GPU time varies by {variation}."
        found.append(Highlight(text, None, "#timing"))
    if analysis.measurement_warnings:
        more = len(analysis.measurement_warnings) - 1
        text = middle_ellipsis(analysis.measurement_warnings[0], 300)
        text += f" And {format_count(more)} more warning{'' if more == 1 else 's'}." if more else ""
        found.append(Highlight(text, None, "#timing"))
    if latency.profiled_iterations == 1:
        text = "Each layer was timed once only, so its time may be off by several percent."
        found.append(Highlight(text, None, "#latency"))
    degraded = [note for note in analysis.notes if note.severity == "degraded"]
    if degraded:
        text = degraded[0].message + (
            f" And {len(degraded) - 1} more note{'' if len(degraded) == 2 else 's'}."
            if len(degraded) > 1
            else ""
        )
        found.append(Highlight(text, None, "#notes"))
    return found
