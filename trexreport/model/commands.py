"""What the options of a command line of trtexec say of its run."""

from __future__ import annotations

import re

_MEASURES_NOT = re.compile(r"--(?:buildOnly|skipInference)\b")
_PROFILES = re.compile(r"--(?:export|dump)Profile\b")


def times_queries(command: str) -> bool:
    """Return whether a command times queries, and does not only build."""
    return _MEASURES_NOT.search(command) is None


def profiles_while_timing(command: str) -> bool:
    """Return whether a command profiles layers in the run that times the queries, which slows them down."""
    return _PROFILES.search(command) is not None and "--separateProfileRun" not in command
