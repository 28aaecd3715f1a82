"""The source lines of a finding as a code host finds them: relative to the folder of the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, Place

_DRIVE = re.compile(r"[A-Za-z]:(?=/)")
_LARGEST_LINE = 2**31 - 1


class SourceLine(NamedTuple):
    """A line of a file: its path with slashes, relative to the folder of the sources."""

    path: str
    line: int


class SourcePaths:
    """The source files of an ONNX model, as relative paths.

    A relative path is taken as it is. Of absolute ones, the folder that all have in common is left out: it is
    one of the machine that exported the model, and may name a user.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._model = analysis.onnx
        files = {node.source.rpartition(":")[0] for node in self._model.nodes} if self._model else set()
        self._paths = _relative(filter(None, files))

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


def _relative(files: Iterable[str]) -> Mapping[str, str]:
    """Return the relative path of each file; a file that is outside of the folder of the sources has none."""
    parts = {file: _parts(file) for file in sorted(files)}
    absolute = [each[:-1] for each in parts.values() if each and not each[0]]
    shared = 0
    for several in zip(*absolute, strict=False):
        if len(set(several)) > 1:
            break
        shared += 1
    found = {}
    for file, each in parts.items():
        relative = each[shared:] if each and not each[0] else each
        if relative and relative[0] != "..":
            found[file] = "/".join(relative)
    return found


def _parts(file: str) -> list[str]:
    """Return the parts of a path of any system, "" first of an absolute one, without "." and inner ".."."""
    text = file.replace("\\", "/")
    drive = _DRIVE.match(text)
    parts = ["", *([drive[0]] if drive else [])] if drive or text.startswith("/") else []
    fixed = len(parts)
    for part in text[drive.end() if drive else 0 :].split("/"):
        if part == ".." and len(parts) > fixed and parts[-1] != "..":
            parts.pop()
        elif part == ".." and fixed:
            continue
        elif part not in ("", "."):
            parts.append(part)
    return parts if len(parts) > fixed else []
