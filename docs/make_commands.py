"""Write the reference of all commands into commands.md, below what stands there by hand.

Run it with the development environment: `python docs/make_commands.py`. A test tells if that is due.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

import click

from trexreport.cli import main as trexreport

PAGE = Path(__file__).resolve().parent / "commands.md"
MARK = "<!-- Written by docs/make_commands.py from here on; not to be edited. -->\n"
#: What many commands take, by heading.
GROUPS = {
    "Which files": (
        *("--profile", "--graph", "--timing", "--metadata", "--build-metadata", "--profile-metadata"),
        *("--log", "--profile-index", "--name", "--redact"),
    ),
    "Rules and GPU": ("--select", "--ignore", "--config", "--isolated", "--gpu"),
}


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(current: str) -> str:
    """Return the page with today's commands below its own introduction."""
    introduction, mark, _ = current.partition(MARK)
    context = click.Context(trexreport, info_name="trexreport")
    shared = trexreport.commands["summary"]
    groups = (
        f"\n## {title}\n\n{_table([row for name, row in _rows(shared).items() if name in names])}"
        for title, names in GROUPS.items()
    )
    commands = (_command(name, command, context) for name, command in trexreport.commands.items())
    return introduction + (mark or MARK) + "".join((*groups, *commands))


def _command(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    rows = _rows(command)
    shared = _rows(trexreport.commands["summary"])
    for title, names in GROUPS.items():
        if all(rows.get(each) == shared[each] for each in names):
            rows = {each: row for each, row in rows.items() if each not in names}
            rows[title] = f"| [{title}](#{title.lower().replace(' ', '-')}) | |\n"
    text = f"\n## {name}\n\n```text\n{usage}\n```\n\n{_text(command.help or '')}\n"
    return f"{text}\n{_table(rows.values())}" if rows else text


def _table(rows: Iterable[str]) -> str:
    return "".join(["| option | |\n|---|---|\n", *rows])


def _rows(command: click.Command) -> dict[str, str]:
    options = (each for each in command.params if isinstance(each, click.Option))
    return {max(each.opts, key=len): _row(each) for each in options}


def _row(option: click.Option) -> str:
    names = ", ".join(sorted(option.opts, key=len))
    value = "" if option.is_flag else f" {_value(option)}"
    text = option.help or ""
    if option.show_default:
        default = option.show_default if isinstance(option.show_default, str) else option.default
        text += f" [default: {default}]"
    return f"| <code>{_escaped(names + value)}</code> | {_cell(text)} |\n"


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(option.type.choices)
    return "N" if option.type.name.startswith("integer") else "TEXT"


def _text(help_text: str) -> str:
    """Return a help text in which what looks like markup is none."""
    text = inspect.cleandoc(help_text.replace("\b", ""))
    return re.sub(r"(?<![`\w])(\*\.[\w.]+)", r"`\1`", text)


def _cell(text: str) -> str:
    return re.sub(r"(\*\.\w+)", r"`\1`", _escaped(" ".join(text.split())))


def _escaped(text: str) -> str:
    """Return a text that is text in a cell for every Markdown; of a bar in code they say different things."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")


if __name__ == "__main__":
    main()
