"""The command line as a program does not search its memory at the end."""

from __future__ import annotations

import atexit
import gc

from click.testing import CliRunner

from trexreport import cli
from trexreport.cli.command import Command


def test_a_program_collects_no_garbage_and_leaves_none_to_its_end(monkeypatch):
    collected_while_running, at_exit = [], []
    monkeypatch.setattr(cli, "main", lambda: collected_while_running.append(gc.isenabled()))
    monkeypatch.setattr(atexit, "register", at_exit.append)
    try:
        cli.run_program()
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert collected_while_running == [False]
    assert at_exit == [gc.freeze]


def test_an_interrupted_command_is_not_a_failed_gate(monkeypatch):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Command, "invoke", interrupt)
    result = CliRunner().invoke(cli.main, ["rules"])
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")
