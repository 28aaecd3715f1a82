"""Sentences about what the builder timed for each layer, and what it chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.tactics import FormatsFacts, FormatsOutcome, LayerTactics
from trexreport.model.tactics import DropReason
from trexreport.numbers import (
    counted,
    format_count,
    format_ms,
    format_number,
    format_percent,
    join_names,
    middle_ellipsis,
    with_unit,
)
from trexreport.wording.texts import TEXTS

#: From how much on a choice is one between tactics that are not equally fast, in percent.
CLOSE_PERCENT = 2.0

#: How many of the slowest layers are named, and with how many characters.
_MOST_SLOWEST, _MAX_NAME = 3, 60

_DROPPED: Mapping[DropReason, str] = TEXTS["tactics"]["dropped"]
_OUTCOMES: Mapping[FormatsOutcome, str] = TEXTS["tactics"]["outcomes"]


def tactics_sentence(analysis: Analysis) -> str:
    """Return how many tactics were timed, how long that took and how many choices are close."""
    found = analysis.tactics
    if found is None:
        return "No log states which tactics the builder timed."
    operations = sum(each.operation for each in found.layers)
    places = [counted(len(found.layers) - operations, "layer")] if operations < len(found.layers) else []
    places += [counted(operations, "operation") + " in Myelin regions"] if operations else []
    text = f"The builder timed {counted(found.timed, 'tactic')} for {join_names(places)}"
    if found.profiling_s is not None:
        text += f", which took {seconds_text(found.profiling_s, from_stamps=found.from_stamps)} s"
        if found.build_s and found.profiling_s <= found.build_s:
            text += f" of {format_number(found.build_s)} s"
    parts = [text]
    if found.cached:
        parts.append(f"the timing cache answered {format_count(found.cached)} times")
    known = [each for each in found.layers if each.margin_percent is not None]
    close = sum(
        each.margin_percent is not None and abs(each.margin_percent) < CLOSE_PERCENT for each in known
    )
    if known:
        parts.append(
            f"{format_count(close)} of {counted(len(known), 'choice')} "
            f"{'is' if close == 1 else 'are'} within {CLOSE_PERCENT:g}% of the second fastest"
        )
    if found.left_out:
        parts.append(f"{counted(found.left_out, 'entry', 'entries')} beyond what is read left out")
    return f"{'; '.join(parts)}.{_slowest(analysis)}"


def _slowest(analysis: Analysis) -> str:
    """Return which types and layers take most by the times in the build, where no profile has their times."""
    found = analysis.tactics
    if found is None or not found.whole_ms or analysis.latency.layer_sum_ms is not None:
        return ""
    by_type: dict[str, float] = {}
    by_name = []
    for layer in analysis.layers:
        if time_ms := found.layer_ms[layer.index]:
            by_type[layer.type] = by_type.get(layer.type, 0.0) + time_ms
            by_name.append((layer.name, time_ms))
    types = _shares([pair for pair in by_type.items() if pair[0]], found.whole_ms)
    layers = _shares(by_name, found.whole_ms)
    shown = f"{types}; the slowest layers are {layers}" if len(by_type) > 1 else layers
    return (
        " Without a profile, the times of the chosen tactics show where the time goes: of "
        f"{format_ms(found.whole_ms)} {shown}."
    )


def _shares(times_ms: Sequence[tuple[str, float]], whole_ms: float) -> str:
    """Return the largest with their shares: "Convolution 60.0%, PointWise 30.0% and Shuffle 10.0%"."""
    largest = sorted(times_ms, key=lambda pair: -pair[1])[:_MOST_SLOWEST]
    return join_names(
        [f"{middle_ellipsis(name, _MAX_NAME)} {format_percent(ms / whole_ms)}" for name, ms in largest]
    )


def seconds_text(seconds: float | None, *, from_stamps: bool) -> str:
    """Return how long timing took, in seconds: "0.512", or "about 2" from time stamps of whole seconds."""
    if seconds is None or not from_stamps:
        return format_number(seconds)
    return f"about {format_count(round(seconds))}"


def timing_text(layer: LayerTactics, *, from_stamps: bool) -> str:
    """Return how long timing a layer took: "1.50 s, 24.2% of the build"; empty if that is not known."""
    if layer.profiling_s is None:
        return ""
    text = with_unit(seconds_text(layer.profiling_s, from_stamps=from_stamps), "s")
    if layer.build_percent is None:
        return text
    return f"{text}, {format_percent(layer.build_percent / 100)} of the build"


def outcome_text(formats: FormatsFacts) -> str:
    """Return what became of a combination of formats: "slower by 24.2%", "not timed: workspace too small"."""
    text = _OUTCOMES[formats.outcome]
    if formats.outcome == "slower" and formats.difference_percent is not None:
        text = f"slower by {format_percent(formats.difference_percent / 100)}"
    elif formats.outcome == "faster" and formats.difference_percent is not None:
        text = f"faster by {format_percent(-formats.difference_percent / 100)}, not chosen"
    reasons = dropped_text(formats)
    return f"{text}: {reasons}" if reasons and formats.outcome == "not timed" else text


def dropped_text(formats: FormatsFacts) -> str:
    """Return why tactics were not timed, with counts; an empty text if all were."""
    parts = []
    for reason, count in formats.dropped.items():
        # Each kind of implementation is asked apart.
        is_of_others = reason == "no-tactic" and formats.tactics
        text = "no tactic of other implementations" if is_of_others else _DROPPED[reason]
        parts.append(text if count == 1 else f"{text} ({format_count(count)})")
    return ", ".join(parts)


def precisions_text(layer: LayerTactics) -> str:
    """Return the fastest tactic of each data type: "FP16 0.0097 ms, FP32 0.0184 ms"."""
    times = sorted(layer.by_precision_ms.items(), key=lambda pair: pair[1])
    return ", ".join(f"{name} {format_number(time_ms)}" for name, time_ms in times)


def combination_text(formats: FormatsFacts) -> str:
    """Return the formats of inputs and outputs: "FP16 NHWC8 → FP32 linear"; equal ones once with a count."""
    return f"{_sides(formats.inputs)} → {_sides(formats.outputs)}".strip()


def _sides(shorts: Sequence[str]) -> str:
    counts: dict[str, int] = {}
    for each in shorts:
        counts[each] = counts.get(each, 0) + 1
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in counts.items()) or "none"
