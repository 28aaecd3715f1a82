"""Archives: written, read, checked and unpacked; damaged and hostile ones refused."""

from __future__ import annotations

import contextlib
import io
import json
import random
import stat
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.archive import ArchiveContents, extract_archive, verify, write, write_archive
from trexreport.errors import InputError, OutputError
from trexreport.model import Source
from trexreport.output import is_own
from trexreport.reader import archive_file, read_engine
from trexreport.reader.archive_file import list_hash, read_archive
from trexreport.reader.capture import Capture
from trexreport.reader.marks import ARCHIVE_LIST, is_archive

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]}).encode()
PROFILE = json.dumps([{"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}]).encode()
SOURCES = (Source("graph", "x.graph.json", GRAPH), Source("profile", "x.profile.json", PROFILE))


def written(sources=SOURCES, **more):
    stream = io.BytesIO()
    write_archive(stream, ArchiveContents("engine x", tuple(sources), **more))
    return stream.getvalue()


def rewritten(change, data=None):
    """Return an archive whose list of (name or ZipInfo, content) was changed."""
    with zipfile.ZipFile(io.BytesIO(data or written())) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in change(members):
            archive.writestr(name, content)
    return stream.getvalue()


def file_of(folder, data, name="x.trexa"):
    path = folder / name
    path.write_bytes(data)
    return path


def everything_below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_archive_gives_back_what_was_put_in(tmp_path):
    engine = file_of(tmp_path, b"\0plan" * 1000, "x.engine")
    path = file_of(tmp_path, written(report=b"<p>report", engine_file=engine, optimization_profile=1))
    assert is_own(path)
    assert is_archive(path.read_bytes())
    assert read_archive(path, "x") == Capture("engine x", SOURCES, (), 1)
    assert verify(path).faults == ()
    extract_archive(path, tmp_path / "out")
    found = {each.name: each.read_bytes() for each in (tmp_path / "out").iterdir()}
    assert found == {
        "x.graph.json": GRAPH,
        "x.profile.json": PROFILE,
        "report.html": b"<p>report",
        "x.engine": engine.read_bytes(),
    }


def test_an_archive_is_an_input(tmp_path):
    engine = read_engine(file_of(tmp_path, written()))
    assert (engine.name, engine.sources, engine.is_profiled) == ("engine x", SOURCES, True)
    assert not [note for note in engine.notes if note.slug == "archive-edited"]


def test_the_same_contents_give_the_same_bytes(tmp_path):
    engine = file_of(tmp_path, b"plan", "x.engine")
    assert written(engine_file=engine) == written(tuple(reversed(SOURCES)), engine_file=engine)


@given(st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=50)), min_size=1, max_size=5))
def test_any_files_come_back_under_names_of_their_own(files):
    sources = [Source("log", name, content) for name, content in files]
    data = written(sources)
    carried = read_archive(io.BytesIO(data), "x")
    assert sorted(each.data for each in carried.sources) == sorted(content for _, content in files)
    names = [each.name.casefold() for each in carried.sources]
    assert len(set(names)) == len(names)
    assert not carried.notes


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("capture/../../evil", "leads elsewhere"),
        ("../evil", "leads elsewhere"),
        ("/evil", "leads elsewhere"),
        ("capture/sub/evil", "leads elsewhere"),
        ("capture\\..\\evil", "leads elsewhere"),
        ("capture/C:evil", "leads elsewhere"),
        ("capture/..", "leads elsewhere"),
        ("capture/", "leads elsewhere"),
        ("evil", "leads elsewhere"),
        ("capture/a\nb", "leads elsewhere"),
        ("report/X.GRAPH.json", "twice"),
        ("capture/x.graph.json", "twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_names_are_refused_and_nothing_is_written(tmp_path, name, message):
    path = file_of(tmp_path, rewritten(lambda members: [*members, (name, b"evil")]))
    before = everything_below(tmp_path)
    for act in (
        lambda: read_engine(path),
        lambda: verify(path),
        lambda: extract_archive(path, tmp_path / "o"),
    ):
        with pytest.raises(InputError, match=message):
            act()
    assert everything_below(tmp_path) == before


def test_names_that_some_systems_take_for_one_are_refused(tmp_path):
    names = [unicodedata.normalize(form, "capture/Ä.log") for form in ("NFC", "NFD")]
    path = file_of(tmp_path, rewritten(lambda members: [*members, *((name, b"log") for name in names)]))
    with pytest.raises(InputError, match="twice"):
        extract_archive(path, tmp_path / "out")


def test_encrypted_members_are_refused(tmp_path):
    data = bytearray(written())
    # The flags of the second member in the directory at the end.
    data[data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4) + 8] |= 1
    with pytest.raises(InputError, match="is packed as trexreport does not"):
        verify(file_of(tmp_path, bytes(data)))


