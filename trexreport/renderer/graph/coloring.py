"""The colors of layers and their meanings."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Block, LayerFacts
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.renderer.graph.error_colors import ERROR_COLORINGS, error_levels
from trexreport.renderer.legend_order import legend_place
from trexreport.renderer.palette import SHADES, UNKNOWN, color

#: Lower bound in percent of layer time, and its color.
HEAT = tuple(zip((5.0, 2.0, 1.0, 0.5, 0.0), SHADES, strict=True))
_SEVERITY_COLORS = {"error": color("error"), "warning": color("warning"), "info": color("accent")}


class Coloring:
    """The colors of one drawing; `meanings` collects the meanings in use, for the legend."""

    def __init__(
        self, analysis: Analysis, color_by: str, given: Mapping[int, tuple[str, str]] | None = None
    ) -> None:
        self._by = color_by
        self._layers = analysis.layers
        self._given = given
        self._severity = _severities(analysis) if color_by == "findings" else {}
        by_error = next((each for each in ERROR_COLORINGS if each == color_by), None)
        self._levels = error_levels(analysis, by_error) if by_error else None
        self.meanings: dict[str, str] = {}

    def of(self, layer: LayerFacts) -> str:
        """Return the color of a layer."""
        return self._noted(*self.meaning(layer))

    def of_block(self, members: Iterable[Block]) -> list[tuple[str, float]]:
        """Return the colors of a box of collapsed blocks and their parts of 1, the largest first.

        Parts are of the time of the layers, or of their number where no time is known.
        """
        members = list(members)
        if self._by == "latency" and self._given is None:
            shares = [block.share_percent for block in members if block.share_percent is not None]
            return [(self._noted(*_heat(math.fsum(shares) if shares else None)), 1.0)]
        if self._by == "findings" and self._given is None:
            # The worst of them, however short its layer.
            found = {self._severity.get(index) for block in members for index in block.layers}
            worst = next((each for each in SEVERITIES if each in found), None)
            return [(self._noted(*_severity(worst)), 1.0)]
        if self._levels and self._given is None:
            meanings, of_layers = self._levels
            levels = (of_layers[index] for block in members for index in block.layers)
            return [(self._noted(*meanings[min(levels, default=-1)]), 1.0)]
        layers = [self._layers[index] for block in members for index in block.layers]
        is_timed = any(layer.avg_ms for layer in layers)
        parts: dict[str, list[float]] = {}
        for layer in layers:
            amount = (layer.avg_ms or 0.0) if is_timed else 1.0
            if amount:
                parts.setdefault(self.of(layer), []).append(amount)
        amounts = {shade: math.fsum(each) for shade, each in parts.items()}
        whole = math.fsum(amounts.values())
        ordered = sorted(amounts.items(), key=lambda each: (-each[1], each[0]))
        return [(shade, amount / whole) for shade, amount in ordered]

    def meaning(self, layer: LayerFacts) -> tuple[str, str]:
        """Return what the color of a layer means, and the color."""
        if self._given is not None:
            return self._given[layer.index]
        if self._by == "precision":
            return layer.precision or "precision not stated", color(f"precision:{layer.precision}")
        if self._by == "latency":
            return _heat(layer.share_percent)
        if self._by == "bound":
            return _bound(layer)
        if self._by == "findings":
            return _severity(self._severity.get(layer.index))
        if self._levels:
            meanings, of_layers = self._levels
            return meanings[of_layers[layer.index]]
        if self._by == "stream":
            if layer.stream is None:
                return "stream not stated", UNKNOWN
            return f"stream {layer.stream}", stream_color(layer.stream)
        return layer.type or "type not stated", color(f"type:{layer.type}")

    def legend(self) -> dict[str, str]:
        """Return the meanings in use with their colors, in the order of a legend."""
        return dict(self.in_order(self.meanings.items()))

    def in_order(self, meanings: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return meanings and colors in the order of a legend: slow or bad ones first, classes in theirs."""
        if self._given is not None:
            return tuple(meanings)
        if self._levels:
            return tuple(sorted(meanings, key=self._levels[0].index))
        if self._by != "latency":
            return tuple(sorted(meanings, key=lambda each: self._place(each[0])))
        shades = [shade for _, shade in HEAT] + [UNKNOWN]
        return tuple(sorted(meanings, key=lambda each: shades.index(each[1])))

    def _place(self, meaning: str) -> tuple[int, str]:
        if self._by == "stream":
            return int(f"0{meaning.removeprefix('stream ')}") if meaning[-1:].isdigit() else sys.maxsize, ""
        return legend_place(f"{self._by}:{meaning.removesuffix('-bound')}")

    def _noted(self, meaning: str, shade: str) -> str:
        self.meanings.setdefault(meaning, shade)
        return shade


def stream_color(stream: int) -> str:
    """Return the color of the layers of a stream."""
    return color(f"rank:{stream}" if stream >= 0 else "neutral")


def _heat(share_percent: float | None) -> tuple[str, str]:
    if share_percent is None:
        return "not measured", UNKNOWN
    for number, (low, shade) in enumerate(HEAT):
        if share_percent >= low:
            if number == 0:
                return f"≥{low:g}% of time", shade
            if low:
                return f"{low:g}–{HEAT[number - 1][0]:g}%", shade
            break
    return f"<{HEAT[-2][0]:g}%", HEAT[-1][1]


def _bound(layer: LayerFacts) -> tuple[str, str]:
    bound = layer.roof.bound if layer.roof else None
    return (f"{bound}-bound", color(f"bound:{bound}")) if bound else ("bound not known", UNKNOWN)


def _severity(severity: str | None) -> tuple[str, str]:
    if severity is None:
        return "no finding", UNKNOWN
    return f"finding: {severity}", _SEVERITY_COLORS[severity]


def _severities(analysis: Analysis) -> dict[int, str]:
    """Return the highest severity of the findings at each layer."""
    found: dict[int, str] = {}
    everything = with_consequences(analysis.lint.findings)
    for finding in sorted(everything, key=lambda each: -SEVERITIES.index(each.severity)):
        found.update(dict.fromkeys(finding.layers, finding.severity))
    return found
