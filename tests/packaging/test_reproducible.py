"""The packages are the same bytes wherever and whenever they are built from the same files."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from child import call

ROOT = Path(__file__).parents[2]
NOT_SOURCES = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "node_modules", "*.egg-info")
YEAR_2001_S = 1_000_000_000


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the packages of two copies that differ in place, times, time zone, hash seed and umask."""
    kinds = []
    for number, (zone, umask) in enumerate((("UTC", 0o022), ("Asia/Kolkata", 0o077))):
        folder = tmp_path_factory.mktemp(f"copy-{number}")
        copy = shutil.copytree(ROOT, folder / "source", ignore=NOT_SOURCES)
        # Which files belong to the sources is stated there.
        shutil.copy(ROOT / ".gitignore", copy)
        for path in copy.rglob("*"):
            os.utime(path, (YEAR_2001_S + number, YEAR_2001_S + number))
        call(
            *(sys.executable, "-m", "build", "--outdir", folder / "dist", copy),
            cwd=folder,
            variables={"TZ": zone, "PYTHONHASHSEED": str(number)},
            umask=umask,
        )
        kinds.append({path.name: path for path in (folder / "dist").iterdir()})
    return kinds


@pytest.mark.packaging
@pytest.mark.slow
def test_two_builds_are_the_same_bytes(built):
    digests = [
        {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in each.items()} for each in built
    ]
    assert len(digests[0]) == 2
    assert digests[0] == digests[1]


@pytest.mark.packaging
@pytest.mark.slow
def test_the_packages_hold_sources_and_nothing_else(built):
    files = {path.suffix: path for path in built[0].values()}
    with zipfile.ZipFile(files[".whl"]) as wheel:
        tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"trexreport"}
    with tarfile.open(files[".gz"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    tops = {name.partition("/")[0] for name in names}
    assert {"trexreport", "templates", "static", "tests", "samples", "LICENSE", "pyproject.toml"} <= tops
    assert {"SECURITY.md", "README.md", "CHANGELOG.md", "benchmarks"} <= tops
    assert not [name for name in names if name.endswith((".pyc", ".html", ".pdf")) and "tests/" not in name]
