"""What a comparison is of: the options that several commands take, and reading what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from trexreport.cli.capture_options import CaptureChoice
from trexreport.cli.messages import say_notes
from trexreport.cli.output_options import refuse_input_as_output, refuse_to_overwrite
from trexreport.cli.ranges import NumberRange
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis
    from trexreport.analyzer.analysis.comparison import Comparison
    from trexreport.model import Engine, ExternalLatency, ReadNote, Source
    from trexreport.redaction import Redaction


#: The same as that of `VerdictSettings`, which is not loaded for the help.
_MINIMUM_EFFECT_PERCENT = 2.0


class Analyze(Protocol):
    """How an engine is analyzed."""

    def __call__(self, engine: Engine, *, with_blocks: bool) -> Analysis:
        """Return the analysis; blocks only where a graph is drawn."""


@dataclass(frozen=True)
class Compared:
    """A comparison with all that its documents are made of.

    Attributes:
        analyses: Of the engines, in their order.
        sources: The files of each engine.
        notes: What was missing or repaired in each.
        others: What is no engine, with its files; without them where anything is to be hidden.
        shown: Index of the engine whose graph is shown.
    """

    comparison: Comparison
    analyses: list[Analysis]
    sources: list[tuple[Source, ...]]
    notes: list[tuple[ReadNote, ...]]
    others: list[ExternalLatency]
    shown: int

    def say_notes(self) -> None:
        """Say what was missing or repaired, engine by engine."""
        for of_engine, compared in zip(self.notes, self.comparison.engines, strict=True):
            say_notes(of_engine, of=compared.name)


@dataclass(frozen=True)
class ComparisonChoice:
    """What the user wants to compare, and how.

    Attributes:
        baseline: Index of a path.
        focus: Index of the engine whose graph is shown, if one was named.
        runs: Further measurements of the engine of each index.
        latencies: What is no engine.
    """

    paths: tuple[str, ...]
    baseline: int
    focus: int | None
    minimum_effect_percent: float
    runs: dict[int, list[str]]
    latencies: tuple[str, ...]
    redact: Redaction | None

    def read(self, outputs: Iterable[str], *, analyze: Analyze, is_drawn: bool) -> Compared:
        """Read and compare the engines.

        Args:
            outputs: Where the documents go, which may be none of what is read.
            analyze: How each engine is analyzed.
            is_drawn: A document with pages is made, which shows a graph.

        Raises:
            UsageError: An output is one of the files that were read.
        """
        from trexreport.analyzer.analysis.verdict import VerdictSettings
        from trexreport.analyzer.comparison.compare import compare
        from trexreport.reader import add_runs
        from trexreport.reader.latency_file import read_latencies

        outputs = tuple(outputs)
        others = read_latencies(self.latencies)
        # A report carries the files that it was made from, and a comparison does not: those would be lost.
        carriers = [*self.paths, *(run for of_path in self.runs.values() for run in of_path)]
        for output in outputs:
            refuse_to_overwrite(output, [*carriers, *(file for other in others for file in other.files)])
        engines = [
            add_runs(
                self._read(path, outputs),
                # A run is called by its path, which is not to be told if anything is to be hidden.
                [
                    self._read(run, outputs, name=None if self.redact else run)
                    for run in self.runs.get(at, ())
                ],
            )
            for at, path in enumerate(self.paths)
        ]
        shown = self.focus
        if shown is None:
            shown = next((at for at in range(len(engines)) if at != self.baseline), self.baseline)
        # A graph is drawn of one engine only.
        analyses = [
            analyze(engine, with_blocks=is_drawn and at == shown) for at, engine in enumerate(engines)
        ]
        comparison = compare(
            engines,
            baseline=self.baseline,
            names=_titles(self.paths, engines, with_paths=self.redact is None),
            analyses=analyses,
            settings=VerdictSettings(minimum_effect_percent=self.minimum_effect_percent),
            others=others,
        )
        # Not the engines: what was read takes as much memory as the pages that are to be made.
        sources, notes = [engine.sources for engine in engines], [engine.notes for engine in engines]
        if self.redact:
            # Nothing is known of what else stands in these files.
            others = [replace(other, sources=()) for other in others]
        return Compared(comparison, analyses, sources, notes, others, shown)

    def _read(self, path: str, outputs: Iterable[str], name: str | None = None) -> Engine:
        capture = CaptureChoice((path,), name=name, redact=self.redact)
        engine = capture.read()
        for output in outputs:
            refuse_input_as_output(capture, engine, output)
        return engine


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of a comparison as they were given."""

    baseline: str | None
    focus: str | None
    minimum_effect_percent: float | None
    runs: tuple[str, ...]
    latencies: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        """Whether the user gave any of them."""
        single = (self.baseline, self.focus, self.minimum_effect_percent)
        return bool(self.runs or self.latencies) or any(each is not None for each in single)

    def choose(self, paths: tuple[str, ...], redact: Redaction | None) -> ComparisonChoice:
        """Return what they mean for these captures.

        Raises:
            UsageError: There is nothing to compare, or an option names something else.
        """
        if len(paths) < (1 if self.latencies else 2):
            raise UsageError("There is nothing to compare.", "Give two captures or more.")
        index = _chosen(paths, self.baseline, "--baseline") or 0
        shown = _chosen(paths, self.focus, "--focus")
        if shown == index and len(paths) > 1:
            raise UsageError(
                f"--focus: '{self.focus}' is the baseline.", "Give one of those that are held against it."
            )
        return ComparisonChoice(
            paths,
            index,
            shown,
            _MINIMUM_EFFECT_PERCENT if self.minimum_effect_percent is None else self.minimum_effect_percent,
            _runs(paths, self.runs),
            self.latencies,
            redact,
        )


