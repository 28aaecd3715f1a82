"""The commands, each imported when it is used: a start needs one of them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from trexreport.docstrings import docstring

#: Each has a module of its name, with a function of its name.
NAMES = (
    *("report", "summary", "compare", "check", "lint", "rules", "explain", "draw", "export", "extract"),
    *("site", "archive", "verify", "mail", "mcp", "collect", "run", "doctor", "demo"),
)
#: The placeholder of a value in the help names the kind of value.
_FILES = ("A B...", "A|N", "FILE", "FILE|N", "MODEL.onnx|ENGINE", "PATH", "PATH...", "REPORT|ARCHIVE")
_FOLDERS = ("DIR", "FOLDER", "FOLDER...")
_RULES = ("RULE", "RULES")


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
            _complete_values(command)
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


class Place(StringParamType):
    """A text that is completed as the name of a file, or of a folder."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's interface, as below
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows the files."""
        return [CompletionItem(incomplete, type=self.kind)]


class RuleCodes(StringParamType):
    """A text that is completed as the code of a rule, or as the last of several with commas between them."""

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the codes that begin as typed."""
        from trexreport.analyzer.rules.registry import all_rules

        before, comma, begun = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{rule.code}", help=rule.name)
            for rule in all_rules().rules
            if rule.code.startswith(begun.upper())
        ]


def _complete_values(command: click.Command) -> None:
    """Let the values of a command's arguments and options be completed."""
    types: dict[str, StringParamType] = {
        **dict.fromkeys(_FILES, Place("file")),
        **dict.fromkeys(_FOLDERS, Place("dir")),
        **dict.fromkeys(_RULES, RuleCodes()),
    }
    for parameter in command.params:
        if parameter.metavar in types and parameter.type is click.STRING:
            parameter.type = types[parameter.metavar]
