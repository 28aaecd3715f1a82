"""Tables and lines in a terminal, or in a file as if it were one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, TextIO

from trexreport.regex import regex
from trexreport.visible import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: The space between a number and its unit, where no line may end. Rich ends lines at any space that Python
#: knows, so a character for private use replaces it while lines are made.
_UNIT = regex(r"(?<=[0-9]) (?=(?:%|[A-Za-z]{1,3})(?:[\s.,;:)]|$))")
_GLUE = "\ue000"
#: A width that the environment states; no terminal has one with more digits.
_COLUMNS = regex(r"\d{1,4}", re.ASCII)
#: Wide enough for tables when the output is not a terminal and the environment states no width.
PIPED_WIDTH = 120
#: In fewer columns a table is a tower of single letters.
_LEAST_TABLE_WIDTH = 60


def open_console(file: TextIO | None = None) -> Console:
    """Return where to print; without a file, to standard output. Only a terminal gets colors.

    What is written to a file is the same whatever terminal it was written from, and where FORCE_COLOR is set.
    What is piped is as wide as COLUMNS says, as other programs have it.

    Printing raises BrokenPipeError where the reader has closed the pipe.
    """
    from rich.console import Console

    class Output(Console):
        """A console that leaves it to the command how it ends."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Output(highlight=False, emoji=False, markup=False)
    if file is None and console.is_terminal:
        return console
    return Output(
        file=file,
        force_terminal=False,
        highlight=False,
        emoji=False,
        markup=False,
        width=PIPED_WIDTH if file else _width_of_pipe(),
        no_color=True,
    )


def _width_of_pipe() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) or PIPED_WIDTH if _COLUMNS.fullmatch(columns) else PIPED_WIDTH


def print_table(console: Console, table: Table) -> None:
    """Print a table; a terminal that is too narrow for any breaks its lines itself."""
    width = console.width
    console.width = max(width, _LEAST_TABLE_WIDTH)
    console.print(table)
    console.width = width


def print_indented(console: Console, text: str, columns: int = 2) -> None:
    """Print a text from anywhere, wrapped, with spaces before each line and none behind."""
    from rich.text import Text

    shown = Text(_UNIT.sub(_GLUE, one_line(text)), overflow="fold")
    for line in shown.wrap(console, max(console.width - columns, 1)):
        console.print(" " * columns + line.plain.rstrip().replace(_GLUE, " "), overflow="fold")


def plain_table(*columns: tuple[str, bool]) -> Table:
    """Return an empty table; a column is its heading and whether it has numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, is_number in columns:
        table.add_column(name, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    return table
