"""Read JSON as it is found in the field: with log lines around it, control characters, bare `nan`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.numbers import middle_ellipsis
from trexreport.reader.impossible import ImpossibleValues
from trexreport.regex import regex

#: How many places inside a file are tried as the start of a document that log text precedes.
_MOST_STARTS = 400
#: The files nest 5 levels; whatever walks their content later may rely on this limit.
_MOST_LEVELS = 64
#: Objects and lists in a file: an engine of 20,000 layers has 300,000. Each takes some 100 bytes of memory
#: and as few as two of the file.
_MOST_RECORDS = 3_000_000
_HOLDERS = frozenset({dict, list})
#: What can begin a document: an opening bracket with its first text, at the start of a line or, if that
#: text is one that we look for, anywhere. Brackets as in "[I]" or "[11/21/2026-09:11:21]" begin no text.
_START = regex(
    r'^[ \t]*(?P<line>\[\s*[\[{"]|\{\s*")'
    r'|(?P<inside>\{\s*"(?:Layers|performance_summary|model_options)"|\[\s*\{\s*"(?:count|name|startEnqMs)")',
    re.MULTILINE,
)
#: What separates the documents of runs that were appended to each other.
_BETWEEN_RUNS = " \t\r\n,;"
#: How many times the text's length all these tries together may read.
_MOST_READ = 8
#: Texts are matched too, so that a name which holds such a word is passed over. One that is cut off ends with
#: the file: if it did not match, each quote in it would be tried as the beginning of another.
_TEXT_OR_NAN = regex(
    r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|(?<=[\[,:\s])-?(?:nan|inf)(?:\(ind\))?(?=\s*[,\]}])',
    re.IGNORECASE | re.DOTALL,
)
#: An escaped half of a character beyond U+FFFF without its other half; pairs are passed over.
_ESCAPE = regex(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_HALF = regex(r"\\u[dD][89a-fA-F]")


#: UTF-16 of English text has a zero in every second byte, and other text has none.
_WIDE_HEAD_BYTES = 512
_FEWEST_WIDE = 8
_MOST_WIDE = 0.8


def decode_text(data: bytes, name: str) -> tuple[str, list[InputWarning]]:
    """Return the file as text; bytes that are not UTF-8 become replacement characters, with a note."""
    encoding = wide_encoding(data) or "utf-8-sig"
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError as error:
        text = data.decode(encoding, errors="replace")
        kind = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
        message = (
            f"{name} has bytes that are not {kind} (first at offset {error.start}); they are shown as \ufffd."
        )
        return text, [InputWarning("repaired", "encoding", message, name)]


def wide_encoding(data: bytes) -> str:
    """Return "utf-16" or its form without a mark at the beginning for a text of PowerShell, else "".

    Args:
        data: The text, or its beginning.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    head = data[:_WIDE_HEAD_BYTES]
    half = len(head) // 2
    if half < _FEWEST_WIDE:
        return ""
    if head[1::2].count(0) >= _MOST_WIDE * half and not head[::2].count(0):
        return "utf-16-le"
    return "utf-16-be" if head[::2].count(0) >= _MOST_WIDE * half and not head[1::2].count(0) else ""


def json_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object that bytes are, as trexreport writes it; None for anything else."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def parse_json(
    text: str, name: str, accepts: Callable[[Any], bool], *, keeps_infinite: bool = False
) -> tuple[Any, list[InputWarning]]:
    """Return the first JSON document in the text that `accepts` agrees to, and notes of repairs.

    Numbers that are none (NaN, Infinity) come back as None, and so do numbers and texts that an object states
    twice in different ways; of lists and objects the first one counts.

    Args:
        text: The content of the file.
        name: The file's name, for messages.
        accepts: Whether a document is the one to take.
        keeps_infinite: Return NaN and Infinity as they are, for files in which they are a result.

    Raises:
        InputError: Nothing in the text is such a document; the message says what is wrong and where.
    """
    text, notes = _without_halves(text, name)
    if text.count("{") + text.count("[") > _MOST_RECORDS:
        raise InputError(f"{name} holds more than an engine's file can.", "Is it the right file?")
    twice = ImpossibleValues(name)
    decoder = _decoder(twice, float if keeps_infinite else lambda _: None)
    try:
        document = decoder.decode(text)
    except RecursionError:
        raise _too_deep(name) from None
    except ValueError as error:
        document, repairs = _repaired(text, name, accepts, decoder, error)
        notes += repairs
    unwrapped = _unwrapped(document, decoder)
    if unwrapped is not None and accepts(unwrapped):
        document = unwrapped
        message = f"{name} holds its JSON as texts inside JSON; they were read as what they hold."
        notes.append(InputWarning("repaired", "json-in-json", message, name))
    notes += twice.notes()
    if "\0" in text:
        # Imported late, as below: hardly any file needs it.
        from trexreport.reader.json_notes import with_zero_bytes

        notes = with_zero_bytes(notes, text, name)
    if not accepts(document):
        raise InputError(f"{name} is JSON, but not of a kind that trexreport reads.", "Is it the right file?")
    if _is_deep(document):
        raise _too_deep(name)
    return document, notes


