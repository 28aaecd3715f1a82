"""Protobuf's wire format, read from a file without its large values.

Source: https://protobuf.dev/programming-guides/encoding. A message is a list of fields; each has a tag (its
number and wire type) and a value. As in protobuf, the last value of a field counts, lists and messages that
are stated several times are joined, and a field of an unexpected number or type is skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

#: A value up to this size is read with the message around it; a larger one only where it is asked for.
SMALL_BYTES = 2**14
#: A longer text is cut.
MAX_TEXT_BYTES = 2**16
#: A longer list of numbers or texts is not kept.
MAX_LIST = 1000
#: As protobuf's own readers: a deeper message is none that a program wrote.
MAX_DEPTH = 100
#: All that is kept of a file, and how many fields may be looked at for it.
MAX_ALL_TEXT_BYTES = 2**27
MAX_OBJECTS = 3_000_000
MAX_FIELDS = 20_000_000

#: Wire types.
_VARINT, _LENGTH = 0, 2
_FIXED_BYTES = {1: 8, 5: 4}
#: Bytes of an integer that another one follows.
_CONTINUED = bytes(range(0x80, 0x100))
#: A tag and a length, each a varint of up to 10 bytes.
_HEAD_BYTES = 20
#: Tags of one byte of fields that have a length.
_SHORT_TAGS = frozenset(range(0x0A, 0x80, 8))
_TOO_LONG = "a field is longer than what it is in"
_TOO_MANY = "it has more nodes, tensors or texts than a model can have"


class WireError(ValueError):
    """Bytes are not protobuf, or more than is read of one; the message is the end of a sentence."""


class Span(NamedTuple):
    """A large value that was not read: where it is in the file, and its first bytes as far as they were."""

    begin: int
    end: int
    head: bytes = b""


#: The value of a field whose wire type says that it has a length: its bytes, or its place if it is large.
Sized = bytes | Span


class WireFile:
    """A file of which messages are read; it counts what is read and kept, within bounds.

    Attributes:
        depth: How many messages are open, one inside another.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.depth = 0
        self._file = file
        self._fields = 0
        self._objects = 0
        self._text_bytes = 0
        self._texts: dict[bytes, str] = {}

    def keep(self) -> None:
        """Count an object that is kept: a node, an attribute, a tensor, an entry of metadata.

        Raises:
            WireError: There are more than a model can have.
        """
        self._objects += 1
        if self._objects > MAX_OBJECTS:
            raise WireError(_TOO_MANY)

    def text(self, value: Sized) -> str:
        """Return a text; a long one is cut, and what is not UTF-8 is replaced visibly.

        Equal texts are one object: names of tensors, types and stack traces are written again and again.

        Raises:
            WireError: The file ends inside, or all texts together are more than a model can have.
        """
        if isinstance(value, Span):
            size = value.end - value.begin
            value = self._read(value.begin, min(size, MAX_TEXT_BYTES))
            if size > MAX_TEXT_BYTES:
                value += " …".encode()
        known = self._texts.get(value)
        if known is None:
            self._text_bytes += len(value)
            if self._text_bytes > MAX_ALL_TEXT_BYTES:
                raise WireError(_TOO_MANY)
            known = self._texts[value] = value.decode("utf-8", "replace")
        return known

    def fields(self, message: Sized) -> Iterator[tuple[int, int, Sized]]:
        """Yield the tag, the integer and the bytes of each field of a message in order.

        The tag is that of the wire format: 8 times the number of the field, plus the wire type. Integers are
        as in the file, without a sign; what is not a varint has 0, and a varint has no bytes.

        Raises:
            WireError: The bytes are not a message, or more than a model can have.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise WireError(f"its messages are nested more than {MAX_DEPTH} deep")
        if isinstance(message, Span):
            yield from self._large_fields(message)
        else:
            at = count = 0
            end = len(message)
            while at < end:
                count += 1
                tag = message[at]
                # Most fields: a text or a message of less than 128 bytes, with a small number.
                if tag in _SHORT_TAGS and at + 1 < end and (size := message[at + 1]) < 0x80:
                    integer, begin = 0, at + 2
                    at = begin + size
                    if at > end:
                        raise WireError(_TOO_LONG)
                else:
                    tag, integer, begin, at = _field(message, at, end)
                yield tag, integer, message[begin:at]
            self._count(count)
        self.depth -= 1

    def _large_fields(self, message: Span) -> Iterator[tuple[int, int, Sized]]:
        """Yield the fields of a message of which a part is in memory at a time."""
        data = message.head
        at = base = message.begin
        loaded = base + len(data)
        while at < message.end:
            if at + _HEAD_BYTES > loaded < message.end:
                data, base = self._read(at, min(SMALL_BYTES, message.end - at)), at
                loaded = base + len(data)
            tag, integer, begin, stop = _field(data, at - base, message.end - base)
            self._count(1)
            value: Sized
            if base + stop <= loaded:
                value = data[begin:stop]
            elif stop - begin <= SMALL_BYTES:
                begin, stop, base = 0, stop - begin, base + begin
                data = self._read(base, min(SMALL_BYTES, message.end - base))
                loaded = base + len(data)
                value = data[:stop]
            else:
                value = Span(base + begin, base + stop, data[begin:])
            at = base + stop
            yield tag, integer, value

    def _count(self, fields: int) -> None:
        self._fields += fields
        if self._fields > MAX_FIELDS:
            raise WireError(_TOO_MANY)

    def _read(self, begin: int, size: int) -> bytes:
        self._file.seek(begin)
        data = self._file.read(size)
        if len(data) < size:
            raise WireError("it became shorter while it was read")
        return data


def _field(data: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """Return the tag and the integer of the field at a place, and where its bytes begin and end.

    Args:
        data: Bytes of the message; all of the field, or at least its tag and length.
        at: Where the field begins.
        end: Where the message ends, which may be behind the data.

    Raises:
        WireError: The bytes are not a field.
    """
    tag = data[at]
    at += 1
    if tag > 0x7F:
        tag, at = _varint(data, at - 1)
    if tag < 8 or tag >> 32:
        raise WireError("a field has a number that protobuf does not have")
    wire_type = tag & 7
    if wire_type == _LENGTH:
        size, at = _varint(data, at)
    elif wire_type == _VARINT:
        integer, at = _varint(data, at)
        return tag, integer, at, at
    elif wire_type in _FIXED_BYTES:
        size = _FIXED_BYTES[wire_type]
    else:
        # Groups: protobuf gave them up long before ONNX, which never had any.
        raise WireError("a field has a type that ONNX does not have")
    if at + size > end:
        raise WireError(_TOO_LONG)
    return tag, 0, at, at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the integer at a place, and where the next field begins.

    Raises:
        WireError: The bytes end inside, or it has more than 64 bits.
    """
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1
    value = shift = 0
    for position in range(at, min(at + 10, len(data))):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position + 1
        shift += 7
    raise WireError("an integer has more than 64 bits" if shift == 70 else "it ends inside a field")


def signed(integer: int) -> int:
    """Return a 64-bit integer with its sign."""
    return integer - 2**64 if integer >> 63 else integer


def enumerator(integer: int, last: int, before: int) -> int:
    """Return the value of an enumeration; one that it does not have leaves the value as it was before."""
    code = integer & 0xFFFF_FFFF
    return code if code <= last else before


def integers(packed: bytes) -> list[int] | None:
    """Return the signed integers of a packed list; None if it has more than `MAX_LIST`.

    Raises:
        WireError: The bytes are not a list of integers.
    """
    # Each integer ends with a byte without the highest bit.
    if len(packed) > MAX_LIST and len(packed.translate(None, _CONTINUED)) > MAX_LIST:
        return None
    found = []
    at = 0
    while at < len(packed):
        integer, at = _varint(packed, at)
        found.append(signed(integer))
    return found


def floats(packed: bytes) -> list[float]:
    """Return the 32-bit floats of a packed list, or of a single value.

    Raises:
        WireError: The bytes are not a list of floats.
    """
    if len(packed) % 4:
        raise WireError("a list of numbers ends inside a number")
    return list(struct.unpack(f"<{len(packed) // 4}f", packed))
