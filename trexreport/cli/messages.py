"""What the commands say to the user: on standard error, one line a sentence, safe for any terminal."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.errors import UsageError
from trexreport.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trexreport.model import ReadNote


def say(text: str) -> None:
    """Print a sentence to standard error; what a terminal would obey is shown instead."""
    # Where it can't be told, the result still counts.
    with contextlib.suppress(OSError):
        click.echo(one_line(text), err=True)


def say_written(output: str | Path, size: int) -> None:
    """Say where a result is and how large."""
    from trexreport.numbers import format_bytes

    if str(output) != "-":
        say(f"Wrote {output} ({format_bytes(size)}).")


def say_notes(notes: Sequence[ReadNote], of: str = "") -> None:
    """Say what was missing or repaired while reading; what is merely worth knowing stays in the report.

    Args:
        notes: Of one engine.
        of: The engine's name, where there are several.
    """
    for note in notes:
        if note.severity != "info":
            whose = f"{of}: " if of else ""
            say(f"  {whose}{note.severity}: {note.message}" + (f" {note.hint}" if note.hint else ""))


def kind_of(output: str, kinds: Sequence[str], for_stdout: str) -> str:
    """Return the kind of file that the ending of its name asks for.

    Raises:
        UsageError: The ending is none of `kinds`.
    """
    if output == "-":
        return for_stdout
    suffix = Path(output).suffix.lower().lstrip(".")
    if suffix in kinds:
        return suffix
    known = ", ".join(f".{kind}" for kind in kinds)
    raise UsageError(f"{output} has no ending that says what to write.", f"Known endings: {known}.")
