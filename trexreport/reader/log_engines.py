"""Keep of a log with several runs those of one measurement of one engine, so that nothing of two is mixed.

Runs are of one engine if one loads what the other saved, or if both build one model with the same options.
Of several the last one counts that is complete: it is what a file has that several runs wrote in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from trexreport.errors import InputError
from trexreport.model import InputWarning, NoteSeverity
from trexreport.numbers import counted
from trexreport.reader.file_names import short_name
from trexreport.reader.log_runs import LoggedRun, find_runs, text_of

_MOST_NAMES = 5
_AFFECTED = ("overview", "layers")
_HINT = "--log-run N shows run N, counted from 1, of what it loads or builds."


@dataclass
class _Engine:
    """The runs of an engine."""

    model: str
    build: frozenset[str]
    file: str
    runs: list[LoggedRun] = field(default_factory=list)

    def name(self, common: frozenset[str]) -> str:
        """Return how it is called in a message, without what all engines have in common."""
        return short_name(" ".join([self.file or self.model or "not stated", *sorted(self.build - common)]))

    def numbered_name(self, common: frozenset[str]) -> str:
        """Return its name with the numbers of its runs, as --log-run takes them."""
        numbers = [str(run.number) for run in self.runs]
        what = "run" if len(numbers) == 1 else "runs"
        return f"{self.name(common)}: {what} {', '.join(numbers[:_MOST_NAMES])}"


def runs_of_one_engine(
    data: bytes, name: str, beside: Collection[str] = (), wanted: int | None = None
) -> tuple[bytes, list[InputWarning]]:
    """Return the runs that one measurement of an engine is made of, and a note on others.

    These are the run that measured, the build of its engine, and the runs that timed and listed its layers.
    Without a wanted one it is the last of those that wrote the files beside the log, else the last complete
    one that was measured, else of which the log has layers.

    Args:
        data: UTF-8; returned as it is if nothing is left out.
        name: The file's name, for messages.
        beside: Names of the other files of the capture.
        wanted: Number of a run, 1 for the first of the log.

    Raises:
        InputError: The log has no such run.
    """
    runs = find_runs(data)
    if wanted is not None and not 1 <= wanted <= len(runs):
        has = counted(len(runs), "run") if runs else "no line that begins a run"
        hint = "Count the lines &&&& RUNNING, or the summaries where there are none."
        raise InputError(f"{name} has {has}; none of them is run {wanted}.", hint)
    if not runs:
        return data, []
    notes = []
    once = _once(runs, data)
    if len(once) < len(runs):
        message = f"{name} has {counted(len(runs) - len(once), 'run')} twice; each was read once."
        notes.append(InputWarning("repaired", "log-text", message, name))
    engines = _engines(once)
    # A copy is wanted as the one that was read.
    run = _like(once, runs[wanted - 1], data) if wanted is not None else None
    if run is not None:
        best = next(engine for engine in engines if run in engine.runs)
    else:
        best = max(engines, key=lambda engine: _engine_rank(engine, beside))
    kept = _kept(best.runs, beside, run)
    if len(engines) > 1:
        notes.append(_engines_note(name, engines, best))
    if (shown := _several(best.runs, kept)) and (len(engines) == 1 or run is None):
        notes.append(_runs_note(name, best.runs, kept, shown))
    last = once[-1]
    is_quoted = last.has_summary and not last.states_engine
    if last not in kept and wanted is None and last.passed is None and not is_quoted:
        message = f"{name} ends before run {last.number} does: the last complete run is shown."
        notes.append(InputWarning("degraded", "log-unfinished", message, name, _AFFECTED))
    if kept == runs:
        return data, notes
    return b"".join(text_of(data, runs, each) for each in kept), notes


def _once(runs: Iterable[LoggedRun], data: bytes) -> list[LoggedRun]:
    """Return the runs without later copies of the same text."""
    texts: dict[bytes, LoggedRun] = {}
    for run in runs:
        texts.setdefault(data[run.start : run.end].strip(), run)
    return list(texts.values())


def _like(runs: Iterable[LoggedRun], wanted: LoggedRun, data: bytes) -> LoggedRun:
    text = data[wanted.start : wanted.end].strip()
    return next(run for run in runs if data[run.start : run.end].strip() == text)


def _engines(runs: Iterable[LoggedRun]) -> list[_Engine]:
    """Return the engines that the runs are of; one that states no command is of the engine before."""
    engines: list[_Engine] = []
    for run in runs:
        if not run.states_engine and engines:
            engine = engines[-1]
        elif run.loads:
            engine = next((each for each in reversed(engines) if _is_loaded(each, run.loads)), None) or (
                _Engine("", frozenset(), run.loads)
            )
        else:
            same = (each for each in engines if (each.model, each.build) == (run.model, run.build))
            engine = next(
                (each for each in same if not (run.saves and each.file) or each.file == run.saves), None
            ) or _Engine(run.model, run.build, run.saves)
        if all(each is not engine for each in engines):
            engines.append(engine)
        engine.file = engine.file or run.loads or run.saves
        engine.runs.append(run)
    return engines


def engine_of(runs: Iterable[LoggedRun], run: LoggedRun) -> int:
    """Return which of the engines of a log a run is of."""
    return next(at for at, engine in enumerate(_engines(runs)) if run in engine.runs)


def _is_loaded(engine: _Engine, loaded: str) -> bool:
    """Return whether an engine is that of a file; where its file is not known, the model's name decides."""
    stem = PurePath(engine.model).stem.casefold()
    return engine.file == loaded if engine.file else bool(stem) and stem in loaded.casefold()


