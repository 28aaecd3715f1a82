"""The comparison of sets of phases: from what they are read from to bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.phases_comparison import MissingPhase, PhasesComparison
from trexreport.analyzer.phases import compare_phases
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Phase
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.comparisons import ComparisonOptions, compare_engines
from trexreport.pipeline.phases import PhasesInput, choose_phases, counts_of
from trexreport.pipeline.settings import Settings
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.redaction.kinds import Redaction

#: Formats of a comparison of sets.
KINDS = ("html", "md", "json")


@dataclass(frozen=True)
class ComparedSets:
    """Compared sets of phases.

    Attributes:
        comparison: Of the sets.
        analyses: For each compared phase, one for each set.
        shown: Index of the set of which the graphs are shown.
    """

    comparison: PhasesComparison
    analyses: Sequence[Sequence[Analysis]]
    shown: int

    def render(self, kind: str, max_tokens: int | None = None) -> bytes:
        """Return the document of a kind: "html", "md" or "json".

        Args:
            kind: Of the document.
            max_tokens: How many estimated tokens Markdown has at most; see `token_summary`.

        Raises:
            UsageError: So few tokens don't even state what is compared.
        """
        if max_tokens is not None and kind == "md":
            from trexreport.renderer.token_summary import token_summary

            return token_summary(self.comparison, max_tokens).encode("utf-8")
        if kind == "html":
            from trexreport.renderer.phases.comparison_html import render_phase_comparison_html

            return render_phase_comparison_html(self.comparison, self.analyses, self.shown)
        if kind == "md":
            from trexreport.renderer.phases.comparison_summary import phase_comparison_summary
            from trexreport.renderer.short_document.markdown import render_markdown

            return render_markdown(phase_comparison_summary(self.comparison))
        from trexreport.renderer.json_document import render_phases_comparison_json

        return render_phases_comparison_json(self.comparison)


def choose_sets(paths: Sequence[str], redaction: Redaction | None) -> list[PhasesInput] | None:
    """Return the sets at the paths; None if none of them is one.

    Raises:
        UsageError: Some are sets, and others are single engines.
        InputError: A list of phases is damaged.
    """
    found = [choose_phases(CaptureInput((path,), redaction=redaction), (), ()) for path in paths]
    sets = [each for each in found if each is not None]
    if not sets:
        return None
    if len(sets) < len(found):
        single = next(path for path, each in zip(paths, found, strict=True) if each is None)
        raise UsageError(
            f"{single} is one engine, and others are several phases.", "Give sets alone, or engines alone."
        )
    return sets


def compare_sets(
    sets: Sequence[PhasesInput],
    options: ComparisonOptions,
    counts: Sequence[str],
    settings: Settings,
    outputs: Mapping[str, str],
) -> ComparedSets:
    """Read sets and compare them phase by phase, by the names of the phases.

    Args:
        sets: At least two, each with its path.
        options: Of the comparison; those of single engines are refused.
        counts: Runs for one request as "NAME=N", for all sets; they come before those that sets state.
        settings: Of all analyses and verdicts.
        outputs: Files that are written to what they are written as.

    Raises:
        UsageError: The sets have no phase in common, or an option or a format is of single engines.
        InputError: A file can't be read, or holds nothing usable.
    """
    paths = [path for each in sets for path in each.capture.paths]
    if options.runs or options.latencies:
        raise UsageError("--runs and --baseline-latency compare single engines.", "Leave them out.")
    for kind in outputs.values():
        if kind not in KINDS:
            raise UsageError(f"Sets of phases can't be compared as {kind}.", "Write .html, .md or .json.")
    chosen = options.choose(tuple(paths), None)
    for output in outputs:
        refuse_to_overwrite(output, list(paths))
    baseline = chosen.baseline
    shown = chosen.shown if chosen.shown is not None else int(baseline == 0)
    everywhere = [
        phase.name
        for phase in sets[baseline].phases
        if all(phase.name in [each.name for each in other.phases] for other in sets)
    ]
    if not everywhere:
        raise UsageError(
            "The sets have no phase of one name.", "Name them alike, or compare the engines one by one."
        )
    read = [{phase.name: phase for phase in each.read()} for each in sets]
    titles = _titles(paths, [each.title for each in sets])
    compared = [
        compare_engines(
            [of_set[name].engine for of_set in read],
            settings,
            list(outputs.values()),
            baseline=baseline,
            shown=shown,
            names=titles,
        )
        for name in everywhere
    ]
    analyses = [each.analyses for each in compared]
    stated = counts_of(counts, everywhere, sets[baseline].capture.redaction)
    together = [
        compare_phases(
            everywhere,
            [each[at] for each in analyses],
            {**_times(read, [name for name in everywhere if name not in stated]), **stated},
            others=[analysis for each in analyses for analysis in each],
        )
        for at in range(len(sets))
    ]
    comparison = PhasesComparison(
        titles,
        baseline,
        together,
        [each.comparison for each in compared],
        _missing(sets, everywhere),
    )
    return ComparedSets(comparison, analyses, shown)


def _times(read: Sequence[Mapping[str, Phase]], names: Sequence[str]) -> dict[str, int]:
    """Return the counts in which all sets that state one agree: the same request is compared.

    Raises:
        UsageError: Two sets state different counts.
    """
    found: dict[str, int] = {}
    for name in names:
        stated = sorted({of_set[name].times for of_set in read} - {None}, key=lambda each: each or 0)
        if len(stated) > 1:
            shown = " and ".join(map(str, stated))
            raise UsageError(
                f"The sets state different counts of {name}: {shown}.", f"Give one with --times {name}=N."
            )
        if stated and stated[0] is not None:
            found[name] = stated[0]
    return found


def _missing(sets: Sequence[PhasesInput], everywhere: Sequence[str]) -> list[MissingPhase]:
    names = dict.fromkeys(phase.name for each in sets for phase in each.phases)
    return [
        MissingPhase(
            name, [at for at, each in enumerate(sets) if name in [phase.name for phase in each.phases]]
        )
        for name in names
        if name not in everywhere
    ]


def _titles(paths: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Return distinct names of the sets: their own, else with the folder or the number of each."""
    if len(set(titles)) == len(titles):
        return list(titles)
    folders = [Path(path).resolve().parent.name for path in paths]
    parents = [f"{title} ({folder})" for title, folder in zip(titles, folders, strict=True)]
    if len(set(parents)) == len(parents):
        return parents
    return [f"{title} ({at})" for at, title in enumerate(titles, 1)]
