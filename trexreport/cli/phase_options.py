"""Options that name the phases of a set."""

from __future__ import annotations

from typing import Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.errors import UsageError


def _group(options: dict[str, Any]) -> None:
    for name in ("phase", "times"):
        if any(not value for value in options[name]):
            raise UsageError(f"--{name} is empty.", "Write it as NAME=VALUE.")


#: Add --phase and --times; the command gets them as `phase` and `times`.
phase_options = option_group(
    _group,
    click.option(
        "--phase",
        multiple=True,
        metavar="NAME=PATH|DIR",
        help="A phase of several, such as prefill=captures/prefill, or a folder with all of them. "
        "Repeatable, in place of PATH.",
    ),
    click.option(
        "--times",
        multiple=True,
        metavar="NAME=N",
        help="How often a phase runs for one request, for a total: decode=128. Repeatable.",
    ),
)
