"""Look at what is installed that trexreport can use, and say how to get what is missing."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec

from trexreport import __version__
from trexreport.collector.trtexec import ask_version, find_trtexec
from trexreport.errors import MissingToolError, TrexReportError
from trexreport.lazy_dataclass import dataclass

#: Package to what it is for and the extra of trexreport that brings it.
_PACKAGES = (
    ("pydot", "Graphviz as a second layout engine", "graphviz"),
    ("xlsxwriter", "workbooks for Excel", "excel"),
    ("pyarrow", "tables for Arrow and Parquet", "parquet"),
    ("weasyprint", "reports as PDF", "pdf"),
    ("mcp", "answering AI assistants", "mcp"),
    ("fsspec", "sites of captures behind URLs", "remote"),
    ("distributed", "sites on a Dask cluster", "dask"),
    ("nvidia-ml-py", "watching the GPU", "gpu"),
    ("tensorrt", "collecting without trtexec", "tensorrt"),
    ("cuda-python", "collecting without trtexec", "tensorrt"),
)
#: Package to the module that it brings, where the names differ.
_MODULES = {"nvidia-ml-py": "pynvml", "cuda-python": "cuda.bindings"}
_SECONDS = 20
_ASKING_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        state: "ok", "missing" (something can't be done without it) or "optional".
        name: What it is.
        detail: Its version or place, or what is missing.
        hint: How to get it; may be empty.
    """

    state: str
    name: str
    detail: str
    hint: str = ""


def examine(
    trtexec: str | None = None, *, check_pdf: Callable[[], object], find_png: Callable[[], str]
) -> Iterator[Finding]:
    """Yield what is there and what is not, in the order of how much depends on it.

    Args:
        trtexec: How trtexec is started, if not by its name.
        check_pdf: Raises MissingToolError where WeasyPrint is installed and can't be used.
        find_png: Returns the program that draws PNG, or raises MissingToolError.
    """
    yield Finding(
        "ok", "trexreport", f"{__version__}, Python {platform.python_version()}, {platform.platform()}"
    )
    yield _trtexec(trtexec)
    yield _gpu()
    yield _attempt("Graphviz", _graphviz)
    yield _attempt("PNG", lambda: f"{find_png()}, for drawings as PNG")
    for name, purpose, extra in _PACKAGES:
        check = check_pdf if name == "weasyprint" else lambda: None
        yield _attempt(name, partial(_package, name, purpose, extra, check))


def _trtexec(stated: str | None) -> Finding:
    try:
        program = find_trtexec(stated)
        found = ask_version(program, _ASKING_TIMEOUT_S)
    except TrexReportError as error:
        detail = f"{error.args[0]} Reports of captures work without it."
        return Finding("missing", "trtexec", detail, error.hint)
    return Finding("ok", "trtexec", f"TensorRT {found}, {shlex.join(program)}")


def _gpu() -> Finding:
    """Ask nvidia-smi, which comes with the driver."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return Finding(
            "missing",
            "GPU",
            "nvidia-smi can't be run, so there is no NVIDIA driver, or it is a Jetson.",
            "Collecting needs a GPU; reading and reporting do not. A container needs --gpus all.",
        )
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode or not lines:
        output = (done.stdout or done.stderr).strip().splitlines() or ["no output"]
        return Finding("missing", "GPU", f"nvidia-smi finds none: {output[0]}", "Is the driver loaded?")
    return Finding("ok", "GPU", "; ".join(lines))


def _graphviz() -> str:
    program = shutil.which("dot")
    if program is None:
        raise MissingToolError("no program dot; the built-in layout does without.", "Install graphviz.")
    return program


def _attempt(name: str, find: Callable[[], str]) -> Finding:
    """Return what is found of a tool that is not needed, or why it can't be used."""
    try:
        return Finding("ok", name, find())
    except MissingToolError as error:
        return Finding("optional", name, error.args[0], error.hint)


def _package(name: str, purpose: str, extra: str, check: Callable[[], object]) -> str:
    found = _version_of(name)
    if found is None:
        hint = f"pip install 'trexreport[{extra}]'"
        raise MissingToolError(f"not installed; it is for {purpose}.", hint)
    check()
    return f"{found}, for {purpose}"


def _version_of(name: str) -> str | None:
    """Return the version of a package, or None if it is not installed.

    Packages of TensorRT are also named after the version of CUDA (tensorrt-cu12), and system packages may
    have no metadata: what can be imported is there.
    """
    try:
        return version(name)
    except PackageNotFoundError:
        module = _MODULES.get(name, name)
    try:
        if find_spec(module) is None:
            return None
    except (ImportError, ValueError):  # of the package that it is in
        return None
    # Late, as this reads the lists of files of all packages: a quarter of a second.
    brought = packages_distributions()
    names = {each for top in (module, module.split(".")[0]) for each in brought.get(top, ())}
    for distribution in sorted(each for each in names if each.lower().startswith(name)):
        return f"{version(distribution)} ({distribution})"
    return "of unknown version"
