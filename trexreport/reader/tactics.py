"""Read which tactics a builder timed for each layer, from a verbose log, line by line.

Two grammars, of TensorRT 7 to 10.16. For layers (up to 8.5 the kernel is in a line before)::

    =============== Computing costs for conv1
    *************** Autotuning format combination: Half(784,1:8,28,1) -> Half(3136,1:8,112,4) ***************
    --------------- Timing Runner: conv1 (CaskConvolution[0x80000009])
    Tactic Name: sm80_xmma_fprop_... Tactic: 0x5b8bf1b8028629d9 Time: 0.00535
    Tactic: 0x12 skipped. Scratch requested: 70778880, available: 1048576
    conv1 (CaskConvolution[0x80000009]) profiling completed in 0.08 seconds. Fastest Tactic: 0x5b8… …
    conv1 [Half(...) -> Half(...)] got cached result: CaskConvolution, tactic 0x5b8bf1b8028629d9, 0.00535 ms

and for operations inside Myelin regions (from 9 on), with rows in the order of the times::

    Autotuning op node_linear(key: 0xe5c2): [ONNX Layer: node_linear]
    Sorted table of all evaluated tactics:
    tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, kernel_name, tactic_hash, …
       4, 0.0126784, 1.00000, 0.84378, sm80_xmma_gemm_..., 0x2c80ce2f5c4a6,
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from trexreport.model.tactics import BuildTactics, DropReason
from trexreport.reader.large_log import LEFT_OUT
from trexreport.reader.timed_layers import TimedLayers
from trexreport.reader.trtexec_lines import lines, without_colors, without_prefix
from trexreport.regex import regex

#: What a line has that is read; looking for it first keeps the patterns away from nearly all others.
_WORDS = ("actic", "Autotuning", "Timing Runner", "Computing ", "cached result", "Engine", "engine with size")
#: What a log has somewhere that lists tactics.
MARKS = ("Timing Runner: ", "Autotuning op ", "got cached result: ")
_MAX_NAME = 20_000
_LONGEST_LINE = 60_000
_RUNNER = regex(r"Timing Runner: (.{1,20000}) \((\w{1,80})(?:\[\w{1,20}\])?\)\s*$")
_COSTS = regex(r"=+ Computing costs for ?(.{0,20000}?)\s*$")
_FORMATS = regex(r"Autotuning format combination: ?(.{0,20000}?) ?(?:\*{3,}.*)?$")
_TACTIC = regex(r"(?:Tactic Name: (\S{1,400}) )?Tactic: (-?\w{1,40}) [Tt]ime:? (\S{1,30})\s*$")
_NAMED = regex(r"Set Tactic Name: (\S{1,400})(?: Tactic: (-?\w{1,40}))?\s*$")
_COMPLETED = regex(r"profiling completed in (\S{1,30}) seconds")
_FASTEST = regex(r"Fastest Tactic: (-?\w{1,40}) [Tt]ime:? (\S{1,30})\s*$")
_NONE_VALID = regex(
    r"Skipping (\w{1,80}): No valid tactics for |(\w{1,80}) has no valid tactics for this config, skipping"
)
_SKIPPED = regex(r"[Ss]kipping tactic ?(\S{1,40}) due to (.{0,200})")
_CACHED = regex(
    r"(?:\] |: |^)?([^\s].{0,20000}?) \[([^\[\]]{0,20000})\] got cached result: "
    r"(\w{1,80}), tactic (-?\w{1,40}), (\S{1,30}) ms\s*$"
)
_OPERATION = regex(r"Autotuning op (.{1,20000}?)(?:\(key: (\w{1,80})\))?:(?: |$)")
_ROW = regex(r"(?:^|\s)(\d{1,9}), (\S{1,30}), \S{1,30}, \S{1,30}, (\S{1,400}), (0x[0-9a-fA-F]{1,40}),")
_TABLE = "Sorted table of all evaluated tactics"
_TABLE_HEAD = "tactic_id, cost"
_SELECTED = regex(r"The selected tactic is \(tactic hash, cost\(in ms\)\): ?(\w{1,40}),\s*(\S{1,30})")
_LEFT_OUT = regex(rf"(\d{{1,12}}) {LEFT_OUT}")
_GENERATED = regex(r"Engine generation completed in (\S{1,30}) sec")
_ENDS = ("Engine built in ", "Created engine with size: ")
_STAMP = regex(r"\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d)\]", re.ASCII)
_STAMP_FORM = "%m/%d/%Y-%H:%M:%S"
_ONLY_OPTION = "is the only option, timing skipped"


def read_tactics(data: bytes) -> BuildTactics | None:
    """Return what a log states of the last build whose tactics it lists; None without any.

    Lines are decoded one by one, so that beside the log itself only what was found takes memory.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return read_tactic_lines(lines(data.decode("utf-16", errors="replace")))
    if not any(mark.encode() in data for mark in MARKS):
        return None
    return read_tactic_lines(io.TextIOWrapper(io.BytesIO(data), "utf-8", errors="replace", newline="\n"))


