"""Load TensorRT's Python bindings, of any version from 8.6 on, and let it speak through the console.

The console has the form of trtexec's log, so that one reader understands both. Source of the grammar:
logger.h and sampleReporting.cpp of trtexec.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from trexreport.errors import MissingToolError
from trexreport.visible import one_line

HOW_TO_GET_IT = (
    "Install TensorRT's Python bindings and cuda-python (trexreport[tensorrt]), or use --backend trtexec."
)
_SEVERITIES = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}

PROGRAM = "TensorRT.trexreport"


class RunFailedError(Exception):
    """Report in one line why a run can't go on."""


def import_tensorrt() -> Any:
    """Return the module.

    Raises:
        MissingToolError: It is not installed, or lacks its libraries.
    """
    try:
        return importlib.import_module("tensorrt")
    except ModuleNotFoundError as error:
        raise MissingToolError(f"The Python package {error.name} is not installed.", HOW_TO_GET_IT) from None
    except ImportError as error:
        raise MissingToolError(f"{error}.") from None


def make_logger(trt: Any, console: Console, *, verbose: bool) -> Any:
    """Return a logger for TensorRT that writes to the console."""
    severities = {getattr(trt.ILogger, name): letter for name, letter in _SEVERITIES.items()}
    quiet = () if verbose else (trt.ILogger.VERBOSE,)

    class Logger(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, msg: str) -> None:
            """Take a message; TensorRT calls this from several threads."""
            if severity not in quiet:
                console.library(severities.get(severity, "I"), msg)

    return Logger()


def major_version(trt: Any) -> int:
    """Return the major number of TensorRT's version."""
    return int(trt.__version__.split(".")[0])


def load_plugins(trt: Any, logger: Any, registry: Any, libraries: Iterable[str]) -> None:
    """Make TensorRT's own plugins known, and those in the user's libraries.

    Raises:
        RunFailedError: A library can't be loaded.
    """
    trt.init_libnvinfer_plugins(logger, "")
    for library in libraries:
        if registry.load_library(library) is None:
            raise RunFailedError(f"The plugin library {library} can't be loaded.")


def checked(value: Any, problem: str) -> Any:
    """Return what TensorRT made; where it returns None instead of raising, raise.

    Raises:
        RunFailedError: It made nothing; TensorRT has logged why.
    """
    if value is None or value is False:
        raise RunFailedError(problem)
    return value


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
