"""The settings of every analysis, made once from the configuration and the options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from trexreport.analyzer import Analysis, analyze
from trexreport.analyzer.analysis.verdict import MAX_RUN_SPREAD_PERCENT, VerdictSettings
from trexreport.analyzer.roofline.matching import GpuChoice, check_choice
from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.registry import Registry, all_rules
from trexreport.analyzer.rules.settings import check_selectors, parse_settings
from trexreport.configuration import Configuration, read_configuration, today
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, ExternalLatency
from trexreport.redaction.kinds import Redaction
from trexreport.toml_table import TomlTable

if TYPE_CHECKING:
    from trexreport.analyzer.analysis.comparison import Comparison

_ASSUMED_RUN_SPREAD = "assumed-run-spread-percent"


@dataclass(frozen=True)
class Settings:
    """How engines are analyzed and compared.

    Attributes:
        lint: Which rules run, their thresholds and severities, and what is suppressed.
        gpu: Which GPU's peaks the roofline uses; the one that the capture states by default.
        verdict: What a verdict of a comparison requires.
        registry: The rules; all that are installed if None.
    """

    lint: LintSettings = field(default_factory=LintSettings)
    gpu: GpuChoice = field(default_factory=GpuChoice)
    verdict: VerdictSettings = field(default_factory=VerdictSettings)
    registry: Registry | None = None

    @property
    def rules(self) -> Registry:
        """The rules that may run."""
        return self.registry or _installed_rules()

    def analyze(self, engine: Engine, *, with_blocks: bool = True, with_advice: bool = True) -> Analysis:
        """Return the analysis of an engine.

        Args:
            engine: What the reader returned.
            with_blocks: Divide the engine into blocks, which only a graph shows.
            with_advice: State what to do about findings, which comparisons do not show.

        Raises:
            UsageError: The chosen GPU is in no table, or the user's table is invalid.
        """
        return analyze(
            engine,
            settings=self.lint,
            registry=self.rules,
            gpu=self.gpu,
            with_blocks=with_blocks,
            with_advice=with_advice,
        )

    def compare(
        self,
        engines: Sequence[Engine],
        analyses: Sequence[Analysis],
        *,
        baseline: int = 0,
        names: Sequence[str] | None = None,
        others: Sequence[ExternalLatency] = (),
    ) -> Comparison:
        """Return the comparison of engines, of which the analyses were made with these settings.

        Args:
            engines: At least one.
            analyses: One for each engine.
            baseline: Index of the engine that the others are compared with.
            names: Titles, one for each engine; the engines' own by default.
            others: Latencies of what is not a TensorRT engine.

        Raises:
            UsageError: There is no such baseline, or not one name or analysis for each engine.
        """
        # Most commands compare nothing, and its modules take as long to load as a small engine to analyze.
        from trexreport.analyzer.comparison.compare import compare

        return compare(
            engines, baseline=baseline, settings=self.verdict, names=names, analyses=analyses, others=others
        )

    def portable(self) -> Settings:
        """Return these settings for another process or machine, which uses its own installed rules."""
        return replace(self, registry=None)

    def redacted(self, redaction: Redaction | None) -> Settings:
        """Return settings of which the texts match redacted names and disclose no others."""
        if redaction is None:
            return self
        from trexreport.redaction.capture import redact_text

        suppressions = tuple(
            replace(
                each,
                layers=None if each.layers is None else redact_text(each.layers, redaction),
                reason=redact_text(each.reason, redaction),
            )
            for each in self.lint.suppressions
        )
        return replace(self, lint=replace(self.lint, suppressions=suppressions))


@dataclass(frozen=True)
class SettingsOptions:
    """What a command line says instead of the configuration.

    Attributes:
        select: Codes, starts of codes, names or families of the only rules to run.
        ignore: Those of rules not to run.
        gpu: Name of the GPU for the roofline.
        minimum_effect_percent: The smallest difference that counts in a comparison.
        assumed_run_spread_percent: How much runs of an engine are assumed to differ.
        redaction: What is redacted in the captures.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    gpu: str | None = None
    minimum_effect_percent: float | None = None
    assumed_run_spread_percent: float | None = None
    redaction: Redaction | None = None


def read_settings(file: str | Path | None = None) -> Settings:
    """Return the settings that a configuration file states.

    Args:
        file: The file; the nearest trexreport.toml or pyproject.toml by default.

    Raises:
        UsageError: The file can't be read, or something in it is invalid.
    """
    return make_settings(read_configuration(file), SettingsOptions())


def make_settings(configuration: Configuration, options: SettingsOptions) -> Settings:
    """Return the settings of a configuration and of the options, which take precedence.

    Raises:
        UsageError: A rule, threshold or GPU is unknown, or an option is empty.
    """
    registry = all_rules()
    try:
        lint = _lint_settings(configuration, options, registry)
    except UsageError as error:
        # A rule may be unknown because its package is broken.
        raise UsageError(" ".join((str(error), *registry.failures))) from None
    settings = Settings(
        lint, _gpu_choice(configuration, options.gpu), _verdict_settings(configuration, options), registry
    )
    return settings.redacted(options.redaction)


def split_words(values: Sequence[str]) -> list[str]:
    """Return the words of values such as "a, b" and "c"."""
    return [word for value in values for part in value.split(",") if (word := part.strip())]


def _lint_settings(
    configuration: Configuration, options: SettingsOptions, registry: Registry
) -> LintSettings:
    settings = parse_settings(configuration.lint, f"{configuration.prefix}lint.", registry.rules)
    if options.select:
        wanted = split_words(options.select)
        if not wanted:
            # As from a variable that is not set; running all rules is not what was meant.
            raise UsageError("--select is empty.", "Leave it out to run all rules.")
        settings = replace(settings, select=check_selectors(wanted, "--select", registry.rules))
    if options.ignore:
        unwanted = check_selectors(split_words(options.ignore), "--ignore", registry.rules)
        settings = replace(settings, ignore=unwanted)
    return replace(settings, today=today())


def _verdict_settings(configuration: Configuration, options: SettingsOptions) -> VerdictSettings:
    table = TomlTable(configuration.comparison, f"{configuration.prefix}comparison.")
    table.refuse_unknown((_ASSUMED_RUN_SPREAD,))
    settings = VerdictSettings()
    assumed = options.assumed_run_spread_percent
    if assumed is None and _ASSUMED_RUN_SPREAD in table.values:
        assumed = table.number(_ASSUMED_RUN_SPREAD, 0, MAX_RUN_SPREAD_PERCENT)
    if assumed is not None:
        settings = replace(settings, assumed_run_spread_percent=assumed)
    if options.minimum_effect_percent is not None:
        settings = replace(settings, minimum_effect_percent=options.minimum_effect_percent)
    return settings


def _gpu_choice(configuration: Configuration, name: str | None) -> GpuChoice:
    if name is not None and not name.strip():
        raise UsageError("--gpu is empty.", "Leave it out to use the GPU that the capture states.")
    own = [{"name": each, **figures} for each, figures in configuration.gpus.items()]
    choice = GpuChoice(
        name or configuration.gpu, {"gpu": own} if own else {}, configuration.file or "the configuration"
    )
    if configuration.explained_percent is not None:
        choice = replace(choice, explained_percent=configuration.explained_percent)
    # A mistake is reported before a capture is read, which may take long.
    check_choice(choice, "" if name else f"{configuration.prefix}gpu: ")
    return choice


@cache
def _installed_rules() -> Registry:
    return all_rules()
