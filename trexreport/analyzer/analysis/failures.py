"""Whether the run that a capture is of failed."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.engine import Note
from trexreport.analyzer.grouping import group_by
from trexreport.model.capture import STATES_ERROR

#: The run failed, or it left no engine.
_FAILED = frozenset({"log-failed", "log-empty-engine"})
#: The run may have failed; a log that was cut after the figures lacks little.
_UNFINISHED = "log-unfinished"
#: The rule that reports it.
FAILED_RUN = "TRX921"


def failures(analysis: Analysis) -> list[Note]:
    """Return the notes that trtexec failed; of a log that ends early only if no file has times or layers."""
    failed = _FAILED if has_results(analysis) else _FAILED | {_UNFINISHED}
    return [note for note in analysis.notes if note.slug in failed]


def errors_of_run(analysis: Analysis) -> list[Note]:
    """Return the notes that the run failed, without a log that was only cut: it states an error."""
    return [note for note in failures(analysis) if note.slug != _UNFINISHED or STATES_ERROR in note.message]


def by_error(notes: Iterable[Note]) -> list[list[Note]]:
    """Return notes that a run failed by the error that they state, of each the note first that says most."""
    groups = group_by(notes, lambda note: note.message.partition(STATES_ERROR)[2] or note)
    return [
        sorted(each, key=lambda note: (bool(note.hint), len(note.message)), reverse=True)
        for each in groups.values()
    ]


def has_results(analysis: Analysis) -> bool:
    """Return whether a file has layers or times of an engine."""
    latency = analysis.latency
    return bool(analysis.layers) or latency.end_to_end is not None or latency.gpu_compute is not None


def has_no_engine(analysis: Analysis) -> bool:
    """Return whether the run failed, and nothing shows that it left an engine."""
    return bool(errors_of_run(analysis)) and not has_results(analysis)


def lacks_layers(analysis: Analysis) -> bool:
    """Return whether no file lists layers: their number and what they are is unknown, not 0."""
    return not analysis.layers and any(note.slug == "no-graph" for note in analysis.notes)
