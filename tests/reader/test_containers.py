"""Captures inside archives and reports, whole, damaged and hostile."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import lzma
import random
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.errors import InputError
from trexreport.model import Source
from trexreport.reader import containers, read_engine
from trexreport.reader.containers import (
    inputs_manifest,
    is_report,
    is_zip,
    pack_input,
    plain_name,
    read_report,
    read_zip,
)

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]}).encode()
PROFILE = json.dumps([{"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}]).encode()


def archive(members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as writer:
        for name, content in members.items():
            writer.writestr(name, content)
    return stream.getvalue()


def report(sources, **changes):
    manifest = {**inputs_manifest("engine x", tuple(sources)), **changes}
    page = [b'<!doctype html><meta name="generator" content="trexreport 0.1">']
    page.append(
        b'<script type="application/json" id="trexreport-inputs">%s</script>' % json.dumps(manifest).encode()
    )
    for index, source in enumerate(sources):
        content = pack_input(source.data).encode()
        page.append(
            b'<script type="application/xz;base64" id="trexreport-input-%d">%s</script>' % (index, content)
        )
    return b"\n".join(page)


def refused(read, data):
    with pytest.raises(InputError) as caught:
        read(io.BytesIO(data) if read is read_zip else data, "x")
    assert "\n" not in str(caught.value)
    return str(caught.value)


SOURCES = (Source("graph", "x.graph.json", GRAPH), Source("profile", "x.profile.json", PROFILE))


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


def test_siblings_of_an_archive_are_read_too(tmp_path):
    (tmp_path / "x.tea").write_bytes(archive({"x.graph.json": GRAPH}))
    (tmp_path / "x.profile.json").write_bytes(PROFILE)
    assert read_engine(tmp_path / "x.tea").is_profiled


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a/b.json", "b.json"),
        ("../../etc/passwd", "passwd"),
        ("/abs/x.json", "x.json"),
        ("C:\\win\\x.json", "x.json"),
        ("..\\..\\x.json", "x.json"),
        ("x\0y.json", "xy.json"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("a/", "a"),
    ],
)
def test_names_lead_nowhere(name, plain):
    assert plain_name(name) == plain


@given(st.text(max_size=30))
def test_no_name_leads_out_of_a_folder(name):
    plain = plain_name(name)
    assert plain
    assert not set(plain) & set("/\\\0")
    assert plain not in (".", "..")


def test_names_in_archives_lead_nowhere():
    sources, _ = read_zip(io.BytesIO(archive({"../../x.graph.json": GRAPH})), "x")
    assert [source.name for source in sources] == ["x.graph.json"]


def test_an_archive_without_a_capture():
    assert "holds no file that trexreport knows" in refused(
        read_zip, archive({"a.bin": b"1", "b.json": b"{}"})
    )


def test_an_archive_of_two_engines(tmp_path):
    (tmp_path / "x.zip").write_bytes(archive({"a.graph.json": GRAPH, "b.graph.json": GRAPH}))
    with pytest.raises(InputError, match=r"a\.graph\.json and b\.graph\.json are both graph files"):
        read_engine(tmp_path / "x.zip")


def test_a_bomb_is_not_unpacked():
    data = archive({"x.graph.json": b"[" * 40_000_000})
    assert len(data) < 100_000
    assert "unpacks to more than a capture can hold" in refused(read_zip, data)


def test_a_bomb_that_lies_about_its_size():
    data = bytearray(archive({"x.graph.json": b"[" * 40_000_000}))
    position = data.rindex(b"PK\x01\x02") + 24
    data[position : position + 4] = (100).to_bytes(4, "little")
    assert "is damaged" in refused(read_zip, bytes(data))


def test_too_many_and_too_large_members(monkeypatch):
    monkeypatch.setattr(containers, "_MOST_MEMBERS", 2)
    data = archive({f"{index}.bin": b"" for index in range(3)})
    assert "more than a capture can hold" in refused(read_zip, data)
    monkeypatch.setattr(containers, "_LARGEST_MEMBER_BYTES", 10)
    assert "larger than a capture's file" in refused(read_zip, archive({"x.graph.json": GRAPH}))
    monkeypatch.setattr(containers, "_LARGEST_TOTAL_BYTES", 10)
    assert "more than a capture can hold" in refused(read_zip, archive({"x.graph.json": GRAPH}))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression(compression):
    pytest.importorskip("bz2" if compression == zipfile.ZIP_BZIP2 else "lzma")
    assert "no usual zip archive" in refused(read_zip, archive({"x.graph.json": GRAPH}, compression))


def test_an_encrypted_archive():
    data = bytearray(archive({"x.graph.json": GRAPH}))
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(read_zip, bytes(data))


@pytest.mark.parametrize("keep", [4, 30, 100, -10])
def test_a_cut_off_archive(keep):
    assert "is damaged" in refused(read_zip, archive({"x.graph.json": GRAPH})[:keep])


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_any_damage_to_an_archive_is_an_error_or_nothing(seed):
    chance = random.Random(seed)
    data = bytearray(archive({"x.graph.json": GRAPH, "y.log": b"log"}))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    with contextlib.suppress(InputError):
        read_zip(io.BytesIO(data), "x")


def test_a_report_gives_its_inputs_back(tmp_path):
    data = report(SOURCES)
    assert is_report(data)
    assert read_report(data, "r.html") == ("engine x", SOURCES, (), 0)
    (tmp_path / "r.html").write_bytes(data)
    engine = read_engine(tmp_path / "r.html")
    assert (engine.name, engine.sources, engine.is_profiled) == ("engine x", SOURCES, True)


@given(st.binary(max_size=300))
def test_any_input_comes_back_byte_for_byte(data):
    source = Source("log", "x.log", data)
    assert read_report(report([source]), "r.html")[1] == (source,)


def test_packing_is_the_same_each_time():
    assert pack_input(GRAPH) == pack_input(GRAPH)
    assert lzma.decompress(base64.b64decode(pack_input(GRAPH))) == GRAPH


def test_an_edited_report_is_said_to_be():
    data = report(SOURCES).replace(
        pack_input(GRAPH).encode(), pack_input(GRAPH.replace(b'"a"', b'"b"')).encode()
    )
    _, sources, notes, _ = read_report(data, "r.html")
    assert sources[0].data == GRAPH.replace(b'"a"', b'"b"')
    assert [note.slug for note in notes] == ["report-edited"]


def test_an_edited_list_of_inputs_is_said_to_be():
    assert not read_report(report(SOURCES), "r.html")[2]
    fewer = inputs_manifest("engine x", tuple(SOURCES))["files"][:1]
    for change in ({"engine": "another"}, {"optimization_profile": 1}, {"files": fewer}, {"sha256": 7}):
        (note,) = read_report(report(SOURCES, **change), "r.html")[2]
        assert note.slug == "report-edited"
        assert note.message.startswith("The list of inputs in r.html is not what was written")
    # Reports of the first version have none.
    older = report(SOURCES).replace(
        b'"sha256": "%s"}</script>' % inputs_manifest("engine x", tuple(SOURCES))["sha256"].encode(),
        b'"x": ""}</script>',
    )
    assert b'"x": ""' in older
    assert not read_report(older, "r.html")[2]


def test_names_in_reports_lead_nowhere():
    data = report([Source("graph", "../../x.json", GRAPH)])
    assert read_report(data, "r.html")[1][0].name == "x.json"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"size": -1}, "no possible size"),
        ({"size": -2}, "no possible size"),
        ({"size": None}, "no possible size"),
        ({"size": 10**30}, "no possible size"),
        ({"size": 2**29 + 1}, "no possible size"),
        ({"size": 2**28}, "no possible size"),
    ],
)
def test_impossible_sizes_in_a_report(entry, message):
    files = inputs_manifest("x", SOURCES)["files"]
    assert message in refused(read_report, report(SOURCES, files=[{**files[0], **entry}]))


def test_a_report_that_carries_too_much():
    files = [{"role": "log", "name": "x", "size": 2**29, "sha256": ""}] * 5
    assert "carries more than a capture can hold" in refused(read_report, report(SOURCES, files=files))


def test_a_bomb_in_a_report():
    bomb = pack_input(b"[" * 20_000_000).encode()
    data = report(SOURCES).replace(pack_input(GRAPH).encode(), bomb)
    _, sources, notes, _ = read_report(data, "r.html")
    assert len(sources[0].data) == len(GRAPH) + 1
    assert [note.slug for note in notes] == ["report-edited"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"trexreport-inputs", b"other", "carries no inputs"),
        (b'{"engine"', b"{engine", "list of inputs is unreadable"),
        (b'{"engine"', b'[1, {"engine"', "list of inputs is unreadable"),
        (b'id="trexreport-input-1"', b'id="x"', "one of its inputs is missing"),
        (pack_input(GRAPH).encode(), b"AAAA", "can't be unpacked"),
        (pack_input(GRAPH).encode(), b"A", "can't be unpacked"),
        (b'"files": [', b'"files": 3, "f": [', "carries no inputs"),
    ],
)
def test_a_damaged_report(old, new, message):
    data = report(SOURCES)
    assert old in data
    assert message in refused(read_report, data.replace(old, new))


def test_a_cut_off_report():
    data = report(SOURCES)
    assert "is missing" in refused(read_report, data[:-20])


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_any_damage_to_a_report_is_an_error_or_noted(seed):
    chance = random.Random(seed)
    data = bytearray(report(SOURCES))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        _, sources, notes, _ = read_report(bytes(data), "r.html")
    except InputError:
        return
    assert notes or {source.data for source in sources} <= {GRAPH, PROFILE}
