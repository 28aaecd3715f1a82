"""The outcome of the rules on one engine, and how all formats word it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import (
    SEVERITIES,
    Analysis,
    Finding,
    LayerFacts,
    Place,
    RuleFacts,
    UncheckedRule,
)
from trexreport.numbers import counted, format_ms, format_percent, middle_ellipsis
from trexreport.visible import one_line

#: Long enough for a name, too short to hide what stands beside it.
_NAME_WIDTH = 160


@dataclass(frozen=True)
class LintRun:
    """The rules' outcome on one engine.

    Attributes:
        rules: Those that were to run, in the order of their codes.
        fail_on: The severity from which on findings fail the run; "never" for none.
    """

    analysis: Analysis
    rules: Sequence[RuleFacts]
    fail_on: str = "error"

    @property
    def failed(self) -> bool:
        """Whether a finding fails the run, or a rule broke, as nobody knows what it would have found."""
        if self.fail_on not in SEVERITIES:
            return False
        return bool(self.unchecked("broken")) or any(map(self.fails, self.analysis.lint.findings))

    def fails(self, finding: Finding) -> bool:
        """Tell whether a finding fails the run."""
        return self.fail_on in SEVERITIES and (
            SEVERITIES.index(finding.severity) <= SEVERITIES.index(self.fail_on)
        )

    def layers(self, place: Place) -> list[LayerFacts]:
        """Return the layers of a place, the one to look at first, each once."""
        return [self.analysis.layers[index] for index in dict.fromkeys(place.layers)]

    def findings_of(self, rule: RuleFacts) -> list[Finding]:
        """Return what a rule found."""
        return [finding for finding in self.analysis.lint.findings if finding.code == rule.code]

    def unchecked(self, why: str) -> list[UncheckedRule]:
        """Return the rules that were "skipped" or are "broken"."""
        return [each for each in self.analysis.lint.unchecked if each.why == why]

    def counts(self) -> dict[str, int]:
        """Return how many findings of each severity there are, and how many rules did what."""
        lint = self.analysis.lint
        of_severity: dict[str, int] = {
            severity: sum(finding.severity == severity for finding in lint.findings)
            for severity in SEVERITIES
        }
        return {
            **of_severity,
            "suppressed": len(lint.suppressed),
            "checked": lint.checked,
            "skipped": len(self.unchecked("skipped")),
            "broken": len(self.unchecked("broken")),
        }


def headline(analysis: Analysis) -> str:
    """Return what the engine is, on one line."""
    identity = analysis.identity
    version = identity.tensorrt_version and f"TensorRT {identity.tensorrt_version}"
    return one_line(" · ".join(part for part in (identity.name, identity.gpu, version) if part))


def gain(item: Finding | Place) -> str:
    """Return what mending it could save at most, such as "at most 0.12 ms, 3.4%"; empty if not known."""
    if item.gain_ms is None:
        return ""
    text = f"at most {format_ms(item.gain_ms)}"
    if isinstance(item, Finding) and item.gain_percent is not None:
        text += f", {format_percent(item.gain_percent / 100)}"
    return one_line(text)


def sentence(item: Finding | Place) -> str:
    """Return what is there and what mending it could save, on one line."""
    bound = gain(item)
    return one_line(f"{item.message} Gain: {bound}." if bound else item.message)


def layer_names(run: LintRun, place: Place, most: int = 1) -> str:
    """Return the names of a place's first layers, shortened, and how many more there are."""
    layers = run.layers(place)
    names = ", ".join(short_name(layer.name) for layer in layers[:most])
    rest = len(layers) - most
    return f"{names} and {rest} more" if rest > 0 else names


def short_name(name: str) -> str:
    """Return a name on one line, shortened in its middle; a name of nothing is said to be that."""
    return middle_ellipsis(one_line(name), _NAME_WIDTH) or "(no name)"


def sum_up(run: LintRun) -> str:
    """Return in one line what was found and which rules could not tell."""
    counts = run.counts()
    severities = [counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    found = f"Found {_listed(severities)}." if severities else "Found nothing."
    ran = f"{counted(counts['checked'], 'rule')} ran"
    others = [f"{counts[why]} {why}" for why in ("skipped", "broken") if counts[why]]
    if counts["suppressed"]:
        others.append(f"{counted(counts['suppressed'], 'place')} suppressed")
    return one_line(f"{found} {', '.join([ran, *others])}.")


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
