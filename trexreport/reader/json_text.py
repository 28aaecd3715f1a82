"""Read JSON as it is found in the field: with log lines around it, control characters, bare `nan`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from trexreport.errors import InputError
from trexreport.model import ReadNote

#: How many places inside a file are tried as the start of a document that log text precedes.
_MOST_STARTS = 400
_START = re.compile(r'^\s*[\[{]|\{\s*"(?:Layers|performance_summary|model_options)"', re.MULTILINE)
_NAN = re.compile(r"(?<=[\[,:\s])-?(?:nan|inf)(?:\(ind\))?(?=\s*[,\]}])", re.IGNORECASE)


def decode_text(data: bytes, name: str) -> tuple[str, list[ReadNote]]:
    """Return the file as text; bytes that are no UTF-8 become replacement characters, with a note."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError as error:
        text = data.decode(encoding, errors="replace")
        message = (
            f"{name} has bytes that are no UTF-8 (first at offset {error.start}); they are shown as \ufffd."
        )
        return text, [ReadNote("repaired", "encoding", message, name)]


def parse_json(text: str, name: str, accepts: Callable[[Any], bool]) -> tuple[Any, list[ReadNote]]:
    """Return the first JSON document in the text that `accepts` agrees to, and notes of repairs.

    Raises:
        InputError: Nothing in the text is such a document; the message says what is wrong and where.
    """
    decoder = json.JSONDecoder(strict=False)
    try:
        document = decoder.decode(text)
    except RecursionError:
        raise InputError(
            f"{name} is nested too deeply to be an engine's file.", "Is it the right file?"
        ) from None
    except ValueError as error:
        document, notes = _repaired(decoder, text, name, accepts, error)
        return document, notes
    if not accepts(document):
        raise InputError(f"{name} is JSON, but not of a kind that trexreport reads.", "Is it the right file?")
    return document, []


def _repaired(
    decoder: json.JSONDecoder, text: str, name: str, accepts: Callable[[Any], bool], error: ValueError
) -> tuple[Any, list[ReadNote]]:
    """Look for the document inside other text, then with bare nan and inf made null."""
    embedded = _embedded(decoder, text, accepts)
    if embedded is not None:
        message = f"{name} has other text around its JSON; the JSON was taken, the rest left out."
        return embedded[0], [ReadNote("repaired", "json-in-text", message, name)]
    if _NAN.search(text):
        cleaned = _NAN.sub("null", text)
        try:
            document = decoder.decode(cleaned)
        except (ValueError, RecursionError):
            document = None
        if document is not None and accepts(document):
            message = f"{name} has bare nan or inf, which JSON does not know; they count as not measured."
            return document, [ReadNote("repaired", "json-nan", message, name)]
    raise _explained(text, name, error) from None


def _embedded(decoder: json.JSONDecoder, text: str, accepts: Callable[[Any], bool]) -> tuple[Any, int] | None:
    tried = 0
    position = 0
    while tried < _MOST_STARTS:
        found = _START.search(text, position)
        if not found:
            return None
        tried += 1
        start = found.end() - 1 if found.group().rstrip().endswith(("[", "{")) else found.start()
        position = found.end()
        try:
            document, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if accepts(document):
            return document, end
        position = max(position, end)
    return None


def _explained(text: str, name: str, error: ValueError) -> InputError:
    """Say in one line why the text is no JSON."""
    stripped = text.strip()
    if not stripped:
        return InputError(f"{name} is empty.", "Was the run that writes it interrupted?")
    if not isinstance(error, json.JSONDecodeError):
        return InputError(f"{name} is no readable JSON: a number in it is too long.", "Is it the right file?")
    if "Unterminated" in error.msg or error.pos >= len(text.rstrip()) - 1:
        return InputError(
            f"{name} is cut off at line {error.lineno}.",
            "Write it again; was the disk full or the run stopped?",
        )
    where = f"line {error.lineno}, column {error.colno}"
    return InputError(f"{name} is not JSON ({error.msg}, {where}).", "Is it the right file?")
