"""Find the phases of a set: in a folder with a list or of another producer, in a report, or in an archive.

The list is `trexreport-phases.json`, which `trexreport collect --phase` writes. Any program may write it:

    {"schema": "trexreport-phases", "schema_version": 1,
     "phases": [{"name": "prefill", "path": "prefill", "times": 1}, {"name": "decode", "path": "decode"}]}

A path is that of a capture below the folder; `times`, which may be missing, is how often the phase runs for
one request.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_count
from trexreport.reader.capture import Capture
from trexreport.reader.engine_folders import engines_in
from trexreport.reader.file_names import distinct_names
from trexreport.reader.files import explained_reading, read_bytes
from trexreport.reader.impossible import quoted
from trexreport.reader.json_text import json_object
from trexreport.reader.locate import place_in_capture
from trexreport.reader.marks import is_archive_file, is_report
from trexreport.reader.phase_list import LARGEST_LIST_BYTES, LIST_NAME, SCHEMA, SCHEMA_VERSION
from trexreport.reader.roles import role_of_name
from trexreport.reader.title import title_of
from trexreport.reader.values import integer, mapping, text

MOST_PHASES = 64
LONGEST_NAME = 200
#: No request runs a phase more often; beyond that a total says nothing.
MOST_TIMES = 10**9
_FEWEST_BELOW = 2


@dataclass(frozen=True)
class PhaseInput:
    """Where a phase is read from: a path, or a capture that a report or an archive carries.

    Attributes:
        times: Runs for one request as the list states them; None if it does not.
    """

    name: str
    times: int | None = None
    path: str = ""
    capture: Capture | None = None


@dataclass(frozen=True)
class PhaseSet:
    """Phases and what they are called together; no phases if there is no set."""

    title: str = ""
    phases: tuple[PhaseInput, ...] = ()


def find_phases(path: str | Path) -> PhaseSet:
    """Return the phases of a folder, a report or an archive, none if it is not a set.

    Raises:
        InputError: The list of phases or the archive is damaged, or names what can't be a phase.
    """
    place = Path(path)
    if place.is_dir():
        return _of_folder(place)
    if place.is_file() and is_archive_file(place):
        return _of_archive(place)
    if place.suffix.lower() not in (".html", ".htm", ".pdf") or not place.is_file():
        return PhaseSet()
    # Imported late, as below: most captures are folders.
    from trexreport.reader.report_file import listed_phases, read_carried

    data = read_bytes(place)
    title, entries = listed_phases(data) if is_report(data) else ("", [])
    if not entries:
        return PhaseSet()
    captures = read_carried(data, place.name)[0]
    if len(captures) != len(entries):
        raise InputError(f"{place} is a damaged report: its phases are not those of its inputs.")
    named = _named(entries, str(place))
    phases = tuple(
        PhaseInput(name, times, capture=capture)
        for (name, times), capture in zip(named, captures, strict=True)
    )
    return PhaseSet(title or place.stem, phases)


def _of_archive(place: Path) -> PhaseSet:
    """Return the phases that an archive holds; none of an archive of one engine."""
    from trexreport.reader.archive_phases import read_archived_phases

    title, archived = read_archived_phases(place)
    if not archived:
        return PhaseSet()
    names = [name_of_phase(each.name) for each in archived]
    check_names(names, str(place))
    phases = tuple(
        PhaseInput(
            name,
            _times(each.times, name, str(place)),
            capture=replace(each.capture, sources=tuple(sorted(each.capture.sources, key=place_in_capture))),
        )
        for name, each in zip(names, archived, strict=True)
    )
    return PhaseSet(title, phases)


def phases_below(folder: Path) -> tuple[PhaseInput, ...]:
    """Return the captures in a folder as phases: its engines if it has several, else its folders.

    Each is named after its file or folder.

    Raises:
        InputError: The folder can't be read, or holds fewer than two captures.
    """
    with explained_reading(folder):
        entries = sorted(folder.iterdir())
        places = [each for each in entries if each.is_file() and role_of_name(each.name) == "graph"]
        if len(places) < _FEWEST_BELOW:
            places = [each for each in entries if each.is_dir() and _holds_capture(each)]
    if len(places) < _FEWEST_BELOW:
        raise InputError(
            f"{folder} holds neither two engines nor two folders with captures.", "Write --phase NAME=PATH."
        )
    names = [place.name if place.is_dir() else title_of(place) for place in places]
    distinct = distinct_names(names)
    check_names(distinct, str(folder))
    return tuple(PhaseInput(name, path=str(place)) for name, place in zip(distinct, places, strict=True))


def _holds_capture(folder: Path) -> bool:
    """Return whether a folder may hold a capture: what can't be read then is an error, not left out."""
    files = [entry for entry in folder.iterdir() if entry.is_file()]
    return any(role_of_name(each.name) is not None or each.suffix in {".json", ".log"} for each in files)


