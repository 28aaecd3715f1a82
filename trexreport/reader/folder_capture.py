"""Find the files of a capture in a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.numbers import list_names
from trexreport.reader.by_content import SNIFFED, files_by_content, own_role, several_of_one_kind
from trexreport.reader.capture import Capture
from trexreport.reader.edge_llm import companion, phase_name
from trexreport.reader.engine_folders import engines_in
from trexreport.reader.file_groups import MAIN_ROLES, captures_in
from trexreport.reader.files import (
    is_large_file,
    is_too_large,
    read_bytes,
    read_content,
    read_head,
    read_sources,
)
from trexreport.reader.foreign_files import foreign_kind
from trexreport.reader.left_out import left_out_notes, notes_of_folders, notes_of_no_files
from trexreport.reader.nsight.located import nsight_beside
from trexreport.reader.recognized import ENOUGH, TO_MEASURE, how_to_measure, unknown_file
from trexreport.reader.roles import (
    MARKED_BYTES,
    role_of_marks,
    role_of_name,
    role_of_shape,
    split_name,
)
from trexreport.reader.title import title_from, title_of
from trexreport.regex import regex

_OF_ANY_PROGRAM = {".trace", ".csv"}
#: A folder may hold many files of another program.
_MOST_EXPLAINED = 3
#: Words of names of trtexec's files.
_NAMED = regex(r"profile|timing|layer|graph", re.IGNORECASE)
#: Files that people write, which may quote a log.
_QUOTING = frozenset({".md", ".markdown", ".rst", ".ipynb"})
#: What trtexec and loggers of TensorRT print of a run; a text that explains them has no such line.
_STAMPED = regex(
    rb"\[\d\d/\d\d/\d{4}-[\d:]{8}\] (?:\[TRT\] )?\[[VIWE]\] |&&&& (?:RUNNING|PASSED|FAILED) TensorRT\."
    rb"|=== Performance summary ===\s{1,9}Throughput: [\d.]{1,20} qps|\[TensorRT\] (?:INFO|WARNING|ERROR): "
    rb"|(?:INFO|WARNING|ERROR): \[TRT\]: |\b(?:trt|onnxrt)-runner-N\d|\"averageMs\" ?: ?\d"
    rb"|:onnxruntime:[^\]\n]{0,200}tensorrt_execution_provider|WARNING: Default DLA is enabled but layer "
)


def role_of_head(path: Path) -> str | None:
    """Return the role that a file's name or beginning shows, else None."""
    return role_of_name(path.name) or role_of_marks(read_head(path, MARKED_BYTES))


def models_of(files: Sequence[Path]) -> tuple[Path, ...]:
    """Return the ONNX models among files."""
    return tuple(path for path in files if path.suffix.lower() == ".onnx")


def locate_in_folder(folder: Path) -> Capture:
    """Return the capture of a folder: by the naming convention, else by what the files contain.

    Raises:
        InputError: It has no capture or several, or can't be read.
    """
    files = files_in(folder)
    named = [(*split_name(path.name), path) for path in files]
    engines = {prefix for prefix, role, _ in named if prefix is not None and role == "graph"}
    engine = engines.pop() if len(engines) == 1 else ""
    own = {engine, engine.removesuffix(".engine").removesuffix(".plan")}
    # Others are called after further engines, or further runs.
    if not engine or any(role in MAIN_ROLES and prefix not in own for prefix, role, _ in named):
        return _sniffed_capture(folder, files)
    members = [(role, path) for prefix, role, path in named if prefix == engine and role is not None]
    others, other_notes = files_by_content(files, {role for role, _ in members}, engine)
    sources, notes = read_sources([*members, *others])
    more, more_notes = nsight_beside(files, engine, sources)
    sources = [*sources, *more]
    notes = [*notes, *other_notes, *more_notes, *left_out_notes(files, sources)]
    notes += [*notes_of_no_files(folder, engine), *notes_of_folders(folder)]
    return Capture(title_from(engine, folder), tuple(sources), tuple(notes), models=models_of(files))


def _is_other_table(path: Path) -> bool:
    """Return whether a file that may be of any program, and large, is surely none of a capture.

    Tools of Nsight write what trtexec prints into their tables: such a file is not a log of it.
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
        known = role_of_head(path) if is_large_file(path) else None
        if known == "log" or not is_too_large(path):
            data, condensed = read_content(path, known)
            notes += condensed
            role = known or role_of_name(path.name) or role_of_marks(data)
            if role is not None:
                sources.append(Source(role, path.name, data))
            else:
                unmarked.append((path, data))
    sources += _unusually_named(files, {source.role for source in sources})
    sources = sources or _quoted_logs(files)
    watches = [source for source in sources if source.role == "gpu"]
    if len(watches) > 1:
        # Such as logs of tegrastats, each of another run.
        sources = [source for source in sources if source.role != "gpu"]
        notes.append(several_of_one_kind([source.name for source in watches]))
    certain = {source.role for source in sources}
    for path, data in unmarked:
        role = role_of_shape(data)
        if role is not None and role not in certain:
            sources.append(Source(role, path.name, data))
        elif role is None and _NAMED.search(path.name) and path.suffix.lower() == ".json":
            notes.append(_not_recognized(path.name))
    tables = [source.name for source in sources if source.role == "layer-table"]
    if len(tables) > 1:
        raise _several(folder, tables)
    if tables and companion(tables[0]):
        # Times of other phases may be beside.
        own = companion(tables[0])
        sources = [each for each in sources if each.role != "end-to-end" or each.name == own]
    graphs = [source for source in sources if source.role == "graph"]
    is_several = len({source.data for source in graphs}) > 1
    if is_several and (engines_in(folder) or not captures_in(sources)):
        raise _several(folder, [source.name for source in graphs])
    more, more_notes = nsight_beside(files, None, sources)
    if not sources and not more:
        raise _no_capture(folder, files, more_notes)
    title = _title(folder, sources or more)
    sources += more
    found = (
        *notes,
        *more_notes,
        *left_out_notes(files, sources),
        *notes_of_no_files(folder, None),
        *notes_of_folders(folder),
    )
    return Capture(title, tuple(sources), found, models=models_of(files))


def _title(folder: Path, sources: Sequence[Source]) -> str:
    """Return what a folder's capture is called: the folder, if its files are called after several."""
    graphs = [source.name for source in sources if source.role == "graph"]
    tables = [source.name for source in sources if source.role == "layer-table"]
    if len(captures_in(sources)) > 1:
        return title_from("", folder)
    if tables and not graphs:
        return phase_name(tables[0])
    # Samples of the GPU may be of several engines.
    naming = [source for source in sources if source.role != "gpu"] or sources
    titles = {title_of(folder / source.name) for source in naming}
    if all(source.role == "log" for source in naming) and len(titles) > 1:
        return title_from("", folder)
    return title_of(folder / (graphs[0] if graphs else naming[0].name))


