"""The top level of the repository holds no output of a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    ".ci",
    ".github",
    "benchmarks",
    "ci",
    "docs",
    "gallery",
    "samples",
    "static",
    "templates",
    "tests",
    "trexreport",
}
#: Files that need no ending: every tool knows their names.
WITHOUT_ENDING = {"Dockerfile", "LICENSE", "Makefile"}
ENDINGS = {".js", ".json", ".md", ".py", ".toml", ".yaml", ".yml"}


def test_no_output_of_a_run_is_committed():
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    parts = [Path(name).parts for name in listed if name]
    assert {first for first, *rest in parts if rest} == FOLDERS
    files = {first for first, *rest in parts if not rest and not first.startswith(".")}
    assert files >= WITHOUT_ENDING
    assert {name for name in files - WITHOUT_ENDING if Path(name).suffix not in ENDINGS} == set()
