"""Shorten a short document until it has no more tokens than a language model is to read.

A document is a sequence of units that are shown whole or not at all: a figure, a paragraph, an entry of a
list, a row of a table. Which comes first does not depend on the budget, so a larger one shows all that a
smaller one shows, and more.

The Markdown that is written has few tokens. It has what `markdown.py` has, and the same escapes. Figures are
lines instead of rows of a table, and tables have no spaces beside their lines: each would be a token or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, format_count, join_names, middle_ellipsis
from trexreport.renderer.markdown_text import escaped, words
from trexreport.renderer.short_document.document import (
    Block,
    Figure,
    Figures,
    Items,
    Paragraph,
    ShortDocument,
    Table,
    plain,
)
from trexreport.renderer.short_document.markdown import cells_of, markdown_of
from trexreport.renderer.short_document.tokens import estimate_tokens

MIN_TOKENS, MAX_TOKENS = 100, 1_000_000
#: How many entries of a list come before the next section, and how many of the first section's.
_LEAD, _FIRST_LEAD = 3, 5
#: How many figures come before all sections; the others come after the sections of priorities up to `_LATE`.
_FIRST_FIGURES, _LATE = 4, 1
#: No unit has fewer tokens: more units than the budget has room for are not looked at.
_MIN_UNIT_TOKENS = 4
#: How many omitted sections are named, how long their titles are, and below which budget they are counted.
_MAX_TITLES, _MAX_TITLE, _FEW_TOKENS = 6, 40, 300
#: How many facts below the title are a part of the identity, and the number of the section of the others.
_ESSENTIAL_FACTS, _FACTS = 2, -2
#: Notes on what is missing come and go with the units, so the size is not quite monotone in their number.
_LOOK_AHEAD = 4


@dataclass(frozen=True)
class _Unit:
    """What is added at once: `count` entries of a block are shown with it."""

    rank: tuple[int, int, int, int]
    section: int
    block: int
    count: int


#: Sections and blocks to the number of shown entries; a section of -1 is the document's own blocks.
_Shown = dict[tuple[int, int], int]


def write_within(document: ShortDocument, max_tokens: int, hint: str = "") -> str:
    """Return a document as Markdown with at most a number of estimated tokens.

    Args:
        document: What is to be written, with all that may be shown.
        max_tokens: As `estimate_tokens` counts them, from 100 to 1,000,000.
        hint: A sentence on how to see what was left out.

    Raises:
        UsageError: Not even the identity fits, or there is no such budget.
    """
    if not MIN_TOKENS <= max_tokens <= MAX_TOKENS:
        raise UsageError(
            f"{max_tokens} tokens is not a budget.",
            f"Give from {MIN_TOKENS} to {format_count(MAX_TOKENS)} tokens.",
        )
    units = _units(document)[: max_tokens // _MIN_UNIT_TOKENS]

    def text_of(number: int) -> str:
        return write_lean_markdown(_with_units(document, units[:number], max_tokens, hint))

    def fits(number: int) -> bool:
        return estimate_tokens(text_of(number)) <= max_tokens

    if not fits(0):
        raise UsageError(
            f"{format_count(max_tokens)} tokens are too few for what identifies the result.",
            f"Give {format_count(estimate_tokens(text_of(0)))} tokens or more.",
        )
    low, high = 0, len(units)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    further = [number for number in range(low + 1, min(low + _LOOK_AHEAD, len(units)) + 1) if fits(number)]
    return text_of(further[-1] if further else low)


def _units(document: ShortDocument) -> list[_Unit]:
    """Return the units of a document in the order in which they are added."""
    groups = [(-1, -1, document.blocks)]
    groups += [(at, section.priority, section.blocks) for at, section in enumerate(document.sections)]
    # The document's facts are units of a section of their own, which comes after the first figures.
    found = [
        _Unit((0, -1, -1, len(document.blocks)), _FACTS, 0, at + 1)
        for at in range(len(document.facts[_ESSENTIAL_FACTS:]))
    ]
    for section, priority, blocks in groups:
        lead = _LEAD if priority > 0 else _FIRST_LEAD
        for at, block in enumerate(blocks):
            if isinstance(block, Paragraph) and block.is_essential:
                continue
            for index in range(_size(block)):
                turn = _turn(block, index, lead, priority)
                found.append(_Unit((*turn, section, at), section, at, index + 1))
    return sorted(found, key=lambda unit: (unit.rank, unit.count))


def _turn(block: Block, index: int, lead: int, priority: int) -> tuple[int, int]:
    """Return in which round a unit of a block is added, and with which priority."""
    if isinstance(block, (Items, Table)):
        # Each round has twice the entries of the one before.
        return (index // lead + 1).bit_length() - 1, priority
    is_late = isinstance(block, Figures) and index >= _FIRST_FIGURES
    return 0, (_LATE if is_late else priority)


def _size(block: Block) -> int:
    """Return how many units a block has."""
    if isinstance(block, Figures):
        return len(block.figures)
    if isinstance(block, (Items, Table)):
        return len(block.entries[: block.max_shown])
    return 1


def _with_units(document: ShortDocument, units: Sequence[_Unit], max_tokens: int, hint: str) -> ShortDocument:
    """Return the document with these units only, and a last line about the others."""
    shown: _Shown = {}
    for unit in units:
        shown[unit.section, unit.block] = unit.count
    sections, missing, counts = [], [], dict[str, int]()
    for at, section in enumerate(document.sections):
        blocks = _cut(section.blocks, at, shown)
        if blocks:
            sections.append(replace(section, blocks=blocks))
            _count_missing(section.blocks, at, shown, counts)
        else:
            missing.append(middle_ellipsis(plain(section.title), _MAX_TITLE))
    _count_missing(document.blocks, -1, shown, counts)
    facts = document.facts[: _ESSENTIAL_FACTS + shown.get((_FACTS, 0), 0)]
    if len(facts) < len(document.facts):
        counts["fact"] = len(document.facts) - len(facts)
    return replace(
        document,
        facts=facts,
        blocks=_cut(document.blocks, -1, shown),
        sections=tuple(sections),
        closing=(*_left_out(missing, counts, max_tokens, hint), *document.closing),
    )


def _cut(blocks: Sequence[Block], section: int, shown: _Shown) -> tuple[Block, ...]:
    """Return the blocks of which something is shown, with that."""
    kept: list[Block] = []
    for at, block in enumerate(blocks):
        count = shown.get((section, at), 0)
        if isinstance(block, Paragraph) and block.is_essential:
            kept.append(block)
        elif count and isinstance(block, Figures):
            kept.append(Figures(block.figures[:count]))
        elif count and isinstance(block, (Items, Table)):
            kept.append(replace(block, max_shown=count))
        elif count:
            kept.append(block)
    return tuple(kept)


def _count_missing(blocks: Sequence[Block], section: int, shown: _Shown, counts: dict[str, int]) -> None:
    """Add up what a shown section lacks; lists that are shown in part count their own rest."""
    for at, block in enumerate(blocks):
        count = shown.get((section, at), 0)
        if isinstance(block, Figures):
            noun, number = "figure", len(block.figures) - count
        elif isinstance(block, (Items, Table)):
            noun, number = block.noun, 0 if count else len(block.entries)
        else:
            noun, number = "paragraph", int(not count and not getattr(block, "is_essential", False))
        if number:
            counts[noun] = counts.get(noun, 0) + number


def _left_out(titles: Sequence[str], counts: dict[str, int], max_tokens: int, hint: str) -> tuple[str, ...]:
    """Return a sentence on what is left out; nothing without any."""
    named = list(titles[: _MAX_TITLES if max_tokens >= _FEW_TOKENS else 0])
    if len(titles) > len(named):
        named.append(counted(len(titles) - len(named), "more section" if named else "section"))
    named += [counted(number, noun) for noun, number in counts.items()]
    if not named:
        return ()
    return (f"Left out: {join_names(named)}. {hint if max_tokens >= _FEW_TOKENS else ''}".strip(),)


def write_lean_markdown(document: ShortDocument) -> str:
    """Return the document as it is, of any size."""
    return markdown_of(document, "#", _figures, _table)


def _figures(block: Figures) -> str:
    return "\n".join(map(_figure, block.figures))


def _figure(figure: Figure) -> str:
    note = f" ({escaped(figure.note)})" if figure.note else ""
    return f"- {words(figure.label)}: {escaped(figure.value)}{note}"


def _table(table: Table) -> str:
    if not table.shown:
        return ""
    heads, *rows = cells_of(table)
    return "\n".join(f"|{'|'.join(cells)}|" for cells in (heads, ["-"] * len(heads), *rows))
