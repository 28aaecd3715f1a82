"""Files that are not protobuf, or that no exporter writes: each is refused in a line, with little work."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import onnx
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from limits import SECONDS_PER_MB, processor_seconds
from onnx_bytes import field, graph, nested, node, varint
from onnx_models import MODELS
from onnx_oracle import read_with_onnx

from trexreport.errors import InputError
from trexreport.model.onnx import OnnxModel
from trexreport.reader.onnx import read_onnx, wire

MB = 2**20
SMALL = {name: make().SerializeToString() for name, make in MODELS.items() if name != "large_values"}


@pytest.fixture
def read(tmp_path):
    def read(data: bytes) -> OnnxModel:
        path = tmp_path / "m.onnx"
        path.write_bytes(data)
        return read_onnx(path)

    return read


def compare_with_onnx(path: Path) -> bool:
    """Read a file that may be damaged; return whether trexreport and `onnx` both read it, and the same."""
    try:
        found = read_onnx(path)
    except InputError:
        return False
    # What trexreport skips, such as weights, may be damaged.
    with contextlib.suppress(DecodeError):
        expected = read_with_onnx(path)
        assert repr(found) == repr(expected)  # NaN is unlike itself
        return True
    return False


@pytest.mark.parametrize("name", SMALL)
def test_the_beginning_of_a_model(tmp_path, name):
    path = tmp_path / "m.onnx"
    data = SMALL[name]
    step = 1 if len(data) < 500 else 7
    for size in range(0, len(data), step):
        path.write_bytes(data[:size])
        compare_with_onnx(path)


@pytest.mark.parametrize("first", SMALL)
@pytest.mark.parametrize("second", SMALL)
def test_parts_of_a_model_are_joined_as_protobuf_says(tmp_path, first, second):
    path = tmp_path / "m.onnx"
    # A part has no version of its own, which is the first field.
    assert SMALL[second].startswith(b"\x08")
    path.write_bytes(SMALL[first] + SMALL[second][2:])
    assert compare_with_onnx(path)
    path.write_bytes(SMALL[first] + SMALL[second])
    with pytest.raises(InputError, match="has several models, one after the other"):
        read_onnx(path)


DIM = field(1, field(1, 7))


def typed(*fields: bytes) -> bytes:
    """Return a model with an intermediate tensor of a type of these fields."""
    return graph(field(13, field(1, "x") + b"".join(field(2, each) for each in fields)))


def attribute(*fields: bytes) -> bytes:
    return graph(node(field(5, field(1, "a") + b"".join(fields))))


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (typed(field(1, field(1, 10)), field(1, field(2, DIM))), "data_type='FLOAT16', shape=(7,)"),
        (typed(field(1, field(2, DIM) + field(2, DIM))), "shape=(7, 7)"),
        (typed(field(1, field(2, DIM)), field(8, field(1, 1))), "data_type='FLOAT', shape=None"),
        (typed(field(1, field(2, DIM)), field(4, b"")), "data_type='', shape=None"),
        (typed(field(1, field(2, field(1, field(1, 7) + field(2, "n"))))), "shape=('n',)"),
        (typed(field(1, field(2, field(1, field(2, "n") + field(1, -1))))), "shape=(-1,)"),
        (typed(field(1, field(2, field(1, b"")))), "shape=('',)"),
        (attribute(field(3, 1), field(3, -2), field(20, 2)), "{'a': -2}"),
        (attribute(field(8, 1), field(8, b"\x02\x03"), field(20, 7)), "{'a': (1, 2, 3)}"),
        (attribute(field(6, node(field(3, "m"))), field(6, node(field(3, "n"))), field(20, 5)), "name='n'"),
        (attribute(field(11, b""), field(11, b""), field(20, 10)), "'a[1]': OnnxGraph"),
        (attribute(field(3, 5), field(20, 99)), "{'a': 5}"),
        (graph(node(field(3, "m") + field(3, "n"))), "name='n'"),
        (graph(field(5, field(1, b"\x02\x03") + field(1, 4))), "shape=(2, 3, 4)"),
        (graph(field(5, field(14, 1) + field(14, 2))), "is_external=True"),
        (graph() + field(8, field(2, 7)) + field(8, field(1, "ai.onnx") + field(2, 9)), "opsets={'': 9}"),
        (graph() + field(1, 2**64 - 1), "ir_version=-1"),
    ],
)
def test_a_field_that_is_stated_twice_or_otherwise_than_exporters_do(tmp_path, data, part):
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    assert compare_with_onnx(path)
    assert part in repr(read_onnx(path))


def damage(draw, data: bytes) -> bytes:
    """Change a model in a few places: bytes, lengths, order."""
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 40)))
        new = draw(
            st.sampled_from([b"", data[begin:end] * 2, data[begin:end][::-1]])
            | st.binary(min_size=1, max_size=3)
            | st.builds(lambda byte: bytes([byte]), st.integers(0, 0x7F))
        )
        data = data[:begin] + new + data[max(end, begin) if len(new) != 1 else begin + 1 :]
    return data


@given(st.data())
def test_a_damaged_model(data):
    name = data.draw(st.sampled_from(sorted(SMALL)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(damage(data.draw, SMALL[name]))
        compare_with_onnx(path)


FIELDS = st.integers(0, 26) | st.sampled_from([100, 2**29 - 1, 2**29])
MESSAGES = st.recursive(
    st.binary(max_size=8),
    lambda inner: st.lists(
        st.builds(
            field, FIELDS, inner | st.integers(-3, 30) | st.integers(-(2**63), 2**64) | st.text(max_size=3)
        )
        | st.builds(
            lambda number, data: varint(number << 3 | 5) + data, FIELDS, st.binary(min_size=4, max_size=4)
        ),
        max_size=6,
    ).map(b"".join),
    max_leaves=30,
)


@given(MESSAGES, MESSAGES)
def test_any_message(model, of_graph):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        for data in (model, graph(of_graph), graph(node(of_graph)), graph(node(field(5, of_graph)))):
            path.write_bytes(data)
            compare_with_onnx(path)


@given(st.binary(max_size=100))
def test_any_bytes(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(data)
        compare_with_onnx(path)


DAMAGED = {
    "a length beyond the file": (graph()[:-1] + varint(10), "longer than what it is in"),
    "a length beyond its message": (graph(b"\x0a\x03\x1a\x00"), "longer than what it is in"),
    "a length of 2^63": (b"\x3a" + varint(2**63) + b"abc", "longer than what it is in"),
    "a tag at the end": (graph() + b"\x0a", "ends inside a field"),
    "a number cut off": (graph() + b"\x08\x80", "ends inside a field"),
    "a float cut off": (graph() + b"\x0d\x00\x00", "longer than what it is in"),
    "an integer of 11 bytes": (graph() + b"\x08" + b"\xff" * 10 + b"\x01", "more than 64 bits"),
    "a tag of 11 bytes": (b"\xff" * 10 + b"\x01", "more than 64 bits"),
    "field 0": (graph() + b"\x00\x01", "a number that protobuf does not have"),
    "field 2^29": (varint(2**32) + b"\x01", "a number that protobuf does not have"),
    "a group": (graph() + b"\x0b\x0c", "a type that ONNX does not have"),
    "the end of a group": (graph() + b"\x0c", "a type that ONNX does not have"),
    "wire type 6": (graph() + b"\x0e", "a type that ONNX does not have"),
    "no graph": (field(1, 10) + field(2, "pytorch"), "it has no graph"),
    "a graph that is a number": (field(7, 5), "it has no graph"),
    "floats of 5 bytes": (graph(node(field(5, field(7, b"12345")))), "ends inside a number"),
    "10,000 levels": (nested(10_000), "nested more than 100 deep"),
    "many extents": (graph(field(5, field(1, b"\x01" * 2000))), "more extents than any"),
    "very many extents": (graph(field(5, field(1, b"\x01" * 200_000))), "more extents than any"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_in_a_line(read, name):
    data, reason = DAMAGED[name]
    with processor_seconds(SECONDS_PER_MB / 4), pytest.raises(InputError, match=reason) as raised:
        read(data)
    assert "\n" not in str(raised.value)
    assert "m.onnx is not an ONNX file, or is damaged: " in str(raised.value)


def test_graphs_are_nested_as_deep_as_onnx_reads_them(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(nested(32))
    assert compare_with_onnx(path)
    path.write_bytes(nested(33))
    for read in (onnx.load, read_onnx):
        with pytest.raises((DecodeError, InputError)):
            read(path)


def test_texts_that_are_no_utf_8_are_replaced_visibly(read):
    model = read(graph(node(field(3, b"a\xff\xc3"), field(4, b"\xed\xa0\x80"))))
    assert [(each.name, each.op_type) for each in model.graph.nodes] == [
        ("a\ufffd\ufffd", "\ufffd\ufffd\ufffd")
    ]


def test_a_long_name_is_cut(read):
    name = "é" * wire.MAX_TEXT_BYTES
    (found,) = read(graph(node(field(3, name)))).graph.nodes
    assert found.name == name[: wire.MAX_TEXT_BYTES // 2] + " …"


def test_weights_are_not_read(tmp_path, monkeypatch):
    """Read a file of 4 GiB that takes no room on the disk; protobuf's own readers end at 2 GiB."""
    path = tmp_path / "m.onnx"
    size = 4 * 2**30
    head = field(2, 10) + field(8, "w") + varint(9 << 3 | 2) + varint(size)
    end = node(field(4, "Relu"))
    tensor = varint(5 << 3 | 2) + varint(len(head) + size) + head
    with path.open("wb") as file:
        file.write(field(1, 10) + varint(7 << 3 | 2) + varint(len(tensor) + size + len(end)) + tensor)
        file.seek(size, os.SEEK_CUR)
        file.write(end)
    read_bytes = []
    read = wire.WireFile._read

    def counted(self, begin, size):
        read_bytes.append(size)
        return read(self, begin, size)

    monkeypatch.setattr(wire.WireFile, "_read", counted)
    with processor_seconds(1):
        model = read_onnx(path)
    assert [each.op_type for each in model.graph.nodes] == ["Relu"]
    assert model.graph.initializers[0].size_bytes == size
    assert model.size_bytes > size
    assert 0 < sum(read_bytes) <= 4 * wire.SMALL_BYTES


