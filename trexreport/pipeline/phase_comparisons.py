"""The comparison of sets of phases: from what they are read from to bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.analyzer.analysis.phases_comparison import MissingPhase, PhasesComparison
from trexreport.analyzer.phases import compare_phases
from trexreport.errors import UsageError, in_part
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Phase, Source
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.comparisons import ComparisonOptions, compare_engines
from trexreport.pipeline.phases import PhasesInput, choose_phases, counts_of
from trexreport.pipeline.settings import Settings
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.sizing import fit_report
from trexreport.renderer.variants import Variant, phase_comparison_variants


@dataclass(frozen=True)
class ComparedSets:
    """Compared sets of phases.

    Attributes:
        comparison: Of the sets.
        analyses: For each compared phase, one for each set.
        sources: For each compared phase, the files of each set.
        shown: Index of the set of which the graphs are shown.
    """

    comparison: PhasesComparison
    analyses: Sequence[Sequence[Analysis]]
    sources: Sequence[Sequence[tuple[Source, ...]]]
    shown: int

    def render(self, kind: str, max_tokens: int | None = None, *, home: str = "") -> bytes:
        """Return the document of a kind: "html", "pdf", "md" or "json".

        Args:
            kind: Of the document.
            max_tokens: How many estimated tokens Markdown has at most; see `token_summary`.
            home: Address of a site's index; empty outside of one.

        Raises:
            UsageError: So few tokens don't even state what is compared.
        """
        if max_tokens is not None and kind == "md":
            from trexreport.renderer.token_summary import token_summary

            return token_summary(self.comparison, max_tokens).encode("utf-8")
        return fit_report(self.variants(kind, home=home), None).data

    def variants(self, kind: str, *, home: str = "") -> tuple[Variant, ...]:
        """Return the document of a kind in its variants; `home` is the address of a site's index."""
        return phase_comparison_variants(
            kind, self.comparison, self.analyses, self.sources, self.shown, home=home
        )


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
            f"{single} is one engine, and others are several phases.", "Give only sets, or only engines."
        )
    return sets


def compare_sets(
    sets: Sequence[PhasesInput],
    options: ComparisonOptions,
    counts: Sequence[str],
    settings: Settings,
    *,
    kinds: Sequence[str],
    outputs: Iterable[str],
) -> ComparedSets:
    """Read sets and compare them phase by phase, by the names of the phases.

    Args:
        sets: At least two, each with its path.
        options: Of the comparison; those of single engines are refused.
        counts: Runs for one request as "NAME=N", for all sets; they come before those that sets state.
        settings: Of all analyses and verdicts.
        kinds: Of the documents that are made.
        outputs: Files that are written, which must not be inputs.

    Raises:
        UsageError: The sets have no phase in common, or an option is of single engines.
        InputError: A file can't be read, or holds nothing usable.
    """
    outputs = tuple(outputs)
    baseline, shown = _choice(sets, options, outputs)
    everywhere = _everywhere(sets, baseline)
    read = []
    for each in sets:
        with in_part(", ".join(each.capture.paths)):
            read.append({phase.name: phase for phase in each.read(outputs)})
    paths = [path for each in sets for path in each.capture.paths]
    titles = _titles(paths, [each.title for each in sets])
    compared = [
        compare_engines(
            [of_set[name].engine for of_set in read],
            settings,
            kinds,
            baseline=baseline,
            shown=shown,
            names=titles,
        )
        for name in everywhere
    ]
    analyses = [each.analyses for each in compared]
    stated = counts_of(counts, everywhere, sets[baseline].capture.redaction)
    times = {**_times(read, [name for name in everywhere if name not in stated]), **stated}
    comparison = PhasesComparison(
        titles,
        baseline,
        _together(everywhere, analyses, times),
        [each.comparison for each in compared],
        _missing(sets, everywhere),
    )
    return ComparedSets(comparison, analyses, [each.sources for each in compared], shown)


def _choice(
    sets: Sequence[PhasesInput], options: ComparisonOptions, outputs: Iterable[str]
) -> tuple[int, int]:
    """Return the indices of the baseline and of the set whose graphs are shown.

    Raises:
        UsageError: An option is of single engines or names no set, or an output is one of the sets.
    """
    if options.runs or options.latencies:
        raise UsageError("--runs and --baseline-latency compare single engines.", "Leave them out.")
    paths = tuple(path for each in sets for path in each.capture.paths)
    chosen = options.choose(paths, None)
    for output in outputs:
        refuse_to_overwrite(output, list(paths))
    return chosen.baseline, chosen.shown if chosen.shown is not None else int(chosen.baseline == 0)


def _everywhere(sets: Sequence[PhasesInput], baseline: int) -> list[str]:
    """Return the names of the phases that all sets have, in the order of the baseline.

    Raises:
        UsageError: There are none.
    """
    names = [{phase.name for phase in each.phases} for each in sets]
    everywhere = [phase.name for phase in sets[baseline].phases if all(phase.name in each for each in names)]
    if not everywhere:
        raise UsageError(
            "The sets have no phase of one name.",
            "Give them the same names, or compare the engines one by one.",
        )
    return everywhere


def _together(
    names: Sequence[str], analyses: Sequence[Sequence[Analysis]], times: Mapping[str, int]
) -> list[PhasesFacts]:
    """Return for each set what its phases take, measured alike in all sets."""
    everything = [analysis for each in analyses for analysis in each]
    return [compare_phases(names, of_set, times, others=everything) for of_set in zip(*analyses, strict=True)]


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
