"""An option that is given twice is an error: one of the two would be lost without a word."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from trexreport.cli import main

SINGLE = [
    (name, option.opts[-1])
    for name, command in main.commands.items()
    for option in command.params
    if isinstance(option, click.Option) and not (option.multiple or option.is_flag)
]


def test_there_are_options_to_repeat():
    assert len(SINGLE) > 100


@pytest.mark.parametrize("command", main.commands)
def test_an_option_may_not_be_given_twice(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    options = [option for name, option in SINGLE if name == command]
    for option in options:
        result = CliRunner().invoke(main, [command, option, "1", f"{option}=2"])
        assert (option, result.exit_code) == (option, 2)
        assert result.stderr == f"Error: {option} is given 2 times. Give it once.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["rules", "--help", "--help"], ["lint", "--select", "TRX1", "--select", "TRX2", "--help"]]
)
def test_flags_and_repeatable_options_may(arguments):
    assert CliRunner().invoke(main, arguments).exit_code == 0