@pytest.mark.parametrize("reported", [3, 2**31])
def test_a_size_that_is_a_lie(tmp_path, reported):
    data = bytearray(written())
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4) + 24
    data[at : at + 4] = reported.to_bytes(4, "little")
    path = file_of(tmp_path, bytes(data))
    for act in (lambda: read_engine(path), lambda: extract_archive(path, tmp_path / "out")):
        with pytest.raises(InputError, match=r"damaged archive|unpacks to far more"):
            act()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9, 0.99])
def test_an_archive_that_was_cut_off(tmp_path, kept):
    data = written(report=b"report" * 99)
    path = file_of(tmp_path, data[: int(len(data) * kept)])
    with pytest.raises(InputError, match="damaged archive"):
        verify(path)


def test_an_engine_larger_than_a_plain_zip_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "_LARGEST_WITHOUT_ZIP64", 10)
    engine = file_of(tmp_path, b"\0plan" * 1000, "x.engine")
    path = file_of(tmp_path, written(engine_file=engine))
    assert verify(path).faults == ()
    extract_archive(path, tmp_path / "out")
    assert (tmp_path / "out" / "x.engine").read_bytes() == engine.read_bytes()


def test_links_are_refused(tmp_path):
    info = zipfile.ZipInfo("capture/link")
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = file_of(tmp_path, rewritten(lambda members: [*members, (info, b"/etc/passwd")]))
    with pytest.raises(InputError, match="is a link"):
        extract_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_bombs_are_refused(tmp_path):
    path = file_of(tmp_path, rewritten(lambda members: [*members, ("capture/bomb", bytes(40_000_000))]))
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="unpacks to far more"):
        verify(path)


def test_too_much_and_too_many(monkeypatch):
    monkeypatch.setattr(archive_file, "LARGEST_FILE_BYTES", 10)
    with pytest.raises(InputError, match="larger than a capture's file"):
        read_archive(io.BytesIO(written()), "x")
    monkeypatch.setattr(archive_file, "LARGEST_CAPTURE_BYTES", 10)
    with pytest.raises(InputError, match="more than a capture can hold"):
        read_archive(io.BytesIO(written()), "x")
    monkeypatch.setattr(archive_file, "MOST_FILES", 2)
    with pytest.raises(InputError, match="more files than an archive can"):
        read_archive(io.BytesIO(written()), "x")


def with_graph(content):
    return rewritten(
        lambda members: [(name, content if name.endswith("graph.json") else data) for name, data in members]
    )


def test_an_edited_file_is_found(tmp_path):
    path = file_of(tmp_path, with_graph(GRAPH.replace(b'"a"', b'"b"')))
    assert verify(path).faults == ("capture/x.graph.json was changed after it was archived.",)
    engine = read_engine(path)
    assert "archive-edited" in [note.slug for note in engine.notes]
    assert [each.code for each in engine.contradictions] == ["edited-inputs"]
    with pytest.raises(InputError, match=r"x\.graph\.json in x\.trexa was changed after it was archived"):
        extract_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_listed_is_found(tmp_path):
    path = file_of(tmp_path, rewritten(lambda members: [*members, ("capture/more.log", b"log")]))
    assert verify(path).faults == ("capture/more.log in x.trexa is not in its list of files.",)
    path = file_of(tmp_path, rewritten(lambda members: [*members, (f"capture/{'a' * 5000}.log", b"log")]))
    assert len(verify(path).faults[0]) < 150


