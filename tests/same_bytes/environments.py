"""Environments in which the same inputs must give the same bytes, and what a process wrote in one."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = HERE / "every_output.py"
NAMES = ("resnet18-int8-before", "resnet18-int8-after", "transformer-trt10-myelin")
#: The date of the outputs: what expires, and a mail's head, depend on it.
EPOCH = "1700000000"


@dataclass(frozen=True)
class Surroundings:
    """What may differ between two machines, or between two runs on one.

    Attributes:
        variables: Of the environment; nothing else but the path of programs is in it.
        folder: Name of the folder that holds the captures and is the working folder.
        relative: The captures are given relative to the working folder, with a slash behind it.
        age: When the files were written last, in seconds since 1970.
        jobs: Processes that make a site.
    """

    variables: dict[str, str] = field(default_factory=dict)
    folder: str = "a"
    relative: bool = False
    age: int = 1_600_000_000
    umask: int = 0o022
    jobs: int = 1
    python: str = sys.executable


def copied(surroundings: Surroundings, where: Path) -> Path:
    """Return a folder with the captures, written at that time."""
    folder = where / surroundings.folder / "captures"
    names = NAMES if surroundings.age % 2 else NAMES[::-1]
    for name in names:
        shutil.copytree(ROOT / "samples" / name, folder / name)
    for path in folder.rglob("*"):
        os.utime(path, (surroundings.age, surroundings.age))
    return folder


def written(surroundings: Surroundings, where: Path, *groups: str, timeout_s: float = 300) -> dict[str, str]:
    """Return the hash of each file that a process wrote in these surroundings."""
    captures = copied(surroundings, where)
    out = where / surroundings.folder / "out"
    home = where / surroundings.folder / "home"
    home.mkdir()
    variables = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE_DATE_EPOCH": EPOCH,
        "PYTHONPATH": str(ROOT),
        **surroundings.variables,
    }
    shown = "captures/" if surroundings.relative else str(captures)
    done = subprocess.run(
        [surroundings.python, PROGRAM, shown, out, str(surroundings.jobs), *groups],
        cwd=captures.parent,
        env=variables,
        umask=surroundings.umask,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the files that are not the same in both."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
