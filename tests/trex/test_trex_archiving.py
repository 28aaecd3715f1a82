"""TREx's archives: what is written can be read, by it and by every command."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta
from types import SimpleNamespace

import pytest

import trexreport
from trexreport.errors import InputError, MissingToolError, OutputError
from trexreport.trex import archiving
from trexreport.trex.archiving import EngineArchive, get_reader, get_writer


def test_members_are_written_and_read(tmp_path):
    path = tmp_path / "x.tea"
    archive = EngineArchive(path)
    archive.writef_txt("folder/a.log", "one\ntwo")
    archive.writef_bin("engine.trt", b"\x00\x01")
    with archive, get_writer(archive, "b.json") as writer:
        writer.write("{}")
    assert (archive.readf("a.log"), archive.readf("engine.trt")) == (b"one\ntwo", b"\x00\x01")
    with get_reader(archive, "a.log") as reader:
        assert list(reader.readlines()) == ["one", "two"]
    assert sorted(zipfile.ZipFile(path).namelist()) == ["a.log", "b.json", "engine.trt"]


def test_an_archive_of_earlier_is_read_until_it_is_written(tmp_path):
    path = tmp_path / "x.tea"
    EngineArchive(path).writef_txt("old", "1")
    again = EngineArchive(path)
    assert again.readf("old") == b"1"
    again.writef_txt("new", "2")
    assert zipfile.ZipFile(path).namelist() == ["new"]
    with pytest.raises(FileExistsError):
        EngineArchive(path, override_files=False)


def test_every_command_reads_it(tmp_path):
    archive = EngineArchive(tmp_path / "x.tea")
    tensors = [{"Name": "t", "Dimensions": [1], "Format/Datatype": "Half"}]
    layer = {"Name": "a", "LayerType": "Shuffle", "Inputs": tensors, "Outputs": tensors}
    archive.writef_txt("x.engine.graph.json", json.dumps({"Layers": [layer], "Bindings": []}))
    assert [each.name for each in trexreport.load(tmp_path / "x.tea").layers] == ["a"]


def test_files_beside_archives(tmp_path):
    path = str(tmp_path / "a.log")
    with get_writer(None, path) as writer:
        writer.write("one\ntwo")
    with get_reader(None, path) as reader:
        assert reader.readlines() == ["one\n", "two"]
    with pytest.raises(ValueError, match="with block"):
        get_reader(None, path).read()


def test_settings_of_the_builder(tmp_path):
    archive = EngineArchive(tmp_path / "x.tea")
    config = SimpleNamespace(flags=3, get_timing_cache=lambda: None)
    archive.archive_build_config(config, timedelta(seconds=1.5))
    archive.archive_timing_cache(config)
    assert json.loads(archive.readf("build_cfg.json")) == {"engine_build_duration": 1.5, "flags": "3"}


def test_damage_and_absence_are_one_line(tmp_path, monkeypatch):
    path = tmp_path / "x.tea"
    with pytest.raises(InputError, match=r"x\.tea can't be read"):
        EngineArchive(path).readf("a")
    path.write_bytes(b"no zip")
    with pytest.raises(InputError, match=r"x\.tea can't be read"):
        EngineArchive(path).readf("a")
    EngineArchive(path).writef_txt("b", "")
    with pytest.raises(InputError, match="no member 'a'"):
        EngineArchive(path).readf("a")
    with pytest.raises(OutputError, match="can't be written"):
        EngineArchive(tmp_path / "no folder" / "x.tea").writef_txt("a", "")
    monkeypatch.setattr(archiving, "has_library", lambda _: False)
    with pytest.raises(MissingToolError, match="TensorRT"):
        EngineArchive(path).Builder(None)
