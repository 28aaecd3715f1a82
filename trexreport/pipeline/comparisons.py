"""The comparison of engines: from what is compared to bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.layers import forget_tensor_records
from trexreport.errors import UsageError, in_part
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, ExternalLatency, InputWarning, Source
from trexreport.pipeline.captures import CaptureInput, read_with_runs
from trexreport.pipeline.settings import Settings
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.reader.latency_file import read_latencies
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.sizing import fit_report
from trexreport.renderer.variants import Variant, comparison_variants

FORMATS = ("html", "pdf", "md", "json", "xlsx")
_WITH_GRAPH = frozenset({"html", "pdf"})


@dataclass(frozen=True)
class ComparedEngines:
    """A comparison with everything that its documents are made of.

    Attributes:
        comparison: Of the engines.
        analyses: One for each engine; none where only documents without a graph are made.
        sources: The files of each engine.
        notes: What was missing or repaired in each.
        others: What is not an engine, with its files; without them if anything is redacted.
        shown: Index of the engine of which the graph is shown.
    """

    comparison: Comparison
    analyses: list[Analysis]
    sources: list[tuple[Source, ...]]
    notes: list[tuple[InputWarning, ...]]
    others: Sequence[ExternalLatency]
    shown: int

    def variants(self, kind: str, *, home: str = "") -> tuple[Variant, ...]:
        """Return the document of a kind in its variants; `home` is the address of a site's index."""
        return comparison_variants(
            kind, self.comparison, self.analyses, self.sources, self.shown, others=self.others, home=home
        )

    def render(self, kind: str, *, home: str = "", max_tokens: int | None = None) -> bytes:
        """Return the document of a kind: "html", "pdf", "md", "xlsx" or "json".

        Args:
            kind: Of the document.
            home: The address of a site's index.
            max_tokens: How many estimated tokens Markdown has at most; see `token_summary`.

        Raises:
            UsageError: So few tokens don't even state what is compared.
        """
        if max_tokens is not None and kind == "md":
            from trexreport.renderer.token_summary import token_summary

            return token_summary(self.comparison, max_tokens).encode("utf-8")
        return fit_report(self.variants(kind, home=home), None).data


