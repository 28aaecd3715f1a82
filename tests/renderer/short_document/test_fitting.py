"""A short document is cut until it fits: rows first, then sections, then what is essential."""

from __future__ import annotations

import itertools

from trexreport.renderer.short_document.document import Column, Item, Items, Section, ShortDocument, Table
from trexreport.renderer.short_document.fitting import fit, shortened
from trexreport.renderer.short_document.plain_text import write_plain_text


def table(count):
    return Table((Column("Layer"),), tuple((f"layer {number}",) for number in range(count)), noun="layer")


def counts(made):
    """Return how many rows, sections and essential items are shown."""
    rows = [len(block.entries[: block.max_shown]) for each in made.sections for block in each.blocks]
    return sum(rows), len(made.sections), len(made.blocks[0].entries[: made.blocks[0].max_shown])


def test_rows_go_first_then_sections_then_what_is_essential_and_all_is_counted():
    items = Items(tuple(Item(f"verdict {number}") for number in range(8)), is_essential=True)
    sections = tuple(Section(f"S{number}", (table(9),)) for number in range(6))
    made = ShortDocument("T", blocks=(items,), sections=sections, hidden_sections=2)
    seen = [counts(made)]
    while (made := shortened(made)) is not None:
        assert made.hidden_sections == 2 + 6 - len(made.sections)
        seen.append(counts(made))
    assert seen[0] == (54, 6, 8)
    assert seen[-1] == (0, 0, 0)
    assert len(seen) > 10
    for (rows, parts, essential), after in itertools.pairwise(seen):
        if rows:
            assert after[0] < rows
            assert after[1:] == (parts, essential)
        elif parts:
            assert after[1] < parts
            assert after[2] == essential
        else:
            assert after[2] < essential


def test_a_document_is_cut_until_it_fits_and_no_further():
    made = ShortDocument("T", sections=(Section("S", (table(500),)),))
    sizes = [100_000, 9_000, 3_000, 1_500]
    texts = [fit(made, write_plain_text, size)[1] for size in sizes]
    assert all(len(text.encode()) <= size for text, size in zip(texts, sizes, strict=True))
    assert texts[0].count("layer ") == 500
    assert all(len(text) > 0.6 * size for text, size in list(zip(texts, sizes, strict=True))[1:])
    smallest, text = fit(made, write_plain_text, 0)
    assert shortened(smallest) is None
    assert "1 more section is not shown." in text


def test_a_document_that_fits_to_the_byte_is_not_cut():
    made = ShortDocument("T", sections=(Section("S", (table(8),)),))
    size = len(write_plain_text(made).encode())
    assert fit(made, write_plain_text, size)[0] is made
    assert fit(made, write_plain_text, size - 1)[0] is not made


def test_bytes_count_and_not_characters():
    made = ShortDocument("T", sections=(Section("S", (Items(tuple(Item("é" * 10) for _ in range(8))),)),))
    text = write_plain_text(made)
    assert len(fit(made, write_plain_text, len(text))[1]) < len(text)
