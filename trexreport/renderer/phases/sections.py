"""The sections of a short document about several phases: those of each, under its name."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.renderer.short_document.document import Section, ShortDocument, named, spans


def sections_of(phase: str, document: ShortDocument) -> Iterator[Section]:
    """Yield the blocks and the sections of a document about one phase, each under the name of the phase."""
    yield Section(named(phase), document.blocks, priority=0)
    for section in document.sections:
        yield Section((named(phase), ": ", *spans(section.title)), section.blocks, section.priority)
