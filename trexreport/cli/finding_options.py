"""Options that choose rules, configuration and GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.words import split_words
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis, GpuChoice
    from trexreport.analyzer.rules import LintSettings, Registry
    from trexreport.cli.capture_options import CaptureChoice
    from trexreport.configuration import Configuration
    from trexreport.model import Engine
    from trexreport.redaction import Redaction


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
        wanted = split_words(*select)
        if not wanted:
            # As from a variable that is not set; all rules are not what was meant.
            raise UsageError("--select is empty.", "Leave it out to run all rules.")
        settings = replace(settings, select=check_selectors(wanted, "--select", registry.rules))
    if ignore:
        settings = replace(settings, ignore=check_selectors(split_words(*ignore), "--ignore", registry.rules))
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
