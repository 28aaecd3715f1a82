"""Captures inside zip archives, whole, damaged and hostile."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.errors import InputError, in_part
from trexreport.reader import read_engine, zip_file
from trexreport.reader.marks import is_zip
from trexreport.reader.zip_file import read_zip

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]}).encode()
PROFILE = json.dumps([{"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}]).encode()


def archive(members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as writer:
        for name, content in members.items():
            writer.writestr(name, content)
    return stream.getvalue()


def refused(data):
    with pytest.raises(InputError) as caught:
        read_zip(io.BytesIO(data), "x")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_archive_of_a_capture(tmp_path):
    members = {
        "x.engine.graph.json": GRAPH,
        "sub/x.engine.profile.json": PROFILE,
        "x.engine": b"plan",
        "d/": b"",
    }
    data = archive(members)
    assert is_zip(data)
    (tmp_path / "x.engine.tea").write_bytes(data)
    engine = read_engine(tmp_path / "x.engine.tea")
    assert engine.name == "x"
    assert engine.is_profiled
    assert [source.name for source in engine.sources] == ["x.engine.graph.json", "x.engine.profile.json"]
    assert "archive" in [note.slug for note in engine.notes]


@pytest.mark.parametrize("content", [b"", GRAPH[:-9], b"null", b"PK\x03\x04"])
def test_an_error_in_an_archive_names_archive_and_file(tmp_path, content):
    path = tmp_path / "y.zip"
    path.write_bytes(archive({"x.engine.graph.json": content, "x.engine.profile.json": PROFILE}))
    with pytest.raises(InputError, match=r"^y\.zip: x\.engine\.graph\.json (?!.*y\.zip)"):
        read_engine(path)
    with pytest.raises(InputError, match=r"y\.zip: x\.engine\.graph\.json ") as caught, in_part(str(path)):
        read_engine(path)
    assert str(caught.value).count("y.zip") == 1


def test_siblings_of_an_archive_are_read_too(tmp_path):
    (tmp_path / "x.tea").write_bytes(archive({"x.graph.json": GRAPH}))
    (tmp_path / "x.profile.json").write_bytes(PROFILE)
    assert read_engine(tmp_path / "x.tea").is_profiled


def test_names_in_archives_lead_nowhere():
    sources, _ = read_zip(io.BytesIO(archive({"../../x.graph.json": GRAPH})), "x")
    assert [source.name for source in sources] == ["x.graph.json"]


def test_an_archive_without_a_capture():
    assert "holds no file that trexreport knows" in refused(archive({"a.bin": b"1", "b.json": b"{}"}))


def test_an_archive_of_two_engines(tmp_path):
    (tmp_path / "x.zip").write_bytes(archive({"a.graph.json": GRAPH, "b.graph.json": GRAPH + b" "}))
    engine = read_engine(tmp_path / "x.zip")
    assert any("a.graph.json and b.graph.json; that of a" in note.message for note in engine.notes)


def test_a_bomb_is_not_unpacked():
    data = archive({"x.graph.json": b"[" * 40_000_000})
    assert len(data) < 100_000
    assert "unpacks to more than a capture can hold" in refused(data)


def test_a_bomb_that_lies_about_its_size():
    data = bytearray(archive({"x.graph.json": b"[" * 40_000_000}))
    position = data.rindex(b"PK\x01\x02") + 24
    data[position : position + 4] = (100).to_bytes(4, "little")
    assert "is damaged" in refused(bytes(data))


def test_too_many_and_too_large_members(monkeypatch):
    monkeypatch.setattr(zip_file, "MOST_FILES", 2)
    data = archive({f"{index}.bin": b"" for index in range(3)})
    assert "more than a capture can hold" in refused(data)
    monkeypatch.setattr(zip_file, "LARGEST_FILE_BYTES", 10)
    assert "larger than a capture's file" in refused(archive({"x.graph.json": GRAPH}))
    monkeypatch.setattr(zip_file, "LARGEST_CAPTURE_BYTES", 10)
    assert "more than a capture can hold" in refused(archive({"x.graph.json": GRAPH}))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression(compression):
    pytest.importorskip("bz2" if compression == zipfile.ZIP_BZIP2 else "lzma")
    assert "not a usual zip archive" in refused(archive({"x.graph.json": GRAPH}, compression))


def test_an_encrypted_archive():
    data = bytearray(archive({"x.graph.json": GRAPH}))
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(bytes(data))


@pytest.mark.parametrize("keep", [4, 30, 100, -10])
def test_a_cut_off_archive(keep):
    assert "is damaged" in refused(archive({"x.graph.json": GRAPH})[:keep])


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_any_damage_to_an_archive_is_an_error_or_nothing(seed):
    chance = random.Random(seed)
    data = bytearray(archive({"x.graph.json": GRAPH, "y.log": b"log"}))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    with contextlib.suppress(InputError):
        read_zip(io.BytesIO(data), "x")
