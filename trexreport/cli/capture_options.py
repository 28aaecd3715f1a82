"""Options that choose a capture and what is redacted of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.model import Engine
    from trexreport.reader.locate import Capture
    from trexreport.redaction import Redaction

_ROLE_OPTIONS = {
    "graph": "Layer information (trtexec --exportLayerInfo).",
    "timing": "Times of the queries (trtexec --exportTimes).",
    "metadata": "Device list of TREx.",
    "build-metadata": "TREx's metadata of the build.",
    "profile-metadata": "TREx's metadata of the measurement.",
    "log": "Log of trtexec.",
}


@dataclass(frozen=True)
class CaptureChoice:
    """Which capture the user means."""

    paths: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)
    optimization_profile: int | None = None
    name: str | None = None
    redact: Redaction | None = None

    def read(self) -> Engine:
        """Read the engine."""
        from trexreport.reader import read_engine

        if not self.paths and not self.files:
            raise UsageError(
                "There is nothing to read.", "Give a capture folder, a *.graph.json file or a report."
            )
        return read_engine(
            *self.paths,
            files=self.files,
            optimization_profile=self.optimization_profile,
            name=self.name,
            change=self._redacted if self.redact else None,
        )

    def _redacted(self, located: Capture) -> Capture:
        from trexreport.redaction import redact_capture

        return (
            redact_capture(located, self.redact, keep_name=self.name is not None) if self.redact else located
        )


def _redaction(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Redaction | None:
    if value is None:
        return None
    from trexreport.redaction import parse_redaction

    return parse_redaction(value)


redact_option = click.option(
    "--redact",
    metavar="KINDS",
    callback=_redaction,
    help="Put pseudonyms for some of: names, paths, host; with commas between them.",
)


def capture_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options that choose a capture; the command gets them as `capture`."""

    @wraps(command)
    def chosen(*args: Any, **options: Any) -> Any:
        files = {role: options.pop(role.replace("-", "_")) for role in _ROLE_OPTIONS}
        profile_file, index = _profile_choice(options.pop("profile"), options.pop("profile_index"))
        files["profile"] = profile_file
        capture = CaptureChoice(
            paths=options.pop("paths"),
            files={role: path for role, path in files.items() if path is not None},
            optimization_profile=index,
            name=options.pop("name"),
            redact=options.pop("redact"),
        )
        return command(*args, capture=capture, **options)

    chosen = redact_option(chosen)
    chosen = click.option("--name", help="Title of the engine.")(chosen)
    chosen = click.option("--profile-index", type=int, metavar="N", help="Optimization profile to show.")(
        chosen
    )
    for role, text in reversed(_ROLE_OPTIONS.items()):
        chosen = click.option(f"--{role}", metavar="FILE", help=text)(chosen)
    chosen = click.option(
        "--profile",
        multiple=True,
        metavar="FILE|N",
        help="Times of the layers (trtexec --exportProfile), or the number of an optimization profile.",
    )(chosen)
    return click.argument("paths", nargs=-1, metavar="PATH...")(chosen)


def _profile_choice(values: tuple[str, ...], index: int | None) -> tuple[str | None, int | None]:
    """Tell a profile file from the number of an optimization profile: "profile" means both in this field."""
    files = [value for value in values if not value.isdecimal() or Path(value).exists()]
    numbers = [int(value) for value in values if value not in files]
    if index is not None:
        numbers.append(index)
    if len(files) > 1 or len(set(numbers)) > 1:
        raise UsageError("--profile is given more than once.", "Give one file, one number, or one of each.")
    return (files[0] if files else None), (numbers[0] if numbers else None)
