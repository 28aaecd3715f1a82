"""Choose the backend: what the user names, or what is there."""

from __future__ import annotations

from importlib.util import find_spec

from trexreport.collector.backend import Backend
from trexreport.collector.tensorrt_api.api_backend import open_api_backend
from trexreport.collector.trtexec import TOOLS, TrtexecBackend, ask_version, find_trtexec
from trexreport.errors import MissingToolError, UsageError

#: What --backend accepts; the command line has its own list, as it imports nothing for its help.
NAMES = ("auto", "trtexec", "api")


def choose_backend(
    name: str, trtexec: str | None, timeout_s: float | None = None, tool: str = TOOLS[0]
) -> tuple[Backend, str]:
    """Return the backend and, in a sentence, what it is.

    Args:
        name: One of `NAMES`; "auto" takes trtexec before the Python bindings.
        trtexec: The command that starts trtexec, if the user states one.
        tool: One of `TOOLS`.
        timeout_s: The most that it may take to say its version; None for what a container may need.

    Raises:
        MissingToolError: What is wanted is not there.
        UsageError: The tool is another one than is wanted, or has no bindings here.
    """
    if name == "api" and tool != TOOLS[0]:
        raise UsageError(f"--backend api does not use {tool}.", "Leave one of the two options out.")
    if name == "api":
        return _api()
    try:
        program = find_trtexec(trtexec, tool=tool)
    except MissingToolError:
        if name == "auto" and tool == TOOLS[0] and find_spec("tensorrt"):
            return _api()
        raise
    version = ask_version(program, timeout_s)
    if tool != TOOLS[0] and not version.is_rtx:
        raise UsageError(f"That is trtexec of TensorRT {version}, not {tool}.", "Leave --tool out.")
    return TrtexecBackend(program, version), f"{version.program} of {version.product}"


def _api() -> tuple[Backend, str]:
    backend = open_api_backend()
    return backend, f"the Python bindings of TensorRT {backend.version}"
