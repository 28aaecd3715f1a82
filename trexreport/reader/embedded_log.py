"""Find the log that a JSON document holds: results of a benchmark with its output, or cells of a notebook."""

from __future__ import annotations

import json
from collections.abc import Iterator

from trexreport.regex import regex

#: A line of trtexec or of TensorRT's logger.
_LINE = regex(r"^(?:\[[^\]\n]{1,40}\] )?\[[IWEVF]\] |^&&&& |^\[TRT\]", 8)
_OPEN, _CLOSED = (b"{", b"["), (b"}", b"]")
_SPACE = b" \t\r\n\xef\xbb\xbf"


def embedded_log(data: bytes) -> bytes | None:
    """Return the lines of logs in the texts of a JSON document; None if it is none, or has no such text."""
    head, tail = data[:200].lstrip(_SPACE), data[-200:].rstrip(_SPACE)
    if not (head.startswith(_OPEN) and tail.endswith(_CLOSED) and head[1:].lstrip(_SPACE)[:1] in b'{["'):
        return None
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    found = [text for text in _texts(document) if _LINE.search(text)]
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in found).encode() or None


def _texts(document: object) -> Iterator[str]:
    """Yield all texts of a document in their order; those of a list of lines as one."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            end = "" if any(each.endswith("\n") for each in value) else "\n"
            yield end.join(value)
        elif isinstance(value, list):
            waiting += reversed(value)
