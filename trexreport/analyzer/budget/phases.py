"""Hold the phases of a set, and what they take together, against a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from trexreport.analyzer.analysis import budget as facts
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.analyzer.analysis.phases_check import PhaseCheck, PhasesCheck
from trexreport.analyzer.budget.check import count_outcomes
from trexreport.analyzer.budget.figures import Checked
from trexreport.analyzer.budget.limits import Budget, Limit, Limited, MetricValue, Part, Subject, judge
from trexreport.analyzer.budget.metrics import joined_metrics
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.phases import compare_phases
from trexreport.lazy_dataclass import dataclass

#: Key in [budget.total] to what it limits.
TOTAL_FIGURES: Mapping[str, Limited] = {
    "time-ms": Limited("ms"),
    "time-percent": Limited("%", most=1e6),
}
_TIME, _GROWTH = TOTAL_FIGURES


@dataclass(frozen=True)
class SetBudget:
    """The limits of a set of phases.

    Attributes:
        file: Where they stand, for messages.
        shared: Those of every phase.
        phases: Name of a phase to the limits that it has besides, or instead of shared ones of the same key.
        total: On what all phases take together.
    """

    file: str = ""
    shared: Budget = field(default_factory=Budget)
    phases: Mapping[str, Budget] = field(default_factory=dict)
    total: tuple[Limit, ...] = ()

    def of(self, name: str) -> Budget:
        """Return the limits of a phase."""
        own, shared = self.phases.get(name), self.shared
        if own is None:
            return shared
        return Budget(
            file=self.file,
            engine=_joined(shared.engine, own.engine),
            findings=_joined(shared.findings, own.findings),
            places=_joined(shared.places, own.places),
            regression=_joined(shared.regression, own.regression),
            metrics=joined_metrics(shared.metrics, own.metrics),
            parts=(*shared.parts, *own.parts),
        )

    def changed(self, change: Callable[[str], str]) -> SetBudget:
        """Return the budget with what it says of names changed, as redaction changes them."""

        def part(each: Part) -> Part:
            return replace(each, pattern=change(each.pattern), title=change(each.title))

        def budget(each: Budget) -> Budget:
            return replace(each, parts=tuple(map(part, each.parts)))

        of_phases = {change(name): budget(each) for name, each in self.phases.items()}
        return replace(self, shared=budget(self.shared), phases=of_phases)


@dataclass(frozen=True)
class CheckedSet:
    """A set of phases that is checked, or that one is checked against.

    Attributes:
        title: Of the set.
        phases: Name to engine and analysis, in their order.
        times: Phase to its runs for one request, as far as they are stated.
        left_out: Phases of the set that the user did not choose.
    """

    title: str
    phases: Mapping[str, Checked]
    times: Mapping[str, int]
    left_out: Sequence[str] = ()


def check_phases(
    budget: SetBudget,
    checked: CheckedSet,
    baseline: CheckedSet | None,
    check: Callable[[Budget, Checked, Checked | None], facts.BudgetCheck],
) -> PhasesCheck:
    """Return what comes of each limit of every phase, and of those on the total.

    Args:
        budget: The limits.
        checked: What is checked.
        baseline: What limits on regression hold it against, phase by phase.
        check: Checks one engine; see `check_budget`.
    """
    earlier = baseline.phases if baseline else {}
    needs_baseline = any(limit.key == _GROWTH and limit.level != "off" for limit in budget.total)
    needs_baseline = needs_baseline or any(budget.of(name).needs_baseline for name in checked.phases)
    found = [
        PhaseCheck(
            name,
            _in_a_set(check(budget.of(name), each, earlier.get(name)), baseline, unused=not needs_baseline),
        )
        for name, each in checked.phases.items()
    ]
    names, analyses = list(checked.phases), [each[1] for each in checked.phases.values()]
    shared = [earlier[name][1] for name in names if name in earlier]
    together = compare_phases(names, analyses, checked.times, others=shared)
    before = None
    if baseline is not None and set(earlier) == set(names):
        # The same request: its counts are those of the set that is checked.
        before = compare_phases(names, shared, checked.times, others=analyses)
    total = [
        judge(limit, _total(limit.key, together, before, checked, baseline), _subject(limit.key))
        for limit in budget.total
    ]
    outcomes = [outcome for each in found for outcome in each.check.outcomes]
    return PhasesCheck(
        title=checked.title,
        baseline=baseline.title if baseline else None,
        budget=budget.file,
        failed=any(outcome.severity == "error" for outcome in (*outcomes, *total)),
        counts=count_outcomes([*outcomes, *total]),
        phases=found,
        together=together,
        total=total,
        only_in_baseline=[
            name for name in earlier if name not in checked.phases and name not in checked.left_out
        ],
    )


def _in_a_set(check: facts.BudgetCheck, baseline: CheckedSet | None, *, unused: bool) -> facts.BudgetCheck:
    """Return the check of a phase; what is missing is missing of the baseline's set."""
    if baseline is None:
        return check
    outcomes = [replace(each, reason=_reasons(each)) for each in check.outcomes]
    remarks = [remark for remark in check.remarks if unused or remark != "unused-baseline"]
    return replace(check, outcomes=outcomes, remarks=remarks)


