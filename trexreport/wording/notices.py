"""What the head of a document says of the input before any figure, and which notes that leaves."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.engine import Note
from trexreport.analyzer.analysis.failures import failures
from trexreport.wording.contradictions import not_among

#: Why layers have names and nothing else.
_NAMES_ONLY = frozenset({"names-only", "no-graph"})


def names_only_note(analysis: Analysis) -> Note | None:
    """Return why layers have names and nothing else; None if they have more, or no note says why."""
    notes = (note for note in analysis.notes if note.slug in _NAMES_ONLY)
    return next(notes, None) if analysis.identity.names_only else None


def note_sentence(note: Note) -> str:
    """Return a note and what to do."""
    return f"{note.message} {note.hint}".strip()


def other_input_warnings(analysis: Analysis) -> list[Note]:
    """Return the notes on what is missing or wrong that no notice states."""
    noticed = [*failures(analysis), names_only_note(analysis)]
    notes = not_among(analysis.contradictions, analysis.notes)
    return [note for note in notes if note.severity == "degraded" and note not in noticed]
