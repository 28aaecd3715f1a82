"""What docs/configuration.md says works: its settings and its commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.analyzer.roofline.matching import GpuChoice, choose_gpu
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.analyzer.rules.settings import parse_settings
from trexreport.cli import main
from trexreport.configuration import read_configuration

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
BEFORE = ROOT / "samples" / "resnet18-int8-before"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", blocks("toml"), ids=["own", "project"])
def test_the_settings_are_understood(block, tmp_path):
    name = "pyproject.toml" if "[tool." in block else "trexreport.toml"
    (tmp_path / name).write_text(block)
    found = read_configuration(folder=tmp_path)
    settings = parse_settings(found.lint, f"{found.prefix}lint.", built_in_rules())
    assert settings.suppressions
    if found.gpu:
        choose_gpu({}, GpuChoice(found.gpu))
        own = {"gpu": [{"name": name, **figures} for name, figures in found.gpus.items()]}
        assert choose_gpu({}, GpuChoice("My board", own)).bandwidth_gbs == pytest.approx(204.8)


def test_the_users_gpu_of_the_page_on_gpus_is_understood(tmp_path):
    page = (ROOT / "docs" / "gpus.md").read_text("utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "trexreport.toml").write_text(block)
    found = read_configuration(folder=tmp_path)
    own = {"gpu": [{"name": name, **figures} for name, figures in found.gpus.items()]}
    assert choose_gpu({}, GpuChoice("My board", own)).bandwidth_gbs == 400


def test_the_commands_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ trexreport (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = [str(BEFORE) if word == "PATH" else word for word in shlex.split(command.split(">>")[0])]
        result = CliRunner().invoke(main, words)
        assert result.exit_code in {0, 1}, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)


def test_all_formats_are_listed():
    (option,) = (each for each in main.commands["lint"].params if each.name == "format_")
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    (table,) = re.findall(r"^\| format of `lint` .*?\n\n", page, re.DOTALL | re.MULTILINE)
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(option.type.choices)


def test_all_variables_of_the_environment_are_listed():
    own = r"\"((?:TREXREPORT|SOURCE_DATE|GITHUB|CUDA_(?:VISIBLE|DEVICE))_[A-Z_]+)\""
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "trexreport").rglob("*.py"))
    (table,) = re.findall(r"^## Environment variables\n(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`([A-Z][A-Z_]+)`", table)) == set(re.findall(own, sources))
