"""Options that say where a result goes, how large it may be, and what its graphs show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from trexreport.cli.values import size_in_bytes, words_of

# The same as `FOLDABLE` of the renderer, which is not imported for the help.
_SHOWN = ("constants", "shape", "noops")


def output_option(default: str | None, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add -o; `default` None makes it mandatory."""
    # click 8.3 and later take a default of None for a value that is given.
    use: dict[str, Any] = {"required": True} if default is None else {"default": default}
    return click.option("-o", "--output", metavar="FILE", help=text, **use)


def outputs_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add -o for several files; the command gets `outputs`."""
    return click.option("-o", "--output", "outputs", metavar="FILE", multiple=True, help=text)


def folder_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add -o for a folder, which is created if it does not exist."""
    return click.option(
        "-o",
        "--output",
        metavar="FOLDER",
        required=True,
        help=f"{text}, which is created if it does not exist.",
    )


def format_option(
    formats: Sequence[str], default: str | None = None, text: str = "Overrides the file's ending."
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --format; the command gets `format_`."""
    return click.option("--format", "format_", type=click.Choice(formats), default=default, help=text)


def charts_option(default: str, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --charts; the command gets `interactive_charts`."""
    return click.option(
        "--charts",
        "interactive_charts",
        type=click.Choice(["interactive", "static"]),
        default=default,
        callback=lambda _context, _parameter, value: value == "interactive",
        help=text,
    )


#: What findings and the result of a budget are written as.
FINDING_FORMATS = ("text", "json", "sarif", "junit", "markdown", "html", "github")
#: Which of them the ending of a file names.
FINDING_ENDINGS = {
    "txt": "text",
    "log": "text",
    "json": "json",
    "sarif": "sarif",
    "xml": "junit",
    "md": "markdown",
    "html": "html",
}


def finding_format(output: str) -> str:
    """Return the format of findings or limits that the ending of a file name asks for, "text" for "-".

    Raises:
        UsageError: It asks for none that there is.
    """
    from trexreport.pipeline.targets import format_of

    return FINDING_ENDINGS[format_of(output, tuple(FINDING_ENDINGS), "txt")]


#: The help of --format where the ending of the output decides, too.
BY_ENDING = "The output format.  [default: text, or by the file's ending]"
max_size_option = click.option(
    "--max-size",
    "max_bytes",
    callback=size_in_bytes,
    metavar="SIZE",
    help="Leave out details until the report fits, such as 10MB; the report lists them.",
)
max_tokens_option = click.option(
    "--max-tokens",
    type=click.IntRange(100, 1_000_000),
    metavar="N",
    help="Print Markdown of up to N tokens for language models, the most important parts first.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite a file that trexreport did not write.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print errors only.")


def _as_set(context: click.Context, parameter: click.Parameter, value: str) -> frozenset[str]:
    return frozenset(words_of(_SHOWN)(context, parameter, value))


show_option = click.option(
    "--show",
    "shown",
    default="",
    show_default=False,
    metavar="WHAT",
    callback=_as_set,
    help=f"Also draw layers that graphs leave out: {', '.join(_SHOWN)}.",
)
