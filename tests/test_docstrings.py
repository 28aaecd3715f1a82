"""Texts in docstrings reach users even where Python removes docstrings."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest

import trexreport
from trexreport.docstrings import docstring

PUBLIC = [name for name in trexreport.__all__ if inspect.isfunction(getattr(trexreport, name))]


@pytest.mark.parametrize("words", [["--help"], ["mail", "--help"], ["explain", "TRX101"]])
def test_help_and_rules_are_the_same_without_docstrings(words):
    plain, optimized = (
        subprocess.run(
            [sys.executable, "-m", "trexreport", *words],
            env={**os.environ, "PYTHONOPTIMIZE": level, "COLUMNS": "90"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in ("0", "2")
    )
    assert optimized == plain
    assert len(plain.splitlines()) > 20


def test_a_docstring_is_read_from_the_source(monkeypatch):
    def documented():
        """Do it.

        Cost:
            Nothing.
        """

    assert docstring(documented) == "Do it.\n\nCost:\n    Nothing."
    documented.__doc__ = None
    assert docstring(documented) is None
    monkeypatch.setattr("trexreport.docstrings.sys.flags", type("Flags", (), {"optimize": 2}))
    assert docstring(documented) == "Do it.\n\nCost:\n    Nothing."


def test_without_a_source_there_is_none(monkeypatch):
    def missing(_):
        raise OSError("could not get source code")

    monkeypatch.setattr("trexreport.docstrings.sys.flags", type("Flags", (), {"optimize": 2}))
    monkeypatch.setattr("trexreport.docstrings.inspect.getsource", missing)
    assert docstring(missing) is None


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_describes_each_of_its_parameters(name):
    function = getattr(trexreport, name)
    text = inspect.getdoc(function)
    assert text.splitlines()[0].endswith((".", ":"))
    parameters = inspect.signature(function).parameters.values()
    named = [each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    several = len(named) > 1
    missing = [each for each in named if several and f"    {each}" not in text]
    assert missing == []