def read_tactic_lines(text: Iterable[str]) -> BuildTactics | None:
    """Return what the lines of a log state of the last build whose tactics they list; None without any."""
    reading = _Reading()
    for line in _of_interest(text):
        reading.take(line)
    return reading.found.result()


def _of_interest(text: Iterable[str]) -> Iterator[str]:
    in_table = False
    for line in text:
        if in_table and ", 0x" in line:
            yield without_colors(line[:_LONGEST_LINE]).rstrip()
            continue
        if any(word in line for word in _WORDS):
            in_table = _TABLE_HEAD in line or _TABLE in line
            yield without_colors(line[:_LONGEST_LINE]).rstrip()


class _Reading:
    """Takes the lines of a log in turn."""

    def __init__(self) -> None:
        self.found = TimedLayers()
        self._costs_of = ""
        self._kernels: dict[str, str] = {}
        self._next_kernel = ""
        self._runner = ""
        self._stamp = ""
        self._ended = False

    def take(self, line: str) -> None:
        """Read a line."""
        self._take_stamp(line)
        if "Tactic: " in line and "Fastest" not in line and (found := _TACTIC.search(line)):
            kernel = found[1] or self._kernels.pop(found[2], "") or self._next_kernel
            self._next_kernel = ""
            self.found.leave_operation()
            self.found.time(found[2], found[3], kernel, self._runner)
        elif ", 0x" in line and (found := _ROW.search(line)):
            self.found.time(found[4], found[2], found[3], "")
        elif "Timing Runner: " in line:
            self._begin_runner(line)
        elif "Autotuning" in line:
            self._begin(line)
        elif "cached result" in line:
            if found := _CACHED.search(line):
                self._restart()
                name = without_prefix(found[1])[0]
                self.found.cached(name, found[2], found[4], found[5], found[3])
        elif "Computing" in line:
            if found := _COSTS.search(line):
                self._restart()
                self._costs_of = found[1]
                self.found.begin_layer(found[1])
            elif "reformatting costs" in line:
                self.found.begin_reformats()
        else:
            self._take_rest(line)

    def _begin_runner(self, line: str) -> None:
        if not (found := _RUNNER.search(line)):
            return
        self._restart()
        self._runner, self._next_kernel = found[2], ""
        if found[1].startswith("Optimizer Reformat"):
            self.found.begin_reformats()
            self.found.count_reformat()
        else:
            self.found.begin_layer(found[1])

    def _begin(self, line: str) -> None:
        if found := _FORMATS.search(line):
            self._restart()
            self.found.begin_formats(found[1])
            if self._costs_of:
                self.found.begin_layer(self._costs_of)
        elif "Autotuning Reformat" in line or "Autotuning format conversion" in line:
            self.found.begin_reformats()
        elif found := _OPERATION.search(line):
            self._restart()
            self.found.begin_operation(found[1].strip())

    def _take_rest(self, line: str) -> None:
        if found := _NAMED.search(line):
            if found[2]:
                if len(self._kernels) < _MAX_NAME:
                    self._kernels[found[2]] = found[1]
            else:
                self._next_kernel = found[1]
            return
        if "Fastest Tactic" in line:
            self.found.leave_operation()
            if found := _COMPLETED.search(line):
                self.found.profiled(found[1])
            if found := _FASTEST.search(line):
                self.found.fastest(found[1], found[2], self._runner)
        elif LEFT_OUT in line:
            if found := _LEFT_OUT.search(line):
                self.found.add_left_out(int(found[1]))
        elif reason := _drop_reason(line):
            self.found.leave_operation()
            self.found.drop(reason)
        elif found := _SELECTED.search(line):
            self.found.fastest(found[1], found[2], "")
        elif found := _GENERATED.search(line):
            self.found.generated(found[1])
            self.found.close()
        elif any(end in line for end in _ENDS) or "Engine Layer Information" in line:
            self._ended = True

    def _restart(self) -> None:
        """Forget the build before, where another one begins after its end."""
        if self._ended:
            self.found = TimedLayers()
            self._ended, self._costs_of = False, ""

    def _take_stamp(self, line: str) -> None:
        stamp = _STAMP.search(line, 0, 200)
        if stamp is None or stamp[1] == self._stamp:
            return
        if self._stamp:
            try:
                before, now = (datetime.strptime(each, _STAMP_FORM) for each in (self._stamp, stamp[1]))  # noqa: DTZ007
                self.found.passed((now - before).total_seconds())
            except ValueError:
                pass
        self._stamp = stamp[1]


def _drop_reason(line: str) -> DropReason | None:
    if "skipped. Scratch requested" in line or "scratch requested" in line:
        return "workspace"
    if _ONLY_OPTION in line:
        return "only-option"
    if _NONE_VALID.search(line):
        return "no-tactic"
    if found := _SKIPPED.search(line):
        memory = "insuff" in found[2] or "oom" in found[2] or "allocating" in found[2]
        return "gpu-memory" if memory else "exception"
    return None
