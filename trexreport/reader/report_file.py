"""The inputs that a report carries: how they are listed in it, and how they are taken out again."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import lzma
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.numbers import counted
from trexreport.reader import pdf_file
from trexreport.reader.bounds import LARGEST_CAPTURE_BYTES, LARGEST_FILE_BYTES, MOST_FILES, is_bomb
from trexreport.reader.capture import EDITED_REPORT, Capture
from trexreport.reader.file_names import distinct_names, folder_names, plain_name, short_name
from trexreport.reader.files import read_bytes
from trexreport.reader.json_text import json_object
from trexreport.reader.marks import is_pdf, is_report
from trexreport.reader.phase_list import LIST_NAME, list_text
from trexreport.reader.values import integer, records, text
from trexreport.regex import regex

#: xz shrinks a plan of 20,000 equal layers to a hundredth, and zeros to a seven-thousandth.
_LARGEST_XZ_RATIO = 1000
_XZ_MEMORY_BYTES = 64 * 2**20
#: How a report marks the inputs that it carries; the HTML template writes these.
_MANIFEST, _SCRIPT_END = b'<script type="application/json" id="trexreport-inputs">', b"</script>"
_ITS_CAPTURE = "Use the original capture."
_HALVES = regex("[\ud800-\udfff]")
_EDITED = "The report was edited: use the original capture."
_INPUT = b'<script type="application/xz;base64" id="trexreport-input-%d">'


def is_comparison(data: bytes, name: str) -> bool:
    """Return whether a report is one of several engines and carries their inputs."""
    try:
        return "engines" in _manifest(data, name)
    except InputError:
        return False


def listed_phases(data: bytes) -> tuple[str, list[dict[str, Any]]]:
    """Return the title of a report of several phases, and their names and counts; none of other reports."""
    written = pdf_file.find_manifest(data) if is_pdf(data) else _written_manifest(data)
    manifest = (None if written is None else json_object(written)) or {}
    return text(manifest.get("title")), records(manifest.get("phases"))


def read_report(data: bytes, name: str) -> Capture:
    """Return the capture that a report carries.

    Raises:
        InputError: The report carries no inputs, they are damaged, or it is a comparison of several engines.
    """
    manifest = _manifest(data, name)
    if "engines" in manifest:
        count = len(records(manifest["engines"]))
        engines = counted(count, "engine")
        if records(manifest.get("phases")):
            raise InputError(
                f"{name} is a report of several phases, with the inputs of {engines}.",
                f"Take them out with trexreport extract {shlex.quote(name)} -o FOLDER, and give one of them.",
            )
        command = f"trexreport extract {shlex.quote(name)} -o FOLDER"
        raise InputError(
            f"{name} is a comparison, which holds the inputs of {engines}.",
            f"Take them out with {command}, and give one of its folders.",
        )
    return _carried([manifest], data, name)[0]


def read_carried(data: bytes, name: str) -> tuple[list[Capture], bool]:
    """Return every capture that a report or a comparison carries, and whether it is a comparison.

    What a comparison carries of others than engines comes last.

    Raises:
        InputError: It carries no inputs, or they are damaged.
    """
    manifest = _manifest(data, name)
    several = "engines" in manifest
    manifests = records(manifest["engines"]) if several else [manifest]
    manifests += records(manifest.get("others")) if several and manifests else []
    if not manifests:
        raise InputError(f"{name} is a damaged report: its list of inputs names no engine.")
    return _carried(manifests, data, name), several


def extract_report(path: Path) -> dict[str, Capture]:
    """Return the files that a report or a comparison carries, each under a name of its own.

    Returns:
        The capture under the name of the folder that its files go to; "" for a report, which has only one.

    Raises:
        InputError: The file can't be read, is not a report, carries no inputs, or they were changed.
    """
    data = read_bytes(path)
    if not is_report(data):
        raise InputError(f"{path} is not a report of trexreport.", "Give an HTML or PDF file that it wrote.")
    carried, is_comparison = read_carried(data, path.name)
    for note in (note for each in carried for note in each.notes if note.slug == EDITED_REPORT):
        raise InputError(note.message, "Nothing was written. Use the original capture.")
    # Phases may be of one engine; their own names differ.
    phases = [text(each.get("name")) for each in listed_phases(data)[1]]
    titles = phases if len(phases) == len(carried) else [each.name for each in carried]
    folders = distinct_names(folder_names(titles), [LIST_NAME]) if is_comparison else [""]
    captures = {}
    for folder, each in zip(folders, carried, strict=True):
        names = distinct_names([source.name for source in each.sources])
        renamed = (
            Source(source.role, name, source.data) for name, source in zip(names, each.sources, strict=True)
        )
        captures[folder] = replace(each, sources=tuple(renamed))
    return captures


def extracted_list(path: Path, folders: Sequence[str]) -> bytes | None:
    """Return the list that makes the extracted folders of phases a set; None of other reports."""
    _, phases = listed_phases(read_bytes(path))
    if not phases or len(phases) != len(folders):
        return None
    return list_text(
        (text(each.get("name")), folder, integer(each.get("times")))
        for each, folder in zip(phases, folders, strict=True)
    )


def _carried(manifests: Sequence[dict[str, Any]], data: bytes, name: str) -> list[Capture]:
    """Return the captures that the lists of inputs describe."""
    entries = [entry for manifest in manifests for entry in records(manifest.get("files"))]
    sizes = [integer(entry.get("size")) for entry in entries]
    if not all(size is not None and 0 <= size <= LARGEST_FILE_BYTES for size in sizes):
        raise InputError(f"{name} is a damaged report: one of its inputs has no possible size.")
    if len(sizes) > MOST_FILES or sum(size or 0 for size in sizes) > LARGEST_CAPTURE_BYTES:
        raise InputError(f"{name} is a damaged report: it carries more than a capture can hold.")
    if is_pdf(data):
        contents = _attached(data, entries, name)
    else:
        contents = [_input(data, index, size or 0, name) for index, size in enumerate(sizes)]
    found = iter(contents)
    return [_capture(manifest, found, name) for manifest in manifests]


def _capture(manifest: dict[str, Any], contents: Iterator[bytes], name: str) -> Capture:
    """Return one capture; its files are the next of the contents."""
    notes = []
    if manifest.get("sha256", "") not in ("", _hash_of(manifest)):
        message = f"The list of inputs in {name} is not what was written: its hash does not fit."
        notes.append(InputWarning("degraded", EDITED_REPORT, message, name, hint=_EDITED))
    sources = []
    for entry in records(manifest.get("files")):
        source = Source(text(entry.get("role")), _name_of_file(text(entry.get("name"))), next(contents))
        if source.sha256 != entry.get("sha256"):
            message = f"{short_name(source.name)} in {name} is not what was embedded: its hash does not fit."
            notes.append(InputWarning("degraded", EDITED_REPORT, message, name, hint=_EDITED))
        sources.append(source)
    if not sources:
        raise InputError(f"{name} is a report that carries no inputs.", _ITS_CAPTURE)
    shown = integer(manifest.get("optimization_profile"))
    return Capture(text(manifest.get("engine")) or "engine", tuple(sources), tuple(notes), shown)


def _name_of_file(name: str) -> str:
    """Return a name that a file can have: no system takes halves of characters, which JSON can state."""
    return plain_name(_HALVES.sub("\ufffd", name))


def _manifest(data: bytes, name: str) -> dict[str, Any]:
    written = pdf_file.find_manifest(data) if is_pdf(data) else _written_manifest(data)
    if written is None:
        raise _without_inputs(data, name)
    manifest = json_object(written)
    if manifest is None:
        raise InputError(f"{name} is a damaged report: its list of inputs is unreadable.")
    return manifest


def _without_inputs(data: bytes, name: str) -> InputError:
    """Return what to say of a report in which no list of inputs was found."""
    if not is_pdf(data):
        return InputError(
            f"{name} carries no inputs, as an HTML comparison, a page of a site, "
            "or a report that --max-size made small.",
            _ITS_CAPTURE,
        )
    if pdf_file.is_encrypted(data):
        return InputError(
            f"{name} is encrypted, so that its attached files can't be read.",
            "Save it without a password, or use the original capture.",
        )
    if pdf_file.is_cut_off(data):
        return InputError(f"{name} is cut off: the end of the PDF is missing.", "Copy or fetch it again.")
    return InputError(f"{name} is a PDF that carries no inputs.", _ITS_CAPTURE)


def _written_manifest(data: bytes) -> bytes | None:
    start = data.find(_MANIFEST)
    end = data.find(_SCRIPT_END, start)
    return data[start + len(_MANIFEST) : end] if 0 <= start < end else None


def _attached(data: bytes, entries: Sequence[dict[str, Any]], name: str) -> list[bytes]:
    """Return the inputs that a PDF carries, in the order of the list of them."""
    sizes = {text(entry.get("sha256")): integer(entry.get("size")) or 0 for entry in entries}
    found = pdf_file.find_inputs(data, sizes)
    missing = [text(entry.get("name")) for entry in entries if text(entry.get("sha256")) not in found]
    if missing:
        shown = short_name(plain_name(missing[0]))
        raise InputError(f"{name} is a damaged report: {shown} is not in it as it was attached.")
    return [found[text(entry.get("sha256"))] for entry in entries]


def _input(data: bytes, index: int, size: int, name: str) -> bytes:
    opening = _INPUT % index
    start = data.find(opening)
    end = data.find(b"</script>", start)
    if start < 0 or end < 0:
        raise InputError(f"{name} is a damaged report: one of its inputs is missing.")
    try:
        packed = base64.b64decode(data[start + len(opening) : end], validate=False)
        if is_bomb(size, len(packed), _LARGEST_XZ_RATIO):
            raise InputError(f"{name} is a damaged report: one of its inputs has no possible size.")
        # One byte more than promised shows a bomb without unpacking it.
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
        content = unpacker.decompress(packed, size + 1)
        if len(content) > size or unpacker.eof:
            return content
    except (binascii.Error, lzma.LZMAError, EOFError):
        pass
    raise InputError(f"{name} is a damaged report: one of its inputs can't be unpacked.")


def inputs_manifest(
    engine: str, sources: tuple[Source, ...], optimization_profile: int = 0
) -> dict[str, Any]:
    """Return the list of inputs that a report carries, as `read_report` expects it."""
    files = [
        {"role": source.role, "name": source.name, "size": len(source.data), "sha256": source.sha256}
        for source in sources
    ]
    manifest = {"engine": engine, "optimization_profile": optimization_profile, "files": files}
    return {**manifest, "sha256": _hash_of(manifest)}


def _hash_of(manifest: Mapping[str, Any]) -> str:
    """Return the hash of all that a list of inputs says."""
    files = [
        [*(text(entry.get(key)) for key in ("role", "name", "sha256")), integer(entry.get("size"))]
        for entry in records(manifest.get("files"))
    ]
    listed = [text(manifest.get("engine")), integer(manifest.get("optimization_profile")), files]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()
