"""The check of an engine against its budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.analyzer.budget import Budget, check_budget, parse_budget, suggest_limits
from trexreport.analyzer.rules.registry import Registry
from trexreport.configuration import Configuration
from trexreport.errors import UsageError
from trexreport.model import Engine
from trexreport.pipeline.settings import Settings
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.budget import render_suggestion


def read_budget(configuration: Configuration, rules: Registry, redaction: Redaction | None) -> Budget:
    """Return the budget of a configuration; its patterns match the redacted names if anything is redacted.

    Raises:
        UsageError: There is none, or something in it is invalid.
    """
    prefix = configuration.prefix
    if configuration.budget is None:
        place = f"{prefix}budget is missing." if prefix else "There is no budget."
        raise UsageError(place, "Write [budget] into trexreport.toml, or name its file with --budget.")
    try:
        budget = parse_budget(configuration.budget, f"{prefix}budget.", rules.rules, file=configuration.file)
    except UsageError as error:
        # A rule may be unknown because its package is broken.
        raise UsageError(" ".join((str(error), *rules.failures))) from None
    if redaction is None:
        return budget
    from trexreport.redaction.capture import redact_text

    parts = (
        replace(each, pattern=redact_text(each.pattern, redaction), title=redact_text(each.title, redaction))
        for each in budget.parts
    )
    return replace(budget, file=Path(budget.file).name, parts=tuple(parts))


def check_engine(engine: Engine, baseline: Engine | None, budget: Budget, settings: Settings) -> BudgetCheck:
    """Return the result of an engine's limits.

    Args:
        engine: The one that is checked.
        baseline: What regressions are measured against; None for nothing.
        budget: The limits.
        settings: Of both analyses.
    """
    return check_budget(
        budget,
        (engine, settings.analyze(engine, with_blocks=budget.needs_blocks)),
        None if baseline is None else (baseline, settings.analyze(baseline, with_blocks=False)),
        rules=settings.rules.rules,
        settings=settings.lint,
        verdict=settings.verdict,
    )


def suggest_budget(engine: Engine, settings: Settings) -> str:
    """Return limits that an engine meets today, as TOML."""
    analysis = settings.analyze(engine, with_blocks=False)
    limits = suggest_limits((engine, analysis), settings.rules.rules, settings.lint)
    return render_suggestion(limits, engine.name)
