"""The order of findings: what matters most first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis import SEVERITIES, Finding, LayerFacts
from trexreport.analyzer.analysis.timing import stated_variation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.moves import moves_by_kind
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.thresholds import UNUSABLE_PERCENT

#: Share of the time of layers that a finding without an estimate counts with: anything from nothing to two
#: thirds of it may be saved.
_SHARE_NOT_ESTIMATED = 1 / 3
#: The same share of layers that may already be as fast as the GPU allows, and of an option for all layers.
_SHARE_OF_WORK = 0.1
#: Rules on such layers: what they compute, and what bounds them.
_OF_WORK = frozenset({"TRX508", "TRX512", "TRX601", "TRX605", "TRX606", "TRX703", "TRX916", "TRX920"})
#: Rules on layers of which no file shows what they do, or TensorRT cannot choose how.
_UNKNOWN = frozenset({"TRX902", "TRX903"})
#: Part of its figure that information counts with.
_INFORMATION = 1 / 3
#: Rules on whole operations that multiply nothing, or of which nothing else shows why they take their time:
#: what a model may do without is never less important than savings elsewhere.
_WHERE_TIME_GOES = frozenset({"TRX205", "TRX509", "TRX902", "TRX903", "TRX911", "TRX914", "TRX918"})
#: It sums up layers of several kinds, each of another cause: no fix saves more than the largest.
_OF_SEVERAL_KINDS = "TRX205"
_DOMINANT = "TRX914"
#: Rules on what concerns all of the engine: an option where the types of the layers are not known, and shapes
#: for which no kernel was chosen.
_OF_ALL = frozenset({"TRX407", "TRX706"})
#: Rules whose remedy is to build or run the same network with other options: the results stay as they are.
_FREE = frozenset({"TRX403", "TRX706", "TRX912", "TRX913"})
#: Rules that ask for another precision, which costs accuracy or work, and of which less is left then.
_PRECISION = frozenset({"TRX405", "TRX406", "TRX408"})
#: Rules on what is in order, and may be faster in another precision.
_OPTIONS = frozenset({"TRX406"})
#: Part of the most that an option may save from which on a fault comes before it.
_ABOUT_AS_MUCH = 0.75
#: The rule on files: it informs where one is only missing.
_LACKS_FILES = "TRX907"
#: The rule on what multiplies the stated throughput.
_CHANGES_THROUGHPUT = "TRX823"
#: What limits the run while the GPU has nothing to do.
_BOUNDS = frozenset({"TRX805", "TRX815"})
#: Savings of such options, in percent, from which on they come before another precision.
_WORTH_A_BUILD = 2.5
#: Of layer time, in percent, from which on known savings come before what no file shows.
_MUCH_PERCENT = 10.0
#: Part of the time of a query from which a gap between layers is large.
_MUCH_IDLE = 0.1
#: A measure of work that fewer than this part of the layers has shows too little.
_MIN_KNOWN = 0.5


def in_order(findings: Iterable[Finding], context: Context) -> list[Finding]:
    """Return findings by what matters most; `make_findings` says how."""
    found = sorted(findings, key=lambda finding: _rank(finding, context))
    for free in [each for each in found if each.code in _FREE and _is_worth_a_build(each)]:
        own = found.index(free)
        before = (at for at, each in enumerate(found[:own]) if _gains_less_after(each, free, context))
        if (at := next(before, None)) is not None:
            found.insert(at, found.pop(own))
    return _regions_last(_varying_last(_faults_first(found), context), context)


def _faults_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with an option behind faults as severe that may save about as much."""
    found = list(findings)
    for option in [each for each in found if each.code in _OPTIONS]:
        own = found.index(option)
        faults = [at for at, each in enumerate(found) if at > own and _is_fault_beside(each, option)]
        for to, at in enumerate(faults, own):
            found.insert(to, found.pop(at))
    return found


def _is_fault_beside(finding: Finding, option: Finding) -> bool:
    """Return whether a finding is not an option, as severe as one, and may save about as much."""
    saved = _saved_percent(finding)
    is_as_severe = finding.severity == option.severity and finding.about == option.about
    return (
        is_as_severe and finding.code not in _OPTIONS and saved >= _ABOUT_AS_MUCH * _saved_percent(option) > 0
    )


