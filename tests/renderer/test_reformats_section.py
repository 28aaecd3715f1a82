"""The section of reformats names a kernel where no file states what it changes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.parametrize(
    ("kind", "change", "is_named"),
    [
        ("kernel", "not stated", True),
        ("kernel", "data type", False),
        ("reformat", "not stated", False),
    ],
)
def test_a_kernel_of_unknown_change_is_named(kind, change, is_named):
    facts = analyze(read_engine(SAMPLES / "resnet18-int8-before"))
    first = replace(facts.reformats[0], kind=kind, change=change, before="FP16", after="FP16")
    page = render_html(replace(facts, reformats=[first]), (), HtmlOptions(False)).decode()
    section = page[page.index('<section id="reformats"') :]
    (cell,) = re.findall(r'<td class="conversion"><a [^>]*>(.*?)</a>', section)
    assert cell.startswith("Reformatting CopyNode" if is_named else "FP16\u00a0→ FP16")
    assert (">Conversion or kernel</th>" in section) == is_named
