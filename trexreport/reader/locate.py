"""Find the files of a capture: in a folder, beside a graph file, in an archive, in an earlier report."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.numbers import list_names
from trexreport.reader import archive_file, report_file, zip_file
from trexreport.reader.by_content import SNIFFED, files_by_content
from trexreport.reader.capture import Capture
from trexreport.reader.edge_llm import companion, phase_name
from trexreport.reader.files import (
    is_large_file,
    is_too_large,
    read_bytes,
    read_content,
    read_head,
    read_sources,
)
from trexreport.reader.nsight import SQLITE_MAGIC
from trexreport.reader.nsight.located import (
    NSIGHT_ROLES,
    is_kernel_table,
    is_ncu_table,
    nsight_beside,
    nsight_source,
    with_engine_name,
)
from trexreport.reader.roles import (
    MARKED_BYTES,
    ROLE_SUFFIXES,
    is_own_json,
    role_of_content,
    role_of_marks,
    role_of_name,
    role_of_shape,
    run_number,
    split_name,
)
from trexreport.reader.title import title_from, title_of

_ROLES = [role for _, role in ROLE_SUFFIXES]
#: Roles of which a capture has several files without contradiction.
_REPEATABLE = {"log", "manifest", "timing-run"}
_OF_ANY_PROGRAM = {".trace", ".csv"}
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
        raise InputError("One of the paths is empty.", "Is a variable not set that it is made of?")
    given = [Path(path) for path in paths if Path(path).suffix.lower() == ".onnx"]
    if given and (len(paths) > len(given) or explicit):
        explicit = explicit or {}
        both = [*given, Path(explicit["onnx"])] if "onnx" in explicit else given
        if len(both) > 1:
            named = " and ".join(str(path) for path in both[:2])
            raise InputError(f"{named} are both ONNX models.", "Give one of them.")
        explicit = {"onnx": given[0], **explicit}
        paths = [path for path in paths if Path(path) not in given]
    found: list[Capture] = [_locate_one(Path(path)) for path in paths]
    sources = [source for capture in found for source in capture.sources]
    notes = [note for capture in found for note in capture.notes]
    stated = {role: Path(path) for role, path in (explicit or {}).items()}
    replaced = {*stated, "timing-run"} if "timing" in stated else set(stated)
    sources = [source for source in sources if source.role not in replaced]
    model_folder = stated.pop("onnx") if "onnx" in stated and stated["onnx"].is_dir() else None
    for role, path in stated.items():
        source, condensed = _stated_source(role, path)
        sources.append(source)
        notes += condensed
    names = [capture.name for capture in found] + [title_of(path) for path in stated.values()]
    if not sources:
        raise InputError(
            "There is nothing to read.", "Give a capture folder, a *.graph.json file or a report."
        )
    unique, copies = _without_copies(with_engine_name(sources))
    notes += copies
    ordered = sorted(unique, key=place_in_capture)
    _refuse_doubles(ordered)
    shown = next((each.optimization_profile for each in found if each.optimization_profile is not None), None)
    if model_folder:
        models = _models(_files_in(model_folder))
    else:
        models = tuple(dict.fromkeys(path for capture in found for path in capture.models))
    return Capture(names[0], tuple(ordered), tuple(notes), shown, models, str(model_folder or ""))


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
    head = read_head(place, _HEAD_BYTES)
    return zip_file.is_zip(head) or report_file.is_report(head)


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
        return _locate_in_folder(path)
    head, data = read_head(path, _HEAD_BYTES), b""
    if head.startswith(SQLITE_MAGIC):
        return Capture(title_of(path), (nsight_source("kernels", path),))
    file: Path | IO[bytes] = path
    if is_large_file(path) and _role_of_head(path) == "log":
        data, condensed = read_content(path, "log")
        return Capture(title_of(path), (Source("log", path.name, data),), tuple(condensed))
    if not zip_file.is_zip(head):
        # An archive is not read as a whole: it may hold an engine of some gigabytes. Only a pipe has to be.
        head = data = read_bytes(path)
        file = io.BytesIO(data)
    if archive_file.is_archive(head):
        return archive_file.read_archive(file, path.name)
    if zip_file.is_zip(head):
        return _locate_in_zip(path, file)
    if report_file.is_report(data):
        return report_file.read_report(data, path.name)
    return _locate_beside(path, data)


def _role_of_head(path: Path) -> str | None:
    """Return the role that a file's name or beginning shows, else None."""
    return role_of_name(path.name) or role_of_marks(read_head(path, MARKED_BYTES))


