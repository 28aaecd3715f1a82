"""Shells complete commands, options, choices, names of files and codes of rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from trexreport.analyzer.rules import built_in_rules
from trexreport.cli import main
from trexreport.cli.completion import Place, RuleCodes


def completed(line, shell="bash"):
    """Return (kind, value) of what click offers for the last word of a line."""
    words = line.split(" ")
    environment = {
        "_TREXREPORT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    result = CliRunner().invoke(main, [], prog_name="trexreport", env=environment)
    return [tuple(each.split(",", 1)) for each in result.output.splitlines()]


def values(line):
    return [value for _, value in completed(line)]


def test_commands_options_and_choices():
    assert values("trexreport su") == ["summary"]
    assert set(values("trexreport ")) == set(main.commands)
    assert values("trexreport lint --fail") == ["--fail-on"]
    assert values("trexreport lint --format s") == ["sarif"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("trexreport report o", "file"),
        ("trexreport compare a b", "file"),
        ("trexreport report x -o r", "file"),
        ("trexreport verify x", "file"),
        ("trexreport check x --baseline r", "file"),
        ("trexreport collect m", "file"),
        ("trexreport collect m -o o", "dir"),
        ("trexreport site c", "dir"),
    ],
)
def test_names_of_files(line, kind):
    assert completed(line) == [(kind, line.rsplit(" ", 1)[1])]


def test_codes_of_rules():
    codes = [rule.code for rule in built_in_rules()]
    assert values("trexreport explain ") == codes
    assert values("trexreport explain trx10") == [code for code in codes if code.startswith("TRX10")]
    assert values("trexreport lint --select TRX2,TRX101") == ["TRX2,TRX101"]
    assert values("trexreport lint --select TRX2,TRX30")[0] == "TRX2,TRX301"


def test_every_value_is_completed_that_can_be():
    plain = {
        parameter.metavar
        for command in main.commands.values()
        for parameter in command.params
        if type(parameter.type) is type(click.STRING)
    }
    assert {"SIZE", "NAME"} <= plain
    assert not plain & {"FILE", "FILE|N", "PATH", "PATH...", "DIR", "FOLDER", "RULE", "RULES"}
    block = next(each for each in main.commands["draw"].params if each.name == "block")
    assert not isinstance(block.type, (Place, RuleCodes))


def test_the_word_of_the_user_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["report", "no such\nfile"])
    assert result.exit_code == 3
    assert "Error:" in result.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_sound(shell, tmp_path):
    """Each shell takes its script, and completes with it."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "trexreport").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trexreport "$@"\n')
    (tmp_path / "trexreport").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "_TREXREPORT_COMPLETE": f"{shell}_source"}
    # click takes the name of what was started, which is the same as its script has.
    source = [sys.executable, "-c", "from trexreport.cli import main; main(prog_name='trexreport')"]
    script = tmp_path / "completion"
    script.write_bytes(subprocess.run(source, env=environment, check=True, capture_output=True).stdout)
    del environment["_TREXREPORT_COMPLETE"]
    checks = {
        "bash": f"source {script}; COMP_WORDS=(trexreport su); COMP_CWORD=1; "
        "_trexreport_completion trexreport; echo ${COMPREPLY[@]}",
        "fish": f"source {script}; complete --do-complete 'trexreport su'",
    }
    if shell == "zsh":
        ran = subprocess.run([program, "-n", script], check=True, capture_output=True, text=True)
        assert not ran.stderr
        return
    ran = subprocess.run(
        [program, "-c", checks[shell]],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )


def test_the_documentation_tells_of_each_shell():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"_TREXREPORT_COMPLETE={shell}_source trexreport" in page
