"""Find the files of a capture: in a folder, beside a graph file, in an archive, in an earlier report."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from trexreport.errors import InputError, OtherFileError
from trexreport.model import InputWarning, Source
from trexreport.reader.beside import locate_beside, siblings_of
from trexreport.reader.capture import Capture
from trexreport.reader.file_groups import captures_in
from trexreport.reader.files import (
    is_large_file,
    read_bytes,
    read_content,
    read_head,
    read_sources,
)
from trexreport.reader.folder_capture import files_in, locate_in_folder, models_of, role_of_head
from trexreport.reader.marks import is_archive, is_report, is_zip
from trexreport.reader.nsight import SQLITE_MAGIC
from trexreport.reader.nsight.located import (
    NSIGHT_ROLES,
    nsight_source,
    with_engine_name,
)
from trexreport.reader.roles import (
    REPEATABLE_ROLES,
    ROLE_SUFFIXES,
    role_of_name,
    run_number,
)
from trexreport.reader.title import title_from, title_of

_ROLES = [role for _, role in ROLE_SUFFIXES]
#: Notes on files that the user named and that are of another kind.
OTHER_FILE = "other-file"
#: How many bytes identify an archive or a report.
_HEAD_BYTES = 4096


def locate(paths: Sequence[str | Path], explicit: Mapping[str, str | Path] | None = None) -> Capture:
    """Collect the files of one engine.

    Args:
        paths: Folders, graph files (siblings are found), single files, `.tea` archives or reports.
        explicit: Role to file, for files whose role the user states; these replace what was found. In
            place of an ONNX model it may be a folder of some.

    Raises:
        InputError: A path is missing or unreadable, nothing usable is there, or it holds several engines.
    """
    if "" in paths:
        # It would be the current folder, which is never meant.
        raise InputError("One of the paths is empty.", "Is a variable in it not set?")
    given = [Path(path) for path in paths if Path(path).suffix.lower() == ".onnx"]
    if given and (len(paths) > len(given) or explicit):
        explicit = explicit or {}
        both = [*given, Path(explicit["onnx"])] if "onnx" in explicit else given
        if len(both) > 1:
            named = " and ".join(str(path) for path in both[:2])
            raise InputError(f"{named} are both ONNX models.", "Give one of them.")
        explicit = {"onnx": given[0], **explicit}
        paths = [path for path in paths if Path(path) not in given]
    found, notes = _locate_all(paths, is_alone=not explicit)
    sources = [source for capture in found.values() for source in capture.sources]
    notes += [note for capture in found.values() for note in capture.notes]
    stated = {role: Path(path) for role, path in (explicit or {}).items()}
    replaced = {*stated, "timing-run"} if "timing" in stated else set(stated)
    sources = [source for source in sources if source.role not in replaced]
    model_folder = stated.pop("onnx") if "onnx" in stated and stated["onnx"].is_dir() else None
    for role, path in stated.items():
        source, condensed = _stated_source(role, path)
        sources.append(source)
        notes += condensed
    names = [capture.name for capture in found.values()] + [title_of(path) for path in stated.values()]
    if not sources:
        raise InputError(
            "There is nothing to read.", "Give a capture folder, a *.graph.json file or a report."
        )
    unique, copies = _without_copies(with_engine_name(sources))
    notes += copies
    ordered = sorted(unique, key=place_in_capture)
    _refuse_doubles(ordered, found)
    stated_profiles = (each.optimization_profile for each in found.values())
    shown = next((each for each in stated_profiles if each is not None), None)
    if model_folder:
        models = models_of(files_in(model_folder))
    else:
        models = tuple(dict.fromkeys(path for capture in found.values() for path in capture.models))
    return Capture(names[0], tuple(ordered), tuple(notes), shown, models, str(model_folder or ""))


def _locate_all(
    paths: Sequence[str | Path], *, is_alone: bool
) -> tuple[dict[str, Capture], list[InputWarning]]:
    """Return what is at each path, and a note on each file of another kind beside one of a capture.

    Raises:
        InputError: A path can't be read, or none has a file of a capture.
    """
    found: dict[str, Capture] = {}
    others = []
    for path in paths:
        try:
            found[str(path)] = _locate_one(Path(path))
        except OtherFileError as error:  # noqa: PERF203 - each path by itself
            others.append((Path(path).name, error))
    if others and is_alone and not found:
        raise others[0][1]
    return found, [
        InputWarning("degraded", OTHER_FILE, f"Left out: {error.args[0]}", name) for name, error in others
    ]


def _stated_source(role: str, path: Path) -> tuple[Source, list[InputWarning]]:
    if role in NSIGHT_ROLES:
        return nsight_source(role, path), []
    if role in {"accuracy", "accuracy-reference"} and path.is_dir():
        # Imported late: few captures have such files.
        from trexreport.reader.accuracy.folder import read_folder

        return Source(role, *read_folder(path)), []
    if role != "onnx":
        data, notes = read_content(path, role)
        return Source(role, path.name, data), notes
    # Imported late: few captures have a model.
    from trexreport.reader.onnx.companion import onnx_source

    return onnx_source(path), []


def is_capture(path: str | Path) -> bool:
    """Return whether a path names a whole capture, by itself or with the files beside it.

    Of layer information that follows no naming convention it is not known.
    """
    place = Path(path)
    try:
        if place.is_dir() or role_of_name(place.name) == "graph":
            return True
    except (OSError, ValueError):
        return False
    return bool(container_name(place))


def container_name(path: str | Path) -> str:
    """Return the name of an archive or a report, which messages about the files in it lack; else nothing."""
    place = Path(path)
    head = read_head(place, _HEAD_BYTES)
    return place.name if is_zip(head) or is_report(head) else ""


def place_in_capture(source: Source) -> tuple[int, int, int]:
    """Sort by role, so that it makes no difference where and in which order the files were found.

    Logs are in the order of the naming convention: that of the timing run is believed before that of the
    profile run, for the times of queries are its business. Repeated runs go by their number.
    """
    role = _ROLES.index(source.role) if source.role in _ROLES else len(_ROLES)
    name = source.name.lower()
    ending = (place for place, (suffix, _) in enumerate(ROLE_SUFFIXES) if name.endswith(suffix))
    return role, next(ending, len(ROLE_SUFFIXES)), run_number(name)


def _locate_one(path: Path) -> Capture:
    try:
        is_folder = path.is_dir()
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {error}.") from None
    if is_folder:
        return locate_in_folder(path)
    head, data = read_head(path, _HEAD_BYTES), b""
    if head.startswith(SQLITE_MAGIC):
        return Capture(title_of(path), (nsight_source("kernels", path),))
    file: Path | IO[bytes] = path
    if is_large_file(path) and role_of_head(path) == "log":
        data, condensed = read_content(path, "log")
        return Capture(title_of(path), (Source("log", path.name, data),), tuple(condensed))
    if not is_zip(head):
        # An archive is not read as a whole: it may hold an engine of some gigabytes. Only a pipe has to be.
        head = data = read_bytes(path)
        file = io.BytesIO(data)
    if is_archive(head):
        # Imported late, as below: most captures are folders.
        from trexreport.reader.archive_file import read_archive

        return read_archive(file, path.name)
    if is_zip(head):
        return _locate_in_zip(path, file)
    if is_report(data):
        from trexreport.reader.report_file import read_report

        return read_report(data, path.name)
    return locate_beside(path, data)


def _locate_in_zip(path: Path, file: Path | IO[bytes]) -> Capture:
    """Read the files in an archive such as TREx's, and those beside it; an engine in it may be large."""
    from trexreport.reader.zip_file import read_zip

    members, notes = read_zip(file, path.name)
    prefix = re.sub(r"\.(tea|zip)$", "", path.name, flags=re.IGNORECASE)
    beside = siblings_of(path.parent, prefix, without={source.role for source in members})
    siblings, left_out = read_sources(beside)
    return Capture(title_from(prefix, path.parent), (*members, *siblings), (*notes, *left_out))


