"""What the README says works: its commands, its Python, its links."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BEFORE = ROOT / "samples" / "resnet18-int8-before"


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the files that the README speaks of."""
    monkeypatch.chdir(tmp_path)
    for source in BEFORE.iterdir():
        role = source.name.removeprefix("resnet18-int8-before.engine")
        for name in (f"X{role}", f"PATH/X{role}", f"folder/X{role}", f"my-engine{role}"):
            target = tmp_path / name
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    return tmp_path


def commands() -> list[str]:
    in_blocks = re.findall(r"^\$ (trexreport .*)$", README, re.MULTILINE)
    in_tables = re.findall(r"^\| `(trexreport [^`]*)`", README, re.MULTILINE)
    return in_blocks + in_tables


def test_the_commands_of_the_readme_are_found():
    found = {command.split()[1] for command in commands()}
    assert found == set(main.commands)


def test_every_command_of_the_readme_works(workplace):
    for command in commands():
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}: {result.output}"


def test_the_python_of_the_readme_works(workplace):
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - our own README


def test_the_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_exit_codes_are_those_of_the_errors():
    from trexreport import errors

    stated = {int(code) for code in re.findall(r"(\d) (?:done|wrong usage|bad input|a tool)", README)}
    kinds = (errors.UsageError, errors.InputError, errors.MissingToolError)
    assert {0, *(kind.exit_code for kind in kinds)} == stated