def _reasons(outcome: facts.LimitOutcome) -> Sequence[facts.LimitReason]:
    return [
        facts.MetricReason("no-phase-in-baseline")
        if isinstance(each, facts.MetricReason) and each.code == "no-baseline"
        else each
        for each in outcome.reason
    ]


def _subject(key: str) -> Subject:
    return Subject(f"total.{key}", "total", facts.LimitTitle("total", key), TOTAL_FIGURES[key].unit)


def _total(
    key: str,
    together: PhasesFacts,
    before: PhasesFacts | None,
    checked: CheckedSet,
    baseline: CheckedSet | None,
) -> MetricValue:
    """Return what is known of the total, or of its growth."""
    missing = list(_missing(together, checked))
    if missing:
        return MetricValue(None, missing)
    if key == _TIME:
        return MetricValue(together.total_ms)
    if baseline is None:
        return MetricValue(None, [facts.MetricReason("no-baseline")])
    if before is None:
        names = sorted(set(baseline.phases) ^ set(checked.phases))
        return MetricValue(None, [facts.MetricReason("other-phases-in-baseline", names=names)])
    if not before.total_ms or together.total_ms is None:
        return MetricValue(None, [facts.MetricReason("no-time-of-all-phases")])
    obstacles = _obstacles(checked, baseline)
    if obstacles:
        return MetricValue(None, obstacles)
    growth = 100 * (together.total_ms - before.total_ms) / before.total_ms
    return MetricValue(growth, remarks=[facts.MetricReason("totals-alone")])


def _obstacles(checked: CheckedSet, baseline: CheckedSet) -> list[facts.LimitReason]:
    """Return what makes the times of two sets no measure of their engines, each condition once."""
    names: dict[str, None] = {}
    for name, (engine, analysis) in checked.phases.items():
        before = baseline.phases[name]
        comparison = compare([before[0], engine], analyses=[before[1], analysis])
        names.update(dict.fromkeys(comparison.engines[1].blocking_conditions))
    return [facts.MetricReason("different-conditions", names=list(names))] if names else []


def _missing(together: PhasesFacts, checked: CheckedSet) -> Iterator[facts.LimitReason]:
    if checked.left_out:
        yield facts.MetricReason("phases-left-out", names=list(checked.left_out))
    uncounted = [phase.name for phase in together.phases if phase.times is None]
    if uncounted:
        yield facts.MetricReason("no-count-of-phases", names=uncounted)
    if together.measure is None:
        yield facts.MetricReason("no-time-of-all-phases")


def _joined(shared: tuple[Limit, ...], own: tuple[Limit, ...]) -> tuple[Limit, ...]:
    """Return the limits of a phase: its own in place of shared ones of the same key."""
    keys = {limit.key for limit in own}
    return (*(limit for limit in shared if limit.key not in keys), *own)
