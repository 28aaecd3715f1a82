"""What the options of a command line of trtexec say of its run."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.regex import regex

_MEASURES_NOT = regex(r"--(?:buildOnly|skipInference)\b")
#: Up to a quote or a space: a path with spaces is quoted.
_MODEL = regex(r"--(?:onnx|uff|model)=(?:\"([^\"]{1,4000})\"|'([^']{1,4000})'|(\S{1,4000}))")
_LOADS = regex(r"--loadEngine\b")
_PROFILES = regex(r"--(?:export|dump)Profile\b")


def times_queries(command: str) -> bool:
    """Return whether a command times queries, and does not only build."""
    return _MEASURES_NOT.search(command) is None


def profiles_while_timing(command: str) -> bool:
    """Return whether a command profiles layers in the run that times the queries, which slows them down."""
    return _PROFILES.search(command) is not None and "--separateProfileRun" not in command


def model_of_commands(commands: Iterable[str]) -> str:
    """Return the model file that the commands build; empty if none does, or they build different ones."""
    found = (_MODEL.search(command) for command in commands if not _LOADS.search(command))
    models = {next(filter(None, each.groups()), "") for each in found if each}
    return models.pop() if len(models) == 1 else ""
