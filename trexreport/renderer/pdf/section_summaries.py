"""Summaries on the cover of sections for which the analysis has none."""

from __future__ import annotations

from collections import Counter

from trexreport.analyzer import Analysis
from trexreport.numbers import counted, format_count

#: The most severe first.
_SEVERITIES = ("error", "degraded", "repaired", "info")


def build_sentence(analysis: Analysis) -> str:
    """Return the number of I/O tensors, and which settings are known."""
    modes = Counter(binding.mode for binding in analysis.bindings)
    parts = [counted(modes[mode], mode) for mode in ("input", "output") if modes[mode]]
    bindings = " and ".join(parts) or "I/O tensors unknown"
    settings = ", ".join(title.lower() for title in analysis.settings)
    return f"{bindings}; {settings or 'device and build options unknown'}."


def notes_sentence(analysis: Analysis) -> str:
    """Return the number of input warnings by severity."""
    counts = Counter(note.severity for note in analysis.notes)
    order = sorted(counts, key=lambda each: (_SEVERITIES.index(each) if each in _SEVERITIES else -1, each))
    text = ", ".join(f"{format_count(counts[severity])} {severity}" for severity in order)
    return f"{text}." if text else "Every file was read without repair."


def files_sentence(count: int, *, are_attached: bool) -> str:
    """Return how many files there are, and whether the document carries them."""
    files = counted(count, "file")
    return f"{files}, attached to this PDF." if are_attached and count else f"{files}."
