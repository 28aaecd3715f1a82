"""Check that the list of libraries says what the package asks for, and that no command needs a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from site_captures import write_capture

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
FOR_DEVELOPERS = {"test", "dev", "docs"}
#: As the start of a script: it ends at the first try to reach anything.
OFFLINE = """
import os, sys

def refuse(event, arguments):
    calls = "connect", "getaddrinfo", "gethost", "sendto"
    if event.startswith(("urllib.", *(f"socket.{call}" for call in calls))):
        os.write(2, f"{event} {arguments}".encode())
        os._exit(99)

sys.addaudithook(refuse)
"""
#: Runs each command that it is given, and ends with the first that fails.
RUN = """
from trexreport.cli import main

for words in sys.argv[1:]:
    print(words, flush=True)
    try:
        main(words.split(), prog_name="trexreport")
    except SystemExit as end:
        if end.code and not (end.code == 1 and words.startswith("lint ")):
            raise
"""


def listed():
    """Return the columns of the table, by library."""
    lines = (ROOT / "docs" / "dependencies.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows[2:]}


def wanted():
    """Return by library the extras that bring it; "always" for no extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"always": project["dependencies"]}
    for extra, names in project["optional-dependencies"].items():
        if extra not in FOR_DEVELOPERS:
            groups[f"`[{extra}]`"] = names
    extras: dict[str, list[str]] = {}
    for group, requirements in groups.items():
        for requirement in requirements:
            name = re.match(r"[\w-]+", requirement)[0]
            if name == "trexreport":
                for brought in re.findall(r"\w+", requirement.partition("[")[2]):
                    for each in project["optional-dependencies"][brought]:
                        extras.setdefault(re.match(r"[\w-]+", each)[0], []).append(group)
            else:
                extras.setdefault(name, []).append(group)
    return extras


def test_the_list_has_what_the_package_asks_for():
    assert {name: row[1] for name, row in listed().items()} == {
        name: ", ".join(groups) for name, groups in wanted().items()
    }


@pytest.mark.parametrize("name", sorted(listed()))
def test_the_license_is_the_library_s_own(name):
    try:
        found = metadata(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    classifiers = " ".join(each for each in found.get_all("Classifier", []) if each.startswith("License"))
    words = f"{found.get('License-Expression') or found.get('License') or ''} {classifiers}"
    assert listed()[name][2].partition("-")[0].split()[0] in words


COMMANDS = (
    "report captures/one -o r.html",
    "report captures/one -o r.pdf",
    "lint captures/one",
    "summary captures/one",
    "compare captures/one captures/other -o c.html",
    "draw captures/one -o g.svg",
    "archive captures/one -o a.trexa",
    "mail captures/one --to a@example.org --from b@example.org --eml m.eml",
    "site captures -o site --jobs 1",
)


def test_no_command_reaches_for_the_network(tmp_path):
    for name, ms in (("one", 1.0), ("other", 1.2)):
        write_capture(tmp_path / "captures" / name, name=name, ms=ms)
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE + RUN, *COMMANDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]}: {done.stderr}"
    assert [line for line in done.stdout.splitlines() if line in COMMANDS] == list(COMMANDS)
    for name in ("r.html", "r.pdf", "c.html", "g.svg", "a.trexa", "m.eml", "site/index.html"):
        assert (tmp_path / name).stat().st_size, name


def test_the_guard_sees_a_connection():
    script = f"{OFFLINE}import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 99
    assert "socket." in done.stderr
