"""Options that say where a result goes and how large it may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from trexreport.cli.values import size_in_bytes


def output_option(default: str | None, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add -o; `default` None makes it mandatory."""
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        default=default,
        required=default is None,
        show_default=True,
        help=text,
    )


def charts_option(default: str, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --charts; the command gets `interactive_charts`."""
    return click.option(
        "--charts",
        "interactive_charts",
        type=click.Choice(["interactive", "static"]),
        default=default,
        show_default=True,
        callback=lambda _context, _parameter, value: value == "interactive",
        help=text,
    )


max_size_option = click.option(
    "--max-size",
    "max_bytes",
    callback=size_in_bytes,
    metavar="SIZE",
    help="Leave out details until the report fits, such as 10MB; the report lists them.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite a file that trexreport did not write.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
