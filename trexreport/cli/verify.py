"""`trexreport verify`: whether the files in archives and reports are unchanged."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.command import Command

_DIFFERS = 3


@click.command(cls=Command, short_help="Check the hashes of archives and reports.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def verify(paths: tuple[str, ...]) -> None:
    """Check the hashes of archives (.trexa) and of the input files in reports (.html, .pdf).

    Prints a line for each PATH, and exits with 3 if a file in one of them was changed.
    """
    from trexreport.archive import verify as check
    from trexreport.errors import InputError
    from trexreport.numbers import counted
    from trexreport.visible import one_line

    sound = True
    for path in paths:
        try:
            found = check(Path(path))
        except InputError as error:
            # The others are checked all the same.
            sound = False
            text = str(error)
            click.echo(one_line(text if text.startswith(path) else f"{path}: {text}"))
            continue
        sound = sound and not found.faults
        files = counted(found.files, "file")
        verdict = " ".join(found.faults) or f"{files}, unchanged."
        click.echo(one_line(f"{path}: {verdict}"))
    if not sound:
        click.get_current_context().exit(_DIFFERS)
