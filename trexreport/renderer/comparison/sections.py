"""What the templates of a comparison's sections need, for the page and the PDF.

All engines of a comparison by their time, the fastest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts.apart import fit_apart
from trexreport.renderer.comparison.accuracy import accuracy_table
from trexreport.renderer.comparison.charts import comparison_charts
from trexreport.renderer.comparison.executions import execution_views
from trexreport.renderer.comparison.figures import figure_rows, stated_figures
from trexreport.renderer.comparison.intervals import Interval
from trexreport.renderer.comparison.row_columns import STATIC_COLUMNS
from trexreport.renderer.comparison.rows import (
    engines_with,
    in_common,
    modules_are_blocks,
    precision_changes,
    share_views,
    shown_shares,
    static_rows,
    tactic_changes,
)
from trexreport.renderer.comparison.verdicts import candidates, common_reasons, verdict_views, without_reasons
from trexreport.renderer.page import environment
from trexreport.renderer.palette import color
from trexreport.wording import comparison as wording
from trexreport.wording.comparison import is_comparable, ratio_of, signed_percent
from trexreport.wording.conditions import (
    condition_effect,
    condition_title,
    conditions_sentence,
    severity_text,
)
from trexreport.wording.contradictions import contradiction_notices
from trexreport.wording.glossary import GLOSSARY
from trexreport.wording.verdict import outcome_role, verdict_text

if TYPE_CHECKING:
    from jinja2 import Environment


#: Of a letter of usual width in a label, in pixels.
_CHARACTER_WIDTH = 7.5
_UNALIGNED = "not compared"


@dataclass(frozen=True)
class _RankedEngine:
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
class _Ranking:
    """The engines, those without a comparable time last; `metric` is the time they are ranked by."""

    metric: str
    engines: list[_RankedEngine]


def comparison_environment() -> Environment:
    """Return the templates with the filters that a comparison needs besides those of every page."""
    templates = environment()
    templates.filters.update(
        verdict_text=verdict_text,
        apart=_apart,
        condition_title=condition_title,
        condition_effect=condition_effect,
        condition_severity=severity_text,
    )
    return templates


def _apart(names: Sequence[str], characters: int) -> list[str]:
    """Shorten names of engines to about that many characters; each keeps what makes it another one."""
    return fit_apart(names, characters * _CHARACTER_WIDTH)


def whole_values(comparison: Comparison, analyses: Sequence[Analysis]) -> dict[str, Any]:
    """Return what concerns every engine, by the names that the templates use."""
    views = verdict_views(comparison)
    common = common_reasons(views)
    return {
        "comparison": comparison,
        "analyses": analyses,
        "version": __version__,
        "glossary": GLOSSARY,
        "headline": wording.headline(comparison),
        "ranking": wording.ranking(comparison),
        "ranked": rank_engines(comparison),
        "synthetic": wording.synthetic(comparison),
        "alike_facts": wording.alike_facts(comparison),
        "contradictions": contradiction_notices(
            (engine.name, engine.contradictions) for engine in comparison.engines
        ),
        "verdicts": [without_reasons(view, common) for view in views],
        "common_reasons": common,
        "figure_columns": (figure_columns := stated_figures(comparison)),
        "figures": figure_rows(comparison, figure_columns),
        "charts": comparison_charts(comparison),
        "accuracy": accuracy_table(comparison),
        "executions": execution_views(comparison),
    }


def column_values(comparison: Comparison, focus: int) -> dict[str, Any]:
    """Return what has a column for each engine, by the names that the templates use."""
    differing = [each for each in comparison.conditions if each.differs or each.unknown]
    precisions = precision_changes(comparison, focus)
    tactics = tactic_changes(comparison, focus)
    by_name = {
        "operator": comparison.by_operator,
        "module": comparison.by_module,
        "source line": comparison.by_source,
    }
    return {
        "focus": focus,
        "static_columns": STATIC_COLUMNS,
        "static_rows": static_rows(comparison, focus),
        "engines_with": {what: engines_with(comparison, shares, focus) for what, shares in by_name.items()},
        "share_counts": {
            what: len(shown_shares(comparison, shares, focus)) for what, shares in by_name.items()
        },
        "operators": share_views(comparison, comparison.by_operator, focus),
        "operators_in_common": in_common(comparison, comparison.by_operator, focus),
        "modules_are_blocks": modules_are_blocks(comparison),
        "modules": share_views(comparison, comparison.by_module, focus),
        "sources": share_views(comparison, comparison.by_source, focus),
        "precision_count": precisions[0],
        "precision_changes": precisions[1],
        "tactic_count": tactics[0],
        "tactic_changes": tactics[1],
        "conditions_sentence": conditions_sentence(comparison),
        "conditions_differing": differing,
        "conditions_alike": [each for each in comparison.conditions if each not in differing],
    }


def default_focus(comparison: Comparison) -> int:
    """Return the first candidate; the baseline where there is none."""
    return next((index for index, _ in candidates(comparison)), comparison.baseline)


def intervals(comparison: Comparison) -> list[Interval]:
    """Return the ratio of each candidate's time to the baseline's, where it is meaningful."""
    found = []
    for _, engine in candidates(comparison):
        ratio, verdict = wording.ratio_of(engine), engine.verdict
        if ratio is None or verdict is None or not wording.is_comparable(engine):
            continue
        ends = verdict.median_ratio
        words = filter(None, (verdict_text(verdict), wording.signed_percent(ratio, 1)))
        found.append(
            Interval(
                name=engine.name,
                value=ratio,
                low=ends.low if ends else None,
                high=ends.high if ends else None,
                words=", ".join(words),
                role=outcome_role(verdict.verdict),
            )
        )
    return found


def change_colors(comparison: Comparison, index: int) -> dict[int, tuple[str, str]]:
    """Return the status of each layer of a candidate, and its color."""
    meanings = [_meaning(row, index) for row in comparison.rows]
    return {layer: meanings[row] for layer, row in enumerate(comparison.row_of[index])}


def _meaning(row: ComparedRow, index: int) -> tuple[str, str]:
    status = row.sides[index].status
    known = status not in {"", "unknown"}
    return status or _UNALIGNED, color(f"change:{status}" if known else "neutral")


def rank_engines(comparison: Comparison) -> _Ranking | None:
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
    rows = [_RankedEngine(comparison.baseline, 0, baseline.name, baseline_ms, share, "", "", "baseline")]
    for number, index, engine in judged:
        time_ms, verdict = _time(engine), engine.verdict
        if verdict is None:
            continue
        rows.append(
            _RankedEngine(
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
    return _Ranking(metrics.pop(), rows)


def _time(engine: ComparedEngine) -> float | None:
    return engine.verdict.candidate.median_ms if engine.verdict and is_comparable(engine) else None
