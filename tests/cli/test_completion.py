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

from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.cli import main
from trexreport.cli.commands import Place, RuleCodes

ROOT = Path(__file__).parents[2]


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


#: What each shell does to complete "trexreport su"; zsh completes only while a person types.
COMPLETE = {
    "bash": """source "$SCRIPT"; COMP_WORDS=(trexreport su); COMP_CWORD=1
        _trexreport_completion trexreport; echo "${COMPREPLY[@]}" """,
    "zsh": """zmodload zsh/zpty
        zpty typed zsh -f -i
        zpty -w typed 'autoload -Uz compinit; compinit -u -D; source "$SCRIPT"; print rea""dy'
        zpty -r -m typed shown '*ready*'
        zpty -w -n typed $'trexreport su\\t'
        zpty -r -m typed shown '*trexreport summary*'
        print summary""",
    "fish": """source "$SCRIPT"; complete --do-complete "trexreport su" """,
}


@pytest.mark.parametrize("shell", COMPLETE)
def test_each_shell_takes_its_script_and_completes(shell, tmp_path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    # As pip writes it: click goes by the name of what was started.
    (tmp_path / "trexreport").write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from trexreport.cli import main\nmain()\n"
    )
    (tmp_path / "trexreport").chmod(0o755)
    made = {**os.environ, "_TREXREPORT_COMPLETE": f"{shell}_source"}
    script = tmp_path / "completion"
    script.write_bytes(
        subprocess.run([tmp_path / "trexreport"], env=made, check=True, capture_output=True).stdout
    )
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "SCRIPT": str(script),
    }
    ran = subprocess.run(
        [program, "-c", COMPLETE[shell]],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert ran.stdout.split()[:1] == ["summary"], ran.stderr


def test_the_documentation_shows_of_each_shell():
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"_TREXREPORT_COMPLETE={shell}_source trexreport" in page
