"""Protobuf's wire format: bounds are met exactly, and windows of a large message change nothing."""

from __future__ import annotations

import io

import pytest
from onnx_bytes import field, varint

from trexreport.reader.onnx import wire
from trexreport.reader.onnx.wire import SMALL_BYTES, Span, WireError, WireFile, integers


def resolved(data: bytes, value: bytes | Span) -> bytes:
    return data[value.begin : value.end] if isinstance(value, Span) else value


def fields_of(data: bytes, message: bytes | Span) -> list[tuple[int, int, bytes]]:
    file = WireFile(io.BytesIO(data))
    return [(tag, integer, resolved(data, value)) for tag, integer, value in file.fields(message)]


@pytest.mark.parametrize("size", [*range(SMALL_BYTES - 45, SMALL_BYTES + 3), 2 * SMALL_BYTES + 7])
def test_a_window_may_end_anywhere(size):
    data = field(1, b"x" * size) + field(2, "abc") + field(300, 2**40) + field(3, b"y" * 20_000) + field(4, 7)
    expected = fields_of(data, data)
    assert [tag for tag, _, _ in expected] == [1 << 3 | 2, 2 << 3 | 2, 300 << 3, 3 << 3 | 2, 4 << 3]
    assert fields_of(data, Span(0, len(data))) == expected
    # Fields may begin after the start of the file, and the message may end before the file does.
    inside = b"\x00\x01\x02" + data + b"\xff\xff"
    assert fields_of(inside, Span(3, 3 + len(data), data[:100])) == expected


@pytest.mark.parametrize(("size", "is_read"), [(SMALL_BYTES, True), (SMALL_BYTES + 1, False)])
def test_a_value_up_to_the_limit_is_read(size, is_read):
    data = field(1, b"abc") + field(2, b"x" * size)
    (_, (_, _, value)) = WireFile(io.BytesIO(data)).fields(Span(0, len(data)))
    assert isinstance(value, bytes) is is_read
    assert resolved(data, value) == b"x" * size


@pytest.mark.parametrize("ending", [b"\x0a", b"\x08", b"\x80", b"\x0a\x80", b"\x0a\x02x", b"\x09\x00"])
def test_a_message_that_ends_inside_a_field_is_refused(ending):
    data = field(1, "abc") + ending
    for message in (data, Span(0, len(data))):
        with pytest.raises(WireError, match=r"ends inside a field|longer than what it is in"):
            fields_of(data, message)


def test_as_many_objects_and_texts_as_a_model_can_have(monkeypatch):
    monkeypatch.setattr(wire, "MAX_OBJECTS", 2)
    monkeypatch.setattr(wire, "MAX_ALL_TEXT_BYTES", 6)
    file = WireFile(io.BytesIO())
    file.keep()
    file.keep()
    with pytest.raises(WireError, match="more nodes"):
        file.keep()
    # Equal texts count once.
    assert [file.text(each) for each in (b"abc", b"def", b"abc")] == ["abc", "def", "abc"]
    with pytest.raises(WireError, match="more nodes"):
        file.text(b"g")


@pytest.mark.parametrize("is_large", [False, True])
def test_as_many_fields_as_a_model_can_have(monkeypatch, is_large):
    monkeypatch.setattr(wire, "MAX_FIELDS", 3)
    data = field(1, 1) * 3
    assert len(fields_of(data, Span(0, len(data)) if is_large else data)) == 3
    data += field(1, 1)
    with pytest.raises(WireError, match="more nodes"):
        fields_of(data, Span(0, len(data)) if is_large else data)


@pytest.mark.parametrize("number", [0, 127, 128, 2**14, 2**35 + 128, -1])
def test_a_packed_list_is_kept_up_to_its_limit(number):
    packed = varint(number % 2**64) * wire.MAX_LIST
    assert integers(packed) == [number] * wire.MAX_LIST
    assert integers(packed + b"\x01") is None


def test_a_long_text_is_cut_where_its_limit_is(monkeypatch):
    monkeypatch.setattr(wire, "MAX_TEXT_BYTES", 4)
    file = WireFile(io.BytesIO(b"abcdefgh"))
    assert file.text(Span(0, 4)) == "abcd"
    assert file.text(Span(1, 6)) == "bcde …"
