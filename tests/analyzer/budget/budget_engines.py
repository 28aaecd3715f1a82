"""What the tests of budgets hold engines against, and what comes of it."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.analyzer.budget import check_budget, parse_budget
from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.reader import read_engine

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SAMPLES = Path(__file__).parents[3] / "samples"
BEFORE, AFTER = (SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after"))
WHERE = "trexreport.toml: budget."


@functools.cache
def checked(path):
    """Return an engine with its analysis, which tests must not change."""
    engine = read_engine(path)
    return engine, analyze(engine)


def budget_of(text):
    """Return the budget that a configuration states; a text without a heading is of [budget] itself."""
    document = tomllib.loads(text if "[budget" in text else f"[budget]\n{text}")
    return parse_budget(document["budget"], WHERE, built_in_rules(), file="trexreport.toml")


def outcomes(text, engine, baseline=None, **settings):
    """Return what comes of each limit of a configuration, by id."""
    engine, baseline = (checked(each) if isinstance(each, Path) else each for each in (engine, baseline))
    result = check_budget(
        budget_of(text), engine, baseline, rules=built_in_rules(), settings=LintSettings(**settings)
    )
    found = {outcome.id: outcome for outcome in result.outcomes}
    assert len(found) == len(result.outcomes)
    return found


def outcome(text, engine=AFTER, baseline=None, **settings):
    """Return what comes of the only limit of a configuration."""
    (found,) = outcomes(text, engine, baseline, **settings).values()
    return found
