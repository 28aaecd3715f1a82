"""The source lines of a finding as a code host finds them: relative to the folder of the sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, Place
from trexreport.regex import regex

_DRIVE = regex(r"[A-Za-z]:(?=/)")
#: Parts of folders that hold those of users, of disks and of the system, and no project.
_NO_PROJECT = regex(r"|[A-Za-z]:?|home|users|mnt|media|volumes", re.IGNORECASE)
#: A file that is in no folder below.
_HERE = "/"
_LARGEST_LINE = 2**31 - 1


class SourceLine(NamedTuple):
    """A line of a file: its path with slashes, relative to the folder of the sources."""

    path: str
    line: int


class SourcePaths:
    """The source files of an ONNX model, as relative paths.

    A relative path is taken as it is. Of absolute ones, the folder that all have in common is left out: it is
    one of the machine that exported the model, and may name a user. If they share only the root, a drive or
    the folder of all users, it is that of most files, and the others have no path.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._model = analysis.onnx
        files = (node.source.rpartition(":")[0] for node in self._model.nodes) if self._model else ()
        self._paths = _relative(Counter(filter(None, files)))

    def lines(self, place: Place) -> list[SourceLine]:
        """Return the lines that the layers of a place compute, those of its first layer first."""
        model = self._model
        if model is None or not model.layer_nodes:
            return []
        nodes = dict.fromkeys(node for layer in place.layers for node in model.layer_nodes[layer])
        found = []
        for node in nodes:
            file, _, line = model.nodes[node].source.rpartition(":")
            if file in self._paths and line.isascii() and line.isdecimal():
                found.append(SourceLine(self._paths[file], min(max(int(line), 1), _LARGEST_LINE)))
        return list(dict.fromkeys(found))


def _relative(nodes_of: Mapping[str, int]) -> Mapping[str, str]:
    """Return the relative path of each file; a file that is outside of the folder of the sources has none.

    Args:
        nodes_of: By file, how many nodes are from it.
    """
    parts = {file: _parts(file) for file in sorted(nodes_of)}
    folder = _folder([(each[:-1], nodes_of[file]) for file, each in parts.items() if each and not each[0]])
    found = {}
    for file, each in parts.items():
        if each and each[0] not in ("", ".."):
            found[file] = "/".join(each)
        elif each and not each[0] and each[: len(folder)] == folder:
            found[file] = "/".join(each[len(folder) :])
    return found


def _folder(folders: Sequence[tuple[list[str], int]]) -> list[str]:
    """Return the folder that all share; if that holds the folders of users or drives, that of most of them.

    Args:
        folders: The parts of each file's folder, with the number of its nodes.
    """
    shared: list[str] = []
    is_project = False
    while folders:
        sizes: dict[str, tuple[int, int]] = {}
        for parts, nodes in folders:
            part = parts[len(shared)] if len(parts) > len(shared) else _HERE
            files, its_nodes = sizes.get(part, (0, 0))
            sizes[part] = files + 1, its_nodes + nodes
        below = sorted(sizes.keys() - {_HERE})
        if not below or (is_project and len(sizes) > 1):
            break
        part = max(below, key=sizes.__getitem__)
        is_project = is_project or not _NO_PROJECT.fullmatch(part)
        folders = [each for each in folders if each[0][len(shared) : len(shared) + 1] == [part]]
        shared.append(part)
    return shared


def _parts(file: str) -> list[str]:
    """Return the parts of a path of any system, "" first of an absolute one, without "." and inner ".."."""
    text = file.replace("\\", "/")
    drive = _DRIVE.match(text)
    parts = ["", *([drive[0].upper()] if drive else [])] if drive or text.startswith("/") else []
    fixed = len(parts)
    for part in text[drive.end() if drive else 0 :].split("/"):
        if part == ".." and len(parts) > fixed and parts[-1] != "..":
            parts.pop()
        elif part == ".." and fixed:
            continue
        elif part not in ("", "."):
            parts.append(part)
    return parts if len(parts) > fixed else []
