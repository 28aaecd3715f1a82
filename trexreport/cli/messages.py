"""What the commands print besides results: on standard error, one line a sentence, safe for any terminal."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trexreport.model import InputWarning


def say(text: str) -> None:
    """Print a sentence to standard error; control characters are shown and not obeyed."""
    # Where it can't be printed, the result still counts.
    with contextlib.suppress(OSError):
        click.echo(one_line(text), err=True)


def say_written(output: str | Path, size: int) -> None:
    """Print where a result is and how large."""
    from trexreport.numbers import format_bytes

    if str(output) != "-":
        say(f"Wrote {output} ({format_bytes(size)}).")


def say_notes(notes: Sequence[InputWarning], of: str = "") -> None:
    """Print what was missing or repaired while reading; the report has the notes of less weight, too.

    Args:
        notes: Of one engine.
        of: The engine's name, where there are several.
    """
    for note in notes:
        if note.severity != "info":
            whose = f"{of}: " if of else ""
            kind = "input warning" if note.severity == "degraded" else note.severity
            say(f"  {whose}{kind}: {note.message}" + (f" {note.hint}" if note.hint else ""))


def write_result(output: str, data: bytes, notes: Sequence[InputWarning] = (), *, force: bool) -> None:
    """Write a result and print where it is, and the notes of its engine.

    Raises:
        OutputError: It can't be written.
    """
    from trexreport.output import write_output

    write_output(output, data, force=force)
    say_written(output, len(data))
    say_notes(notes)
