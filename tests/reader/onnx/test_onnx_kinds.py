"""The message for a file that was given as an ONNX model and is none."""

from __future__ import annotations

import bz2
import hashlib
import json
import os
import zipfile

import onnx
import pytest
from onnx_bytes import field, graph
from onnx_models import MODELS

from trexreport.errors import InputError
from trexreport.reader.files import file_sha256
from trexreport.reader.onnx import read_onnx

LFS = """version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""
PLAIN = MODELS["plain"]()
NOT_ONNX = {
    "empty": (b"", "is empty"),
    "a pointer of Git LFS": (LFS.encode(), "Git LFS.*git lfs pull"),
    "ORT format": (b"\x18\x00\x00\x00ORTM" + bytes(40), "ORT format"),
    "an engine": (b"ptrt\x00\x00\x00\x00" + bytes(40), "TensorRT engine"),
    "JSON": (json.dumps({"irVersion": "10"}).encode(), "is JSON"),
    "JSON with a mark": (b"\xef\xbb\xbf\n {}", "is JSON"),
    "text format": (str(PLAIN).encode(), "ONNX as a text"),
    "text format with a comment": (b"# a model\n\nir_version: 10\n", "ONNX as a text"),
    "text format that begins with the graph": (b"graph {\n}", "ONNX as a text"),
    "the syntax of onnx.parser": (onnx.printer.to_text(PLAIN).encode(), "ONNX as a text"),
    "a page": (b"<!DOCTYPE html>\n<html>Not found</html>", "web page"),
    "gzip": (b"\x1f\x8b\x08\x00" + bytes(9), "compressed"),
    "bzip2": (bz2.compress(PLAIN.SerializeToString()), "is compressed"),
    "a tar archive": (b"m.onnx".ljust(257, b"\0") + b"ustar\x0000" + bytes(248), "is a tar archive"),
    "weights alone": (b"\x9a\x3f" * 999, "not an ONNX file, or is damaged"),
    "a graph of TensorFlow": (field(1, field(1, "x") + field(2, "Const")), "it has no graph"),
}


@pytest.mark.parametrize("name", NOT_ONNX)
def test_another_kind_of_file(tmp_path, name):
    data, says = NOT_ONNX[name]
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=says) as raised:
        read_onnx(path)
    assert str(raised.value).startswith(f"{path} ")
    assert "\n" not in str(raised.value)
    assert raised.value.hint
    assert raised.value.exit_code == 3


def test_a_checkpoint(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.onnx", "w") as archive:
        archive.writestr("archive/data.pkl", b"")
    with pytest.raises(InputError, match="a checkpoint of PyTorch"):
        read_onnx(tmp_path / "m.onnx")


def test_a_model_may_begin_like_another_file(tmp_path):
    """The order of fields is free, and a tag may be a letter."""
    path = tmp_path / "m.onnx"
    path.write_bytes(field(14, field(1, "a") + field(2, ":")) + graph())
    assert path.read_bytes().startswith(b"r")
    assert read_onnx(path).metadata == {"a": ":"}


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "folder.onnx").mkdir()
    for name, says in (
        ("pipe.onnx", "it is a pipe, not a file"),
        ("folder.onnx", "is a folder where a file is expected"),
        ("none.onnx", "does not exist"),
        ("/dev/zero", "it is a device, not a file"),
        ("a\0b", "can't be read"),
    ):
        for read in (read_onnx, file_sha256):
            with pytest.raises(InputError, match=says):
                read(tmp_path / name)


def test_the_hash_of_a_file(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(bytes(3 * 2**20))
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
