"""Compare what the builder timed for each layer with what the engine uses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis.layers import LayerFacts
from trexreport.analyzer.analysis.tactics import (
    FormatsFacts,
    FormatsOutcome,
    LayerTactics,
    TacticFacts,
    Tactics,
)
from trexreport.analyzer.tactic_times import compared_ms, times_in_build
from trexreport.model.tactics import BuildTactics, TimedFormats, TimedLayer, TimedTactic
from trexreport.regex import regex

#: What Myelin appends to the name of an operation: "_myl4_0".
_MYELIN_END = regex(r"_myl\d{1,6}_\d{1,6}$", re.ASCII)
_INDEX_TYPES = frozenset({"INT32", "INT64", "BOOL", "UINT8"})
#: Tactics that the result holds, and how many of one combination of formats.
_MOST_TACTICS = 60_000
_MIN_KEPT, _MAX_KEPT = 2, 12
#: Differences of time stamps are off by up to a second: the least one whose share of the build is stated.
_MIN_STAMPED_S = 10.0
_SECONDS = regex(r"([\d.]{1,20}) s")


def describe_tactics(
    found: BuildTactics | None,
    layers: Sequence[LayerFacts],
    build_facts: Mapping[str, str],
    gpu_ms: float | None,
) -> Tactics | None:
    """Return what the builder timed, and which of it the engine uses.

    Args:
        found: What a log states; None without such a log.
        layers: Those of the engine.
        build_facts: Figures of the build, as texts.
        gpu_ms: GPU compute time of queries of the shapes that the builder timed; None if it is not known.
    """
    if found is None:
        return None
    count = sum(len(each.formats) for each in found.layers)
    kept = max(_MIN_KEPT, min(_MAX_KEPT, _MOST_TACTICS // max(count, 1)))
    build_s = _seconds(build_facts.get("Engine built in", "")) or found.generation_s
    by_name: dict[str, LayerFacts] = {}
    operations: dict[str, list[LayerFacts]] = {}
    for layer in layers:
        by_name.setdefault(layer.name, layer)
        if (end := _MYELIN_END.search(layer.name)) is not None:
            operations.setdefault(layer.name[: end.start()], []).append(layer)
    described = [
        _with_fewer(
            _operation(each, operations.get(each.name, []), build_s)
            if each.is_operation
            else _layer(each, by_name.get(each.name), build_s),
            kept,
        )
        for each in found.layers
    ]
    if found.from_stamps:
        described = [
            replace(each, build_percent=None) if (each.profiling_s or 0.0) < _MIN_STAMPED_S else each
            for each in described
        ]
    times = [each.profiling_s for each in described if each.profiling_s is not None]
    if times:
        described.sort(key=lambda each: -(each.profiling_s or 0.0))
    layer_ms = times_in_build(described, layers, gpu_ms)
    return Tactics(
        layers=described,
        timed=sum(each.timed for each in described),
        cached=sum(each.cached for each in described) or _hits(build_facts.get("Timing cache hits", "")),
        build_s=build_s,
        profiling_s=math.fsum(times) if times else None,
        reformats=found.reformats,
        reformat_s=found.reformat_s,
        from_stamps=found.from_stamps,
        left_out=found.left_out,
        layer_ms=layer_ms,
        whole_ms=compared_ms(layer_ms, gpu_ms),
    )


def _with_fewer(layer: LayerTactics, kept: int) -> LayerTactics:
    """Return a layer with a limited number of tactics for each of its formats, the chosen one included."""
    return replace(
        layer,
        formats=[
            replace(
                each, tactics=[tactic for at, tactic in enumerate(each.tactics) if at < kept or tactic.chosen]
            )
            for each in layer.formats
        ],
    )


def _layer(timed: TimedLayer, layer: LayerFacts | None, build_s: float | None) -> LayerTactics:
    """Return a layer with the tactic that the engine states for it."""
    if layer is None:
        return _facts(timed, None, None, None, build_s)
    stated = _normal(str(layer.attributes.get("TacticValue", "")))
    used = _formats_of(timed.formats, layer, stated)
    tactic = next((each for each in used.tactics if _normal(each.tactic) == stated), None) if used else None
    if used and tactic is None and len(used.tactics) == 1 == len(timed.formats):
        tactic = used.tactics[0]
    return _facts(timed, layer, used, tactic, build_s)


def _operation(timed: TimedLayer, layers: Sequence[LayerFacts], build_s: float | None) -> LayerTactics:
    """Return an operation of a Myelin region with the kernel that the engine uses for it."""
    for layer in layers:
        for formats in timed.formats:
            kernels = [each for each in formats.tactics if each.kernel and each.kernel == layer.tactic]
            if kernels and _types(layer.inputs[:1]) <= _types_of(formats.inputs):
                return _facts(timed, layer, formats, kernels[0], build_s)
    return _facts(timed, layers[0] if len(layers) == 1 else None, None, None, build_s)


def _formats_of(every: Sequence[TimedFormats], layer: LayerFacts, stated: str) -> TimedFormats | None:
    """Return the combination of formats that an engine's layer has; None if several fit."""
    if not stated and len(every) == 1:
        return every[0]
    fits = [each for each in every if _fits(each, layer)]
    with_tactic = [each for each in fits if any(_normal(tactic.tactic) == stated for tactic in each.tactics)]
    left = with_tactic or fits
    if len(left) > 1:
        # Of layouts the engine states at least the groups of channels.
        groups = _widths(use.format for use in (*layer.inputs, *layer.outputs))
        left = [each for each in left if _widths((*each.inputs, *each.outputs)) == groups] or left
    return left[0] if len(left) == 1 else None


