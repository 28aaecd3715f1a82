"""Read the log of trtexec: set-up, build figures, performance summary and table of layers.

Source of the grammar: sampleOptions.cpp, sampleEngines.cpp, sampleInference.cpp, sampleReporting.cpp and
logger.h of trtexec 8.0 to 11.1. A log may hold standard output, standard error or both, one run or several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import InputWarning, Setup
from trexreport.model.commands import profiles_while_timing
from trexreport.reader.application_times import application_times
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.log_runs import build_options, heading_of_batch
from trexreport.reader.next_run import begins_run, has_timed
from trexreport.reader.printed_times import find_times
from trexreport.reader.profile_values import (
    check_averages,
    note_on_unlisted,
    unlisted_part,
    with_exact_averages,
)
from trexreport.reader.setup_facts import SetupFacts, merge
from trexreport.reader.setup_values import check_build_facts, check_device, check_measurement
from trexreport.reader.trtexec_facts import version_of_calibration
from trexreport.reader.trtexec_lines import Banner, split_log
from trexreport.reader.trtexec_notes import note_on_cut_table, note_on_runs, write_notes
from trexreport.reader.trtexec_run import DEVICE, Run
from trexreport.reader.typed_command import is_whole

_FROM_LOG = InputWarning(
    "info",
    "profile-from-log",
    "The layer times are from the table in the log, which has fewer digits than the file.",
    hint="Use --exportProfile for the file.",
)


def read_trtexec_log(text: str, source_name: str) -> SetupFacts:
    """Read all that a trtexec log says; any text is accepted, oddities end up as notes.

    Several runs in one text (such as a build and a timing run) are put together. Of several that measured,
    the last complete one counts: it is the one that a file holds which all of them wrote. Options that a
    run prints but does not use are left out: those of the build where an engine is loaded, those of the
    inference where it is skipped.
    """
    run = Run()
    runs = [run]
    for record in split_log(text):
        if isinstance(record, Banner):
            if record.state == "RUNNING":
                run = Run()
                runs.append(run)
            run.take_banner(record)
            continue
        if begins_run(record, run):
            run = Run()
            runs.append(run)
        run.take(record)
    _choose_typed(runs)
    shown = _shown(runs)
    errors = tuple(dict.fromkeys(error for each in runs for error in each.errors))
    ends = [each.finished for each in runs if each.commands]
    finished = False if False in ends else None if None in ends or not ends else True
    for each in runs if ends else ():
        # trtexec's own first line says it.
        each.typed = ""
    values = ImpossibleValues(source_name, ("timing", "build"))
    joined = _joined(runs, shown)
    left_out = _note_on_other_table(runs, joined, source_name)
    setup = _setup(joined, shown)
    setup = replace(
        setup,
        tensorrt_version=setup.tensorrt_version or version_of_calibration(setup.build_facts),
        run_commands=_other_commands(runs),
        device=check_device(setup.device or _device_of_page(runs), values),
        heading=heading_of_batch(text.encode(errors="replace")),
        build_facts={**check_build_facts(setup.build_facts, values), **application_times(text)},
    )
    measurement = check_measurement(shown.measurement(), values)
    if len(sizes := shown.averages.sizes()) > 1:
        values.refuse(
            "Average on", " and ".join(map(str, sizes)), "are several numbers of queries in one run"
        )
    profile = _profile(_profiled(joined, shown), source_name)
    printed, printed_notes = (profile, ()) if profile else _printed(text, source_name)
    cut = () if printed or left_out else note_on_cut_table(text, source_name)
    of_log = *write_notes(text, runs, finished, errors, source_name), *note_on_runs(runs, shown, source_name)
    notes = (*of_log, *left_out, *printed_notes, *cut, *values.notes())
    return SetupFacts(
        setup=setup,
        measurement=measurement,
        profile=printed,
        finished=finished,
        errors=errors,
        notes=notes,
    )


def _other_commands(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the commands with which a run began and ended, if there is one in which they differ."""
    for run in runs:
        # Runs beside each other may end in the other's part of the log.
        ends = [each for each in run.ended if each]
        if run.started and ends and not any(_may_be_one(run.started, each) for each in ends):
            return (run.started, ends[0])
    return ()


def _may_be_one(started: str, ended: str) -> bool:
    """Return whether two commands may be one: the last line may be cut, or both at the width of a terminal.

    "RUNNING" is a character longer than "PASSED" and "FAILED".
    """
    return started.startswith(ended) or (ended.startswith(started) and len(ended) == len(started) + 1)


def _choose_typed(runs: Sequence[Run]) -> None:
    """Give each run the command that a terminal shows before it; without any, all that one line mentions."""
    for run in runs:
        run.typed = run.typed_lines.before if run.has_output else ""
    if any(run.typed or run.commands for run in runs):
        return
    has_output = any(run.has_output for run in runs)
    lines = [run.typed_lines.before for run in runs if run.typed_lines.before]
    alone = [line for line in lines if is_whole(line) or not has_output]
    mentioned = {*alone, *(each for run in runs for each in run.typed_lines.mentioned)}
    if len(mentioned) == 1:
        _shown(runs).typed = mentioned.pop()


