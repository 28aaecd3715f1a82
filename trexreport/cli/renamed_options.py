"""Options of earlier versions, which are errors that name the new ones."""

from __future__ import annotations

import click

from trexreport.errors import UsageError

#: Command and old option to what the option is called now.
RENAMED = {
    ("draw", "--colour-by"): "--color-by",
    ("collect", "--repeat"): "--runs",
    ("run", "--repeat"): "--runs",
}


def renamed_option(error: click.NoSuchOption) -> UsageError | None:
    """Return the error that names the new option; None if there never was an option of that name."""
    command = error.ctx.command.name or "" if error.ctx else ""
    new = RENAMED.get((command, error.option_name))
    return UsageError(f"{error.option_name} is now called {new}.", "Rename it.") if new else None
