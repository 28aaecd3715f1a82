"""Messages name nothing that an installed package lacks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import trexreport

PACKAGE = Path(trexreport.__file__).parent
PAGE = re.compile(r"\bdocs/[\w./-]+\.md")
#: What a page of the repository is made with, and a source of a figure.
ALLOWED = {
    ("cli/rules.py", "docs/rules.md"),
    ("analyzer/rules/memory/weights.py", "docs/awq.md"),
}


def _texts(path):
    """Yield the texts of a module that people may see: all but docstrings, and those of rules."""
    tree = ast.parse(path.read_text("utf-8"))
    is_rule = path.name.startswith("trx")
    inside = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and not (is_rule and isinstance(node, ast.FunctionDef))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def test_no_message_refers_to_a_page_that_is_not_installed():
    named = {
        (path.relative_to(PACKAGE).as_posix(), page)
        for path in PACKAGE.rglob("*.py")
        for text in _texts(path)
        for page in PAGE.findall(text)
    }
    assert named == ALLOWED