def _quoted_logs(files: Sequence[Path]) -> list[Source]:
    """Return the texts that quote a log, for a folder that holds nothing else."""
    quoting = (path for path in files if path.suffix.lower() in _QUOTING and not is_too_large(path))
    found = ((path, read_content(path, "log")[0]) for path in quoting)
    return [
        Source(role_of_marks(data) or "log", path.name, data) for path, data in found if _STAMPED.search(data)
    ]


def _not_recognized(name: str) -> InputWarning:
    """Return the note on a file that is called as one of a capture and holds none."""
    message = f"{name} was left out: nothing in it is known."
    hint = "If it is of this engine, write it again: it is damaged."
    return InputWarning("degraded", "file-left-out", message, name, ("layers", "timing"), hint)


def _unusually_named(files: Sequence[Path], certain: Collection[str]) -> list[Source]:
    """Return files whose endings say nothing of what they are, of roles that no other file has."""
    found = [(role, path) for path in files if (role := own_role(path)) and role not in certain]
    counts = Counter(role for role, _ in found)
    return [
        Source(role, path.name, read_content(path, role)[0])
        for role, path in found
        if counts[role] == 1 and not is_too_large(path)
    ]


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder by name.

    Raises:
        InputError: It can't be read.
    """
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_file())
    except PermissionError:
        raise InputError(f"{folder} may not be read by this user.", "Change its permissions.") from None
    except OSError as error:
        raise InputError(f"{folder} can't be read: {error.strerror}.") from None


def _no_capture(folder: Path, files: Sequence[Path], of_traces: Sequence[InputWarning]) -> InputError:
    """Return the error that no file of a folder is known, with what to do with a model or an engine in it.

    Args:
        folder: It.
        files: Its files.
        of_traces: Why those of Nsight's tools among them were not read.
    """
    below = sorted({path.parent.name for ending in ("json", "log") for path in folder.glob(f"*/*.{ending}")})
    if below:
        several = ", or compare them: trexreport compare FOLDER FOLDER" if len(below) > 1 else ""
        return InputError(
            f"{folder} holds no capture itself.", f"Give one of its folders: {list_names(below, 5)}{several}."
        )
    model = next((path for path in files if path.suffix.lower() in TO_MEASURE), None)
    no_files = notes_of_no_files(folder, None)
    if no_files and not model:
        return InputError(f"{folder} holds no capture: {no_files[0].message}", no_files[0].hint)
    foreign = [] if model else [path for path in files if _is_foreign(path)]
    if not foreign and of_traces:
        return InputError(f"{folder} holds no capture: {of_traces[0].message}", of_traces[0].hint)
    if explained := foreign or [path for path in files if _is_called_as_one(path)]:
        errors = [_why_not(path) for path in explained[:_MOST_EXPLAINED]]
        what = " ".join(error.args[0] for error in errors)
        return InputError(
            f"{folder} holds no capture: {what}", how_to_measure(model) if model else errors[0].hint
        )
    return InputError(f"{folder} holds no capture.", how_to_measure(model) if model else ENOUGH)


def _why_not(path: Path) -> InputError:
    data = read_bytes(path)
    return unknown_file(path, data) if data.strip() else InputError(f"{path.name} is empty.", ENOUGH)


def _is_foreign(path: Path) -> bool:
    """Return whether a file is known to be one of another program."""
    is_readable = path.suffix.lower() in {*SNIFFED, *_QUOTING} and not is_too_large(path)
    return is_readable and foreign_kind(path.name, read_head(path, MARKED_BYTES)) is not None


def _is_called_as_one(path: Path) -> bool:
    """Return whether a file is called as one of a capture, which it is not by what it holds."""
    name, ending = path.name, path.suffix.lower()
    is_named = role_of_name(name) or _NAMED.search(name) or ending == ".log"
    return bool(is_named) and ending in SNIFFED and not is_too_large(path)


def _several(folder: Path, names: Sequence[str]) -> InputError:
    """Return the error that a folder holds several engines, of which none can be shown alone."""
    return InputError(
        f"{folder} holds {len(names)} engines.", f"Give one of them: {list_names(sorted(names), 5)}."
    )