def comparison_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is compared how; the command gets them as `comparing`."""

    @wraps(command)
    def chosen(*args: Any, **options: Any) -> Any:
        names = ("baseline", "focus", "minimum_effect", "runs", "latencies")
        comparing = ComparisonOptions(*(options.pop(name) for name in names))
        return command(*args, comparing=comparing, **options)

    for option in (
        click.option(
            "--focus",
            metavar="B|N",
            help="Whose graph is shown, and with whom it begins.  [default: the first beside the baseline]",
        ),
        click.option(
            "--baseline-latency",
            "latencies",
            multiple=True,
            metavar="NAME=TIME|FILE",
            help="What is no engine, such as 'PyTorch eager=12.3ms', or a CSV or JSON file of latencies.",
        ),
        click.option(
            "--runs",
            multiple=True,
            metavar="A=PATH,...",
            help="Further measurements of one of A B...: captures, or files of times.",
        ),
        click.option(
            "--minimum-effect",
            type=NumberRange(0, 1000),
            metavar="PERCENT",
            help=f"A smaller difference does not count.  [default: {_MINIMUM_EFFECT_PERCENT}]",
        ),
        click.option(
            "--baseline",
            metavar="A|N",
            help="What the others are held against: a path, or its number.  [default: 1]",
        ),
    ):
        chosen = option(chosen)
    return chosen


def _chosen(paths: Sequence[str], wanted: str | None, option: str) -> int | None:
    """Return the index of the path or number that is meant; None if none was."""
    if wanted is None:
        return None
    found = _index(paths, wanted)
    if found is None:
        raise UsageError(
            f"{option}: '{wanted}' is none of what is compared.",
            f"Give one of the paths, or 1 to {len(paths)}.",
        )
    return found


def _titles(paths: Sequence[str], engines: Sequence[Engine], *, with_paths: bool) -> list[str]:
    """Return the engines' names; with equal ones goes a part of the path, or a number, to tell them apart."""
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
        # A path may hold "=" and ",".
        places = [at for at, character in enumerate(option) if character == "="]
        of_paths = [(at, index) for at in places if (index := _index(paths, option[:at])) is not None]
        if not of_paths:
            raise UsageError(
                f"--runs: '{option}' does not begin with one of what is compared.",
                f"Give it as A=PATH with one of the paths, or 1 to {len(paths)}, for A.",
            )
        at, index = of_paths[0]
        rest = option[at + 1 :]
        captures = [rest] if rest and Path(rest).exists() else [part for part in rest.split(",") if part]
        if not captures:
            raise UsageError(f"--runs: '{option}' names no further run.", "Give its path behind the '='.")
        found.setdefault(index, []).extend(captures)
    return found
