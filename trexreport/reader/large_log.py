"""Read a large log piece by piece, and keep what the readers use.

Most of a verbose log of some gigabytes are the times of tactics and notes on the network: of each list of
tactics the fastest are kept with the number of the others, and verbose lines that no reader uses are left
out.
"""

from __future__ import annotations

import heapq
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from trexreport.input_file import open_input
from trexreport.model import InputWarning
from trexreport.numbers import counted, format_limit
from trexreport.reader.json_text import wide_encoding
from trexreport.reader.log_text import plain_lines
from trexreport.regex import regex

#: From this size on logs are read in pieces.
LARGE_BYTES = 48 * 2**20
#: No log is larger; reading takes about half a minute for each gigabyte.
LARGEST_LOG_BYTES = 16 * 2**30
_MAX_KEPT_BYTES = 96 * 2**20
#: Tactics of a list that are kept: as many as `timed_layers` uses.
_MAX_TACTICS = 12
_LONGEST_LINE = 4_000_000
_HEAD_BYTES = 4_096
_TIMED = regex(rb"Tactic: -?\w{1,40} [Tt]ime:? (\S{1,30})\s*$")
_ROW = regex(rb"(?:^|\s)\d{1,9}, (\S{1,30}), \S{1,30}, \S{1,30}, \S{1,400}, 0x")
_NAMED = b"Set Tactic Name: "
_VERBOSE = (b"[V]", b"VERBOSE", b"DEBUG")
#: What a verbose line has that some reader uses.
_USED = regex(
    rb"[Tt]actic|Timing Runner|Autotuning|Computing|cached result|Layer|Engine|engine|&&&&|===|emory|cache"
    rb"|CUDA|Calibrator|Name: |Bindings|Profile|ersion|calib|Reformat"
)
#: How a line states how many tactics were left out; `tactics` reads it.
LEFT_OUT = "slower tactics of this list left out"


class LargeLog:
    """Takes the lines of a log and keeps what is used of them."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._size = 0
        self._list: list[tuple[float, int, bytes]] = []
        self._list_left_out = 0
        self._name_line = b""
        self.tactics_left_out = 0
        self.lines_left_out = 0
        self.lines = 0

    def take(self, line: bytes) -> None:
        """Take a line with its end."""
        self.lines += 1
        if len(line) > _LONGEST_LINE:
            self.lines_left_out += 1
            return
        if _NAMED in line and not self._name_line:
            self._name_line = line
            return
        timed = _TIMED.search(line) if b"actic: " in line and b"Fastest" not in line else None
        timed = timed or (_ROW.search(line) if b", 0x" in line else None)
        if timed is not None:
            self._take_tactic(line, timed[1])
            return
        self._end_list()
        if any(mark in line[:300] for mark in _VERBOSE) and not _USED.search(line[:_LONGEST_LINE]):
            self.lines_left_out += 1
            return
        self._keep(line)

    def result(self) -> bytes:
        """Return what was kept."""
        self._end_list()
        return b"".join(self._kept)

    def _take_tactic(self, line: bytes, stated: bytes) -> None:
        try:
            time_ms = float(stated)
        except ValueError:
            time_ms = float("inf")
        entry = (-time_ms, -self.lines, self._name_line + line)
        self._name_line = b""
        if len(self._list) < _MAX_TACTICS:
            heapq.heappush(self._list, entry)
        else:
            heapq.heappushpop(self._list, entry)
            self._list_left_out += 1

    def _end_list(self) -> None:
        """Keep the fastest tactics of a list in their order, and state how many others there were."""
        if self._name_line:
            self._keep(self._name_line)
            self._name_line = b""
        for _, _, line in sorted(self._list, key=lambda entry: -entry[1]):
            self._keep(line)
        if self._list_left_out:
            self.tactics_left_out += self._list_left_out
            self._keep(f"[V] [TRT] {self._list_left_out} {LEFT_OUT}\n".encode())
        self._list, self._list_left_out = [], 0

    def _keep(self, line: bytes) -> None:
        if self._size + len(line) > _MAX_KEPT_BYTES:
            self.lines_left_out += 1
            return
        self._size += len(line)
        self._kept.append(line)


def condense(lines: Iterable[bytes], name: str) -> tuple[bytes, list[InputWarning]]:
    """Return what the readers use of the lines of a log, and a note on what was left out."""
    log = LargeLog()
    for line in plain_lines(lines):
        log.take(line)
    left_out = [
        counted(count, what)
        for count, what in ((log.tactics_left_out, "slower tactic"), (log.lines_left_out, "verbose line"))
        if count
    ]
    if not left_out:
        return log.result(), []
    message = f"{name} is large: {' and '.join(left_out)} were left out; the fastest tactics are there."
    return log.result(), [InputWarning("info", "log-condensed", message, name)]


def read_large_log(path: Path) -> tuple[bytes, list[InputWarning]]:
    """Read a log in pieces.

    Raises:
        OSError: It can't be read.
        ValueError: It is larger than any log.
    """
    with open_input(path) as file:
        return condense(_limited(file), path.name)


def _limited(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file as UTF-8; one that is longer than any is yielded in pieces."""
    encoding = wide_encoding(file.read(_HEAD_BYTES))
    file.seek(0)
    text = io.TextIOWrapper(file, encoding, errors="replace", newline="") if encoding else None
    size = 0
    while line := text.readline(_LONGEST_LINE + 1).encode() if text else file.readline(_LONGEST_LINE + 1):
        size += len(line)
        if size > LARGEST_LOG_BYTES:
            raise ValueError(f"it is larger than {format_limit(LARGEST_LOG_BYTES)}")
        yield line
