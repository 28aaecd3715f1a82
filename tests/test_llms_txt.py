"""The index of the documentation for language models has every page and is what its script writes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
INDEX = (DOCS / "llms.txt").read_text("utf-8")
LINKS = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): .+$", INDEX, re.MULTILINE)


def test_the_index_is_what_its_script_writes():
    spec = importlib.util.spec_from_file_location("make_llms_txt", DOCS / "make_llms_txt.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == INDEX, "run: python docs/make_llms_txt.py"


@pytest.mark.parametrize("pattern", ["*.md", "decisions/*.md", "*.schema.json"])
def test_every_page_has_one_line(pattern):
    pages = {file.relative_to(DOCS).as_posix() for file in DOCS.glob(pattern)}
    assert pages - {"README.md", "decisions/README.md"} <= set(LINKS)
    assert len(LINKS) == len(set(LINKS))


def test_every_link_leads_to_a_page():
    assert len(LINKS) > 50
    assert [link for link in LINKS if not (DOCS / link).is_file()] == []


def test_it_is_an_llms_txt():
    lines = INDEX.splitlines()
    assert lines[0] == "# trexreport"
    assert lines[2].startswith("> trexreport shows what is inside a TensorRT engine")
    assert "## Optional" in lines
    others = [line for line in lines[8:] if line and not line.startswith(("## ", "- ["))]
    assert others == []
