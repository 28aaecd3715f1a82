"""Complete names of files and codes of rules in shells, where click knows commands, options and choices."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

#: The placeholder of a value in the help names the kind of value.
_FILES = ("A B...", "A|N", "FILE", "FILE|N", "MODEL.onnx|ENGINE", "PATH", "PATH...", "REPORT|ARCHIVE")
_FOLDERS = ("DIR", "FOLDER", "FOLDER...")
_RULES = ("RULE", "RULES")


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


def complete_values(command: click.Command) -> None:
    """Let the values of a command's arguments and options be completed."""
    types: dict[str, StringParamType] = {
        **dict.fromkeys(_FILES, Place("file")),
        **dict.fromkeys(_FOLDERS, Place("dir")),
        **dict.fromkeys(_RULES, RuleCodes()),
    }
    for parameter in command.params:
        if parameter.metavar in types and parameter.type is click.STRING:
            parameter.type = types[parameter.metavar]
