"""The colors of layers and their meanings, also by their error and by how much they add to it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Block, LayerFacts
from trexreport.analyzer.analysis.accuracy import AccuracyFacts, LayerErrorFacts
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.renderer.palette import SHADES, UNKNOWN, color, legend_place
from trexreport.wording.accuracy import RELATIVE

#: Lower bound in percent of layer time, and its color.
HEAT = tuple(zip((5.0, 2.0, 1.0, 0.5, 0.0), SHADES, strict=True))
_SEVERITY_COLORS = {"error": color("error"), "warning": color("warning"), "info": color("accent")}

ErrorColoring = Literal["error", "increase"]
ERROR_COLORINGS: tuple[ErrorColoring, ...] = get_args(ErrorColoring)

_SHADES = (*SHADES[:2], *SHADES[3:])
#: Lower bounds in percent of the reference, and in percent of the largest one where errors are no such part.
_PERCENT, _OF_LARGEST = (10.0, 1.0, 0.1), (50.0, 10.0, 1.0)

Meaning = tuple[str, str]


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


def error_levels(analysis: Analysis, by: ErrorColoring) -> tuple[tuple[Meaning, ...], Sequence[int]]:
    """Return meanings and colors, the worst first, "not known" last, and which one each layer has."""
    found = analysis.accuracy
    if found is None:
        return (_unknown(by),), [0] * len(analysis.layers)
    is_relative = found.measure in RELATIVE
    values = [getattr(each, by) if each else None for each in found.layers]
    largest = max((each for each in values if each is not None), default=0.0)
    unit = 0.01 if is_relative else largest / 100
    lows = [low * unit for low in (_PERCENT if is_relative else _OF_LARGEST)]
    levels = [_level(found, each, value, by, lows) for each, value in zip(found.layers, values, strict=True)]
    return (*_meanings(by, is_relative=is_relative), _unknown(by)), levels


def _level(
    found: AccuracyFacts,
    layer: LayerErrorFacts | None,
    value: float | None,
    by: ErrorColoring,
    lows: Sequence[float],
) -> int:
    """Return the position of a layer's meaning among those of `_meanings`."""
    if layer is not None:
        is_everywhere = by == "error" and found.tensors[layer.tensor].state == "not-finite"
        if layer.begins_non_finite or is_everywhere:
            return 0
    if value is None:
        return len(_SHADES) + 1
    if value <= 0:
        return len(_SHADES)
    return 1 + next((at for at, low in enumerate(lows) if value >= low), len(lows))


def _meanings(by: ErrorColoring, *, is_relative: bool) -> list[Meaning]:
    lows = _PERCENT if is_relative else _OF_LARGEST
    unit = "%" if is_relative else "% of the largest"
    texts = [f"{by} ≥{lows[0]:g}{unit}"]
    texts += [f"{by} {lows[at]:g}–{lows[at - 1]:g}{unit}" for at in range(1, len(lows))]
    texts.append(f"{by} <{lows[-1]:g}{unit}")
    first = "NaN or infinity" if by == "error" else "NaN or infinity begins"
    return [(first, color("error")), *zip(texts, _SHADES, strict=True)]


def _unknown(by: ErrorColoring) -> Meaning:
    return f"{by} not known", UNKNOWN


def error_levels_data(analysis: Analysis) -> dict[str, dict[str, object]]:
    """Return both colorings as the script takes them; empty where no error and no overflow is known."""
    data: dict[str, dict[str, object]] = {}
    for by in ERROR_COLORINGS:
        meanings, of_layers = error_levels(analysis, by)
        if any(each < len(meanings) - 1 for each in of_layers):
            data[by] = {"meanings": meanings, "of": of_layers}
    return data
