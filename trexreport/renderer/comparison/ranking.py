"""All engines of a comparison by their time, the fastest first."""

from __future__ import annotations

from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.wording.comparison import is_comparable, ratio_of, signed_percent
from trexreport.wording.verdict import verdict_text


@dataclass(frozen=True)
class RankedEngine:
    """A row of the ranking.

    Attributes:
        index: Position of the engine in the comparison.
        number: Which candidate it is, from 1 on; 0 for the baseline.
        time_ms: The time that verdicts compare; None where it is not comparable.
        length: Its time in percent of the slowest.
        change: Against the baseline; empty for the baseline and where it is not comparable.
        kind: Of its verdict; empty for the baseline.
        verdict: In words.
    """

    index: int
    number: int
    name: str
    time_ms: float | None
    length: float
    change: str
    kind: str
    verdict: str


@dataclass(frozen=True)
class Ranking:
    """The engines, those without a comparable time last; `metric` is the time they are ranked by."""

    metric: str
    engines: list[RankedEngine]


def rank_engines(comparison: Comparison) -> Ranking | None:
    """Return the ranking of three or more engines; None where their times are not of one kind."""
    judged = [(number, *each) for number, each in enumerate(candidates(comparison), 1) if each[1].verdict]
    known = [engine for _, _, engine in judged if _time(engine) is not None]
    metrics = {engine.verdict_metric for engine in known}
    baseline_ms = next((each.verdict.baseline.median_ms for each in known if each.verdict), None)
    if len(judged) < 2 or len(metrics) != 1 or baseline_ms is None:
        return None
    longest = max([baseline_ms, *(_time(engine) or 0.0 for engine in known)])
    baseline = comparison.engines[comparison.baseline]
    share = 100 * baseline_ms / longest
    rows = [RankedEngine(comparison.baseline, 0, baseline.name, baseline_ms, share, "", "", "baseline")]
    for number, index, engine in judged:
        time_ms, verdict = _time(engine), engine.verdict
        if verdict is None:
            continue
        rows.append(
            RankedEngine(
                index,
                number,
                engine.name,
                time_ms,
                100 * (time_ms or 0.0) / longest,
                "" if time_ms is None else signed_percent(ratio_of(engine), 1),
                verdict.verdict,
                verdict_text(verdict),
            )
        )
    rows.sort(key=lambda row: (row.time_ms is None, row.time_ms or 0.0, row.index))
    return Ranking(metrics.pop(), rows)


def _time(engine: ComparedEngine) -> float | None:
    return engine.verdict.candidate.median_ms if engine.verdict and is_comparable(engine) else None
