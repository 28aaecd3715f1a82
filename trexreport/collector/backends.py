"""Choose the backend: what the user names, or what is there."""

from __future__ import annotations

from importlib.util import find_spec

from trexreport.collector.backend import Backend
from trexreport.collector.tensorrt_api.api_backend import open_api_backend
from trexreport.collector.trtexec import TrtexecBackend, ask_version, find_trtexec
from trexreport.errors import MissingToolError

NAMES = ("auto", "trtexec", "api")


def choose_backend(name: str, trtexec: str | None, timeout_s: float | None = None) -> tuple[Backend, str]:
    """Return the backend and, in a sentence, what it is.

    Args:
        name: One of `NAMES`; "auto" takes trtexec before the Python bindings.
        trtexec: The command that starts trtexec, if the user states one.
        timeout_s: The most that it may take to say its version; None for what a container may need.

    Raises:
        MissingToolError: What is wanted is not there.
    """
    if name == "api":
        return _api()
    try:
        program = find_trtexec(trtexec)
    except MissingToolError:
        if name == "auto" and find_spec("tensorrt"):
            return _api()
        raise
    version = ask_version(program, timeout_s)
    return TrtexecBackend(program, version), f"trtexec of TensorRT {version}"


def _api() -> tuple[Backend, str]:
    backend = open_api_backend()
    return backend, f"the Python bindings of TensorRT {backend.version}"
