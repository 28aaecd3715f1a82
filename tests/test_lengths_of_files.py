"""No module of the code is longer than a reader takes in."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_LINES = 300
#: Folder, the endings of its modules, and how many modules it has at least.
MODULES = (("trexreport", ("*.py",), 500), ("static/js", ("*.js", "*.d.ts"), 100))


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


@pytest.mark.parametrize(("folder", "patterns", "fewest"), MODULES, ids=[folder for folder, *_ in MODULES])
def test_no_module_has_more_than_300_lines(folder, patterns, fewest):
    modules = [path for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    assert len(modules) >= fewest
    assert [
        f"{path.relative_to(ROOT)}: {lines}" for path in modules if (lines := lines_of(path)) > MOST_LINES
    ] == []


def test_lines_are_counted(tmp_path):
    path = tmp_path / "module.js"
    path.write_text("const a = 1;\n" * 301)
    assert lines_of(path) == 301
