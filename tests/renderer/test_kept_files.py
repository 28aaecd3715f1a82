"""What is packed once is kept; an old, damaged or unwritable file changes nothing."""

from __future__ import annotations

import sys

import pytest

from trexreport.renderer import kept_files
from trexreport.renderer.kept_files import kept_file, pack_once
from trexreport.renderer.packing import pack_for_script

DATA = b"let a = 1;" * 50


@pytest.fixture
def static(tmp_path, monkeypatch):
    """A folder of static files, in a Python that may write bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(kept_files, "resource_folder", lambda _: tmp_path)
    return tmp_path


def packed(monkeypatch, *, packs, data=DATA, level=9):
    """Return what a new process would carry, which packs the data or must not."""
    calls = []
    with monkeypatch.context() as patch:
        patch.setattr(
            kept_files, "pack_for_script", lambda *given: calls.append(1) or pack_for_script(*given)
        )
        text = pack_once("a.js", data, level)
    assert bool(calls) == packs
    assert text == pack_for_script(data, level)


def test_the_next_process_does_not_pack(static, monkeypatch):
    packed(monkeypatch, packs=True)
    packed(monkeypatch, packs=False)


def test_other_data_levels_and_versions_are_packed_again(static, monkeypatch):
    packed(monkeypatch, packs=True)
    packed(monkeypatch, packs=True, data=DATA + b"b")
    packed(monkeypatch, packs=True, data=DATA + b"b", level=1)
    monkeypatch.setattr(kept_files.zlib, "ZLIB_RUNTIME_VERSION", "0.9")
    packed(monkeypatch, packs=True, data=DATA + b"b", level=1)
    packed(monkeypatch, packs=False, data=DATA + b"b", level=1)


@pytest.mark.parametrize("length", [0, 18, 140, 150, -9])
def test_a_damaged_file_is_replaced(length, static, monkeypatch):
    packed(monkeypatch, packs=True)
    path = kept_file(static / "a.js")
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    packed(monkeypatch, packs=True)
    assert path.read_bytes() == whole


def test_nothing_is_written_where_python_may_not(static, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    packed(monkeypatch, packs=True)
    assert not kept_file(static / "a.js").exists()


def test_a_folder_that_can_not_be_written_does_no_harm(static, monkeypatch):
    (static / "__pycache__").write_text("a file where the folder should be")
    packed(monkeypatch, packs=True)


def test_a_python_that_keeps_nothing_packs_each_time(static, monkeypatch):
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    packed(monkeypatch, packs=True)
    packed(monkeypatch, packs=True)
