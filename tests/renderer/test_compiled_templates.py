"""Compiled templates are kept, and an old, damaged or unwritable one changes nothing."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from trexreport.renderer.kept_files import compiled_templates
from trexreport.renderer.page import environment
from trexreport.renderer.palette import color


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a template, in a Python that may write bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "a.html.j2").write_text("one {{ x }}")
    return tmp_path


def rendered(folder, monkeypatch, *, compiles, options=b""):
    """Return what a new process would write, which compiles the template or must not."""
    compiled = []
    compiled_templates.cache_clear()
    environment = Environment(
        loader=FileSystemLoader(folder), bytecode_cache=compiled_templates(options), autoescape=True
    )
    generate = environment._generate
    monkeypatch.setattr(
        environment, "_generate", lambda *args, **more: compiled.append(1) or generate(*args, **more)
    )
    text = environment.get_template("a.html.j2").render(x=2)
    assert bool(compiled) == compiles
    return text


def kept(folder):
    """Return the file with the code of the template."""
    return Path(cache_from_source(str(folder / "a.html.j2")))


def test_the_next_process_does_not_compile(folder, monkeypatch):
    assert rendered(folder, monkeypatch, compiles=True) == "one 2"
    assert rendered(folder, monkeypatch, compiles=False) == "one 2"
    assert [each.name for each in kept(folder).parent.iterdir()] == [kept(folder).name]


def test_a_changed_template_is_compiled_again(folder, monkeypatch):
    rendered(folder, monkeypatch, compiles=True)
    (folder / "a.html.j2").write_text("two {{ x }}")
    assert rendered(folder, monkeypatch, compiles=True) == "two 2"


def test_other_options_of_jinja_are_compiled_again(folder, monkeypatch):
    assert rendered(folder, monkeypatch, compiles=True, options=b"one") == "one 2"
    assert rendered(folder, monkeypatch, compiles=True, options=b"two") == "one 2"
    assert rendered(folder, monkeypatch, compiles=False, options=b"two") == "one 2"


@pytest.mark.parametrize("length", [0, 18, 30, 40, 60, -9])
def test_a_damaged_file_is_replaced(length, folder, monkeypatch):
    rendered(folder, monkeypatch, compiles=True)
    whole = kept(folder).read_bytes()
    kept(folder).write_bytes(whole[:length])
    assert rendered(folder, monkeypatch, compiles=True) == "one 2"
    assert kept(folder).read_bytes() == whole


def test_nothing_is_written_where_python_may_not(folder, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(folder, monkeypatch, compiles=True) == "one 2"
    assert not kept(folder).exists()


def test_a_folder_that_can_not_be_written_does_no_harm(folder, monkeypatch):
    (folder / "__pycache__").write_text("a file where the folder should be")
    assert rendered(folder, monkeypatch, compiles=True) == "one 2"


def test_they_are_kept_where_python_keeps_its_own(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "elsewhere"))
    rendered(folder, monkeypatch, compiles=True)
    assert not (folder / "__pycache__").exists()
    assert rendered(folder, monkeypatch, compiles=False) == "one 2"


def test_kept_code_does_not_hold_what_filters_return(folder, monkeypatch):
    """The texts of a page follow the program, whose next version may have another palette."""
    (folder / "b.html.j2").write_text("{{ 'accent' | color }}{% set b = 'accent' | color %}{{ b }}")
    compiled_templates.cache_clear()
    before = environment()
    before.loader = FileSystemLoader(folder)
    assert before.get_template("b.html.j2").render() == 2 * color("accent")
    compiled_templates.cache_clear()
    after = environment()
    after.loader = FileSystemLoader(folder)
    after.filters["color"] = lambda name: f"<{name}>"
    monkeypatch.setattr(after, "_generate", None)
    assert after.get_template("b.html.j2").render() == 2 * "&lt;accent&gt;"