def _varying_last(findings: Sequence[Finding], context: Context) -> list[Finding]:
    """Return findings with times that vary after what costs the run more than they do, or makes them vary."""
    varying = next((each for each in findings if each.code == "TRX801"), None)
    if varying is None or _are_unusable(context):
        return list(findings)
    variation = _variation_percent(context)
    larger = (
        at
        for at, each in enumerate(findings)
        if each.is_apart and (each.code == "TRX805" or _saved_percent(each) > variation)
    )
    return _moved_behind(findings, [varying], max(larger, default=-1))


def _regions_last(findings: Sequence[Finding], context: Context) -> list[Finding]:
    """Return findings with regions that show nothing to do after those of which a large part is known.

    These are warnings whose layers take much of the time and whose estimate reaches a large part of it.
    """
    regions = [each for each in findings if each.code in _UNKNOWN and each.gain is None]
    last = max((at for at, each in enumerate(findings) if _saves_much(each, context)), default=-1)
    return _moved_behind(findings, regions, last)


def _moved_behind(findings: Sequence[Finding], moved: Sequence[Finding], last: int) -> list[Finding]:
    """Return findings with those of some that come before another one behind it."""
    moved = [each for each in moved if findings.index(each) < last]
    before, after = findings[: last + 1], findings[last + 1 :]
    return [*(each for each in before if each not in moved), *moved, *after]


def _saves_much(finding: Finding, context: Context) -> bool:
    """Return whether a warning may save a large part of the time, for certain of layers that take it."""
    return (
        finding.about == "engine"
        and finding.severity != "info"
        and _saved_percent(finding) >= _MUCH_PERCENT
        and context.is_significant([context.layers[layer] for layer in finding.layers], _MUCH_PERCENT)
    )


def _is_worth_a_build(finding: Finding) -> bool:
    """Return whether options save something for certain, or concern all of the engine."""
    gain = finding.gain
    return finding.code in _OF_ALL or (gain is not None and (gain.high_percent or 0.0) >= _WORTH_A_BUILD)


def _gains_less_after(finding: Finding, free: Finding, context: Context) -> bool:
    """Return whether a finding asks for another precision of layers that other options make faster."""
    if finding.code not in _PRECISION:
        return False
    layers = [context.layers[layer] for layer in free.layers]
    both = [context.layers[layer] for layer in set(free.layers).intersection(finding.layers)]
    return not layers or context.time_ms(both) >= context.time_ms(layers) / 2 > 0


def _rank(finding: Finding, context: Context) -> tuple[Any, ...]:
    unknown, on_run = finding.gain is None, finding.is_apart
    return (
        # What a first run shows is worth little before one knows that it may be one.
        not (context.may_be_first_run and finding.code == "TRX804"),
        # Where the GPU waits for the host, faster kernels save nothing.
        not _leaves_gpu_idle(finding, context),
        on_run,
        # What could be measured besides says nothing of the engine or of the run.
        finding.code == _LACKS_FILES and finding.severity == "info",
        # A throughput of another unit is wrong by a multiple.
        on_run and finding.code != _CHANGES_THROUGHPUT,
        on_run and SEVERITIES.index(finding.severity),
        # What bounds the run often is why its times vary.
        on_run and finding.code not in _BOUNDS,
        # What else is found of the run rests on these times.
        on_run and not (finding.code == "TRX801" and _are_unusable(context)),
        not (unknown and finding.severity == "error"),
        finding.section == "notes",
        -_weight(finding, context) * (_INFORMATION if _only_informs(finding, context) else 1),
        unknown,
        SEVERITIES.index(finding.severity),
        -(finding.time_ms or 0.0),
        bool(finding.layers),
        not finding.consequences,
        -len(finding.layers),
        finding.code,
    )


def _are_unusable(context: Context) -> bool:
    """Return whether the times vary so much that figures of them say little."""
    return _variation_percent(context) >= UNUSABLE_PERCENT


def _variation_percent(context: Context) -> float:
    stability = context.analysis.stability
    stated = stated_variation(context.analysis.measurement_warnings)
    return (stability.variation_percent if stability else stated) or 0.0


def _saved_percent(finding: Finding) -> float:
    return (finding.gain.high_percent or 0.0) if finding.gain is not None else 0.0


