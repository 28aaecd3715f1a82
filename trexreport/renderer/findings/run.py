"""The outcome of the rules on one engine, and the sentences about it that all formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trexreport.analyzer import analysis as facts
from trexreport.analyzer.analysis.failures import has_no_engine
from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning
from trexreport.numbers import counted, join_names
from trexreport.renderer.check_results.results import short_name
from trexreport.visible import one_line
from trexreport.wording.findings import clean_sentence, savings_whole_of
from trexreport.wording.gains import savings


@dataclass(frozen=True)
class LintRun:
    """The rules' outcome on one engine.

    Attributes:
        rules: Those that were to run, in the order of their codes.
        fail_on: The severity from which on findings fail the run; "never" for none.
    """

    analysis: facts.Analysis
    rules: Sequence[facts.RuleFacts]
    fail_on: str = "error"

    @property
    def failed(self) -> bool:
        """Whether a finding fails the run, or a rule broke: what it would have found is unknown."""
        if self.fail_on not in facts.SEVERITIES:
            return False
        return bool(self.unchecked("broken")) or any(map(self.fails, self.analysis.lint.findings))

    def fails(self, finding: facts.Finding) -> bool:
        """Return whether a finding fails the run."""
        return self.fail_on in facts.SEVERITIES and (
            facts.SEVERITIES.index(finding.severity) <= facts.SEVERITIES.index(self.fail_on)
        )

    def layers(self, place: facts.Place) -> list[facts.LayerFacts]:
        """Return the layers of a place, the most important first, each once."""
        return [self.analysis.layers[index] for index in dict.fromkeys(place.layers)]

    def findings_of(self, rule: facts.RuleFacts) -> list[facts.Finding]:
        """Return what a rule found."""
        return [finding for finding in self.analysis.lint.findings if finding.code == rule.code]

    def unchecked(self, why: str) -> list[facts.UncheckedRule]:
        """Return the rules that were "skipped" or are "broken"."""
        return [each for each in self.analysis.lint.unchecked if each.why == why]

    def counts(self) -> dict[str, int]:
        """Return how many findings of each severity there are, and how many rules did what."""
        lint = self.analysis.lint
        found = Counter(finding.severity for finding in lint.findings)
        return {
            **{severity: found[severity] for severity in facts.SEVERITIES},
            "suppressed": len(lint.suppressed),
            "checked": lint.checked,
            "skipped": len(self.unchecked("skipped")),
            "broken": len(self.unchecked("broken")),
        }


def unstated_notes(run: LintRun, notes: Sequence[InputWarning]) -> list[InputWarning]:
    """Return the notes of the input that no finding states; without an engine there are no layers to miss."""
    stated = [place.message for finding in run.analysis.lint.findings for place in finding.places]
    missing = {"no-graph"} if has_no_engine(run.analysis) else set()
    return [
        note
        for note in notes
        if note.slug not in missing and not any(note.message in each for each in stated)
    ]


def sentence(item: facts.Finding | facts.Place) -> str:
    """Return the message and the savings, on one line."""
    return one_line(item.message if item.gain is None else f"{item.message} Savings: {savings(item.gain)}.")


def layer_names(run: LintRun, place: facts.Place, max_names: int = 1) -> str:
    """Return the names of a place's first layers, shortened, and how many more there are."""
    layers = run.layers(place)
    names = ", ".join(short_name(layer.name) for layer in layers[:max_names])
    rest = len(layers) - max_names
    return f"{names} and {rest} more" if rest > 0 else names


def sum_up(run: LintRun) -> str:
    """Return in one line how many findings there are and how many rules ran."""
    counts = run.counts()
    severities = [counted(counts[severity], severity) for severity in facts.SEVERITIES if counts[severity]]
    found = f"Found {join_names(severities)}." if severities else "No findings."
    if clean := clean_sentence(run.analysis):
        found = f"{found} {clean}"
    ran = f"{counted(counts['checked'], 'rule')} ran"
    others = [f"{counts[why]} {why}" for why in ("skipped", "broken") if counts[why]]
    if counts["suppressed"]:
        others.append(f"{counted(counts['suppressed'], 'place')} suppressed")
    return one_line(f"{found} {', '.join([ran, *others])}. {savings_whole_of(run.analysis)}".rstrip())
