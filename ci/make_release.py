"""Make the files of a release: both packages, a bill of materials, the demo, the notes and checksums.

The tools come into an environment of their own. RELEASE_TAG, if it is set, must fit version and changelog.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("build>=1.2", "cyclonedx-bom>=7", "twine>=6.1")
_HEADING = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]+)\)$", re.MULTILINE)


def call(*arguments: str | Path, cwd: Path) -> None:
    """Run a program that must succeed, without the checkout on Python's path."""
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    subprocess.run([str(each) for each in arguments], cwd=cwd, env=environment, check=True)


def version_of(source: str) -> str:
    """Return the version that trexreport/__init__.py states."""
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise SystemExit("trexreport/__init__.py states no __version__.")
    return found[1]


def notes_of(changelog: str, version: str, *, tag: str | None) -> str:
    """Return the changelog's section of a version.

    Raises:
        SystemExit: There is no such section, the tag is of another version, or a tagged section has no date.
    """
    if tag is not None and tag != f"v{version}":
        raise SystemExit(f"The tag is {tag}, but the version is {version}: expected v{version}.")
    headings = list(_HEADING.finditer(changelog))
    at = next((index for index, each in enumerate(headings) if each["version"] == version), None)
    if at is None:
        raise SystemExit(f"CHANGELOG.md has no section '## {version} (date)'.")
    if tag is not None and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", headings[at]["date"]):
        raise SystemExit(
            f"CHANGELOG.md gives {version} the date '{headings[at]['date']}': write the day of the release."
        )
    end = headings[at + 1].start() if at + 1 < len(headings) else len(changelog)
    return changelog[headings[at].end() : end].strip() + "\n"


def checksums(folder: Path) -> str:
    """Return the lines of `sha256sum` for all files below a folder, by name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def make(output: Path, *, tag: str | None) -> None:
    """Fill the folder; it is replaced only when all files are there."""
    version = version_of(Path(ROOT, "trexreport/__init__.py").read_text("utf-8"))
    notes = notes_of(Path(ROOT, "CHANGELOG.md").read_text("utf-8"), version, tag=tag)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = folder / "release"
        packages = files / "packages"
        for environment in ("tools", "user"):
            venv.create(folder / environment, with_pip=True)
        programs = folder / "tools" / ("Scripts" if os.name == "nt" else "bin")
        pip = (programs / "python", "-m", "pip", "--disable-pip-version-check", "--quiet")
        call(*pip, "install", *TOOLS, cwd=folder)
        call(programs / "python", "-m", "build", "--outdir", packages, ROOT, cwd=folder)
        call(programs / "python", "-m", "twine", "check", "--strict", *packages.iterdir(), cwd=folder)
        # What users get: the wheel and its dependencies alone.
        user = folder / "user" / programs.name
        call(*pip, "--python", user / "python", "install", *packages.glob("*.whl"), cwd=folder)
        call(*pip, "--python", user / "python", "uninstall", "--yes", "pip", "setuptools", cwd=folder)
        described = (
            "--pyproject",
            ROOT / "pyproject.toml",
            "--mc-type",
            "application",
            "--output-reproducible",
        )
        call(
            *(programs / "cyclonedx-py", "environment", user / "python", *described),
            *("--output-file", files / "sbom.cdx.json"),
            cwd=folder,
        )
        call(user / "trexreport", "demo", "-o", files / "demo.html", cwd=folder)
        sums = checksums(files)
        Path(files, "SHA256SUMS").write_text(sums, "utf-8")
        Path(files, "notes.md").write_text(notes, "utf-8")
        shutil.rmtree(output, ignore_errors=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(files, output)
    print(f"{output}: trexreport {version}")
    print(sums, end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, nargs="?", default=ROOT / "build" / "release")
    try:
        make(parser.parse_args().output, tag=os.environ.get("RELEASE_TAG"))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} ended with {error.returncode}.")
