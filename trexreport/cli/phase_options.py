"""Options that name the phases of a set."""

from __future__ import annotations

from typing import Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.errors import UsageError

_PHASE = click.option(
    "--phase",
    multiple=True,
    metavar="NAME|NAME=PATH|DIR",
    help="A phase of the set at PATH, such as decode; or, in place of PATH, one of several phases, such as "
    "prefill=captures/prefill, or a folder with all of them. Repeatable.",
)
_TIMES = click.option(
    "--times",
    multiple=True,
    metavar="NAME=N",
    help="How often a phase runs per request, to give a total: decode=128. Repeatable.",
)


def _refuse_empty(options: dict[str, Any]) -> None:
    for name in ("phase", "times"):
        if any(not value for value in options.get(name, ())):
            raise UsageError(f"--{name} is empty.", "Write it as NAME=VALUE.")


#: Add --phase and --times; the command gets them as `phase` and `times`.
phase_options = option_group(_refuse_empty, _PHASE, _TIMES)
#: Add --phase for a command that adds nothing up; it gets `phase`.
phase_option = option_group(_refuse_empty, _PHASE)
