"""How the tests of the command line run a command."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from trexreport.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and checks its exit code."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        if result.exit_code != code:
            raise AssertionError(f"exit {result.exit_code}: {result.output}") from result.exception
        return result

    return invoke
