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
#: A text in fewer columns is below its label, not beside it.
_LEAST_TEXT_WIDTH = 20


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


def print_wide_table(console: Console, table: Table) -> None:
    """Print a table; a terminal that is too narrow for any breaks its lines itself."""
    width = console.width
    console.width = max(width, _LEAST_TABLE_WIDTH)
    print_table(console, table)
    console.width = width


def print_table(console: Console, table: Table) -> None:
    """Print a table; in a file no line ends in spaces."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.out(line.rstrip(), highlight=False)


def print_indented(console: Console, text: str, columns: int = 2) -> None:
    """Print a text from anywhere, wrapped, with spaces before each line and none behind."""
    for line in _wrapped(console, text, console.width - columns):
        console.print(" " * columns + line, overflow="fold")


def print_beside(console: Console, label: str, text: str) -> None:
    """Print a label and a text beside it, or below it where there is no room; lines begin alike."""
    is_beside = console.width - len(label) >= _LEAST_TEXT_WIDTH
    columns = len(label) if is_beside else 2
    lines = _wrapped(console, text, console.width - columns)
    first = lines.pop(0) if is_beside and lines else ""
    console.print((label + first).rstrip(), overflow="fold")
    for line in filter(None, lines):
        console.print(" " * columns + line, overflow="fold")


def _wrapped(console: Console, text: str, width: int) -> list[str]:
    from rich.text import Text

    lines = Text(_UNIT.sub(_GLUE, one_line(text)), overflow="fold").wrap(console, max(width, 1))
    return [line.plain.rstrip().replace(_GLUE, " ") for line in lines]


def plain_table(*columns: tuple[str, bool]) -> Table:
    """Return an empty table; a column is its heading and whether it has numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, is_number in columns:
        table.add_column(name, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    return table