def with_list(change):
    def changed(members):
        manifest = change(json.loads(members[0][1]))
        return [(ARCHIVE_LIST, json.dumps(manifest)), *members[1:]]

    return rewritten(changed)


def test_an_edited_list_is_found(tmp_path):
    path = file_of(tmp_path, with_list(lambda listed: {**listed, "engine": "another"}))
    (fault,) = verify(path).faults
    assert "its hash does not fit" in fault


def test_a_list_that_lies_about_a_size_is_found(tmp_path):
    def lie(listed):
        first, *others = listed["files"]
        return rehashed(listed, files=[{**first, "size": 1}, *others])

    path = file_of(tmp_path, with_list(lie))
    assert verify(path).faults == (
        "capture/x.graph.json in x.trexa does not have the size in its list of files.",
    )


def rehashed(listed, **changes):
    listed = {**listed, **changes}
    return {**listed, "sha256": list_hash(listed)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda listed: [listed], "list of files is unreadable"),
        (lambda _: {}, "list of files is unreadable"),
        (lambda listed: {**listed, "schema_version": 2}, "newer trexreport"),
        (lambda listed: {**listed, "files": [{"path": "capture/no.json"}]}, r"no\.json is not in it"),
        (lambda listed: {**listed, "files": [{"path": ARCHIVE_LIST}]}, "is not in it"),
        (lambda listed: rehashed(listed, files=7), "without a capture"),
    ],
)
def test_a_list_that_is_none(change, message):
    with pytest.raises(InputError, match=message):
        read_archive(io.BytesIO(with_list(change)), "x")


def test_an_archive_from_a_pipe_is_read_too(tmp_path):
    # Inputs that are not regular files are read whole.
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(written(),))
    writer.start()
    assert read_engine(pipe).sources == SOURCES
    writer.join()


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_any_damage_is_an_error_or_found(tmp_path_factory, seed):
    chance = random.Random(seed)
    good = written(report=b"report")
    data = bytearray(good)
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    folder = tmp_path_factory.mktemp("damage")
    path = file_of(folder, bytes(data))
    with contextlib.suppress(InputError):
        found = verify(path)
        if found.kind == "archive" and not found.faults:
            # Times and other marks of the zip may be damaged without harm.
            assert read_archive(path, "x").sources == SOURCES


@pytest.mark.parametrize("there", [b"mine", PROFILE + b"more", PROFILE[:-1], b""])
def test_extracting_replaces_nothing_unasked(tmp_path, there):
    path = file_of(tmp_path, written())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.profile.json").write_bytes(there)
    with pytest.raises(OutputError, match="different content"):
        extract_archive(path, tmp_path / "out")
    assert everything_below(tmp_path / "out") == {"x.profile.json"}
    extract_archive(path, tmp_path / "out", force=True)
    extract_archive(path, tmp_path / "out")
    assert (tmp_path / "out" / "x.profile.json").read_bytes() == PROFILE


def test_an_engine_that_changes_meanwhile(tmp_path, monkeypatch):
    engine = file_of(tmp_path, b"plan", "x.engine")
    contents = ArchiveContents("x", SOURCES, engine_file=engine)
    added = zipfile.ZipFile.writestr

    def change(self, *arguments, **options):
        engine.write_bytes(b"nalp")
        return added(self, *arguments, **options)

    monkeypatch.setattr(zipfile.ZipFile, "writestr", change)
    with pytest.raises(InputError, match="changed while it was archived"):
        write_archive(io.BytesIO(), contents)


def test_a_missing_engine():
    with pytest.raises(InputError, match=r"missing\.engine can't be read"):
        written(engine_file=Path("/nonexistent/missing.engine"))
