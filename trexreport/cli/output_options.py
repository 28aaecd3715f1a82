"""Options that say where a result goes, and what no result may overwrite."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.cli.capture_options import CaptureChoice
    from trexreport.model import Engine

_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]{0,3})", re.ASCII)
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def refuse_input_as_output(
    capture: CaptureChoice, engine: Engine, output: str, *, keeps_inputs: bool = False
) -> None:
    """Raise if writing the output would destroy a file that was just read.

    Args:
        capture: What was read.
        engine: What it held.
        output: Where the result goes.
        keeps_inputs: The result carries all that was read, so that it may take the place of a report.

    Raises:
        UsageError: The output is one of the inputs.
    """
    places = [Path(path) for path in (*capture.paths, *capture.files.values())]
    folders = {place if place.is_dir() else place.parent for place in places}
    read = [folder / source.name for folder in folders for source in engine.sources]
    # A report or an archive may be the only place where the files in it still are.
    refuse_to_overwrite(output, read if keeps_inputs else [*read, *places])


def refuse_unclear_outputs(outputs: Sequence[str], format_: str | None) -> None:
    """Raise unless each of several outputs has a place and a format of its own.

    Raises:
        UsageError: A file is named twice, or one format is to be that of several.
    """
    if format_ and len(outputs) > 1:
        raise UsageError(
            "--format is of one output, and several are named.", "Their endings tell the formats."
        )
    if len({os.path.realpath(each) for each in outputs}) < len(outputs):
        raise UsageError("An output is named twice.", "Give each once.")


def refuse_to_overwrite(output: str, read: Iterable[str | Path]) -> None:
    """Raise if the output is one of the files that were read.

    Raises:
        UsageError: It is.
    """
    # Of both, links are followed, as writing follows them too.
    if output != "-" and os.path.realpath(output) in set(map(os.path.realpath, read)):
        raise UsageError(
            f"{output} is one of the files that were read.", "Choose another name for the result."
        )


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


def _size(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Return a size such as 10MB, 500 kB, 2MiB or 4096 in bytes."""
    if value is None:
        return None
    match = _SIZE.fullmatch(value.strip().lower())
    factor = _UNITS.get(match[2]) if match else None
    if match is None or factor is None or float(match[1]) * factor < 1:
        raise UsageError(f"--max-size: '{value[:40]}' is no size.", "Write it as 10MB, 500kB or 2MiB.")
    return int(float(match[1]) * factor)


max_size_option = click.option(
    "--max-size",
    callback=_size,
    metavar="SIZE",
    help="Leave detail out until the report fits, such as 10MB; it says what.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite a file that trexreport did not write.")
