"""Say what happens in the form of trtexec's log, so that one reader understands both.

Source of the grammar: logger.h and sampleReporting.cpp of trtexec.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from trexreport.visible import one_line

PROGRAM = "TensorRT.trexreport"


class Console:
    """Writes lines of a log to standard output; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def banner(self, state: str, version: str, words: Sequence[str]) -> None:
        """Write the first or last line of a run; the version is packed as TensorRT packs it."""
        self._write(f"&&&& {state} {PROGRAM} [TensorRT v{version}] # trexreport {' '.join(words)}")

    def info(self, text: str = "") -> None:
        """Write a line of information."""
        self._say("I", text)

    def warning(self, text: str) -> None:
        """Write a warning."""
        self._say("W", text)

    def error(self, text: str) -> None:
        """Write an error."""
        self._say("E", text)

    def library(self, severity: str, text: str) -> None:
        """Write what TensorRT itself says."""
        for line in text.split("\n"):
            self._say(severity, f"[TRT] {line}")

    def section(self, title: str, values: dict[str, object]) -> None:
        """Write a heading and a line for each key."""
        self.info(f"=== {title} ===")
        for key, value in values.items():
            self.info(f"{key}: {value}")
        self.info()

    def _say(self, severity: str, text: str) -> None:
        now = time.strftime("%m/%d/%Y-%H:%M:%S")
        self._write(f"[{now}] [{severity}] {one_line(text) if text else ''}")

    def _write(self, line: str) -> None:
        with self._lock:
            print(line, flush=True)


def packed_version(version: str) -> str:
    """Return "101601" for "10.16.1.11" and "8601" for "8.6.1", as NvInferVersion.h packs it."""
    major, minor, patch = ([int(each) for each in version.split(".")[:3] if each.isdecimal()] + [0, 0, 0])[:3]
    return str(major * (10000 if major >= 10 else 1000) + minor * 100 + patch)
