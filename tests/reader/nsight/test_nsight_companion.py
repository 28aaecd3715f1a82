"""An export beside a capture, or named by the user, becomes a file of the capture."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from conftest import SAMPLES
from generator.nsys import NsysExport, TracedKernel, traced_queries

from trexreport.errors import InputError
from trexreport.reader import read_engine

NAME = "resnet18-int8-before"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(SAMPLES / NAME, tmp_path / NAME)


def export(path):
    made = NsysExport()
    traced_queries(made, [TracedKernel("conv1", "kernel", 5_000)], 3)
    return made.write(path)


def kernels(engine):
    return [source.name for source in engine.sources if source.role == "kernels"]


@pytest.mark.parametrize("name", [f"{NAME}.sqlite", f"{NAME}.engine.nsys.sqlite", "report1.sqlite"])
def test_the_export_in_the_folder_is_read(folder, name):
    export(folder / name)
    engine = read_engine(folder)
    assert len(engine.kernels.runs) == 3
    assert kernels(engine) == [f"{NAME}.engine.kernels.json"]


def test_the_export_beside_a_graph_file_is_read_if_its_name_belongs_to_it(folder):
    graph = folder / f"{NAME}.engine.graph.json"
    export(folder / "other.sqlite")
    assert read_engine(graph).kernels is None
    export(folder / f"{NAME}.sqlite")
    assert len(read_engine(graph).kernels.runs) == 3


def test_an_export_that_the_user_names_is_read(folder, tmp_path):
    path = export(tmp_path / "any name.sqlite")
    for engine in (read_engine(folder, path), read_engine(folder, files={"kernels": path})):
        assert len(engine.kernels.runs) == 3
        assert kernels(engine) == [f"{NAME}.engine.kernels.json"]


def test_what_a_capture_carries_is_read_again(folder, tmp_path):
    export(folder / "x.sqlite")
    first = read_engine(folder)
    other = tmp_path / "other"
    other.mkdir()
    for source in first.sources:
        (other / source.name).write_bytes(source.data)
    assert read_engine(other).kernels == first.kernels


def test_several_exports_are_not_guessed_from(folder):
    export(folder / "a.sqlite")
    export(folder / "b.sqlite")
    engine = read_engine(folder)
    assert engine.kernels is None
    assert "kernels-not-read" in {note.slug for note in engine.notes}


def test_a_damaged_export_is_noted_if_found_and_an_error_if_named(folder, tmp_path):
    path = export(folder / "x.sqlite")
    path.write_bytes(path.read_bytes()[:5000])
    engine = read_engine(folder)
    assert engine.kernels is None
    assert "kernels-left-out" in {note.slug for note in engine.notes}
    named = shutil.move(path, tmp_path / "y.sqlite")
    with pytest.raises(InputError, match=r"y\.sqlite can't be read as a SQLite file"):
        read_engine(folder, files={"kernels": named})


def test_a_database_of_something_else_is_left_out(folder):
    with closing(sqlite3.connect(folder / "x.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE t (a)")
    engine = read_engine(folder)
    assert engine.kernels is None
    assert [note.slug for note in engine.notes if note.source == "x.sqlite"] == ["kernels-left-out"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.txt", "is not an SQLite export of Nsight Systems, and no report"),
        ("x.nsys-rep", "is a recording of Nsight Systems. Export it: nsys export --type sqlite"),
    ],
)
def test_another_file_as_kernels_says_what_is_expected(folder, tmp_path, name, message):
    other = tmp_path / name
    other.write_bytes(b"not sqlite")
    with pytest.raises(InputError) as raised:
        read_engine(folder, files={"kernels": other})
    assert str(raised.value).startswith(f"{name} {message}")
    with pytest.raises(InputError, match="does not exist"):
        read_engine(folder, files={"kernels": tmp_path / "absent.sqlite"})


def test_a_file_that_is_no_database_is_noted(folder):
    (folder / "x.sqlite").write_bytes(b"not sqlite")
    (note,) = [note for note in read_engine(folder).notes if note.source == "x.sqlite"]
    assert "x.sqlite is not an SQLite export" in note.message
