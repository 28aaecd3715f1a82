"""Run commands of trexreport in this process, and judge how they ended."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from trexreport.analyzer.rules import registry
from trexreport.cli import main
from trexreport.errors import TrexReportError
from trexreport.site import comparison_pages, engine_pages, jobs, workers

#: Codes that what a file holds may lead to: done, a gate failed, wrong usage, bad input.
ALLOWED = frozenset({0, 1, 2, 3})


class FaultError(AssertionError):
    """A command ended as none may."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended, whatever was in its files."""

    code: int
    stated: str
    printed: str


@contextmanager
def nothing_caught():
    """Let through what trexreport would survive and report as its own fault, such as a rule that broke."""

    def raise_it(error: BaseException) -> str:
        if isinstance(error, TrexReportError):
            return str(error)
        raise error

    kept = [(place, name, getattr(place, name)) for place, name in (*_CATCHERS, *_REPLACED)]
    for place, name in _CATCHERS:
        setattr(place, name, raise_it)
    for (place, name), other in _REPLACED.items():
        setattr(place, name, other)
    try:
        yield
    finally:
        for place, name, value in kept:
            setattr(place, name, value)


@contextmanager
def _here(*_arguments):
    """Do the jobs of a site in this process."""
    yield workers.SerialWorkers()


# The package has a function of that name.
_LINT = sys.modules["trexreport.analyzer.rules.lint"]
_CATCHERS = (
    (_LINT, "error_text"),
    (jobs, "reason"),
    (engine_pages, "reason"),
    (comparison_pages, "reason"),
)
#: What takes long and has nothing to do with the files: processes, and a search for rules of other packages.
_REPLACED = {(workers, "open_workers"): _here, (registry, "_entry_points"): lambda _failures: []}


def run(*arguments, allowed: frozenset[int] = ALLOWED) -> Outcome:
    """Run a command and raise unless it ended with a result or one line that says why there is none.

    Raises:
        FaultError: It raised, or it ended with another code or other words.
    """
    words = [str(each) for each in arguments]
    with nothing_caught():
        result = CliRunner().invoke(main, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise FaultError(f"{words} raised {result.exception!r:.300}") from result.exception
    outcome = Outcome(result.exit_code, result.stderr, result.stdout)
    problem = _problem(outcome, allowed)
    if problem:
        raise FaultError(f"{words} {problem}: code {outcome.code}\n{outcome.stated[:2000]}")
    return outcome


def _problem(outcome: Outcome, allowed: frozenset[int]) -> str:
    if outcome.code not in allowed:
        return "ended with a code that bad input does not lead to"
    errors = [line for line in outcome.stated.splitlines() if line.startswith("Error: ")]
    is_result = outcome.code in (0, 1) or bool(outcome.printed)
    if not errors and not is_result:
        return "stated nothing of why it failed"
    if len(errors) > 1 or (errors and outcome.code in (0, 1)):
        return "stated other than one line of error"
    if any(not character.isprintable() for character in outcome.stated.replace("\n", "")):
        return "stated what a terminal would obey"
    return ""


@contextmanager
def named(with_what: str):
    """Add to a fault the input that caused it."""
    try:
        yield
    except FaultError as error:
        raise FaultError(f"{error}\nwith {with_what}") from error


def check_result(path: Path) -> None:
    """Raise unless a result is well formed, as far as that can be checked quickly.

    Raises:
        FaultError: It is not.
    """
    data = path.read_bytes()
    try:
        if path.suffix in (".json", ".sarif"):
            json.loads(data, parse_constant=_no_constant)
        elif path.suffix != ".pdf":
            data.decode("utf-8")
    except ValueError as error:
        raise FaultError(f"{path.name} is not well formed: {error}") from error
    if not data:
        raise FaultError(f"{path.name} is empty")


def _no_constant(text: str):
    raise ValueError(f"{text} is not JSON")
