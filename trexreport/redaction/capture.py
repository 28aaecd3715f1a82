"""Rewrite the files of a capture, or its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.reader.capture import Capture
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.log_text import plain_log
from trexreport.redaction import patterns
from trexreport.redaction.kinds import KINDS, Redaction
from trexreport.redaction.redactor import Redactor


def redact_capture(capture: Capture, redaction: Redaction, *, keep_name: bool = False) -> Capture:
    """Return the capture with every file rewritten, and a note that says so.

    JSON is read and written again, so that no way of spelling a text hides it; what can't be read as JSON is
    redacted as text. Logs keep their lines.

    Args:
        capture: What was located.
        redaction: What to redact.
        keep_name: The user chose the title.
    """
    documents = [_document(source) for source in capture.sources]
    redactor = Redactor(redaction, zip(capture.sources, documents, strict=True))
    sources = [
        Source(source.role, redactor.file_name(source.name), redactor.content(source.role, document))
        for source, document in zip(capture.sources, documents, strict=True)
    ]
    names = {source.name: redactor.file_name(source.name) for source in capture.sources}
    names |= {note.source: redactor.file_name(note.source) for note in capture.notes if note.source}
    notes = [_renamed(note, names) for note in capture.notes]
    what = ", ".join(kind for kind in KINDS if kind in redaction.kinds)
    message = f"Redacted before it was read: {what}. Pseudonyms replace the original texts."
    notes.append(InputWarning("info", "redacted", message))
    name = capture.name if keep_name else redactor.file_name(capture.name)
    return replace(capture, name=name, sources=tuple(sources), notes=tuple(notes))


def redact_text(text: str, redaction: Redaction) -> str:
    """Return what the user wrote about a capture, such as a pattern, as it is of the redacted one."""
    return Redactor(redaction, ()).file_name(text)


def redact_place(place: str, redaction: Redaction, folder: str = "") -> str:
    """Return the redacted place of a capture: part by part, so that order and dates stay.

    Args:
        place: A path with "/" between its parts, the last of which is the name of a file.
        redaction: What to redact.
        folder: The whole path or URL that it is below, which may identify a machine.
    """
    return Redactor(redaction, [(Source("log", "", b""), folder)]).place(place)


def _document(source: Source) -> Any:
    """Return a file's content as JSON if it can be that, else as text."""
    if source.role == "log":
        # Lines that are kept as JSON have escaped names.
        return decode_text(plain_log(source.data, source.name)[0], source.name)[0]
    text, _ = decode_text(source.data, source.name)
    try:
        return parse_json(text, source.name, lambda value: isinstance(value, (dict, list)))[0]
    except InputError:
        # A word with an escaped letter would not be found here, and would be read all the same.
        return patterns.ESCAPE.sub(lambda found: _printable(chr(int(found[1], 16)), found[0]), text)


def _printable(character: str, escape: str) -> str:
    return character if character.isprintable() and character not in '"\\' else escape


def _renamed(note: InputWarning, names: Mapping[str, str]) -> InputWarning:
    message, hint = note.message, note.hint
    for old, new in sorted(names.items(), key=lambda pair: -len(pair[0])):
        message, hint = message.replace(old, new), hint.replace(old, new)
    return replace(note, message=message, hint=hint, source=names.get(note.source, ""))