def compare_engines(
    engines: Sequence[Engine],
    settings: Settings,
    kinds: Sequence[str],
    *,
    baseline: int = 0,
    shown: int | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> ComparedEngines:
    """Analyze and compare engines.

    Args:
        engines: At least one.
        settings: Of all analyses and verdicts.
        kinds: Of the documents that are made; only pages need blocks.
        baseline: Index of the engine that the others are compared with.
        shown: Index of the engine of which the graph is shown; the first candidate by default.
        names: Titles, one for each engine; the engines' own by default.
        others: What is not an engine and has latencies only.

    Raises:
        UsageError: There is no such engine, or not one name for each.
    """
    shown = _shown(len(engines), shown, baseline)
    is_drawn = not _WITH_GRAPH.isdisjoint(kinds)
    analyses = [
        settings.analyze(engine, with_blocks=is_drawn and at in (shown, baseline), with_advice=False)
        for at, engine in enumerate(engines)
    ]
    return _compare_analyzed(
        engines, analyses, settings, baseline=baseline, shown=shown, names=names, others=others
    )


def _shown(count: int, shown: int | None, baseline: int) -> int:
    """Return the index of the engine of which the graph is shown: the first candidate by default."""
    if shown is None:
        return next((at for at in range(count) if at != baseline), baseline)
    if not 0 <= shown < count:
        raise UsageError(f"There is no engine {shown} to show.", f"Choose from 0 to {count - 1}.")
    return shown


def _compare_analyzed(
    engines: Sequence[Engine],
    analyses: list[Analysis],
    settings: Settings,
    *,
    baseline: int,
    shown: int,
    names: Sequence[str] | None,
    others: Sequence[ExternalLatency],
) -> ComparedEngines:
    """Compare engines of which the analyses are made: their own layers are not needed any more."""
    comparison = settings.compare(engines, analyses, baseline=baseline, names=names, others=others)
    # Not the engines: what was read takes as much memory as the pages that are made of it.
    return ComparedEngines(
        comparison,
        analyses,
        [engine.sources for engine in engines],
        [engine.notes for engine in engines],
        others,
        shown,
    )


@dataclass(frozen=True)
class ComparisonInput:
    """What is compared.

    Attributes:
        paths: Captures or reports.
        baseline: Index of a path.
        shown: Index of the engine of which the graph is shown; the first candidate by default.
        runs: Index of a path to further measurements of that engine.
        latencies: What is not an engine: "NAME=TIME" or "NAME=FILE".
        redaction: What is redacted before anything is read.
    """

    paths: tuple[str, ...]
    baseline: int = 0
    shown: int | None = None
    runs: Mapping[int, Sequence[str]] = field(default_factory=dict)
    latencies: tuple[str, ...] = ()
    redaction: Redaction | None = None

    def compare(self, settings: Settings, kinds: Sequence[str], outputs: Iterable[str]) -> ComparedEngines:
        """Read and compare the engines.

        Args:
            settings: Of all analyses and verdicts.
            kinds: Of the documents that are made.
            outputs: Files that they are written to, which must not be files that are read here.

        Raises:
            UsageError: An output is one of the inputs.
            InputError: A file can't be read, or holds nothing usable.
        """
        outputs = tuple(outputs)
        others = read_latencies(self.latencies)
        # A report carries its input files, and a comparison does not: they would be lost.
        carriers = [*self.paths, *(run for of_path in self.runs.values() for run in of_path)]
        for output in outputs:
            refuse_to_overwrite(output, [*carriers, *(file for other in others for file in other.files)])
        shown = _shown(len(self.paths), self.shown, self.baseline)
        is_drawn = not _WITH_GRAPH.isdisjoint(kinds)
        engines, analyses = [], []
        for at, path in enumerate(self.paths):
            with in_part(path):
                capture = CaptureInput((path,), redaction=self.redaction)
                engine = read_with_runs(capture, self.runs.get(at, ()), outputs)
            with_blocks = is_drawn and at in (shown, self.baseline)
            analyses.append(settings.analyze(engine, with_blocks=with_blocks, with_advice=False))
            # As they were read, layers take as much memory as their facts: one engine has them at a time.
            engines.append(replace(engine, layers=()))
            del engine
            forget_tensor_records(analyses[-1].layers)
        titles = _titles(self.paths, engines, with_paths=self.redaction is None)
        compared = _compare_analyzed(
            engines, analyses, settings, baseline=self.baseline, shown=shown, names=titles, others=others
        )
        if self.redaction is not None:
            # Nothing is known of what else these files contain.
            compared = replace(compared, others=[replace(other, sources=()) for other in others])
        return compared if is_drawn else replace(compared, analyses=[])


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of a comparison as they were given.

    Attributes:
        baseline: Path or number of the baseline, from 1; None for the first.
        focus: Path or number of the engine of which the graph is shown.
        runs: Further measurements, as "A=PATH,...".
        latencies: What is not an engine.
    """

    baseline: str | None
    focus: str | None
    minimum_effect_percent: float | None
    assumed_run_spread_percent: float | None
    runs: tuple[str, ...]
    latencies: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        """Whether the user gave any of them."""
        verdict = (self.minimum_effect_percent, self.assumed_run_spread_percent)
        single = (self.baseline, self.focus, *verdict)
        return bool(self.runs or self.latencies) or any(each is not None for each in single)

    def choose(self, paths: tuple[str, ...], redaction: Redaction | None) -> ComparisonInput:
        """Return what they mean for these captures.

        Raises:
            UsageError: There is nothing to compare, or an option names something else.
        """
        if len(paths) < (1 if self.latencies else 2):
            raise UsageError("There is nothing to compare.", "Give two captures or more.")
        index = _chosen(paths, self.baseline, "--baseline") or 0
        shown = _chosen(paths, self.focus, "--focus")
        if shown == index and len(paths) > 1:
            raise UsageError(f"--focus: '{self.focus}' is the baseline.", "Give one of the candidates.")
        return ComparisonInput(paths, index, shown, _runs(paths, self.runs), self.latencies, redaction)


#: What a comparison is without any option.
NO_OPTIONS = ComparisonOptions(None, None, None, None, (), ())


def _chosen(paths: Sequence[str], wanted: str | None, option: str) -> int | None:
    """Return the index of the path or number that is meant; None if none was given."""
    if wanted is None:
        return None
    found = _index(paths, wanted)
    if found is None:
        raise UsageError(
            f"{option}: '{wanted}' is not one of the compared captures.",
            f"Give one of the paths, or 1 to {len(paths)}.",
        )
    return found


def _titles(paths: Sequence[str], engines: Sequence[Engine], *, with_paths: bool) -> list[str]:
    """Return the engines' names; a part of the path, or a number, distinguishes equal ones."""
    parts = [Path(path).resolve().parts for path in paths]
    titles = [engine.name for engine in engines]
    if not with_paths:
        return [f"{name} ({at})" if titles.count(name) > 1 else name for at, name in enumerate(titles, 1)]
    for at, engine in enumerate(engines):
        equals = [each for each, other in zip(parts, engines, strict=True) if other.name == engine.name]
        depths = range(1, min(map(len, equals)) + 1)
        different = {depth: len({each[-depth] for each in equals}) for depth in depths}
        depth = max(depths, key=lambda depth: (different[depth], -depth))
        if different[depth] > 1:
            titles[at] = f"{engine.name} ({parts[at][-depth]})"
    return titles


def _index(paths: Sequence[str], wanted: str) -> int | None:
    """Return the index of a path or of a number from 1 on; None if it is neither."""
    found = [index for index, path in enumerate(paths) if Path(path) == Path(wanted)]
    if found:
        return found[0]
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 and 0 < int(wanted) <= len(paths):
        return int(wanted) - 1
    return None


def _runs(paths: Sequence[str], options: Sequence[str]) -> dict[int, list[str]]:
    """Return for each index of a path the captures that are further runs of it."""
    found: dict[int, list[str]] = {}
    for option in options:
        # A path may contain "=" and ",".
        places = [at for at, character in enumerate(option) if character == "="]
        of_paths = [(at, index) for at in places if (index := _index(paths, option[:at])) is not None]
        if not of_paths:
            raise UsageError(
                f"--runs: '{option}' does not begin with one of the compared captures.",
                f"Give it as A=PATH, where A is one of the paths or 1 to {len(paths)}.",
            )
        at, index = of_paths[0]
        rest = option[at + 1 :]
        captures = [rest] if rest and Path(rest).exists() else [part for part in rest.split(",") if part]
        if not captures:
            raise UsageError(f"--runs: '{option}' names no further run.", "Give its path after the '='.")
        found.setdefault(index, []).extend(captures)
    return found
