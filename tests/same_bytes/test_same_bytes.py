"""The same inputs give the same bytes: in any surroundings, and in every Python that is supported."""

from __future__ import annotations

import os

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
    f"{each}.printed.txt" for each in ("report-7", "report-13", "report-14", "lint-0", "lint-6", "check-0")
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
LOCALES = (
    *(("de_DE", "UTF-8"), ("tr_TR", "UTF-8"), ("tr_TR", "ISO-8859-9")),
    *(("ja_JP", "EUC-JP"), ("ar_SA", "UTF-8")),
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
def test_another_python_writes_the_same(plainest, tmp_path):
    """Also without what is compiled: with the libraries of this Python, as far as any Python can use them."""
    found = others()
    if not found:
        pytest.skip("there is no other Python here")
    path = os.pathsep.join([str(ROOT), str(borrowed_libraries(tmp_path / "libraries"))])
    # The newest; `test_every_python` tries all.
    *_, (version, python) = found.items()
    theirs = written(Surroundings({"PYTHONPATH": path}, folder=version, python=python), tmp_path, *PLAIN)
    assert theirs.keys() < plainest.keys()
    assert differing(theirs, {name: plainest[name] for name in theirs}) == [], version


@pytest.mark.slow
@pytest.mark.parametrize(
    "surroundings",
    [
        Surroundings(folder="a-hash-seed-at-random"),
        Surroundings({"PYTHONHASHSEED": "4294967295", "TZ": "America/St_Johns"}, umask=0o002),
        Surroundings(
            {"TZ": "Pacific/Kiritimati", "NO_COLOR": "1", "COLUMNS": "40", "TERM": "xterm-256color"}
        ),
        Surroundings({"PYTHONUTF8": "1", "LC_ALL": "POSIX"}, relative=True),
        Surroundings({"PYTHONOPTIMIZE": "2"}, jobs=3),
        CHANGED,
    ],
    ids=lambda each: " ".join(each.variables) or each.folder,
)
def test_pdf_and_all_the_rest(surroundings, all_plainest, tmp_path):
    assert sum(name.endswith((".pdf", "pdf.eml")) for name in all_plainest) == 3
    found = written(surroundings, tmp_path)
    terminal = FOR_TERMINALS if {"COLUMNS", "TERM", "FORCE_COLOR"} & surroundings.variables.keys() else set()
    times = OF_FILE_TIMES if surroundings.age != PLAINEST.age else set()
    assert set(differing(all_plainest, found)) <= terminal | times


@pytest.mark.slow
def test_every_locale(plainest, tmp_path):
    """Their decimal commas, dotless i's and encodings that are not UTF-8 change nothing."""
    locales = made_locales(tmp_path / "locales", LOCALES)
    if not locales:
        pytest.skip("this machine can make no locales")
    changed = {}
    for name in locales:
        variables = {"LOCPATH": str(tmp_path / "locales"), "LC_ALL": name, "PYTHONUTF8": "0"}
        found = written(Surroundings(variables, folder=name), tmp_path, *QUICK)
        changed[name] = differing(plainest, found)
    assert changed == {name: [] for name in locales}


@pytest.mark.slow
@pytest.mark.parametrize("version", others() or ["none"])
def test_every_python(version, all_plainest, tmp_path):
    """With separate libraries, and PDF, which no compiled library affects."""
    found = others()
    if version not in found:
        pytest.skip("there is no other Python here")
    python = environment_with_libraries(found[version], tmp_path / "environment", ROOT)
    # Theirs, not this Python's, and the program of the checkout.
    theirs = written(Surroundings(folder=version, python=python), tmp_path)
    # Parquet names the version of pyarrow, of which not every Python has the same.
    assert set(differing(all_plainest, theirs)) <= {"layers.parquet"}
