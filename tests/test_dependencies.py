"""Check that the list of libraries says what the package asks for, and that no command needs a network."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

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
RUN = "from trexreport.cli import main; sys.argv[0] = 'trexreport'; main()"


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


@pytest.mark.parametrize(
    "words",
    [
        "report samples/detector-trt11 -o {out}/r.html",
        "report samples/detector-trt11 -o {out}/r.pdf",
        "lint samples/detector-trt11",
        "summary samples/detector-trt11",
        "compare samples/resnet18-int8-before samples/resnet18-int8-after -o {out}/c.html",
        "draw samples/detector-trt11 -o {out}/g.svg",
        "archive samples/detector-trt11 -o {out}/a.trexa",
        "mail samples/detector-trt11 --to a@example.org --from b@example.org --eml {out}/m.eml",
        "site samples -o {out}/site --jobs 1",
    ],
    ids=lambda words: words.replace("{out}/", "").replace("samples/", ""),
)
def test_no_command_reaches_for_the_network(words, tmp_path):
    arguments = words.format(out=tmp_path).split()
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE + RUN, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert done.returncode == 0 or arguments[0] == "lint"


def test_the_guard_sees_a_connection():
    script = f"{OFFLINE}import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 99
    assert "socket." in done.stderr
