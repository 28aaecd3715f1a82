"""The values of the section on tactics, and the part of them that the page's script works with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trexreport.analyzer.analysis.tactics import FormatsFacts, LayerTactics, Tactics
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.packing import six_digits
from trexreport.wording import tactics as words

#: Combinations of formats that a panel lists, and tactics for each; fewer of large engines.
_MAX_FORMATS, _MAX_LISTED = 20, 5
_FEW_FORMATS, _FEW_LISTED = 5, 2
_LARGE = 1500


@dataclass(frozen=True)
class FormatsRow:
    """A combination of formats with its texts."""

    facts: FormatsFacts
    formats: str
    outcome: str
    dropped: str


@dataclass(frozen=True)
class TacticsRow:
    """A layer with the texts of its formats."""

    facts: LayerTactics
    precisions: str
    seconds: str
    formats: tuple[FormatsRow, ...]


def tactics_values(tactics: Tactics | None) -> dict[str, Any]:
    """Return the values of the section by name; none without tactics."""
    if tactics is None:
        return {}
    from_stamps = tactics.from_stamps
    return {
        "tactics_rows": [tactics_row(each, from_stamps=from_stamps) for each in tactics.layers],
        "reformats_took": words.seconds_text(tactics.reformat_s, from_stamps=from_stamps),
    }


def tactics_row(layer: LayerTactics, *, from_stamps: bool = False) -> TacticsRow:
    """Return a layer with the texts of its formats."""
    return TacticsRow(
        layer,
        words.precisions_text(layer),
        words.seconds_text(layer.profiling_s, from_stamps=from_stamps),
        tuple(
            FormatsRow(each, words.combination_text(each), words.outcome_text(each), words.dropped_text(each))
            for each in layer.formats
        ),
    )


def tactics_data(tactics: Tactics | None) -> dict[int, dict[str, Any]]:
    """Return what the panel of a layer shows, by the index of the layer."""
    if tactics is None:
        return {}
    found: dict[int, dict[str, Any]] = {}
    for each in tactics.layers:
        if each.layer is not None and each.layer not in found:
            is_large = len(tactics.layers) > _LARGE
            limits = (_FEW_FORMATS, _FEW_LISTED) if is_large else (_MAX_FORMATS, _MAX_LISTED)
            found[each.layer] = _panel(each, *limits, from_stamps=tactics.from_stamps)
    return found


def _panel(layer: LayerTactics, max_formats: int, max_listed: int, *, from_stamps: bool) -> dict[str, Any]:
    record: Mapping[str, Any] = {
        "chosen_ms": _rounded(layer.chosen_ms),
        "second_ms": _rounded(layer.second_ms),
        "margin_percent": _rounded(layer.margin_percent),
        "timed": layer.timed,
        "cached": layer.cached,
        "took": words.timing_text(layer, from_stamps=from_stamps) or None,
        "formats": [
            [
                words.combination_text(each),
                words.outcome_text(each),
                [
                    [
                        tactic.kernel or f"{tactic.runner} {tactic.tactic}".strip(),
                        _rounded(tactic.time_ms),
                        tactic.chosen,
                    ]
                    for tactic in each.tactics[:max_listed]
                ],
                each.timed,
            ]
            for each in layer.formats[:max_formats]
        ],
        "more": max(len(layer.formats) - max_formats, 0),
    }
    return {key: value for key, value in record.items() if value not in (None, 0)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else six_digits(value)
