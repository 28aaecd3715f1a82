"""The check of an engine against its budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from trexreport.analyzer import budget as budgets
from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.analyzer.analysis.phases_check import PhasesCheck
from trexreport.analyzer.budget.figures import Checked
from trexreport.analyzer.phases import compare_phases
from trexreport.analyzer.rules.registry import Registry
from trexreport.configuration import Configuration
from trexreport.errors import UsageError, in_part
from trexreport.model import Engine, InputWarning, Phase
from trexreport.numbers import list_names, middle_ellipsis
from trexreport.pipeline.phases import PhasesInput
from trexreport.pipeline.settings import Settings
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.budget import render_suggestion

_Budget = TypeVar("_Budget", budgets.Budget, budgets.SetBudget)
_MAX_NAMED = 8


def read_budget(configuration: Configuration, rules: Registry, redaction: Redaction | None) -> budgets.Budget:
    """Return the budget of a configuration; its patterns match the redacted names if anything is redacted.

    Raises:
        UsageError: There is none, or something in it is invalid.
    """
    budget = _parsed(budgets.parse_budget, configuration, rules)
    if redaction is None:
        return budget
    from trexreport.redaction.capture import redact_text

    parts = (
        replace(each, pattern=redact_text(each.pattern, redaction), title=redact_text(each.title, redaction))
        for each in budget.parts
    )
    return replace(budget, file=Path(budget.file).name, parts=tuple(parts))


def read_set_budget(
    configuration: Configuration, rules: Registry, redaction: Redaction | None, phases: PhasesInput
) -> budgets.SetBudget:
    """Return the budget of a configuration for the phases of a set.

    Raises:
        UsageError: As for `read_budget`; it has limits of a phase that is not there.
    """
    budget = _parsed(budgets.parse_set_budget, configuration, rules)
    if redaction is not None:
        from trexreport.redaction.capture import redact_text

        redacted = budget.changed(partial(redact_text, redaction=redaction))
        budget = replace(redacted, file=Path(budget.file).name)
    names = [*(phase.name for phase in phases.phases), *phases.left_out]
    for name in budget.phases:
        if name not in names:
            raise UsageError(
                f"{configuration.prefix}budget.phase has limits of '{middle_ellipsis(name, 60)}', "
                "and there is no such phase.",
                f"There are {list_names(names, _MAX_NAMED)}.",
            )
    return budget


def _parsed(parse: Callable[..., _Budget], configuration: Configuration, rules: Registry) -> _Budget:
    prefix = configuration.prefix
    if configuration.budget is None:
        place = f"{prefix}budget is missing." if prefix else "There is no budget."
        raise UsageError(
            place,
            "Write [budget] into trexreport.toml, or name its file with --budget. --suggest prints one.",
        )
    try:
        return parse(configuration.budget, f"{prefix}budget.", rules.rules, file=configuration.file)
    except UsageError as error:
        # A rule may be unknown because its package is broken.
        raise UsageError(" ".join((str(error), *rules.failures))) from None


def check_engine(
    engine: Engine, baseline: Engine | None, budget: budgets.Budget, settings: Settings
) -> BudgetCheck:
    """Return the result of an engine's limits.

    Args:
        engine: The one that is checked.
        baseline: What regressions are measured against; None for nothing.
        budget: The limits.
        settings: Of both analyses.
    """
    return _check(
        settings,
        budget,
        (engine, settings.analyze(engine, with_blocks=budget.needs_blocks)),
        None if baseline is None else (baseline, settings.analyze(baseline, with_blocks=False)),
    )


def check_set(
    phases: PhasesInput,
    baseline: PhasesInput | None,
    budget: budgets.SetBudget,
    settings: Settings,
    outputs: Sequence[str],
) -> tuple[PhasesCheck, list[tuple[str, tuple[InputWarning, ...]]]]:
    """Return the result of the limits of a set's phases, and name and notes of each phase that was read.

    Args:
        phases: The set that is checked.
        baseline: What regressions are measured against, by the names of the phases; None for nothing.
        budget: The limits.
        settings: Of all analyses.
        outputs: Files that results are written to.

    Raises:
        UsageError: An output is one of the inputs.
        InputError: A file can't be read, or holds nothing usable.
    """
    notes = []

    def read(of: PhasesInput, label: str) -> budgets.CheckedSet:
        checked = {}
        for phase in of.read(outputs):
            needs_blocks = budget.of(phase.name).needs_blocks and not label
            checked[phase.name] = (phase.engine, settings.analyze(phase.engine, with_blocks=needs_blocks))
            notes.append((f"{label}{phase.name}", phase.engine.notes))
        return budgets.CheckedSet(of.title, checked, of.times, of.left_out)

    now = read(phases, "")
    old = None
    if baseline is not None:
        with in_part("baseline"):
            old = read(baseline, "baseline, ")
    return budgets.check_phases(budget, now, old, partial(_check, settings)), notes


def _check(
    settings: Settings, budget: budgets.Budget, engine: Checked, baseline: Checked | None
) -> BudgetCheck:
    return budgets.check_budget(
        budget, engine, baseline, rules=settings.rules.rules, settings=settings.lint, verdict=settings.verdict
    )


def suggest_budget(engine: Engine, settings: Settings) -> str:
    """Return limits that an engine meets today, as TOML."""
    analysis = settings.analyze(engine, with_blocks=False)
    limits = budgets.suggest_limits((engine, analysis), settings.rules.rules, settings.lint)
    return render_suggestion(limits, engine.name)


def suggest_set_budget(phases: PhasesInput, settings: Settings) -> tuple[str, list[Phase]]:
    """Return limits that the phases of a set meet today, as TOML, and the phases as they were read."""
    read = phases.read()
    analyses = [settings.analyze(phase.engine, with_blocks=False) for phase in read]
    limits = [
        replace(limit, table=budgets.in_phase(limit.table, phase.name))
        for phase, analysis in zip(read, analyses, strict=True)
        for limit in budgets.suggest_limits((phase.engine, analysis), settings.rules.rules, settings.lint)
    ]
    together = compare_phases([phase.name for phase in read], analyses, phases.times)
    return render_suggestion([*limits, *budgets.suggest_total(together, phases.left_out)], phases.title), read
