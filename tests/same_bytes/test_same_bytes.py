"""The same inputs give the same bytes: in any surroundings, and in every Python that is supported."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest
from environments import NAMES, ROOT, Surroundings, differing, written
from every_output import COMMANDS
from pythons import borrowed_libraries, environment_with_libraries, made_locales, others

#: All that needs no minutes.
QUICK = tuple(group for group in COMMANDS if group != "pdf")
#: What a Python without compiled libraries can write.
PLAIN = ("report", "draw", "lint", "export")
#: Written for a terminal, whose width and colors they follow.
FOR_TERMINALS = {
    f"{each}.printed.txt" for each in ("report-7", "report-13", "report-14", "lint-0", "lint-7", "check-0")
}
#: A site's memory of what it was made of, with the times of the files.
OF_FILE_TIMES = {"site/trexreport-site.json"}

PLAINEST = Surroundings({"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"})
#: Everything changed at once.
CHANGED = Surroundings(
    {
        "PYTHONHASHSEED": "1",
        "TZ": "Asia/Kolkata",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "HOME": "/nonexistent",
        "USER": "another",
        "COLUMNS": "200",
        "TERM": "dumb",
        "FORCE_COLOR": "1",
    },
    folder="another folder ü",
    relative=True,
    age=1_700_000_001,
    umask=0o077,
    jobs=2,
)
#: A locale for each of `VARIED`, of language and encoding: decimal commas, dotless i's, and no UTF-8.
LOCALES = (
    *(("de_DE", "UTF-8"), ("tr_TR", "UTF-8"), ("tr_TR", "ISO-8859-9")),
    *(("ja_JP", "EUC-JP"), ("ar_SA", "UTF-8")),
)
#: What else varies, several at once: what one changes, no other can hide. Without a seed it is random.
VARIED = (
    Surroundings({"PYTHONHASHSEED": "4294967295", "TZ": "America/St_Johns", "PYTHONUTF8": "0"}, umask=0o002),
    Surroundings({"TZ": "Pacific/Kiritimati", "NO_COLOR": "1", "COLUMNS": "40", "TERM": "xterm-256color"}),
    Surroundings({"PYTHONUTF8": "0"}, folder="a hash seed at random"),
    Surroundings({"PYTHONUTF8": "0", "PYTHONOPTIMIZE": "2"}, jobs=3),
    Surroundings({"PYTHONUTF8": "1"}, relative=True),
)


@pytest.fixture(scope="module")
def plainest(tmp_path_factory):
    """What is written in the plainest surroundings, but for PDF."""
    return written(PLAINEST, tmp_path_factory.mktemp("plainest"), *QUICK)


@pytest.fixture(scope="module")
def all_plainest(tmp_path_factory):
    """What is written in the plainest surroundings, with PDF."""
    return written(PLAINEST, tmp_path_factory.mktemp("all"))


def test_much_is_written(plainest):
    endings = {name.rpartition(".")[2] for name in plainest}
    assert endings >= {
        "html",
        "md",
        "json",
        "trexa",
        "eml",
        "svg",
        "dot",
        "sarif",
        "xml",
        "csv",
        "xlsx",
        "parquet",
    }
    assert sum(name.startswith("site/") for name in plainest) > len(NAMES)
    assert sum(name.startswith("extracted/") for name in plainest) >= 5


def test_nothing_but_the_terminal_changes_what_is_written(plainest, tmp_path):
    changed = written(CHANGED, tmp_path, *QUICK)
    different = set(differing(plainest, changed))
    assert different <= FOR_TERMINALS | OF_FILE_TIMES
    # The surroundings did reach the program.
    assert different >= OF_FILE_TIMES


@pytest.mark.slow
def test_another_python_writes_the_same(all_plainest, tmp_path):
    """Also without what is compiled: with the libraries of this Python, as far as any Python can use them."""
    found = others()
    if not found:
        pytest.skip("there is no other Python here")
    path = os.pathsep.join([str(ROOT), str(borrowed_libraries(tmp_path / "libraries"))])
    # The newest; `test_everything_everywhere` tries all.
    *_, (version, python) = found.items()
    theirs = written(Surroundings({"PYTHONPATH": path}, folder=version, python=python), tmp_path, *PLAIN)
    assert theirs.keys() < all_plainest.keys()
    assert differing(theirs, {name: all_plainest[name] for name in theirs}) == [], version


def unlike(surroundings, plainest, where):
    """Return the files that are others than in the plainest surroundings, without those that may be."""
    assert sum(name.endswith((".pdf", "pdf.eml")) for name in plainest) == 3
    found = written(surroundings, where)
    terminal = FOR_TERMINALS if {"COLUMNS", "TERM", "FORCE_COLOR"} & surroundings.variables.keys() else set()
    times = OF_FILE_TIMES if surroundings.age != PLAINEST.age else set()
    # Parquet names the version of pyarrow, of which not every Python has the same.
    tables = {"layers.parquet"} if surroundings.python != PLAINEST.python else set()
    return set(differing(plainest, found)) - terminal - times - tables


@pytest.mark.slow
def test_pdf_too_is_changed_by_nothing_but_the_terminal(all_plainest, tmp_path):
    assert unlike(CHANGED, all_plainest, tmp_path) == set()


def assigned_python(place):
    """Return the version of the Python for one of `VARIED`: all others of this machine, then this one."""
    versions = list(others())
    assert len(versions) <= len(VARIED)
    return versions[place] if place < len(versions) else ""


# By place: which Pythons there are takes a second to find, and most runs are without this test.
@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(VARIED)))
def test_everything_everywhere(place, all_plainest, tmp_path):
    """In every Python, with libraries of its own, in every locale that this machine can make."""
    version, locale, varied = assigned_python(place), LOCALES[place], VARIED[place]
    python = sys.executable
    if version:
        python = environment_with_libraries(others()[version], tmp_path / "environment", ROOT)
    names = made_locales(tmp_path / "locales", (locale,))
    variables = {"LOCPATH": str(tmp_path / "locales"), "LC_ALL": names[0]} if names else {}
    surroundings = replace(varied, variables={**varied.variables, **variables}, python=python)
    assert unlike(surroundings, all_plainest, tmp_path) == set()