def _only_informs(finding: Finding, context: Context) -> bool:
    """Return whether a finding counts less than a warning; where most of the time goes never does.

    What follows from the times of a first run always informs.
    """
    if context.may_be_first_run:
        return False
    return finding.severity == "info" and finding.code not in _WHERE_TIME_GOES


def _leaves_gpu_idle(finding: Finding, context: Context) -> bool:
    """Return whether the host bounds an engine whose layers take much less time than the GPU."""
    codes = {finding.code, *(each.code for each in finding.consequences if not each.in_part)}
    gain = finding.gain
    return (
        "TRX805" in codes
        and finding.severity != "info"
        and gain is not None
        and gain.high_ms >= _MUCH_IDLE * context.query_ms
    )


def _weight(finding: Finding, context: Context) -> float:
    """Return savings in ms, or what counts in their place; without times a share of the engine's work."""
    of_kinds = finding.code == _OF_SEVERAL_KINDS and context.total_ms
    part = _largest_kind(context, frozenset(finding.layers)) if of_kinds else 1.0
    return part * _whole_weight(finding, context)


def _largest_kind(context: Context, counted: frozenset[int]) -> float:
    """Return the part of the time of layers that only move data that those of one kind take."""
    kinds = context.cached(moves_by_kind).values()
    times = [context.time_ms(each for each in members if each.index in counted) for members in kinds]
    return max(times) / math.fsum(times) if any(times) else 1.0


def _whole_weight(finding: Finding, context: Context) -> float:
    if finding.code in _UNKNOWN and context.total_ms:
        return _unknown_ms(finding, context)
    if finding.gain is not None:
        return finding.gain.ranking_ms
    if context.total_ms or finding.about == "measurement":
        time_ms = context.total_ms if finding.code in _OF_ALL and not finding.layers else finding.time_ms
        share = _SHARE_OF_WORK if _may_be_fast(finding, context) else _SHARE_NOT_ESTIMATED
        return share * context.gpu_part * (time_ms or 0.0)
    explained = (layer for each in finding.consequences if not each.in_part for layer in each.layers)
    layers = {*finding.layers, *explained}
    if not layers:
        return float(finding.severity != "info")
    return max(math.fsum(shares.get(layer, 0.0) for layer in layers) for shares in context.cached(_work))


def _may_be_fast(finding: Finding, context: Context) -> bool:
    """Return whether nothing says that the layers of a finding take longer than what they compute needs.

    Of convolutions and matrix multiplications of known types other rules do.
    """
    if finding.code == _DOMINANT:
        return any(is_conv_or_matmul(context, context.layers[index]) for index in finding.layers)
    return finding.code in _OF_ALL | _OF_WORK


def _unknown_ms(finding: Finding, context: Context) -> float:
    """Return what layers may save of which nothing shows it, in ms, with what else their fix saves."""
    gain = finding.gain
    estimated = {part.layer for part in gain.parts} if gain else set()
    layers = (context.layers[index] for index in finding.layers if index not in estimated)
    return _SHARE_NOT_ESTIMATED * context.gpu_part * context.time_ms(layers) + (
        gain.ranking_ms if gain else 0.0
    )


def _work(context: Context) -> list[Mapping[int, float]]:
    """Return what part of the engine's work each layer does, by one or several measures."""
    layers = [layer for layer in context.layers if not layer.structural]
    # What is known of the other layers alone would say that what multiplies does little.
    products = [layer for layer in layers if is_conv_or_matmul(context, layer)]

    def shows(known: Collection[int], of: Collection[LayerFacts]) -> bool:
        return sum(layer.index in known for layer in of) >= _MIN_KNOWN * len(of)

    roofs = {layer.index: layer.roof.roof_ms for layer in layers if layer.roof is not None}
    if shows(roofs, layers) and shows(roofs, products):
        return [_shares(roofs.items())]
    moved = {layer.index: layer.moved_bytes for layer in layers if layer.moved_bytes}
    flops = {layer.index: layer.flops for layer in layers if layer.flops}
    if shows(moved, layers) and shows(flops, products):
        return [_shares(moved.items()), _shares(flops.items())]
    return [_shares((layer.index, 1.0) for layer in layers)]


def _shares(amounts: Iterable[tuple[int, float]]) -> Mapping[int, float]:
    found = dict(amounts)
    total = math.fsum(found.values())
    return {index: amount / total for index, amount in found.items()} if total else {}
