"""Markdown with few tokens has the same content as the other Markdown, and is as harmless."""

from __future__ import annotations

from trexreport.renderer.short_document.document import (
    Column,
    Explanation,
    Figure,
    Figures,
    Item,
    Items,
    Paragraph,
    Section,
    ShortDocument,
    Table,
)
from trexreport.renderer.short_document.token_budget import write_lean_markdown

HOSTILE = "<img src=x> [a](b) |c| @d #1 `e`"


def test_each_block_is_written():
    table = Table(
        (Column("Layer"), Column("ms", str)), (("conv1", 1.5), ("conv2", 0.5)), noun="layer", max_shown=1
    )
    document = ShortDocument(
        title="engine",
        facts=("NVIDIA L4", "FP16"),
        summary="Faster.",
        blocks=(Figures((Figure("Median latency", "0.798 ms", "p99 0.803 ms"), Figure("Layers", "3"))),),
        sections=(
            Section("Layers", (Paragraph("Two."), table)),
            Section(
                "Rule", (Explanation("Cause", "It has `x`."), Items((Item("a", ("b", "c")),), noun="place"))
            ),
        ),
        closing=("The end.",),
    )
    assert write_lean_markdown(document) == (
        "# engine\n\nNVIDIA L4 · FP16\n\n**Faster.**\n\n"
        "- Median latency: 0.798 ms (p99 0.803 ms)\n- Layers: 3\n\n"
        "## Layers\n\nTwo.\n\n|Layer|ms|\n|-|-|\n|conv1|1.5|\n\n1 more layer is not shown.\n\n"
        "## Rule\n\n**Cause.** It has `x`.\n\n- a (b, c)\n\nThe end.\n"
    )


def test_texts_of_files_do_nothing():
    document = ShortDocument(
        title=HOSTILE,
        facts=(HOSTILE,),
        blocks=(Figures((Figure(HOSTILE, "1", HOSTILE),)), Paragraph(HOSTILE)),
        sections=(Section(HOSTILE, (Table((Column("x"),), ((HOSTILE,),)), Items((Item(HOSTILE),)))),),
    )
    text = write_lean_markdown(document)
    assert text.count("img src") == 8
    assert text.count("\\<img src=x\\>") == 8
    assert text.count("\\|c\\|") == 8
    assert (
        write_lean_markdown(ShortDocument(title="a", sections=(Section("b", (Table((), ()),)),)))
        == "# a\n\n## b\n"
    )