def _unwrapped(document: Any, decoder: json.JSONDecoder) -> Any:
    """Return what a text that is JSON holds, or each text of a list; None if there is nothing to unwrap.

    A program that writes the text of the engine inspector with a JSON library makes such a text.
    """
    try:
        if isinstance(document, str):
            return decoder.decode(document)
        if isinstance(document, list) and document and all(map(_is_object_text, document)):
            return [decoder.decode(text) for text in document]
    except (ValueError, RecursionError):
        return None
    return None


def _is_object_text(item: Any) -> bool:
    return isinstance(item, str) and (item.lstrip()[:1], item.rstrip()[-1:]) == ("{", "}")


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if -math.inf < value < math.inf else None


def _decoder(twice: ImpossibleValues, constant: Callable[[str], Any]) -> json.JSONDecoder:
    """Return a decoder that notes keys which an object has twice."""

    def joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            found = {}
            for key, value in pairs:
                if key not in found:
                    found[key] = value
                elif found[key] != value or type(found[key]) is not type(value):
                    twice.refuse(
                        f'"{middle_ellipsis(key, 60)}"', found[key], "is stated a second time, differently"
                    )
                    is_first_kept = isinstance(found[key], (dict, list))
                    found[key] = found[key] if is_first_kept else None
        return found

    # Control characters in names are accepted (strict=False): TensorRT 8.6 writes them as they are.
    return json.JSONDecoder(
        strict=False, parse_constant=constant, parse_float=_finite, object_pairs_hook=joined
    )


def _without_halves(text: str, name: str) -> tuple[str, list[InputWarning]]:
    r"""Replace lone surrogates: no encoding can write them, so that no output could hold the name."""
    if not _HALF.search(text):
        return text, []
    repaired = _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)
    if repaired == text:
        return text, []
    message = f"{name} has halves of characters (lone surrogates); they are shown as \ufffd."
    return repaired, [InputWarning("repaired", "encoding", message, name)]


def _is_deep(document: Any) -> bool:
    level = [document] if type(document) in _HOLDERS else []
    for _ in range(_MOST_LEVELS):
        level = [
            item
            for node in level
            for item in (node.values() if type(node) is dict else node)
            if type(item) in _HOLDERS
        ]
        if not level:
            return False
    return True


def _too_deep(name: str) -> InputError:
    return InputError(f"{name} is nested too deeply to be an engine's file.", "Is it the right file?")


def _repaired(
    text: str, name: str, accepts: Callable[[Any], bool], decoder: json.JSONDecoder, error: ValueError
) -> tuple[Any, list[InputWarning]]:
    """Look for the document inside other text, then with bare nan and inf made null."""
    from trexreport.reader.json_notes import taken_of

    found, document = _embedded(text, accepts, decoder)
    if found:
        return document, [taken_of(found, name)]
    cleaned = _TEXT_OR_NAN.sub(lambda match: match[0] if match[0][0] == '"' else "null", text)
    if cleaned == text:
        raise _explained(text, name, error) from None
    message = f"{name} has bare nan or inf, which JSON does not know; they count as not measured."
    note = InputWarning("repaired", "json-nan", message, name)
    try:
        return decoder.decode(cleaned), [note]
    except (ValueError, RecursionError):
        found, document = _embedded(cleaned, accepts, decoder)
    if found:
        return document, [taken_of(found, name), note]
    raise _explained(text, name, error) from None


def _embedded(text: str, accepts: Callable[[Any], bool], decoder: json.JSONDecoder) -> tuple[int, Any]:
    """Return how many documents are in a text, and the last of those that a run appended to another."""
    count, last, position = 0, None, 0
    may_read = _MOST_READ * len(text)
    for _ in range(_MOST_STARTS):
        found = _START.search(text, position)
        if not found or may_read < 0:
            break
        start = found.start(found.lastgroup or 0)
        if count and text[position:start].strip(_BETWEEN_RUNS):
            break  # What follows other text is not a further run.
        try:
            document, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            if count or _is_cut(text, error):
                break  # Whatever follows is inside of this document, and so is not a document itself.
            position = found.end()
            may_read -= (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - start
        else:
            if accepts(document):
                count, last = count + 1, document
            elif count:
                break
    return count, last


def _is_cut(text: str, error: Exception) -> bool:
    """Return whether the document ended before it was complete."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    rest = text[error.pos : error.pos + 16].strip()
    return (
        len(rest) <= 1
        or "Unterminated" in error.msg
        or (len(rest) <= 5 and "escape" in error.msg)
        or any(word.startswith(rest) for word in ("true", "false", "null"))
    )


def _explained(text: str, name: str, error: ValueError) -> InputError:
    """Say in one line why the text is not JSON."""
    if not text.strip():
        return InputError(f"{name} is empty.", "Was the run that writes it interrupted?")
    if not isinstance(error, json.JSONDecodeError):
        return InputError(
            f"{name} is not readable JSON: a number in it is too long.", "Is it the right file?"
        )
    if _is_cut(text, error):
        return InputError(
            f"{name} is cut off at line {error.lineno}.",
            "Write it again; was the disk full or the run stopped?",
        )
    where = f"line {error.lineno}, column {error.colno}"
    return InputError(f"{name} is not JSON ({error.msg}, {where}).", "Is it the right file?")
