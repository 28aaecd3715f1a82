"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis, GpuChoice
    from trexreport.analyzer.rules import LintSettings, Registry
    from trexreport.configuration import Configuration
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


@dataclass(frozen=True)
class FindingChoice:
    """What the user wants to know of the findings, on the command line and in the configuration.

    Attributes:
        settings: Of the rules.
        registry: All rules that are installed.
        gpu: For the roofline.
    """

    settings: LintSettings
    registry: Registry
    gpu: GpuChoice

    def analyze(self, engine: Engine, *, with_blocks: bool = True) -> Analysis:
        """Return the analysis of an engine with the findings."""
        from trexreport.analyzer import analyze

        return analyze(
            engine, settings=self.settings, registry=self.registry, gpu=self.gpu, with_blocks=with_blocks
        )


def refuse_input_as_output(capture: CaptureChoice, engine: Engine, output: str) -> None:
    """Raise if writing the output would destroy a file that was just read.

    Raises:
        UsageError: The output is one of the inputs.
    """
    places = [Path(path) for path in (*capture.paths, *capture.files.values())]
    folders = {place if place.is_dir() else place.parent for place in places}
    refuse_to_overwrite(output, [folder / source.name for folder in folders for source in engine.sources])


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
    chosen = click.option("--profile-index", type=int, metavar="N", help="Optimisation profile to show.")(
        chosen
    )
    for role, text in reversed(_ROLE_OPTIONS.items()):
        chosen = click.option(f"--{role}", metavar="FILE", help=text)(chosen)
    chosen = click.option(
        "--profile",
        multiple=True,
        metavar="FILE|N",
        help="Times of the layers (trtexec --exportProfile), or the number of an optimisation profile.",
    )(chosen)
    return click.argument("paths", nargs=-1, metavar="PATH...")(chosen)


def finding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose rules, configuration and GPU; the command gets them as `findings`."""

    @wraps(command)
    def chosen(*args: Any, **options: Any) -> Any:
        findings = _finding_choice(
            *(options.pop(name) for name in ("config", "isolated", "gpu", "select", "ignore"))
        )
        # It has been made of its options already, as these stand closer to the command.
        capture: CaptureChoice | None = options.get("capture")
        redaction = capture.redact if capture is not None else options.get("redact")
        if redaction is not None:
            findings = replace(findings, settings=_redacted_settings(findings.settings, redaction))
        return command(*args, findings=findings, **options)

    codes = "codes, starts of codes, names or families, with commas between them"
    for option in (
        click.option("--gpu", metavar="NAME", help="The GPU for the roofline, instead of the capture's own."),
        click.option("--isolated", is_flag=True, help="Read no configuration."),
        click.option(
            "--config", metavar="FILE", help="The configuration, instead of the nearest trexreport.toml."
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="RULES",
            help="Leave rules out, instead of the configuration's.",
        ),
        click.option("--select", multiple=True, metavar="RULES", help=f"Run only these rules: {codes}."),
    ):
        chosen = option(chosen)
    return chosen


def _finding_choice(
    config: str | None, isolated: bool, gpu: str | None, select: tuple[str, ...], ignore: tuple[str, ...]
) -> FindingChoice:
    from trexreport.analyzer.rules import all_rules
    from trexreport.configuration import Configuration, read_configuration

    if config is not None and isolated:
        raise UsageError("--config and --isolated contradict each other.", "Give one of them.")
    written = Configuration() if isolated else read_configuration(config)
    registry = all_rules()
    try:
        settings = _settings(written, registry, select, ignore)
    except UsageError as error:
        # A rule may be unknown because its package is broken.
        raise UsageError(" ".join((str(error), *registry.failures))) from None
    return FindingChoice(settings, registry, _gpu_choice(gpu, written))


def _settings(
    written: Configuration, registry: Registry, select: tuple[str, ...], ignore: tuple[str, ...]
) -> LintSettings:
    from trexreport.analyzer.rules import check_selectors, parse_settings
    from trexreport.configuration import today

    settings = parse_settings(written.lint, f"{written.prefix}lint.", registry.rules)
    if select:
        wanted = _words(select)
        if not wanted:
            # As from a variable that is not set; all rules are not what was meant.
            raise UsageError("--select is empty.", "Leave it out to run all rules.")
        settings = replace(settings, select=check_selectors(wanted, "--select", registry.rules))
    if ignore:
        settings = replace(settings, ignore=check_selectors(_words(ignore), "--ignore", registry.rules))
    return replace(settings, today=today())


def _redacted_settings(settings: LintSettings, redaction: Redaction) -> LintSettings:
    """Return settings whose texts fit the redacted names and tell no others."""
    from trexreport.redaction import redact_text

    hidden = (
        replace(
            each,
            layers=None if each.layers is None else redact_text(each.layers, redaction),
            reason=redact_text(each.reason, redaction),
        )
        for each in settings.suppressions
    )
    return replace(settings, suppressions=tuple(hidden))


def _words(values: tuple[str, ...]) -> list[str]:
    return [word for value in values for word in (part.strip() for part in value.split(",")) if word]


def _gpu_choice(gpu: str | None, written: Configuration) -> GpuChoice:
    from trexreport.analyzer.roofline import GpuChoice, choose_gpu

    if gpu is not None and not gpu.strip():
        raise UsageError("--gpu is empty.", "Leave it out to go by the capture's own GPU.")
    own = (
        {"gpu": [{"name": name, **figures} for name, figures in written.gpus.items()]} if written.gpus else {}
    )
    choice = GpuChoice(gpu or written.gpu, own, written.file or "the configuration")
    # A mistake in it is to be told before the capture is read.
    choose_gpu({}, choice)
    return choice


def _profile_choice(values: tuple[str, ...], index: int | None) -> tuple[str | None, int | None]:
    """Tell a profile file from the number of an optimisation profile: "profile" means both in this field."""
    files = [value for value in values if not value.isdecimal() or Path(value).exists()]
    numbers = [int(value) for value in values if value not in files]
    if index is not None:
        numbers.append(index)
    if len(files) > 1 or len(set(numbers)) > 1:
        raise UsageError("--profile is given more than once.", "Give one file, one number, or one of each.")
    return (files[0] if files else None), (numbers[0] if numbers else None)


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


_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]{0,3})", re.ASCII)
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


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