def _locate_in_zip(path: Path, file: Path | IO[bytes]) -> Capture:
    """Read the files in an archive such as TREx's, and those beside it; an engine in it may be large."""
    members, notes = zip_file.read_zip(file, path.name)
    prefix = re.sub(r"\.(tea|zip)$", "", path.name, flags=re.IGNORECASE)
    beside = _siblings(path.parent, prefix, without={source.role for source in members})
    siblings, left_out = read_sources(beside)
    return Capture(title_from(prefix, path.parent), (*members, *siblings), (*notes, *left_out))


def _locate_beside(path: Path, data: bytes) -> Capture:
    if is_ncu_table(path):
        return Capture(title_of(path), (nsight_source("counters", path),))
    if is_kernel_table(path):
        return Capture(title_of(path), (nsight_source("kernels", path),))
    role = role_of_name(path.name) or role_of_content(data)
    if role is None and is_own_json(data):
        raise InputError(
            f"{path.name} was written by trexreport, and carries no inputs.", "Use the original capture."
        )
    if role is None:
        # Imported late: most files are known.
        from trexreport.reader.recognized import unknown_file

        raise unknown_file(path, data)
    source = Source(role, path.name, data)
    if role == "layer-table":
        return Capture(phase_name(path.name), (source, *_end_to_end(path)))
    if role != "graph":
        return Capture(title_of(path), (source,))
    prefix, _ = split_name(path.name)
    beside = (
        _siblings(path.parent, prefix, without={"graph"}) if prefix is not None else _renamed_profile(path)
    )
    siblings, notes = read_sources(beside)
    files = _files_in(path.parent)
    if prefix is not None:
        more, more_notes = nsight_beside(_starting(files, prefix), prefix, siblings)
        siblings, notes = [*siblings, *more], [*notes, *more_notes]
    return Capture(title_of(path), (source, *siblings), tuple(notes), models=_models(files))


def _starting(files: Sequence[Path], prefix: str) -> list[Path]:
    stem = prefix.removesuffix(".engine").removesuffix(".plan")
    return [path for path in files if path.name.startswith(stem)]


def _end_to_end(path: Path) -> list[Source]:
    """Return the end-to-end times that TensorRT Edge-LLM writes beside a table of layers."""
    sibling = path.with_name(companion(path.name)) if companion(path.name) else path
    return (
        [Source("end-to-end", sibling.name, read_bytes(sibling))]
        if _is_file(sibling) and sibling != path
        else []
    )