def _without_copies(sources: Sequence[Source]) -> tuple[list[Source], list[InputWarning]]:
    """Return sources without those of which one has the role and the bytes, and a note on each left out.

    Of a role that may have several files, only the same name counts as the same file.
    """
    first: dict[tuple[str, str, bytes], Source] = {}
    notes = []
    for source in sources:
        name = source.name if source.role in REPEATABLE_ROLES else ""
        kept = first.setdefault((source.role, name, source.data), source)
        if kept.name != source.name:
            message = f"{source.name} is a copy of {kept.name} and was left out."
            notes.append(InputWarning("info", "copy-left-out", message, source.name))
    return list(first.values()), notes


def _refuse_doubles(sources: Sequence[Source], given: Mapping[str, Capture]) -> None:
    """Refuse two files of a kind that an engine has one of, and say whose they are.

    Args:
        sources: The files.
        given: Path to what was found there.
    """
    seen: dict[str, str] = {}
    is_several: bool | None = None
    for source in sources:
        role, name = source.role, source.name
        if role in seen and role not in REPEATABLE_ROLES:
            owners = [path for path, each in given.items() if any(own.role == role for own in each.sources)]
            # Of an engine whose files are given one by one there may be two profiles.
            if 1 < len(owners) == len(given):
                message = f"{owners[0]} and {owners[1]} both have a {source.role} file: they are two engines."
                hint = f"Give one of them, or compare them: trexreport compare {owners[0]} {owners[1]}."
                raise InputError(message, hint)
            if is_several is None:
                is_several = len(captures_in(sources)) > 1
            if is_several:
                continue
            # Files in several folders may have one name.
            is_named_apart = seen[role] != name or len(owners) < 2
            first, second = (seen[role], name) if is_named_apart else owners[:2]
            raise InputError(f"{first} and {second} are both {source.role} files.", "Give one of them.")
        seen[role] = name
