"""Read the times that TensorRT's own profiler prints: `trt.Profiler()` in Python, a line for each layer.

A run prints "conv1 + relu1: 0.120832ms" for each layer, the next run the same lines again, perhaps with other
output between. Source: `Profiler` in the Python bindings of TensorRT (pyCore.cpp), and the samples that
imitate it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.regex import regex

_TIME = regex(r"(?P<name>\S.{0,20000}): ?(?P<ms>\d{1,9}(?:\.\d{1,18})?(?:e-?\d{1,3})?) ?ms[ \r]*", re.ASCII)
#: What only names of TensorRT's layers have; programs print other times in this form, too.
_OF_LAYERS = regex(
    r" \+ |PWN\(|Reformatting CopyNode |\{ForeignNode\[|\(Unnamed Layer\* |_myl\d| reformatter \d"
)
_MIN_LINES, _MIN_NAMED = 5, 2
#: What trexreport reads of a log that has it.
_MARKS_OF_LOGS = ("=== Performance summary ===", "=== Profile (", "&&&& RUNNING")


def prints_times(text: str) -> bool:
    """Return whether a text, or its beginning, has such lines and is not a log of trtexec."""
    if "ms" not in text or any(mark in text for mark in _MARKS_OF_LOGS):
        return False
    names = [name for name, _ in _times(text)]
    return len(names) >= _MIN_LINES and sum(bool(_OF_LAYERS.search(each)) for each in names) >= _MIN_NAMED


def printed_times(text: str) -> dict[str, list[float]]:
    """Return the times in ms of each layer, one for each run, in the order of the first one."""
    found: dict[str, list[float]] = {}
    for name, time_ms in _times(text):
        found.setdefault(name, []).append(time_ms)
    return found


def _times(text: str) -> Iterator[tuple[str, float]]:
    for line in text.split("\n"):
        if line.rstrip().endswith("ms") and (match := _TIME.fullmatch(line)):
            yield match["name"], float(match["ms"])
