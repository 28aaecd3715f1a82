"""Check what callers of the public functions give: notebooks mix up paths, engines and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.errors import UsageError
from trexreport.model import Engine


def check_engine(engine: Any, function: str) -> None:
    """Raise UsageError unless an engine is given.

    Args:
        engine: What is given.
        function: Name of the public function that it is given to.
    """
    if not isinstance(engine, Engine):
        raise refusal(function, "an engine", engine, "Give what trexreport.load returns.")


def check_engines(engines: Any, function: str) -> None:
    """Raise UsageError unless a list of engines is given; arguments are as those of `check_engine`."""
    hint = "Give what trexreport.load returns, such as [load(a), load(b)]."
    if isinstance(engines, str) or not isinstance(engines, Sequence):
        raise refusal(function, "a list of engines", engines, hint)
    for each in engines:
        if not isinstance(each, Engine):
            raise refusal(function, "engines", each, hint)


def refusal(function: str, wanted: str, given: Any, hint: str) -> UsageError:
    """Return the error of a function that got an object of another type."""
    return UsageError(
        f"trexreport.{function} needs {wanted} and got an object of type {type(given).__name__}.", hint
    )
