"""The colors of layers by their error, and by how much they add to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.accuracy import AccuracyFacts, LayerErrorFacts
from trexreport.renderer.palette import SHADES, UNKNOWN, color
from trexreport.wording.accuracy import RELATIVE

ErrorColoring = Literal["error", "increase"]
ERROR_COLORINGS: tuple[ErrorColoring, ...] = get_args(ErrorColoring)

_SHADES = (*SHADES[:2], *SHADES[3:])
#: Lower bounds in percent of the reference, and in percent of the largest one where errors are no such part.
_PERCENT, _OF_LARGEST = (10.0, 1.0, 0.1), (50.0, 10.0, 1.0)

Meaning = tuple[str, str]


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