def name_of_phase(written: str) -> str:
    """Return the name of a phase as all sets have it: one spelling of its characters, no spaces around it."""
    return unicodedata.normalize("NFC", written).strip()


def check_names(names: Sequence[str], where: str) -> None:
    """Check that the names of phases are distinct.

    Raises:
        InputError: There are too many, or one is empty, too long or given twice.
    """
    if not 0 < len(names) <= MOST_PHASES:
        raise InputError(f"{where} lists {len(names)} phases.", f"Give 1 to {MOST_PHASES}.")
    for name in names:
        if not name.strip() or len(name) > LONGEST_NAME:
            raise InputError(
                f"{where} names a phase {quoted(name)}.",
                f"Give a name of 1 to {LONGEST_NAME} characters.",
            )
        if names.count(name) > 1:
            raise InputError(f"{where} names two phases '{name}'.", "Give each a name of its own.")


def _of_producer(folder: Path) -> PhaseSet:
    """Return the engines that another producer wrote into a folder, each as a phase."""
    found = engines_in(folder)
    if not found:
        return PhaseSet()
    check_names([name for name, _ in found], str(folder))
    return PhaseSet(folder.resolve().name, tuple(PhaseInput(name, path=str(path)) for name, path in found))


def _of_folder(folder: Path) -> PhaseSet:
    place = folder / LIST_NAME
    if not place.is_file():
        return _of_producer(folder)
    if place.stat().st_size > LARGEST_LIST_BYTES:
        raise InputError(f"{place} is larger than any list of phases.", "Write it again.")
    document = json_object(read_bytes(place))
    entries = None if document is None else document.get("phases")
    if document is None or document.get("schema") != SCHEMA or not isinstance(entries, list):
        raise InputError(
            f"{place} is not a list of phases.", f'It must have "schema": "{SCHEMA}" and "phases".'
        )
    version = integer(document.get("schema_version"))
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{place} has schema version {version}; this trexreport reads {SCHEMA_VERSION}.",
            "Update trexreport.",
        )
    listed = [mapping(entry) for entry in entries]
    named = _named(listed, str(place))
    phases = tuple(
        PhaseInput(name, times, path=str(_below(folder, text(entry.get("path")), place)))
        for (name, times), entry in zip(named, listed, strict=True)
    )
    return PhaseSet(folder.resolve().name, phases)


def _named(entries: Sequence[Mapping[str, Any]], where: str) -> list[tuple[str, int | None]]:
    """Return name and count of each entry."""
    names = [name_of_phase(text(entry.get("name"))) for entry in entries]
    check_names(names, where)
    return [
        (name, _times(entry.get("times"), name, where)) for name, entry in zip(names, entries, strict=True)
    ]


def _times(value: object, name: str, where: str) -> int | None:
    if value is None:
        return None
    times = integer(value)
    if times is None or isinstance(value, bool) or not 0 <= times <= MOST_TIMES:
        known = f"a whole number from 0 to {format_count(MOST_TIMES)}"
        raise InputError(f"{where}: the times of phase '{name}' are not {known}.", "Correct it.")
    return times


def _below(folder: Path, path: str, where: Path) -> Path:
    """Return the path of a capture below the folder: a list from elsewhere must not name other files."""
    parts = PurePosixPath(path)
    is_outside = parts.is_absolute() or ".." in parts.parts or PureWindowsPath(path).drive or "\0" in path
    if not path or is_outside or "\\" in path:
        raise InputError(
            f"{where} names {quoted(path)}, which is not a path below its folder.",
            'Write it as "decode", with / between folders.',
        )
    place = folder / path
    if not place.exists():
        raise InputError(f"{where} names {path}, which does not exist.", "Collect it, or correct the list.")
    return place
