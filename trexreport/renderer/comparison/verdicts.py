"""The verdict on each candidate, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_ms
from trexreport.wording.comparison import is_comparable, is_contradicted, ratio_of, signed_percent, why
from trexreport.wording.conditions import different_conditions, different_measurement
from trexreport.wording.verdict import reasons_below_contradictions, verdict_text


@dataclass(frozen=True)
class VerdictView:
    """The verdict on one candidate.

    Attributes:
        kind: As JSON spells it.
        word: With "provisional", where it is.
        of: Which time was compared.
        way: From the baseline's time to the candidate's, unless files contradict them.
        why: What most of the difference is made of.
    """

    name: str
    kind: str
    word: str
    of: str
    change: str
    way: str
    why: str
    reasons: list[str]
    different_conditions: str


def candidates(comparison: Comparison) -> list[tuple[int, ComparedEngine]]:
    """Return the engines that are compared with the baseline, with their index."""
    return [
        (index, engine) for index, engine in enumerate(comparison.engines) if index != comparison.baseline
    ]


def verdict_views(comparison: Comparison) -> list[VerdictView]:
    """Return the verdict of each candidate."""
    views = []
    for index, engine in candidates(comparison):
        verdict = engine.verdict
        if verdict is None:
            continue
        sentences = (
            different_conditions(engine.blocking_conditions),
            different_measurement(comparison, index),
        )
        views.append(
            VerdictView(
                name=engine.name,
                kind=verdict.verdict,
                word=verdict_text(verdict),
                of=engine.verdict_metric,
                change=signed_percent(ratio_of(engine), 1) if is_comparable(engine) else "",
                way=_way(verdict),
                why=why(comparison, index),
                reasons=reasons_below_contradictions(verdict),
                different_conditions=" ".join(filter(None, sentences)),
            )
        )
    return views


def common_reasons(views: Sequence[VerdictView]) -> list[str]:
    """Return what holds for all verdicts alike, of two or more; each verdict's own reason is its first."""
    if len(views) < 2:
        return []
    return [reason for reason in views[0].reasons[1:] if all(reason in view.reasons[1:] for view in views)]


def without_reasons(view: VerdictView, stated: Sequence[str]) -> VerdictView:
    """Return a verdict without reasons that are stated for all; its own reason stays."""
    others = [reason for reason in view.reasons[1:] if reason not in stated]
    return replace(view, reasons=[*view.reasons[:1], *others])


def _way(verdict: Verdict) -> str:
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    if before is None or after is None or is_contradicted(verdict):
        return ""
    return f"{format_ms(before)} → {format_ms(after)}"
