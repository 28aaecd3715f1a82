"""The command line as a program does not search its memory at the end."""

from __future__ import annotations

import atexit
import gc
import subprocess
import sys

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


def test_ctrl_c_while_the_program_is_loaded_prints_no_traceback():
    # An import is in place of the key.
    code = """
import builtins, os, signal
load = builtins.__import__
def pressed(name, *rest):
    if name == "click":
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *rest)
builtins.__import__ = pressed
from trexreport.__main__ import run_program
run_program()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"")
