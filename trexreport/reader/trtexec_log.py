"""Read the log of trtexec: set-up, build figures, performance summary and table of layers.

Source of the grammar: sampleOptions.cpp, sampleEngines.cpp, sampleInference.cpp, sampleReporting.cpp and
logger.h of trtexec 8.0 to 11.1. A log may hold standard output, standard error or both, one run or several.
"""

from __future__ import annotations

from trexreport.model import InputWarning
from trexreport.reader.profile_file import LayerProfile
from trexreport.reader.setup_facts import SetupFacts, merge
from trexreport.reader.trtexec_lines import Banner, split_log
from trexreport.reader.trtexec_notes import write_notes
from trexreport.reader.trtexec_run import Run

_FROM_LOG = InputWarning(
    "info",
    "profile-from-log",
    "The layer times are from the table in the log, which has fewer digits than the file.",
    hint="Use --exportProfile for the file.",
)


def read_trtexec_log(text: str, source_name: str) -> SetupFacts:
    """Read all that a trtexec log says; any text is accepted, oddities end up as notes.

    Several runs in one text (such as a build and a timing run) are put together; the earlier one wins.
    Options that a run prints but does not use are left out: those of the build where an engine is loaded,
    those of the inference where it is skipped.
    """
    run = Run()
    runs = [run]
    for record in split_log(text):
        if isinstance(record, Banner):
            if record.state == "RUNNING":
                run = Run()
                runs.append(run)
            run.take_banner(record)
        else:
            run.take(record)
    profiled = next((each for each in runs if each.table.collected), run)
    errors = tuple(dict.fromkeys(error for each in runs for error in each.errors))
    ends = [each.finished for each in runs if each.commands]
    finished = False if False in ends else None if None in ends or not ends else True
    rows = profiled.table.rows()
    return SetupFacts(
        setup=merge([each.setup() for each in runs]),
        measurement=merge([each.measurement() for each in runs]),
        profile=LayerProfile(rows, profiled.iterations, (_FROM_LOG,)) if rows else None,
        finished=finished,
        errors=errors,
        notes=write_notes(runs, finished, errors, source_name),
    )