def _shown(runs: Sequence[Run]) -> Run:
    """Return the run whose measurement is shown: the last complete one, of several that only measure it."""

    def rank(run: Run) -> tuple[bool, ...]:
        # What a run without a command is of is not known.
        may_only_measure = run.loads_engine() or not (run.commands or run.typed or run.options)
        only_measures = may_only_measure and not any(map(profiles_while_timing, run.commands))
        # A log without first and last lines may end in a summary.
        is_complete = bool(run.finished) if run.commands else run.summary.is_whole or not run.is_measured
        return (
            run.is_measured and is_complete,
            run.is_measured,
            bool(run.averages),
            bool(run.query_counts),
            run.lines > 0,
            is_complete,
            only_measures,
        )

    # Of equal ones the first is taken, so the last of the log.
    return max(reversed(runs), key=rank)


def _joined(runs: Sequence[Run], shown: Run) -> Sequence[Run]:
    """Return the runs that are read with the one shown.

    Without first lines nothing says that another measured one is of the same engine.
    """
    if shown.commands or shown.loads_engine():
        return runs
    return [run for run in runs if run is shown or not (has_timed(run) or _is_another_build(run, shown))]


def _device_of_page(runs: Sequence[Run]) -> Mapping[str, str]:
    """Return the device that a page states once, above its runs and apart from any."""
    stated = [run for run in runs if run.setup().device]
    is_apart = len(stated) == 1 and set(stated[0].options) == {DEVICE} and not stated[0].commands
    return stated[0].setup().device if is_apart and stated[0] is runs[0] else {}


def _is_another_build(run: Run, shown: Run) -> bool:
    """Return whether the commands that a page shows before two runs build different engines."""
    builds = build_options(run.typed), build_options(shown.typed)
    return all(builds) and builds[0] != builds[1]


def _note_on_other_table(runs: Sequence[Run], joined: Sequence[Run], source_name: str) -> list[InputWarning]:
    """Return a note on layer times that belong to no figures, if those shown are of another build."""
    kept = {id(run) for run in joined}
    if all(run.is_measured or not run.table.collected or id(run) in kept for run in runs):
        return []
    return [
        InputWarning(
            "degraded",
            "log-other-table",
            f"{source_name} shows layer times of another build than its figures: they were left out.",
            source_name,
            ("latency", "layers"),
            "Give each run a file of its own.",
        )
    ]


def _profiled(runs: Sequence[Run], shown: Run) -> Run:
    """Return the run whose table of layers is shown."""

    def rank(run: Run) -> tuple[bool, bool, bool]:
        return bool(run.table.collected), run is shown, run.table.total_ms() is not None

    return max(reversed(runs), key=rank)


def _setup(runs: Sequence[Run], shown: Run) -> Setup:
    """Join what runs state; of several engines without first lines nothing of another one is taken."""
    if "Build Options" in shown.options and not shown.loads_engine() and not shown.commands:
        return shown.setup()
    joined, measured = merge([each.setup() for each in runs]), shown.setup()
    return replace(
        joined,
        inference_options={**joined.inference_options, **measured.inference_options},
        device=measured.device or joined.device,
        io_shapes={**joined.io_shapes, **measured.io_shapes},
        io_types={**joined.io_types, **measured.io_types},
        input_names=measured.input_names or joined.input_names,
        shape_ranges={**joined.shape_ranges, **measured.shape_ranges},
    )


def _printed(text: str, source_name: str) -> tuple[LayerProfile | None, tuple[InputWarning, ...]]:
    """Return the times of layers that another program printed, and a note if they are unclear."""
    try:
        times = find_times(text, source_name)
    except InputError as error:
        note = InputWarning(
            "degraded", "printed-times", str(error), source_name, ("latency", "layers"), error.hint
        )
        return None, (note,)
    if times is None:
        return None, ()
    # Imported late: few logs have them.
    from trexreport.reader.printed_profile import profile_of

    return profile_of(times, source_name), ()


def _profile(run: Run, source_name: str) -> LayerProfile | None:
    """Return the table of layers."""
    rows = run.table.rows()
    values = ImpossibleValues(source_name, ("latency", "layers"))
    for number, row in run.table.refused.items():
        values.refuse(f"row {number} of the profile", row, "is not a layer with times")
    rows, iterations = check_averages(with_exact_averages(rows, run.iterations), run.iterations, values)
    part = unlisted_part(rows, run.table.total_ms())
    missing = (note_on_unlisted(part, source_name),) if part else ()
    return LayerProfile(rows, iterations, (_FROM_LOG, *missing, *values.notes()), part) if rows else None
