"""Where results go: the format that a file name asks for, and what no result may overwrite."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from trexreport.errors import UsageError


def format_of(output: str, formats: Sequence[str], for_stdout: str) -> str:
    """Return the format that the ending of a file name asks for, `for_stdout` for "-".

    Raises:
        UsageError: The ending is none of `formats`.
    """
    if output == "-":
        return for_stdout
    suffix = Path(output).suffix.lower().lstrip(".")
    if suffix in formats:
        return suffix
    known = ", ".join(f".{each}" for each in formats)
    raise UsageError(f"The ending of {output} names no format.", f"Known endings: {known}.")


def check_distinct(outputs: Sequence[str], format_: str | None) -> None:
    """Check that each of several outputs has a file and a format of its own.

    Raises:
        UsageError: A file is named twice, or one format is given for several files.
    """
    if format_ and len(outputs) > 1:
        raise UsageError("--format applies to one output only.", "Name the formats by the files' endings.")
    if len({os.path.realpath(each) for each in outputs}) < len(outputs):
        raise UsageError("An output is named twice.", "Give each once.")


def refuse_to_overwrite(output: str, read: Iterable[str | Path]) -> None:
    """Raise if the output is one of the files that were read; links are followed, as writing follows them.

    Raises:
        UsageError: It is.
    """
    if output != "-" and os.path.realpath(output) in set(map(os.path.realpath, read)):
        raise UsageError(f"{output} is one of the input files.", "Choose another name for the output.")
