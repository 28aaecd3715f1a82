"""What a text with a budget shows first, what it says of the rest, and that nothing is cut in half."""

from __future__ import annotations

import functools
import itertools
import re

import pytest

from trexreport.errors import UsageError
from trexreport.renderer.short_document.document import (
    Column,
    Figure,
    Figures,
    Item,
    Items,
    Paragraph,
    Section,
    ShortDocument,
    Table,
)
from trexreport.renderer.short_document.token_budget import write_lean_markdown, write_within
from trexreport.renderer.short_document.tokens import estimate_tokens

FINDINGS = tuple(Item(f"finding {number} is {'long ' * 8}.") for number in range(1, 13))
LAYERS = tuple((f"/model/layers.{number}/MatMul", 2.0) for number in range(40))
DOCUMENT = ShortDocument(
    title="engine",
    facts=("NVIDIA L4", "TensorRT 10.3", "FP16", "input 1×3×224×224"),
    summary="Verdict: slower.",
    blocks=(
        Paragraph("The files contradict each other.", is_essential=True),
        Figures(tuple(Figure(f"Figure {number}", f"{number} ms") for number in range(7))),
    ),
    sections=(
        Section(
            "Slow layers", (Table((Column("Layer"), Column("ms", str)), LAYERS, noun="layer"),), priority=2
        ),
        Section("Findings", (Paragraph("12 findings."), Items(FINDINGS, noun="finding")), priority=0),
        Section("The model", (Paragraph("The model has 3 modules."),)),
    ),
)
BUDGETS = range(100, 2200, 37)


@functools.cache
def lines(max_tokens):
    return write_within(DOCUMENT, max_tokens, "More: elsewhere.").splitlines()


@functools.cache
def within(max_tokens):
    return write_within(DOCUMENT, max_tokens)


@pytest.mark.parametrize("max_tokens", [100, 140, 300, 700, 1500, 5000])
def test_the_budget_holds(max_tokens):
    assert estimate_tokens(write_within(DOCUMENT, max_tokens, "More: elsewhere.")) <= max_tokens


def test_identity_result_and_contradictions_are_always_there():
    text = write_within(DOCUMENT, 100)
    assert "# engine" in text
    assert "NVIDIA L4 · TensorRT 10.3" in text
    assert "Verdict: slower." in text
    assert "The files contradict each other." in text


def test_a_larger_budget_shows_all_of_a_smaller_one():
    shown = [
        {line for line in lines(budget) if "eft out" not in line and "more" not in line} for budget in BUDGETS
    ]
    facts = [{fact for fact in DOCUMENT.facts if fact in " ".join(lines(budget))} for budget in BUDGETS]
    without_facts = [{line for line in each if "·" not in line} for each in shown]
    assert all(smaller <= larger for smaller, larger in itertools.pairwise(without_facts))
    assert all(smaller <= larger for smaller, larger in itertools.pairwise(facts))
    assert len(without_facts[-1]) > 3 * len(without_facts[0])


def test_every_line_is_whole():
    whole = set(write_lean_markdown(DOCUMENT).splitlines())
    cut = {
        line
        for budget in BUDGETS
        for line in lines(budget)
        if not line.startswith("Left out: ") and "not shown" not in line and "·" not in line
    }
    assert len(cut) > 20
    assert cut <= whole


def test_first_figures_then_findings_then_the_other_figures_then_layers():
    parts = [
        "Figure 3",
        "finding 1 ",
        "finding 5 ",
        "Figure 6",
        "layers.0/",
        "The model has",
        "finding 12 ",
    ]
    first = [next(budget for budget in BUDGETS if part in within(budget)) for part in parts]
    assert first == sorted(first)
    assert len(set(first)) == len(first)


def test_what_is_missing_is_counted():
    text = write_within(DOCUMENT, 400, "More: elsewhere.")
    assert "7 more findings are not shown." in text
    assert text.splitlines()[-1].startswith("Left out: Slow layers and The model. More: elsewhere.")
    assert write_within(DOCUMENT, 100).splitlines()[-1].startswith("Left out: 3 sections, 6 figures and")


def test_without_anything_missing_there_is_no_note():
    assert write_within(DOCUMENT, 100_000) == write_lean_markdown(DOCUMENT)


def test_a_budget_that_is_too_small_names_one_that_is_enough():
    long = ShortDocument(title="名" * 60)
    with pytest.raises(
        UsageError, match=r"too few for what identifies the result\. Give (\d+) tokens"
    ) as error:
        write_within(long, 100)
    needed = int(str(error.value).split("Give ")[1].split()[0])
    assert "名" in write_within(long, needed)


@pytest.mark.parametrize("max_tokens", [99, 0, -1, 1_000_001])
def test_what_is_no_budget_is_refused(max_tokens):
    with pytest.raises(UsageError, match="is not a budget"):
        write_within(DOCUMENT, max_tokens)


def test_omitted_sections_are_named_up_to_a_limit():
    sections = tuple(Section("x" * 300, (Paragraph("word " * 200),)) for _ in range(20))
    text = write_within(ShortDocument(title="engine", sections=sections), 350)
    assert "and 14 more sections" in text
    assert estimate_tokens(text) <= 350


@pytest.mark.parametrize(("shown", "noun", "all_of_them"), [("Figure ", "figure", 7), (" · ", "fact", 4)])
def test_what_is_shown_and_what_is_left_out_are_all(shown, noun, all_of_them):
    numbers = set()
    for budget in BUDGETS:
        text, _, ending = within(budget).partition("Left out: ")
        # Facts have a sign between them.
        count = text.count(shown) + (noun == "fact")
        left_out = re.search(rf"(\d+) {noun}", ending)
        assert count + (int(left_out[1]) if left_out else 0) == all_of_them, budget
        numbers.add(count)
    assert len(numbers) > 1
    assert max(numbers) == all_of_them


def test_four_figures_come_before_the_sections_and_the_others_after_the_first():
    texts = [within(budget) for budget in BUDGETS]
    figures = [text.count("Figure ") for text in texts]
    findings = [text.count("finding ") for text in texts]
    assert max(count for count, found in zip(figures, findings, strict=True) if not found) == 4
    assert min(found for count, found in zip(figures, findings, strict=True) if count > 4) >= 5