def _engine_rank(engine: _Engine, beside: Collection[str]) -> tuple[bool | int, ...]:
    runs = engine.runs
    return (
        any(_wrote(run, beside) for run in runs),
        any(run.has_summary and run.passed for run in runs),
        any(run.has_summary for run in runs),
        any(run.has_layers or run.has_table for run in runs),
        any(run.passed for run in runs),
        runs[-1].number,
    )


def _wrote(run: LoggedRun, beside: Collection[str], *options: str) -> bool:
    return any(file in beside for key, file in run.exports.items() if not options or key in options)


def _kept(runs: Sequence[LoggedRun], beside: Collection[str], wanted: LoggedRun | None) -> list[LoggedRun]:
    """Return the runs of an engine that are shown, in the order of the log."""
    if wanted is not None and not wanted.states_engine and any(run.states_engine for run in runs):
        return [wanted]  # A quoted part, of whatever engine.
    measured = wanted or _best(
        [run for run in runs if run.has_summary],
        lambda run: (
            _wrote(run, beside, "exportTimes"),
            bool(run.passed),
            bool(run.loads) and not run.is_profiling,
            run.has_layers or run.has_table,
        ),
    )
    built = measured
    if measured is None or not measured.is_build:
        builds = [run for run in runs if run.is_build]
        earlier = [run for run in builds if measured and run.number < measured.number]
        built = _best(earlier or builds, lambda run: (bool(run.passed), run.has_layers))
    shown = [run for run in (measured, built) if run is not None]
    # Another build has other layers.
    rest = [run for run in runs if not run.is_build]
    if not any(run.has_table for run in shown):
        tables = [run for run in rest if run.has_table]
        table = _best(tables, lambda run: (_wrote(run, beside, "exportProfile"), bool(run.passed)))
        shown += [table] if table else []
    if not any(run.has_layers for run in shown):
        lists = _best([run for run in rest if run.has_layers], lambda run: (bool(run.passed),))
        shown += [lists] if lists else []
    if not shown or not (wanted or any(run.states_engine for run in runs)):
        return list(runs)
    numbers = {run.number for run in shown}
    if wanted is None:
        # What failed after all that is part of it.
        last = max(numbers)
        numbers |= {run.number for run in runs if run.number > last and not (run.passed or run.has_summary)}
    return [run for run in runs if run.number in numbers]


def _best(runs: Iterable[LoggedRun], rank: Callable[[LoggedRun], tuple[bool, ...]]) -> LoggedRun | None:
    """Return the last of the runs that rank highest; None without one."""
    return max(runs, key=lambda run: (rank(run), run.number), default=None)


def _several(runs: Sequence[LoggedRun], kept: Sequence[LoggedRun]) -> LoggedRun | None:
    """Return which of several runs that were measured, or that built, is shown; None if all of them are."""
    for kind in ([run for run in runs if run.has_summary], [run for run in runs if run.is_build]):
        shown = [run for run in kind if run in kept]
        if shown and len(shown) < len(kind):
            return shown[-1]
    return None


def _engines_note(name: str, engines: Sequence[_Engine], best: _Engine) -> InputWarning:
    common = frozenset.intersection(*(engine.build for engine in engines))
    names = "; ".join(engine.numbered_name(common) for engine in engines[:_MOST_NAMES])
    more = f"; and {len(engines) - _MOST_NAMES} more" if len(engines) > _MOST_NAMES else ""
    shown = best.name(common)
    message = f"{name} has runs of {len(engines)} engines ({names}{more}); those of {shown} are shown."
    return InputWarning("degraded", "log-several-engines", message, name, _AFFECTED, _HINT)


def _runs_note(
    name: str, runs: Sequence[LoggedRun], kept: Collection[LoggedRun], shown: LoggedRun
) -> InputWarning:
    measured = [run for run in runs if run.has_summary]
    what = f"{len(measured)} measured runs" if len(measured) > 1 else f"{len(runs)} runs"
    # A part that a text quotes may be of another engine.
    is_quoted = any(run not in kept and not run.states_engine for run in measured)
    of_one = "" if is_quoted else " of one engine"
    message = f"{name} has {what}{of_one}; run {shown.number} is shown."
    severity: NoteSeverity = "degraded" if is_quoted else "info"
    return InputWarning(severity, "log-several-runs", message, name, _AFFECTED, _HINT)
