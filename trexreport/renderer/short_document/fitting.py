"""Shorten a document until it fits a size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from trexreport.renderer.short_document.document import Block, Items, ShortDocument, Table

Written = TypeVar("Written", str, bytes)


def fit(
    document: ShortDocument, write: Callable[[ShortDocument], Written], max_bytes: int
) -> tuple[ShortDocument, Written]:
    """Shorten a document until it fits; it may still be longer where nothing is left to shorten.

    Args:
        document: What is to be written.
        write: Returns the document in its format.
        max_bytes: Size of the text in UTF-8.

    Returns:
        The document as it fits, and its text.
    """
    while True:
        text = write(document)
        size = len(text.encode("utf-8")) if isinstance(text, str) else len(text)
        shorter = shortened(document) if size > max_bytes else None
        if shorter is None:
            return document, text
        document = shorter


def shortened(document: ShortDocument) -> ShortDocument | None:
    """Return the document a quarter shorter: its tables and lists, then its sections, then what is essential.

    Returns:
        None where nothing is left to shorten.
    """
    for essential in (False, True):
        if any(_entries(block, is_essential=essential) for block in _blocks(document)):
            return replace(
                document,
                blocks=_cut(document.blocks, is_essential=essential),
                sections=tuple(
                    replace(each, blocks=_cut(each.blocks, is_essential=essential))
                    for each in document.sections
                ),
            )
        if not essential and document.sections:
            kept = len(document.sections) * 3 // 4
            hidden = document.hidden_sections + len(document.sections) - kept
            return replace(document, sections=document.sections[:kept], hidden_sections=hidden)
    return None


def _blocks(document: ShortDocument) -> list[Block]:
    return [*document.blocks, *(block for section in document.sections for block in section.blocks)]


def _entries(block: Block, *, is_essential: bool) -> int:
    """Return how many entries a block shows that can be cut now."""
    if not isinstance(block, (Items, Table)) or block.is_essential != is_essential:
        return 0
    return len(block.entries[: block.max_shown])


def _cut(blocks: tuple[Block, ...], *, is_essential: bool) -> tuple[Block, ...]:
    return tuple(
        replace(block, max_shown=_entries(block, is_essential=is_essential) * 3 // 4)
        if isinstance(block, (Items, Table)) and block.is_essential == is_essential
        else block
        for block in blocks
    )
