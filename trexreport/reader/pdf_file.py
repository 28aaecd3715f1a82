"""Take the capture out of a PDF that trexreport wrote, without a library for PDF.

Each attached file is a stream of its own whose dictionary says `/EmbeddedFile` (ISO 32000-1, 7.11.4),
packed by deflate or not at all. One of them is the list of the others with their hashes, so the streams are
known by what they hold, and neither names nor cross references have to be read. That stays true when
another program has rewritten the file, as long as it did not encrypt it.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any

from trexreport.reader.bounds import room_in
from trexreport.reader.json_text import json_object
from trexreport.regex import regex

#: The attached list of inputs, and how it begins.
MANIFEST_NAME = "trexreport.inputs.json"
_MANIFEST_START = b'{"generator":"trexreport"'
_EMBEDDED = regex(rb"/EmbeddedFile(?![A-Za-z])")
_ENCRYPTED = regex(rb"/Encrypt\s*(?:\d+\s+\d+\s+R|<<)")
_STREAM = regex(rb"stream\r?\n")
_LENGTH = regex(rb"/Length\s+(\d+)(?!\s+\d+\s+R)")
#: A dictionary of a stream is a few hundred bytes long.
_FARTHEST = 4096
#: Where readers of PDF look for the end.
_TAIL_BYTES = 1024
_CHUNK_BYTES = 2**16
_LARGEST_MANIFEST_BYTES = 4 * 2**20


def pack_manifest(manifest: dict[str, Any]) -> bytes:
    """Return the list of inputs as it is attached."""
    text = json.dumps({"generator": "trexreport", **manifest}, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def find_manifest(data: bytes) -> bytes | None:
    """Return the list of inputs that a PDF carries, as it was attached; None if it carries none.

    An input may begin as the list does. What does so and is not a list counts only if there is none, as a
    damaged one.
    """
    damaged = None
    room = room_in(len(data))
    for start, is_packed, size in _streams(data):
        if _content(data, start, is_packed, size, len(_MANIFEST_START)) == _MANIFEST_START:
            written = _content(data, start, is_packed, size, min(_LARGEST_MANIFEST_BYTES, room))
            room -= len(written)
            if isinstance((json_object(written) or {}).get("files"), list):
                return written
            damaged = damaged or written
    return damaged


def is_encrypted(data: bytes) -> bool:
    """Return whether the streams of a PDF can't be read without a password or a key."""
    return _ENCRYPTED.search(data) is not None


def is_cut_off(data: bytes) -> bool:
    """Return whether the end of a PDF is missing, which has to say that it is the end."""
    return b"%%EOF" not in data[-_TAIL_BYTES:]


def find_inputs(data: bytes, sizes: dict[str, int]) -> dict[str, bytes]:
    """Return the attached files with these hashes.

    Args:
        data: The PDF.
        sizes: SHA-256 in hexadecimal of each file that is looked for to its size in bytes.

    Returns:
        SHA-256 to content, for those that were found.
    """
    found: dict[str, bytes] = {}
    largest = max(sizes.values(), default=0)
    # What all streams together may unpack to: they may share their packed bytes, or not be from trexreport.
    room = room_in(len(data))
    for start, is_packed, size in _streams(data):
        # One byte more than the largest shows what is none of them without unpacking all of it.
        content = _content(data, start, is_packed, size, min(largest + 1, room))
        room -= len(content)
        if len(content) in sizes.values():
            name = hashlib.sha256(content).hexdigest()
            if sizes.get(name) == len(content):
                found.setdefault(name, content)
    return found


def _streams(data: bytes) -> Iterator[tuple[int, bool, int | None]]:
    """Return where the content of each embedded file begins, whether it is packed, and its stated length."""
    for mark in _EMBEDDED.finditer(data):
        start = _STREAM.search(data, mark.end(), mark.end() + _FARTHEST)
        opening = data.rfind(b"obj", max(0, mark.start() - _FARTHEST), mark.start())
        if not start or opening < 0:
            continue
        dictionary = data[opening : start.start()]
        if b"endobj" in dictionary:
            continue
        length = _LENGTH.search(dictionary)
        yield start.end(), b"/FlateDecode" in dictionary, int(length.group(1)[:12]) if length else None


def _content(data: bytes, start: int, is_packed: bool, size: int | None, most: int) -> bytes:
    """Return at most the given count of bytes of a stream; a damaged stream ends where the damage begins."""
    if not is_packed:
        end = start + size if size is not None else data.find(b"endstream", start)
        return data[start : min(max(end, start), start + most)]
    unpacker = zlib.decompressobj()
    parts: list[bytes] = []
    room = most
    try:
        while room > 0 and not unpacker.eof and (unpacker.unconsumed_tail or start < len(data)):
            chunk = unpacker.unconsumed_tail
            if not chunk:
                chunk = data[start : start + _CHUNK_BYTES]
                start += _CHUNK_BYTES
            parts.append(unpacker.decompress(chunk, room))
            room -= len(parts[-1])
    except zlib.error:
        pass
    return b"".join(parts)
