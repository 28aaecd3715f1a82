"""Choose among several captures in one folder the one that is shown, and say what the others are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.model import InputWarning, Source
from trexreport.model.capture import NoteSeverity
from trexreport.model.measured_log import MeasuredLog, fastest
from trexreport.numbers import counted, join_names, list_names
from trexreport.reader.file_groups import MAIN_ROLES, name_of_capture
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_figures import measured_log, measured_queries, with_possible_batches
from trexreport.reader.log_sources import with_plain_logs
from trexreport.reader.timing_file import read_timing
from trexreport.reader.trtexec_log import read_trtexec_log

_MOST_LISTED = 8


def choose_capture(groups: Sequence[Sequence[Source]]) -> LogChoice:
    """Return the files of the capture that is shown, with plain logs, and what the others are.

    It is the one with layers and their times, else with either; of several such the one with the most items
    per second, or queries.
    """
    measured = [_measured(group) for group in groups]
    ranks = [[any(each.role == role for each in group) for role in MAIN_ROLES[:2]] for group in groups]
    top = [at for at, rank in enumerate(ranks) if rank == max(ranks)]
    known = [each for at in top if (each := measured[at])]
    shown = measured.index(fastest(known)) if known else top[0]
    choice = with_plain_logs(groups[shown])
    others = [tuple(group) for at, group in enumerate(groups) if at != shown]
    table = [replace(each, is_shown=at == shown) for at, each in enumerate(measured) if each]
    table = with_possible_batches([*table, *(each for each in choice.measured if not each.is_shown)])
    names = [name_of_capture(group) for group in groups]
    notes = [*choice.notes, _note(names, shown, are_listed=None not in measured)]
    return LogChoice(choice.sources, notes, table if len(table) > 1 else [], [*others, *choice.others])


def _measured(group: Sequence[Source]) -> MeasuredLog | None:
    """Return what a capture measured, as its log states it, else its query times; None without either."""
    for log in (each for each in with_plain_logs(group).sources if each.role == "log"):
        facts = read_trtexec_log(log.data.decode(errors="replace"), log.name)
        found = measured_log(log, facts)
        if any(found.figures):
            return found
    timing = next((each for each in group if each.role == "timing"), None)
    queries = read_timing(timing.data.decode(errors="replace"), timing.name)[0] if timing else None
    return measured_queries(name_of_capture(group), queries) if queries else None


def _note(names: Sequence[str], shown: int, *, are_listed: bool) -> InputWarning:
    listed = join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)
    count = counted(len(names), "capture")
    message = f"There are files of {count}: {listed}; that of {names[shown]} is shown."
    hint = f"Compare them: trexreport compare {' '.join(names[:_MOST_LISTED])}. Or give the files of one."
    severity: NoteSeverity = "info" if are_listed else "degraded"
    return InputWarning(severity, "several-captures", message, "", ("overview", "timing"), hint)
