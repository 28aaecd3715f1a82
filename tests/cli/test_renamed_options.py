"""Options and keys of earlier versions: an error that names the new one, never silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.cli import main
from trexreport.cli.renamed_options import RENAMED
from trexreport.errors import UsageError
from trexreport.toml_table import TomlTable


@pytest.mark.parametrize(("command", "old"), RENAMED)
def test_an_old_option_names_the_new_one(run, command, old):
    new = RENAMED[command, old]
    assert run(command, old, "x", code=2).stderr == f"Error: {old} is now called {new}. Rename it.\n"
    options = {name for parameter in main.commands[command].params for name in parameter.opts}
    assert new in options
    assert old not in options


def test_another_command_has_never_had_it(run):
    commands, old_names = zip(*RENAMED, strict=True)
    assert "lint" not in commands
    for old in old_names:
        assert "No such option" in run("lint", old, "x", code=2).stderr
    assert not Path("report.html").exists()


def test_an_old_key_names_the_new_one():
    table = TomlTable({"old": "red"}, "trexreport.toml: lint.")
    with pytest.raises(
        UsageError, match=r"^trexreport\.toml: lint\.old has a new name\. It is now called new\.$"
    ):
        table.refuse_unknown(["new"], {"old": "new"})
    with pytest.raises(UsageError, match="is not a known key"):
        table.refuse_unknown(["new"], {"other": "new"})
