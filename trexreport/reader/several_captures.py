"""Choose among several captures in one folder the one that is shown, and say what the others are."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.model.capture import NoteSeverity
from trexreport.model.measured_log import MeasuredLog, fastest
from trexreport.numbers import counted, join_names, list_names
from trexreport.reader.capture import Capture
from trexreport.reader.file_groups import MAIN_ROLES, names_of_captures
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_figures import measured_log, measured_queries, with_possible_batches
from trexreport.reader.log_sources import with_plain_logs
from trexreport.reader.timing_file import read_timing
from trexreport.reader.trtexec_log import read_trtexec_log

_MOST_LISTED = 8
#: How JSON ends, and what may follow, also in UTF-16.
_ENDS, _BLANK, _MOST_AFTER = (b"]", b"}"), b" \r\n\t\0", 1000


def choose_capture(groups: Sequence[Sequence[Source]]) -> LogChoice:
    """Return the files of the capture that is shown, with plain logs, and what the others are.

    It is the one with layers and their times, else with either; of several such the one with the most items
    per second, or queries. A file that is cut off does not count.
    """
    names = names_of_captures(groups)
    measured = [_measured(group, name) for group, name in zip(groups, names, strict=True)]
    ranks = [[_has_whole(group, role) for role in MAIN_ROLES[:2]] for group in groups]
    top = [at for at, rank in enumerate(ranks) if rank == max(ranks)]
    known = [each for at in top if (each := measured[at])]
    shown = measured.index(fastest(known)) if known else top[0]
    choice = with_plain_logs(groups[shown])
    captures = [Capture(name, tuple(group)) for name, group in zip(names, groups, strict=True)]
    others = captures[:shown] + captures[shown + 1 :]
    table = [replace(each, is_shown=at == shown) for at, each in enumerate(measured) if each]
    table = with_possible_batches([*table, *(each for each in choice.measured if not each.is_shown)])
    notes = [*choice.notes, _note(names, shown, are_listed=None not in measured), *_notes_on_damage(groups)]
    return LogChoice(choice.sources, notes, table if len(table) > 1 else [], [*others, *choice.others])


def _has_whole(group: Sequence[Source], role: str) -> bool:
    return any(source.role == role and _is_whole(source) for source in group)


def _is_whole(source: Source) -> bool:
    """Return whether a file of JSON ends where its document does."""
    return source.data[-_MOST_AFTER:].rstrip(_BLANK).endswith(_ENDS)


def _measured(group: Sequence[Source], name: str) -> MeasuredLog | None:
    """Return what a capture measured, as its log states it, else its query times; None without either."""
    for log in (each for each in with_plain_logs(group).sources if each.role == "log"):
        facts = read_trtexec_log(log.data.decode(errors="replace"), log.name)
        found = measured_log(log, facts)
        if any(found.figures):
            return replace(found, file=name)
    timing = next((each for each in group if each.role == "timing"), None)
    # Another capture is shown if the only times of this one are damaged.
    with contextlib.suppress(InputError):
        queries = read_timing(timing.data.decode(errors="replace"), timing.name)[0] if timing else None
        return measured_queries(name, queries) if queries else None
    return None


def _note(names: Sequence[str], shown: int, *, are_listed: bool) -> InputWarning:
    listed = join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)
    count = counted(len(names), "capture")
    message = f"There are files of {count}: {listed}; that of {names[shown]} is shown."
    hint = f"Compare them: trexreport compare {shlex.join(names[:_MOST_LISTED])}. Or give the files of one."
    severity: NoteSeverity = "info" if are_listed else "degraded"
    return InputWarning(severity, "several-captures", message, "", ("overview", "timing"), hint)


def _notes_on_damage(groups: Sequence[Sequence[Source]]) -> list[InputWarning]:
    files = (each for group in groups for each in group if each.role in MAIN_ROLES)
    cut = list(dict.fromkeys(each.name for each in files if not _is_whole(each)))
    message = f"{list_names(cut, _MOST_LISTED)} {'is' if len(cut) == 1 else 'are'} cut off."
    hint = "Write again what is cut off; was the disk full or the run stopped?"
    return [InputWarning("degraded", "capture-cut-off", message, "", ("overview",), hint)] if cut else []
