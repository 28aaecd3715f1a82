"""A file that is called as one of a capture, and holds nothing that is known, is noted."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest

from trexreport.errors import InputError
from trexreport.model import IMPOSSIBLE, Source
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GRAPH = {"Layers": [{"Name": "a", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}


@pytest.mark.parametrize("content", ["", "{}", "[" * 5000 + "]" * 5000, "not JSON"])
@pytest.mark.parametrize(("name", "is_noted"), [("profile_x.json", True), ("settings.json", False)])
def test_what_is_left_out_is_noted(tmp_path, content, name, is_noted):
    (tmp_path / "layers_x.json").write_text(json.dumps(GRAPH))
    (tmp_path / name).write_text(content)
    noted = [note for note in read_engine(tmp_path).notes if note.slug == "file-left-out"]
    assert [note.source for note in noted] == [name] * is_noted


@pytest.mark.parametrize("name", ["x.graph.json", "x.profile.json", "x.profile.metadata.json"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"[]", mtime=0), "is compressed with gzip. Unpack it"),
        (b"PK\x03\x04" + bytes(40), "is a ZIP archive. Unpack it"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS, not the file itself"),
        (b"\n<HTML><body>404", "is a web page. Download the file itself"),
        (bytes(4096), "begins with zeros: the disk was full, or the computer stopped. Write it again."),
        (b"other", "is not JSON (Expecting value, line 1, column 1). Is it the right file?"),
    ],
)
def test_a_file_of_another_kind_is_named_with_what_to_do(tmp_path, name, content, message):
    (tmp_path / "x.graph.json").write_text(json.dumps(GRAPH))
    (tmp_path / name).write_bytes(content)
    if name == "x.graph.json":
        with pytest.raises(InputError) as raised:
            read_engine(tmp_path)
        assert str(raised.value).startswith(f"{name} {message}")
    else:
        noted = [note.message for note in read_engine(tmp_path).notes if note.slug == "file-left-out"]
        assert [each.startswith(f"{name} {message}") for each in noted] == [True]


@pytest.mark.parametrize(
    ("role", "document", "slug"),
    [
        (
            "counters",
            {"trexreport-kernel-counters": 1, "kernels": [{"name": "k", "dram_bytes": -1}]},
            IMPOSSIBLE,
        ),
        (
            "accuracy",
            {
                "trexreport-accuracy": 1,
                "format": "polygraphy-results",
                "files": ["r.json"],
                "tensors": [{"name": "t", "relative_error": -1}],
            },
            "accuracy-unknown",
        ),
    ],
)
def test_what_is_noted_of_counts_and_accuracy_is_kept(role, document, slug):
    sources = (
        Source("graph", "x.graph.json", json.dumps(GRAPH).encode()),
        Source(role, f"x.{role}.json", json.dumps(document).encode()),
    )
    assert slug in [note.slug for note in assemble(Capture("x", sources)).notes]


@pytest.mark.parametrize(("content", "reason"), [(b"", "is empty"), (b'{"a": 1', "is cut off at line 1")])
def test_damage_of_the_only_file_is_the_reason(tmp_path, content, reason):
    path = tmp_path / "x.engine.build.metadata.json"
    path.write_bytes(content)
    for given in (path, tmp_path):
        with pytest.raises(InputError, match=f"{path.name} {reason}"):
            read_engine(given)


@pytest.mark.parametrize("role", ["kernels", "counters", "accuracy"])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (gzip.compress(b"{}", mtime=0), "is compressed with gzip. Unpack it"),
        (bz2.compress(b"{}"), "is compressed. Unpack it"),
        (b"<html><body>404", "is a web page. Download the file itself"),
    ],
)
def test_a_companion_that_the_user_names_is_what_its_beginning_says(tmp_path, role, content, what):
    (tmp_path / "x.graph.json").write_text(json.dumps(GRAPH))
    other = tmp_path / "named" / f"x.{role}.json"
    other.parent.mkdir()
    other.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_engine(tmp_path / "x.graph.json", files={role: other})
    assert str(raised.value).startswith(f"{other.name} {what}")


@pytest.mark.parametrize("role", ["kernels", "counters"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_companion_that_an_editor_saved_again_is_read(tmp_path, role, encoding):
    kept = (SAMPLES / "kernels" / f"resnet18-int8-before.{role}.json").read_text()
    other = tmp_path / f"x.{role}.json"
    other.write_text(kept, encoding=encoding)
    engine = read_engine(SAMPLES / "resnet18-int8-before", files={role: other})
    assert [source.name for source in engine.sources if source.role == role] == [
        f"resnet18-int8-before.engine.{role}.json"
    ]
    assert [note for note in engine.notes if note.source == other.name] == []
