"""What fixes save, and what that is based on, as texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from trexreport.analyzer.analysis.contradictions import FigureGroup
from trexreport.analyzer.analysis.gains import Gain, GainBasis, GainBasisCode
from trexreport.analyzer.analysis.timing import Latency
from trexreport.model import Contradiction
from trexreport.numbers import (
    TIMES,
    counted,
    format_ms,
    format_number,
    format_percentage,
    join_names,
    with_unit,
)
from trexreport.wording.contradictions import contradicted_figures
from trexreport.wording.texts import TEXTS

_NOT_ESTIMATED = "not estimated"
#: Which wholes are times of layers; the others are of queries.
_OF_LAYERS = frozenset({"layer time", "layer time without outliers"})
#: Part of the smaller savings from which on it counts that they are of the layers of others.
_MIN_SHARED = 0.1
#: Codes of rules and what their findings save; a rule may have several.
Gains: TypeAlias = Iterable[tuple[str, "Gain | None"]]
#: Two digits: more would say that an estimate is more exact than it is.
_DIGITS = 2
_BASES: dict[GainBasisCode, str] = TEXTS["gains"]["bases"]
#: What limits the savings beside that.
_LIMITS: dict[GainBasisCode, str] = TEXTS["gains"]["limits"]


def savings(gain: Gain | None) -> str:
    """Return "at most 9.1% (0.11 ms)", "est. 3.2–9.0% (0.04–0.11 ms)" or "not estimated".

    The share comes first: times of profiled layers add up to more than the latency beside them.
    """
    if gain is None:
        return _NOT_ESTIMATED
    if gain.high_percent is None or gain.low_percent is None:
        return with_unit(savings_ms(gain), "ms")
    if gain.kind == "bound":
        time = with_unit(format_number(gain.high_ms), "ms")
        return f"at most {format_percentage(gain.high_percent)} ({time})"
    times = with_unit(_range(gain.low_ms, gain.high_ms), "ms")
    return f"est. {_range(gain.low_percent, gain.high_percent)}% ({times})"


def savings_ms(gain: Gain) -> str:
    """Return "at most 0.11" or "est. 0.04–0.11", for a column in milliseconds."""
    if gain.kind == "bound":
        return f"at most {format_number(gain.high_ms)}"
    return f"est. {_range(gain.low_ms, gain.high_ms)}"


def savings_basis(gain: Gain) -> str:
    """Return what the savings are based on, as sentences."""
    known = [_basis(basis) for basis in gain.bases if basis.code not in _LIMITS]
    kind = "Bound" if gain.kind == "bound" else "Estimate"
    sentences = [f"{kind} from {'; '.join(known)}."] if known else []
    codes = {basis.code for basis in gain.bases}
    return " ".join([*sentences, *(text for code, text in _LIMITS.items() if code in codes)])


def savings_whole(gains: Gains, latency: Latency, contradictions: Sequence[Contradiction] = ()) -> str:
    """Return what the percentages of savings are a share of, as a sentence; empty where none is known.

    Args:
        gains: Of findings, each with its code.
        latency: The times that they may be a share of.
        contradictions: Between files: a time that is not known is named without its value.
    """
    groups: dict[str, dict[str, None]] = {}
    for code, gain in gains:
        if gain and gain.high_percent:
            groups.setdefault(_whole(gain, gain.high_percent, latency, contradictions), {})[code] = None
    if not groups:
        return ""
    (most, _), *others = sorted(groups.items(), key=lambda item: -len(item[1]))
    rest = "".join(f"; those of {join_names(list(codes))} of {name}" for name, codes in others)
    return f"Savings are in percent of {most}{rest}."


def savings_shared(gains: Gains) -> str:
    """Return which rules' savings are in part those of the same layers, as a sentence; empty if none are."""
    of_layers: dict[str, dict[int, float]] = {}
    for code, gain in gains:
        # A rule has a finding of each severity, whose layers differ.
        of_layers.setdefault(code, {}).update(
            {part.layer: part.high_ms for part in gain.parts} if gain else {}
        )
    shared = [
        code
        for code, own in of_layers.items()
        if any(code != other and _is_shared(own, parts) for other, parts in of_layers.items())
    ]
    if not shared:
        return ""
    return f"The savings of {join_names(shared)} do not add up: in part they are of the same layers."


def _is_shared(one: Mapping[int, float], other: Mapping[int, float]) -> bool:
    both = math.fsum(min(one[layer], other[layer]) for layer in one.keys() & other.keys())
    return both >= _MIN_SHARED * min(math.fsum(one.values()), math.fsum(other.values())) > 0


def _whole(gain: Gain, percent: float, latency: Latency, contradictions: Sequence[Contradiction]) -> str:
    """Return which time savings are a share of, given that share."""
    whole_ms = 100 * gain.high_ms / percent
    whole, compute = latency.end_to_end, latency.gpu_compute
    times = {
        "layer time": latency.layer_sum_ms,
        "GPU compute time": compute and compute.median_ms,
        "latency": whole and whole.median_ms,
        "mean latency": whole and whole.mean_ms,
        "the time between queries": 1000 / latency.throughput_qps if latency.throughput_qps else None,
    }
    equal = (name for name, ms in times.items() if ms and math.isclose(ms, whole_ms, rel_tol=1e-6))
    name = next(equal, "layer time without outliers")
    group: FigureGroup = "layer-times" if name in _OF_LAYERS else "query-times"
    doubt = contradicted_figures(contradictions)[group]
    return f"{name} ({doubt or format_ms(whole_ms)})"


def _basis(basis: GainBasis) -> str:
    text = _BASES[basis.code]
    if basis.code == "same-engine" and basis.references:
        follow = "follows" if len(basis.references) == 1 else "follow"
        layers = counted(len(basis.references), "layer")
        text = f"{layers} of this engine that already {follow} the recommendation"
    if basis.low_factor is not None and basis.high_factor is not None:
        if basis.code == "roof":
            shares = _range(100 * basis.low_factor, 100 * basis.high_factor)
            text += f" at {shares if basis.low_factor else f'up to {_figure(100 * basis.high_factor)}'}%"
            text += " of peak performance"
            text += " plus the time of a launch"
        elif basis.code in ("same-engine", "peaks"):
            text += f", {_range(basis.low_factor, basis.high_factor)}{TIMES} as fast"
        else:
            text += f" of {_range(basis.low_factor, basis.high_factor)}{TIMES}"
    return f"{text} ({basis.source})" if basis.source else text


def _range(low: float, high: float) -> str:
    """Return two figures with a dash between, or one where they are written alike."""
    first, last = _figure(low), _figure(high)
    return last if first == last else f"{'0' if first.startswith('<') else first}–{last}"


def _figure(value: float) -> str:
    return format_number(float(value), _DIGITS)
