"""Choose the backend: what the user names, or what is there."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

from trexreport.collector.backend import Backend
from trexreport.collector.causes import Failure
from trexreport.collector.flags import Stage
from trexreport.collector.jobs import Command, Job, Plan
from trexreport.collector.tensorrt_api.bindings import HOW_TO_GET_IT
from trexreport.collector.tensorrt_api.cuda import MODULES
from trexreport.collector.tensorrt_api.options import read_request
from trexreport.collector.trtexec import TOOLS, TrtexecBackend, ask_version, find_trtexec
from trexreport.errors import MissingToolError, UsageError

#: What --backend accepts; the command line has its own list, as it imports nothing for its help.
NAMES = ("auto", "trtexec", "api")
#: Starts the program; it takes trtexec's flags.
PROGRAM = (sys.executable, "-m", "trexreport.collector.tensorrt_api")
#: Package to the modules of which it has one.
_PACKAGES = {"tensorrt": ("tensorrt",), "cuda-python": MODULES}


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


class ApiBackend(TrtexecBackend):
    """Collects as trtexec does, and keeps each layer's time in every iteration."""

    name = "api"

    def plan(self, job: Job) -> Plan:
        """Return the commands, with one flag that only this program has.

        Raises:
            UsageError: A flag is not for this version, or not known to this program.
        """
        if job.tools:
            raise UsageError(
                "--nsys and --ncu run trtexec.", "Collect with --backend trtexec, or run the tools by hand."
            )
        if job.accuracy == "trtexec":
            raise UsageError("--accuracy-tool trtexec runs trtexec.", "Collect with --backend trtexec.")
        # Polygraphy runs on the same bindings.
        plan = super().plan(replace(job, launcher=()))
        commands = tuple(_with_samples(job, command) for command in plan.commands)
        for command in (each for each in commands if each.tool is None):
            read_request(command.words[len(self.program) :])
        return replace(plan, commands=commands)

    def explain(self, log: str, status: int, stage: Stage) -> Failure:
        """Return why a run failed, in words that name no other program."""
        failure = super().explain(log, status, stage)
        message, hint = (text.replace("trtexec", "TensorRT") for text in (failure.message, failure.hint))
        return replace(failure, message=message, hint=hint)


def open_api_backend() -> ApiBackend:
    """Return the backend for the TensorRT that is installed.

    Raises:
        MissingToolError: A package is missing, or can't be loaded.
    """
    for package, modules in _PACKAGES.items():
        if not any(_is_there(module) for module in modules):
            raise MissingToolError(f"The Python package {package} is not installed.", HOW_TO_GET_IT)
    try:
        return ApiBackend(PROGRAM, ask_version(PROGRAM))
    except MissingToolError as error:
        cause = error.details[0] if error.details else str(error)
        raise MissingToolError(f"TensorRT's Python bindings can't be used: {cause}", HOW_TO_GET_IT) from None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # of the package that it is in
        return False


def _with_samples(job: Job, command: Command) -> Command:
    if command.stage is not Stage.PROFILE:
        return command
    path = job.path(".samples.json")
    return replace(command, words=(*command.words, f"--exportSamples={path}"), writes=(*command.writes, path))
