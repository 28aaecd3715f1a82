"""Find files that follow no naming convention beside those of an engine that do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from trexreport.model import InputWarning
from trexreport.reader.edge_llm import companion
from trexreport.reader.files import read_head
from trexreport.reader.roles import MARKED_BYTES, role_of_marks, split_name

LOG_SUFFIXES = {".log", ".txt"}
#: ".trace" is what Torch-TensorRT calls a profile; TensorRT Edge-LLM writes CSV.
SNIFFED = {".json", ".trace", ".csv", *LOG_SUFFIXES}
#: Copies that editors and people keep beside a file, and files that are read in another way.
_OTHERS = (
    ".bak",
    ".old",
    ".orig",
    ".tmp",
    ".swp",
    "~",
    ".onnx",
    ".engine",
    ".plan",
    ".trt",
    ".html",
    ".pdf",
    ".md",
)
#: What trtexec and TensorRT write of an engine, whatever the file is called.
_OWN_ROLES = frozenset({"graph", "profile", "timing"})
_LOG_MARKS = (b"&&&& RUNNING TensorRT", b"=== Performance summary ===", b"=== Device Information ===")
_TEXT_BYTES = 1024


def own_role(path: Path) -> str | None:
    """Return the role of a file with an unusual ending, or none, that is surely one of a capture."""
    name = path.name.lower()
    if path.suffix.lower() in SNIFFED or name.startswith(".") or name.endswith(_OTHERS):
        return None
    head = read_head(path, MARKED_BYTES)
    if b"\0" in head[:_TEXT_BYTES]:
        return None
    role = role_of_marks(head)
    is_json = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    if role == "log":
        return role if any(mark in head for mark in _LOG_MARKS) else None
    return role if role in _OWN_ROLES and is_json else None


def files_by_content(
    files: Sequence[Path], known: Collection[str], prefix: str = ""
) -> tuple[list[tuple[str, Path]], list[InputWarning]]:
    """Return what other producers and renamed options wrote into the folder of one engine, with their roles.

    Logs are all its own. Of any other role one file is taken, and that where no file of the convention has
    the role. Beside layers of another engine nothing but logs is certain to be of this one.

    Args:
        files: Of the folder.
        known: Roles of the files that follow the convention.
        prefix: Of their names. Where it is that of an engine's file, as in "x.engine.graph.json", files named
            after the model, such as "x.accuracy.json", belong to it.
    """
    stem = prefix.removesuffix(".engine").removesuffix(".plan")
    found: dict[str, list[Path]] = {}
    for path in files:
        its_prefix, stated = split_name(path.name)
        if stated is not None and its_prefix == stem != prefix and stated != "graph":
            found.setdefault(stated, []).append(path)
        elif path.suffix.lower() in SNIFFED and stated is None:
            role = role_of_marks(read_head(path, MARKED_BYTES))
            if role is not None and (role != "log" or path.suffix.lower() in LOG_SUFFIXES):
                found.setdefault(role, []).append(path)
    members = [("log", path) for path in found.pop("log", [])]
    if "graph" in found:
        return members, []
    tables = found.get("layer-table", [])
    if len(tables) == 1 and companion(tables[0].name):
        # Times of other phases may be beside.
        whole = [path for path in found.pop("end-to-end", []) if path.name == companion(tables[0].name)]
        members += [("end-to-end", path) for path in whole]
    notes = []
    for role, paths in sorted(found.items()):
        if role in known:
            continue
        if len(paths) == 1:
            members.append((role, paths[0]))
            continue
        notes.append(several_of_one_kind([path.name for path in paths]))
    return members, notes


def several_of_one_kind(names: Sequence[str]) -> InputWarning:
    """Return the note that none of several files was read, as a capture has one of their kind."""
    message = (
        f"{len(names)} files of one kind are in the folder, and none was read, such as {names[0]} and "
        f"{names[1]}."
    )
    return InputWarning("info", "several-of-one-kind", message, names[0], (), "Name one beside the folder.")
