"""Which files beside a log with several runs are of the run that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.model import InputWarning, Source
from trexreport.numbers import counted
from trexreport.reader.log_engines import engine_of
from trexreport.reader.log_runs import LoggedRun

#: The option that writes a file of each role.
_WRITERS = {
    "timing": "exportTimes",
    "timing-run": "exportTimes",
    "profile": "exportProfile",
    "graph": "exportLayerInfo",
}
#: Options that make two runs of an engine different in the times of its layers.
_AMOUNTS = ("--shapes", "--batch")


def files_of_run(
    sources: Sequence[Source], runs: Sequence[LoggedRun], wanted: LoggedRun
) -> tuple[list[Source], list[InputWarning]]:
    """Return the files without those of other runs of a log, and a note on these.

    A file is of the run whose command names it, else of the last that writes one of its kind. Layers are of
    all runs of their engine, and their times of all that measure the same amount of work with it.

    Args:
        sources: The files of the capture.
        runs: Of the log, in order.
        wanted: The run that is asked for.
    """
    kept = [source for source in sources if _is_of(source, runs, wanted)]
    others = len(sources) - len(kept)
    if not others:
        return kept, []
    verb = "is" if others == 1 else "are"
    message = f"{counted(others, 'file')} beside the log {verb} of another run, and left out."
    hint = "The files that the command of a run writes belong to it: give them with a log of this run alone."
    return kept, [InputWarning("degraded", "files-of-another-run", message, "", ("layers", "timing"), hint)]


def _is_of(source: Source, runs: Sequence[LoggedRun], wanted: LoggedRun) -> bool:
    option = _WRITERS.get(source.role)
    if option is None:
        return True
    writers = [run for run in runs if option in run.exports]
    named = [run for run in writers if run.exports[option] == source.name]
    measured = [run for run in runs if run.has_summary]
    owner = (named or writers or measured or runs)[-1]
    if wanted in named or owner is wanted:
        return True
    if option == "exportTimes" or engine_of(runs, owner) != engine_of(runs, wanted):
        return False
    return option == "exportLayerInfo" or (
        option not in wanted.exports and _amounts(owner) == _amounts(wanted)
    )


def _amounts(run: LoggedRun) -> set[str]:
    return {option for option in run.build if option.partition("=")[0] in _AMOUNTS}
