"""Build the documentation as a site, away from the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def sources(folder):
    """Copy what the site is made of, so that nothing is written into the checkout."""
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "mkdocs.yml").write_bytes((ROOT / "mkdocs.yml").read_bytes())
    return folder


def build(folder):
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