LARGE = {
    "empty nodes": graph(b"\x0a\x00" * (MB // 8)),
    "empty names": graph(node(b"\x0a\x00" * (MB // 8))),
    "unknown fields": graph(b"\x48\x00" * (MB // 8)),
    "integers": graph(node(field(5, b"\x40\x01" * (MB // 8)))),
    "packed integers": graph(node(field(5, field(8, b"\x01" * 16_000))) * 16),
    "unpacked extents": graph(field(5, b"\x08\x01" * (MB // 8))),
    "tags of many bytes": graph(b"\xc8\x80\x80\x80\x00\x80\x00" * (MB // 28)),
    "messages in messages": nested(30) + nested(30).removeprefix(field(1, 10)) * 99,
    "long texts": graph(*(node(field(3, bytes([65 + at]) * 2**16)) for at in range(4))),
}


@pytest.mark.parametrize("name", LARGE)
def test_much_of_one_thing_takes_time_that_grows_with_its_size(read, name):
    with processor_seconds(SECONDS_PER_MB / 4):
        read(LARGE[name])


@pytest.mark.parametrize(
    ("limit", "most", "data"),
    [
        ("MAX_OBJECTS", 10, graph(b"\x0a\x00" * 11)),
        ("MAX_OBJECTS", 10, graph(b"\x6a\x00" * 11)),
        ("MAX_OBJECTS", 10, graph(node(b"\x2a\x00" * 11))),
        ("MAX_OBJECTS", 10, graph(node(b"\x4a\x00" * 11))),
        ("MAX_OBJECTS", 10, graph() + field(25, b"") * 11),
        ("MAX_OBJECTS", 10, graph() + field(8, b"") * 11),
        ("MAX_OBJECTS", 10, graph() + field(14, b"") * 11),
        ("MAX_FIELDS", 100, graph(b"\x48\x00" * 101)),
        ("MAX_FIELDS", 100, graph(b"\x48\x00" * 9000)),
        ("MAX_ALL_TEXT_BYTES", 99, graph(node(field(3, "a" * 50), field(4, "b" * 50)))),
    ],
)
def test_more_than_a_model_can_have_is_refused(read, monkeypatch, limit, most, data):
    assert read(data)
    monkeypatch.setattr(wire, limit, most)
    with pytest.raises(InputError, match="more nodes, tensors or texts than a model can have"):
        read(data)


def test_a_file_that_becomes_shorter(tmp_path, monkeypatch):
    path = tmp_path / "m.onnx"
    path.write_bytes(graph(node(field(3, "a" * 2**15)) * 3))
    read = wire.WireFile._read

    def cut(self, begin, size):
        os.truncate(path, 2**15)
        return read(self, begin, size)

    monkeypatch.setattr(wire.WireFile, "_read", cut)
    with pytest.raises(InputError, match="became shorter while it was read"):
        read_onnx(path)