def _fits(formats: TimedFormats, layer: LayerFacts) -> bool:
    """Return whether the data types are those of a layer."""
    stated = [[_type(use.format) for use in uses] for uses in (layer.inputs, layer.outputs)]
    timed = [[each.partition(" ")[0] for each in side] for side in (formats.inputs, formats.outputs)]
    return all(
        not ours or not theirs or sorted(ours) == sorted(theirs)
        for ours, theirs in zip(timed, stated, strict=True)
    )


def _type(description: str) -> str:
    return description.partition(" ")[0].partition(":")[0]


def _types(uses: Iterable[object]) -> set[str]:
    return {_type(getattr(use, "format", "")) for use in uses}


def _types_of(shorts: Iterable[str]) -> set[str]:
    return {each.partition(" ")[0] for each in shorts}


def _widths(descriptions: Iterable[str]) -> list[str]:
    """Return in how large groups channels are, by tensor, as far as descriptions of layouts show it."""
    found = (re.search(r"(?:NC/|HWC|:)(\d{1,3})", each) for each in descriptions)
    return [each[1] if each else "1" for each in found]


def _facts(
    timed: TimedLayer,
    layer: LayerFacts | None,
    used: TimedFormats | None,
    tactic: TimedTactic | None,
    build_s: float | None,
) -> LayerTactics:
    chosen_ms = tactic.time_ms if tactic else None
    formats = [
        _formats(each, each is used, tactic if each is used else None, chosen_ms) for each in timed.formats
    ]
    formats.sort(key=lambda each: (each.outcome != "chosen", each.fastest_ms is None, each.fastest_ms or 0.0))
    others = [each.time_ms for each in used.tactics if each is not tactic] if used and tactic else []
    second_ms = min(others, default=None)
    profiling = [each.profiling_s for each in timed.formats if each.profiling_s is not None]
    profiling_s = math.fsum(profiling) if profiling else None
    return LayerTactics(
        name=timed.name,
        layer=layer.index if layer else None,
        operation=timed.is_operation,
        chosen_ms=chosen_ms,
        kernel=(tactic.kernel or (layer.tactic if layer else "") or tactic.runner) if tactic else "",
        precision=_precision(used.inputs) if used and tactic else "",
        second_ms=second_ms,
        margin_percent=_excess(second_ms, chosen_ms),
        by_precision_ms=_by_precision(timed.formats),
        timed=sum(each.timed for each in timed.formats),
        cached=sum(each.cached for each in timed.formats),
        profiling_s=profiling_s,
        build_percent=100 * profiling_s / build_s
        if profiling_s is not None and build_s and profiling_s <= build_s
        else None,
        formats=formats,
    )


def _formats(
    timed: TimedFormats, is_used: bool, tactic: TimedTactic | None, chosen_ms: float | None
) -> FormatsFacts:
    fastest_ms = timed.tactics[0].time_ms if timed.tactics else None
    return FormatsFacts(
        inputs=timed.inputs,
        outputs=timed.outputs,
        precision=_precision(timed.inputs),
        outcome=_outcome(is_used=is_used, fastest_ms=fastest_ms, chosen_ms=chosen_ms),
        fastest_ms=fastest_ms,
        difference_percent=_excess(fastest_ms, chosen_ms),
        tactics=[
            TacticFacts(each.tactic, each.time_ms, each.kernel, each.runner, each is tactic)
            for each in timed.tactics
        ],
        timed=timed.timed,
        dropped=dict(timed.dropped),
        cached=timed.cached,
        profiling_s=timed.profiling_s,
    )


def _outcome(*, is_used: bool, fastest_ms: float | None, chosen_ms: float | None) -> FormatsOutcome:
    if is_used:
        return "chosen"
    if fastest_ms is None:
        return "not timed"
    if chosen_ms is None:
        return "not known"
    if fastest_ms == chosen_ms:
        return "equal"
    return "slower" if fastest_ms > chosen_ms else "faster"


def _excess(time_ms: float | None, chosen_ms: float | None) -> float | None:
    return 100 * (time_ms - chosen_ms) / chosen_ms if time_ms is not None and chosen_ms else None


def _by_precision(every: Sequence[TimedFormats]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in every:
        precision = _precision(each.inputs) or _precision(each.outputs)
        if precision and each.tactics:
            found[precision] = min(found.get(precision, math.inf), each.tactics[0].time_ms)
    return dict(sorted(found.items()))


def _precision(shorts: Sequence[str]) -> str:
    types = [each.partition(" ")[0] for each in shorts]
    return next((each for each in types if each not in _INDEX_TYPES), types[0] if types else "")


def _normal(tactic: str) -> str:
    """Return the number of a tactic in one form: 7 writes it signed and in decimal, 8 in hexadecimal."""
    try:
        value = int(tactic, 16) if tactic.lower().startswith("0x") else int(tactic)
    except ValueError:
        return tactic
    return format(value & (1 << 64) - 1, "x")


def _hits(stated: str) -> int:
    """Return how often the timing cache answered according to the builder, which includes reformats."""
    count = stated.partition(" hits")[0]
    return int(count) if count.isascii() and count.isdecimal() else 0


def _seconds(stated: str) -> float | None:
    found = _SECONDS.fullmatch(stated)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None
