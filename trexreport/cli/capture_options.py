"""Options that choose a capture, the phases of a set, and what is redacted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.redaction.kinds import Redaction

_ROLE_OPTIONS = {
    "graph": "Layer information (trtexec --exportLayerInfo).",
    "timing": "Times of the queries (trtexec --exportTimes).",
    "metadata": "List of devices that TREx wrote.",
    "build-metadata": "Metadata of the build that TREx wrote.",
    "profile-metadata": "Metadata of the measurement that TREx wrote.",
    "log": "Log of trtexec.",
    "onnx": "ONNX model that the engine was built from, or a folder with it.",
    "kernels": "Trace of the engine's kernels: nsys export --type sqlite, or nsys stats --format csv.",
    "counters": "Counters of the engine's kernels (ncu --csv --page raw).",
    "accuracy": "Accuracy by tensor: results or outputs of Polygraphy, trtexec's debug tensors, JSON, CSV.",
    "accuracy-reference": "Outputs or debug tensors of the reference that --accuracy is compared with.",
}

_PHASE = click.option(
    "--phase",
    multiple=True,
    metavar="NAME|NAME=PATH|DIR",
    help="A phase of the set at PATH, such as decode; or, in place of PATH, one of several phases, such as "
    "prefill=captures/prefill, or a folder with all of them. Repeatable.",
)
_TIMES = click.option(
    "--times",
    multiple=True,
    metavar="NAME=N",
    help="How often a phase runs per request, to give a total: decode=128. Repeatable.",
)


def _redaction(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Redaction | None:
    if value is None:
        return None
    from trexreport.redaction.kinds import parse_redaction

    return parse_redaction(value)


_LONGEST_METRIC = 60
_LARGEST_METRIC = 1e15


def _metrics(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    from trexreport.reader.accuracy.values import metric

    found: dict[str, float] = {}
    for value in values:
        name, _, figure = value.partition("=")
        number = _number(figure)
        if not name.strip() or len(name) > _LONGEST_METRIC or number is None:
            raise UsageError(f"--metric {value} is not NAME=NUMBER.", "Write it as --metric top1=76.1.")
        if metric(name.strip(), number) is None:
            raise UsageError(f"--metric {value} is not possible.", "It is 0 to 1, or 0 to 100 in percent.")
        if found.setdefault(name.strip(), number) != number:
            raise UsageError(f"--metric {name.strip()} is given twice.", "Give one figure for each name.")
    return tuple(found.items())


def _number(figure: str) -> float | None:
    try:
        number = float(figure)
    except ValueError:
        return None
    return number if abs(number) <= _LARGEST_METRIC else None


redact_option = click.option(
    "--redact",
    "redaction",
    metavar="KINDS",
    callback=_redaction,
    help="Replace names, paths or host by pseudonyms; separate several by commas.",
)


def _choose_capture(options: dict[str, Any]) -> None:
    from trexreport.pipeline.captures import CaptureInput

    files = {role: options.pop(role.replace("-", "_")) for role in _ROLE_OPTIONS}
    files["profile"], index = _profile_choice(options.pop("profile"), options.pop("profile_index"))
    options["capture"] = CaptureInput(
        paths=options.pop("paths"),
        files={role: path for role, path in files.items() if path is not None},
        optimization_profile=index,
        name=options.pop("name"),
        redaction=options.pop("redaction"),
        metrics=dict(options.pop("metrics")),
        log_run=options.pop("log_run"),
    )


def _profile_choice(values: tuple[str, ...], index: int | None) -> tuple[str | None, int | None]:
    """Separate a profile file from the number of an optimization profile: both are called "profile"."""
    files = [value for value in values if not value.isdecimal() or Path(value).exists()]
    numbers = [int(value) for value in values if value not in files]
    if index is not None:
        numbers.append(index)
    if len(files) > 1 or len(set(numbers)) > 1:
        raise UsageError("--profile is given more than once.", "Give one file, one number, or one of each.")
    return (files[0] if files else None), (numbers[0] if numbers else None)


#: Add the arguments and options that choose a capture; the command gets it as `capture`.
capture_options = option_group(
    _choose_capture,
    click.argument("paths", nargs=-1, metavar="PATH..."),
    click.option(
        "--profile",
        multiple=True,
        metavar="FILE|N",
        help="Times of the layers (trtexec --exportProfile), or the number of an optimization profile.",
    ),
    *(click.option(f"--{role}", metavar="FILE", help=text) for role, text in _ROLE_OPTIONS.items()),
    click.option("--profile-index", type=int, metavar="N", help="Optimization profile to show."),
    click.option(
        "--log-run",
        type=click.IntRange(min=1),
        metavar="N",
        help="Which run of a log with several to show, from 1; the last complete one by default.",
    ),
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="NAME=NUMBER",
        callback=_metrics,
        help="Accuracy of the whole model, such as top1=76.1.",
    ),
    click.option("--name", help="Title of the engine."),
    redact_option,
)


def _refuse_empty(options: dict[str, Any]) -> None:
    for name in ("phase", "times"):
        if any(not value for value in options.get(name, ())):
            raise UsageError(f"--{name} is empty.", "Write it as NAME=VALUE.")


#: Add --phase and --times; the command gets them as `phase` and `times`.
phase_options = option_group(_refuse_empty, _PHASE, _TIMES)
#: Add --phase for a command that adds nothing up; it gets `phase`.
phase_option = option_group(_refuse_empty, _PHASE)
