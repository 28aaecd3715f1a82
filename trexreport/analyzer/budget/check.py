"""Hold an engine against a budget.

Figures that impossible values may have changed are left undecided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.budget import (
    STATES,
    BudgetCheck,
    LimitBound,
    LimitOutcome,
    LimitTable,
    LimitTitle,
    MetricReason,
)
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.contradictions import ALL_GROUPS
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.budget.figures import FIGURES, ZERO_BY_DEFAULT, Checked
from trexreport.analyzer.budget.findings import count_findings
from trexreport.analyzer.budget.limits import (
    REGRESSION_OF_PART,
    Budget,
    Limit,
    MetricValue,
    Subject,
    judge,
    unless_contradicted,
)
from trexreport.analyzer.budget.metrics import judge_metrics
from trexreport.analyzer.budget.parts import PART_FIGURES, measure_part
from trexreport.analyzer.budget.regression import (
    REGRESSION_METRICS,
    TIME,
    faults_of_baseline,
    measure_regression,
)
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.rules import LintSettings, Rule
from trexreport.model import IMPOSSIBLE, PROFILE_SUMS

_VERDICT = VerdictSettings()


def check_budget(
    budget: Budget,
    engine: Checked,
    baseline: Checked | None = None,
    *,
    rules: Sequence[Rule] = (),
    settings: LintSettings | None = None,
    verdict: VerdictSettings = _VERDICT,
) -> BudgetCheck:
    """Return what comes of each limit; the same input gives the same.

    Args:
        budget: The limits.
        engine: What is checked; with blocks where `budget.needs_blocks`.
        baseline: What limits on regression hold it against.
        rules: All that are installed.
        settings: With which they ran.
        verdict: What a verdict requires, besides the limit on the time.
    """
    comparison = None
    if baseline is not None and budget.needs_baseline:
        comparison = compare(
            [baseline[0], engine[0]],
            settings=_verdict_settings(budget, verdict),
            analyses=[baseline[1], engine[1]],
        )
    settings = settings or LintSettings()
    outcomes = list(_outcomes(budget, engine, baseline, comparison, rules=rules, settings=settings))
    return BudgetCheck(
        engine=engine[1].identity,
        baseline=baseline[1].identity if baseline else None,
        budget=budget.file,
        failed=any(outcome.severity == "error" for outcome in outcomes),
        counts=count_outcomes(outcomes),
        outcomes=outcomes,
        remarks=["unused-baseline"] if baseline and not budget.needs_baseline else [],
        sources=engine[1].sources,
    )


def count_outcomes(outcomes: Iterable[LimitOutcome]) -> dict[str, int]:
    """Return how many limits are of each state, and of the severities "warn" and "error"."""
    pairs = [(outcome.state, outcome.severity) for outcome in outcomes]
    states = Counter(state for state, _ in pairs)
    severities = Counter(severity for _, severity in pairs)
    return {
        **{state: states[state] for state in STATES},
        **{severity: severities[severity] for severity in ("warn", "error")},
    }


def _verdict_settings(budget: Budget, verdict: VerdictSettings) -> VerdictSettings:
    """Return what makes a difference count: the limit on the time, as a smaller one is allowed."""
    allowed = [limit.value for limit in budget.regression if limit.key == TIME]
    return replace(verdict, minimum_effect_percent=allowed[0]) if allowed else verdict


def _outcomes(
    budget: Budget,
    engine: Checked,
    baseline: Checked | None,
    comparison: Comparison | None,
    *,
    rules: Sequence[Rule],
    settings: LintSettings,
) -> Iterator[LimitOutcome]:
    limits = budget.engine
    stated = {limit.key for limit in limits}
    unstated = (key for key in ZERO_BY_DEFAULT if key not in stated and FIGURES[key].known(engine).value)
    limits = (*(Limit(key, 0) for key in unstated), *limits)
    for limit in limits:
        figure = FIGURES[limit.key]
        title = LimitTitle("engine", limit.key)
        subject = Subject(limit.key, "engine", title, figure.unit, figure.bound)
        known = uncertain(figure.known(engine), engine[1], figure.section, figure.bound)
        yield judge(limit, unless_contradicted(known, figure.rests_on, engine[1]), subject)
    yield from judge_metrics(budget.metrics, engine, baseline)
    on_findings: tuple[tuple[LimitTable, Sequence[Limit]], ...]
    on_findings = (("findings", budget.findings), ("places", budget.places))
    for table, limits in on_findings:
        for limit in limits:
            known = count_findings(limit, engine[1], rules, settings, places=table == "places")
            known = unless_contradicted(known, ALL_GROUPS, engine[1])
            title = LimitTitle(table, limit.key, limit.severity)
            yield judge(limit, known, Subject(f"{table}.{limit.key}", "findings", title, ""))
    analyses = [each[1] for each in (engine, baseline) if each is not None]
    stated = {limit.key for limit in budget.regression}
    faults = faults_of_baseline(budget, baseline, comparison)
    for limit in (*(each for each in faults if each.key not in stated), *budget.regression):
        metric = REGRESSION_METRICS[limit.key]
        known = measure_regression(limit, engine, baseline, comparison)
        known = unless_contradicted(known, metric.rests_on, *analyses)
        title = LimitTitle("regression", limit.key)
        section = FIGURES[metric.figure].section if metric.figure else "timing"
        for analysis in analyses if metric.rests_on else ():
            # A difference is known in whole or not at all.
            known = uncertain(known, analysis, section, "min")
        yield judge(limit, known, Subject(f"regression.{limit.key}", "regression", title, metric.unit))
    for number, part in enumerate(budget.parts, 1):
        for limit in part.limits:
            of_part = PART_FIGURES[limit.key]
            known = measure_part(part, limit.key, engine[1], comparison)
            of_both = analyses if limit.key == REGRESSION_OF_PART else [engine[1]]
            known = uncertain(known, engine[1], of_part.section)
            known = unless_contradicted(known, of_part.rests_on, *of_both)
            title = LimitTitle("part", limit.key, part=part.title)
            yield judge(limit, known, Subject(f"part.{number}.{limit.key}", "part", title, of_part.unit))


def uncertain(known: MetricValue, analysis: Analysis, section: str, bound: LimitBound = "max") -> MetricValue:
    """Return what is known of a figure: a part of it at most if its section has impossible values or sums.

    Args:
        known: The figure as computed, without these values.
        analysis: The engine.
        section: The section of the report that the figure is from, as `InputWarning.affects` names it.
        bound: What has to be at least something is known in whole or not at all.
    """
    if any(note.slug == PROFILE_SUMS and section in note.affects for note in analysis.notes):
        # A sum over several runs is not part of the time of one.
        return known._replace(value=None, missing=[MetricReason("times-are-sums"), *known.missing])
    notes = [note for note in analysis.notes if note.slug == IMPOSSIBLE and section in note.affects]
    layers = [layer for layer in analysis.layers if layer.excess == "impossible"]
    if not notes and not (layers and section == "latency"):
        return known
    names = list(dict.fromkeys([*(note.source for note in notes if note.source), *_names(layers)]))
    reason = MetricReason("impossible-values", len(names), names=names)
    return known._replace(value=None if bound == "min" else known.value, missing=[reason, *known.missing])


def _names(layers: list[LayerFacts], most: int = 3) -> list[str]:
    return [layer.name for layer in layers[:most]]