def _models(files: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(path for path in files if path.suffix.lower() == ".onnx")


def _siblings(folder: Path, prefix: str, without: set[str]) -> list[tuple[str, Path]]:
    """Return the files that the naming convention puts beside `prefix`, each with its role."""
    found = []
    for suffix, role in ROLE_SUFFIXES:
        sibling = folder / f"{prefix}{suffix}"
        if role not in without and _is_file(sibling):
            found.append((role, sibling))
    known = {sibling for _, sibling in found}
    for sibling in _files_in(folder):
        its_prefix, its_role = split_name(sibling.name)
        if its_prefix == prefix and its_role in _REPEATABLE and sibling not in known:
            found.append((its_role, sibling))
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name that is too long with its ending
        return False


def _renamed_profile(path: Path) -> list[tuple[str, Path]]:
    """Find "profile_x.json" beside "layers_x.json", as some tools call them, or Torch-TensorRT's trace."""
    of_torch = re.sub(r"_layer_information\.json$", "_engine_execution_profile.trace", path.name)
    other = re.sub(r"layers?(?:_?info)?", "profile", path.name, count=1, flags=re.IGNORECASE)
    siblings = (path.with_name(name) for name in (of_torch, other) if name != path.name)
    return [("profile", sibling) for sibling in siblings if _is_file(sibling)][:1]


def _locate_in_folder(folder: Path) -> Capture:
    files = _files_in(folder)
    named = [(*split_name(path.name), path) for path in files]
    engines = {prefix for prefix, role, _ in named if prefix is not None and role == "graph"}
    if len(engines) > 1:
        raise _several(folder, [f"{prefix}.graph.json" for prefix in engines])
    if not engines:
        return _sniffed_capture(folder, files)
    engine = engines.pop()
    members = [(role, path) for prefix, role, path in named if prefix == engine and role is not None]
    others, other_notes = files_by_content(files, {role for role, _ in members}, engine)
    sources, notes = read_sources([*members, *others])
    more, more_notes = nsight_beside(files, engine, sources)
    sources, notes = [*sources, *more], [*notes, *other_notes, *more_notes]
    return Capture(title_from(engine, folder), tuple(sources), tuple(notes), models=_models(files))


def _is_other_table(path: Path) -> bool:
    """Return whether a file that may be of any program, and large, is surely none of a capture.

    Tools of Nsight write what trtexec prints into their tables: such a file is no log of it.
    """
    return path.suffix.lower() in _OF_ANY_PROGRAM and role_of_marks(read_head(path, MARKED_BYTES)) in (
        None,
        "log",
    )


def _sniffed_capture(folder: Path, files: Sequence[Path]) -> Capture:
    """Find the roles by content, for folders that follow no naming convention."""
    sources = []
    unmarked = []
    notes: list[InputWarning] = []
    for path in files:
        if path.suffix.lower() not in SNIFFED or _is_other_table(path):
            continue
        known = _role_of_head(path) if is_large_file(path) else None
        if known == "log" or not is_too_large(path):
            data, condensed = read_content(path, known)
            notes += condensed
            role = known or role_of_name(path.name) or role_of_marks(data)
            if role is not None:
                sources.append(Source(role, path.name, data))
            else:
                unmarked.append((path, data))
    certain = {source.role for source in sources}
    for path, data in unmarked:
        role = role_of_shape(data)
        if role is not None and role not in certain:
            sources.append(Source(role, path.name, data))
    tables = [source.name for source in sources if source.role == "layer-table"]
    if len(tables) > 1:
        raise _several(folder, tables)
    if tables and companion(tables[0]):
        # Times of other phases may be beside.
        own = companion(tables[0])
        sources = [each for each in sources if each.role != "end-to-end" or each.name == own]
    graphs = [source.name for source in sources if source.role == "graph"]
    if len({source.data for source in sources if source.role == "graph"}) > 1:
        raise _several(folder, graphs)
    if not sources:
        raise _no_capture(folder)
    first = graphs[0] if graphs else sources[0].name
    title = phase_name(tables[0]) if tables and not graphs else title_of(folder / first)
    more, more_notes = nsight_beside(files, None, sources)
    found = (*notes, *more_notes)
    return Capture(title, (*sources, *more), found, models=_models(files))


def _files_in(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_file())
    except PermissionError:
        raise InputError(f"{folder} may not be read by this user.", "Change its permissions.") from None
    except OSError as error:
        raise InputError(f"{folder} can't be read: {error.strerror}.") from None


def _no_capture(folder: Path) -> InputError:
    below = sorted({path.parent.name for path in folder.glob("*/*.json")})
    if below:
        return InputError(
            f"{folder} holds no capture itself.", f"Give one of its folders: {list_names(below, 5)}."
        )
    return InputError(
        f"{folder} holds no capture.", "A capture has at least a *.graph.json file from trtexec."
    )


def _several(folder: Path, names: Sequence[str]) -> InputError:
    return InputError(
        f"{folder} holds {len(names)} engines.", f"Give one of them: {list_names(sorted(names), 5)}."
    )


def _without_copies(sources: Sequence[Source]) -> tuple[list[Source], list[InputWarning]]:
    """Return sources without those of which one has the role and the bytes, and a note on each left out.

    Of a role that may have several files, only the same name counts as the same file.
    """
    first: dict[tuple[str, str, bytes], Source] = {}
    notes = []
    for source in sources:
        name = source.name if source.role in _REPEATABLE else ""
        kept = first.setdefault((source.role, name, source.data), source)
        if kept.name != source.name:
            message = f"{source.name} is a copy of {kept.name} and was left out."
            notes.append(InputWarning("info", "copy-left-out", message, source.name))
    return list(first.values()), notes


def _refuse_doubles(sources: Sequence[Source]) -> None:
    seen: dict[str, str] = {}
    for source in sources:
        if source.role in seen and source.role not in _REPEATABLE:
            raise InputError(
                f"{seen[source.role]} and {source.name} are both {source.role} files.", "Give one of them."
            )
        seen[source.role] = source.name
