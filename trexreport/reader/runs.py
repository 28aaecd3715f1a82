"""Join further measurements of an engine to it, so that it is known how much repeated runs differ."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from trexreport.errors import InputError
from trexreport.model import Engine, FileFacts, InputWarning, Source
from trexreport.reader.capture import EDITED_ARCHIVE, EDITED_REPORT
from trexreport.reader.contradictions import with_contradictions

#: Builds of one model share most names of layers, whatever the builder chooses.
_LEAST_COMMON = 0.5


def add_runs(engine: Engine, runs: Sequence[Engine]) -> Engine:
    """Return an engine with the query times of other captures of it as further runs.

    Args:
        engine: Whose layers, options and first run are kept.
        runs: Captures of the same engine; only their query times are taken.

    Raises:
        InputError: A capture has no query times, or is that of another engine.
    """
    if not runs:
        return engine
    times = [*([engine.queries] if engine.queries else []), *engine.more_runs]
    sources, notes = list(engine.sources), list(engine.notes)
    for run in runs:
        if run.queries is None:
            raise InputError(
                f"{run.name} holds no times of queries, so it is not a further run of {engine.name}.",
                "Run trtexec with --exportTimes.",
            )
        notes += _notes_on_build(engine, run)
        notes += (note for note in run.notes if note.slug in (EDITED_REPORT, EDITED_ARCHIVE))
        times += [run.queries, *run.more_runs]
        sources += [
            Source("timing-run", source.name, source.data)
            for source in run.sources
            if source.role in ("timing", "timing-run")
        ]
    joined = dataclasses.replace(
        engine,
        queries=times[0] if times else None,
        more_runs=tuple(times[1:]),
        sittings=sum(each.sittings for each in (engine, *runs) if each.queries),
        sources=tuple(sources),
        notes=tuple(dict.fromkeys(notes)),
        files=(
            *engine.files,
            *(file for number, run in enumerate(runs, 2) for file in _further(run, number)),
        ),
    )
    return with_contradictions(joined)


def _further(run: Engine, number: int) -> list[FileFacts]:
    """Return what the files of a further run state, except about its own build, which may be another one."""
    return [
        dataclasses.replace(
            file,
            file=f"{run.name}: {file.file}",
            run=None if file.run is None else 1000 * number + file.run,
            setup=dataclasses.replace(file.setup, commands=(), build_options={}, build_facts={}),
            layer_times=(),
            paths={},
        )
        for file in run.files
        if file.role != "graph" and not file.is_build
    ]


def _notes_on_build(engine: Engine, run: Engine) -> list[InputWarning]:
    """Return a note if a run is that of another build of the engine; files of times alone name no build."""
    if not engine.layers or not run.layers:
        return []
    ours, theirs = (Counter(layer.name for layer in each.layers) for each in (engine, run))
    common = sum((ours & theirs).values())
    most = max(len(engine.layers), len(run.layers))
    if common < _LEAST_COMMON * most:
        raise InputError(
            f"{run.name} is not a further run of {engine.name}: of its layers {common} are "
            f"those of the engine, which has {len(engine.layers)}.",
            "Compare it as an engine of its own.",
        )
    built, built_again = (
        Counter((layer.name, layer.tactic) for layer in each.layers) for each in (engine, run)
    )
    if built == built_again:
        return []
    message = (
        f"{run.name} is another build of {engine.name}, with other layers or kernels: the spread between runs"
        " holds what the builder makes different, too."
    )
    return [InputWarning("degraded", "run-of-another-build", message, "", ("timing",))]
