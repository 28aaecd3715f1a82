"""What the rules find on an engine or on the phases of a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trexreport.analyzer.rules.description import describe_rules
from trexreport.model import Engine, InputWarning
from trexreport.pipeline.phases import PhasesInput
from trexreport.pipeline.settings import Settings
from trexreport.renderer.findings import LintRun

if TYPE_CHECKING:
    from trexreport.renderer.phases.findings import PhasesLint


def lint_engine(engine: Engine, settings: Settings, fail_on: str | None) -> LintRun:
    """Return what the rules find.

    Args:
        engine: What is examined.
        settings: Of rules and thresholds.
        fail_on: The severity that fails, instead of that of the settings; "never" for none.
    """
    wanted = [rule for rule in settings.rules.rules if settings.lint.wants(rule)]
    # No rule asks for blocks.
    analysis = settings.analyze(engine, with_blocks=False)
    return LintRun(analysis, describe_rules(wanted), fail_on or settings.lint.fail_on)


def lint_set(
    phases: PhasesInput, settings: Settings, fail_on: str | None, outputs: Sequence[str]
) -> tuple[PhasesLint, list[tuple[str, tuple[InputWarning, ...]]]]:
    """Return what the rules find on each phase, and name and notes of each phase.

    Args:
        phases: What is examined.
        settings: Of rules and thresholds.
        fail_on: As for `lint_engine`.
        outputs: Files that results are written to, which must not be inputs.

    Raises:
        UsageError: An output is one of the inputs.
        InputError: A file can't be read, or holds nothing usable.
    """
    # Imported late: most lint one engine.
    from trexreport.renderer.phases.findings import PhasesLint

    read = phases.read(outputs)
    runs = [(phase.name, lint_engine(phase.engine, settings, fail_on)) for phase in read]
    return PhasesLint(phases.title, runs), [(phase.name, phase.engine.notes) for phase in read]
