"""Find the files of a capture beside a given one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trexreport.errors import InputError
from trexreport.model import Source
from trexreport.reader.by_content import LOG_SUFFIXES
from trexreport.reader.capture import Capture
from trexreport.reader.edge_llm import companion, phase_name
from trexreport.reader.files import (
    read_bytes,
    read_head,
    read_sources,
)
from trexreport.reader.folder_capture import files_in, models_of
from trexreport.reader.left_out import notes_of_no_files
from trexreport.reader.nsight.located import (
    is_kernel_table,
    is_ncu_table,
    nsight_beside,
    nsight_source,
)
from trexreport.reader.roles import (
    MARKED_BYTES,
    REPEATABLE_ROLES,
    ROLE_SUFFIXES,
    is_own_json,
    role_of_content,
    role_of_marks,
    role_of_name,
    split_name,
)
from trexreport.reader.title import title_of


def locate_beside(path: Path, data: bytes) -> Capture:
    """Return the capture of a single file, with the files that belong to it beside it.

    Raises:
        InputError: It is not a file of a capture, or was written by trexreport without inputs.
    """
    if is_ncu_table(path):
        return Capture(title_of(path), (nsight_source("counters", path),))
    role = role_of_name(path.name) or role_of_content(data)
    if (role is None or path.suffix.lower() == ".csv") and is_kernel_table(path):
        return Capture(title_of(path), (nsight_source("kernels", path),))
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
        tables, table_notes = nsight_beside([path], None, [source]) if role == "log" else ([], [])
        return Capture(title_of(path), (source, *tables), tuple(table_notes))
    prefix, _ = split_name(path.name)
    beside = (
        siblings_of(path.parent, prefix, without={"graph"}) if prefix is not None else _renamed_profile(path)
    )
    files = files_in(path.parent)
    if prefix is not None:
        beside += [("log", log) for log in _logs_called(prefix, files)]
    siblings, notes = read_sources(beside)
    if prefix is not None:
        more, more_notes = nsight_beside(_starting(files, prefix), prefix, siblings)
        siblings, notes = [*siblings, *more], [*notes, *more_notes, *notes_of_no_files(path.parent, prefix)]
    return Capture(title_of(path), (source, *siblings), tuple(notes), models=models_of(files))


def _starting(files: Sequence[Path], prefix: str) -> list[Path]:
    return [path for path in files if path.name.startswith(_model(prefix))]


def _logs_called(prefix: str, files: Sequence[Path]) -> list[Path]:
    """Return the logs that are called as the engine, or its model, and nothing else: "x.log"."""
    return [
        path
        for path in files
        if path.suffix.lower() in LOG_SUFFIXES
        and path.stem in (prefix, _model(prefix))
        and role_of_marks(read_head(path, MARKED_BYTES)) == "log"
    ]


def _model(prefix: str) -> str:
    return prefix.removesuffix(".engine").removesuffix(".plan")


def _end_to_end(path: Path) -> list[Source]:
    """Return the end-to-end times that TensorRT Edge-LLM writes beside a table of layers."""
    sibling = path.with_name(companion(path.name)) if companion(path.name) else path
    return (
        [Source("end-to-end", sibling.name, read_bytes(sibling))]
        if _is_file(sibling) and sibling != path
        else []
    )


def siblings_of(folder: Path, prefix: str, without: set[str]) -> list[tuple[str, Path]]:
    """Return the files that the naming convention puts beside `prefix`, each with its role."""
    found = []
    for suffix, role in ROLE_SUFFIXES:
        sibling = folder / f"{prefix}{suffix}"
        if role not in without and _is_file(sibling):
            found.append((role, sibling))
    known = {sibling for _, sibling in found}
    for sibling in files_in(folder):
        its_prefix, its_role = split_name(sibling.name)
        if its_prefix == prefix and its_role in REPEATABLE_ROLES and sibling not in known:
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
