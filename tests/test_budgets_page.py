"""What docs/budgets.md lists is all that there is."""

from __future__ import annotations

import re
from pathlib import Path

from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.analyzer.budget.phases import TOTAL_FIGURES
from trexreport.analyzer.budget.regression import REGRESSION_METRICS
from trexreport.cli import main

PAGE = (Path(__file__).parents[1] / "docs" / "budgets.md").read_text("utf-8")


def listed(heading):
    """Return what the first column of a table names, in order."""
    (rows,) = re.findall(rf"^\| {re.escape(heading)} .*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [name for row in rows.splitlines() for name in re.findall(r"`([\w.-]+)`", row.split("|")[1])]


def test_every_limit_is_listed():
    assert listed("limit in `[budget]`") == list(FIGURES)
    assert listed("limit in `[budget.regression]`") == list(REGRESSION_METRICS)
    assert listed("limit in `[[budget.part]]`") == list(PART_FIGURES)
    assert listed("limit in `[budget.total]`") == list(TOTAL_FIGURES)


def test_all_formats_are_listed():
    (option,) = (each for each in main.commands["check"].params if each.name == "format_")
    assert listed("format") == list(option.type.choices)


def test_examples_use_what_there_is():
    used = set(re.findall(r"^([\w-]+) = ", PAGE, re.MULTILINE))
    known = {*FIGURES, *REGRESSION_METRICS, *PART_FIGURES, "level", "unknown", "name", "block", "each"}
    assert used - known == {"error", "warning", "TRX302", "quantization", "reformat", "top1", "perplexity"}
