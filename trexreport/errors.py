"""The errors that a user can meet, each with what to do about it and an exit code.

Exit codes of the command line: 0 done, 1 a gate failed, 2 wrong usage, 3 bad input,
4 a tool that is needed is missing, 5 a tool failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from trexreport.urls import without_secrets


class TrexReportError(Exception):
    """What went wrong, in one line, with a hint and the exit code of the command line.

    Attributes:
        slug: A short, stable name of the kind of error, for scripts and documentation.
        hint: What to do about it; may be empty.
        details: Lines to show below, such as those of a log that say most.
        exit_code: What the command line exits with.
    """

    slug = "error"
    exit_code = 1

    def __init__(self, message: str, hint: str = "", details: Sequence[str] = ()) -> None:
        # A user may name a URL anywhere, also where none can be read.
        super().__init__(without_secrets(message))
        self.hint = without_secrets(hint)
        self.details = tuple(details)

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} {self.hint}" if self.hint else message


class UsageError(TrexReportError):
    """Report options that do not fit together."""

    slug = "usage"
    exit_code = 2


class InputError(TrexReportError):
    """Report a file that is missing, unreadable or holds nothing usable."""

    slug = "bad-input"
    exit_code = 3


class OtherFileError(InputError):
    """A whole file is of another kind than those of a capture; among others it can be left out."""


class OutputError(TrexReportError):
    """Report a result that could not be written; nothing half-written is left."""

    slug = "cannot-write"
    exit_code = 3


class MissingToolError(TrexReportError):
    """Report a library or program that is needed and not installed."""

    slug = "missing-tool"
    exit_code = 4


class ToolFailedError(TrexReportError):
    """Report that a program or library which does the work, such as trtexec, failed."""

    slug = "tool-failed"
    exit_code = 5


@contextmanager
def explained(kind: type[TrexReportError], problem: str, hint: str = "") -> Iterator[None]:
    """Turn an error of the system into one of a kind: the problem, and the system's reason."""
    try:
        yield
    except OSError as error:
        raise kind(f"{problem}: {error.strerror or error}.", hint) from None


@contextmanager
def in_part(name: str) -> Iterator[None]:
    """Name the part before an error of its files: several parts often have files of the same names."""
    try:
        yield
    except InputError as error:
        # Who knew the last part of the name alone may have named it.
        last = re.split(r"[/\\]", name)[-1]
        message = str(error.args[0]).removeprefix(f"{last}: ")
        if name and not re.search(rf"(?:^|/){re.escape(name)}[ /:]", message):
            error.args = (f"{name}: {message}",)
        raise
