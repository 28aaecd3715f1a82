"""What the contents on the cover say of sections that have no sentence of their own."""

from __future__ import annotations

from collections import Counter

from trexreport.analyzer import Analysis
from trexreport.numbers import counted, format_count

#: The gravest first.
_SEVERITIES = ("error", "degraded", "repaired", "info")


def build_sentence(analysis: Analysis) -> str:
    """Return how many inputs and outputs there are, and of what the settings are known."""
    modes = Counter(binding.mode for binding in analysis.bindings)
    parts = [counted(modes[mode], mode) for mode in ("input", "output") if modes[mode]]
    bindings = " and ".join(parts) or "No inputs or outputs are known"
    settings = ", ".join(title.lower() for title in analysis.settings)
    return f"{bindings}; {settings or 'nothing is known of device and build'}."


def notes_sentence(analysis: Analysis) -> str:
    """Return how many read notes there are of each severity."""
    counts = Counter(note.severity for note in analysis.notes)
    order = sorted(counts, key=lambda each: (_SEVERITIES.index(each) if each in _SEVERITIES else -1, each))
    told = ", ".join(f"{format_count(counts[severity])} {severity}" for severity in order)
    return f"{told}." if told else "Every file was read without repair."


def files_sentence(count: int, *, are_attached: bool) -> str:
    """Return how many files there are, and whether the document carries them."""
    files = counted(count, "file")
    return f"{files}, attached to this PDF." if are_attached and count else f"{files}."
