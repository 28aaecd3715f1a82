"""Load TensorRT's Python bindings, of any version from 8.6 on, and let it speak through the console."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from trexreport.collector.tensorrt_api.console import Console
from trexreport.errors import MissingToolError

HOW_TO_GET_IT = (
    "Install TensorRT's Python bindings and cuda-python (trexreport[tensorrt]), or use --backend trtexec."
)
_SEVERITIES = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}


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
