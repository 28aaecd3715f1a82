"""The commands, each imported when it is used: a start needs one of them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click

from trexreport.cli.completion import complete_values
from trexreport.docstrings import docstring

#: Each has a module of its name, with a function of its name.
NAMES = (
    *("report", "summary", "compare", "check", "lint", "rules", "explain", "draw", "export", "extract"),
    *("site", "archive", "verify", "mail", "mcp", "collect", "run", "doctor", "demo"),
)


class Commands(MutableMapping[str, click.Command]):
    """Name to command, in the order in which they are documented."""

    def __init__(self) -> None:
        self._found: dict[str, click.Command | None] = dict.fromkeys(NAMES)

    def __getitem__(self, name: str) -> click.Command:
        command = self._found[name]
        if command is None:
            command = getattr(import_module(f"{__package__}.{name}"), name)
            if command.help is None and command.callback is not None:
                command.help = docstring(command.callback)
            complete_values(command)
            self._found[name] = command
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        # Inherited, it would import the command.
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
