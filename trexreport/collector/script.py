"""Write the commands of a plan as a shell script, for machines that have trtexec but no Python."""

from __future__ import annotations

import shlex

from trexreport.collector.commands import Command, Plan
from trexreport.visible import one_line

_FUNCTIONS = r"""
fail() {
    printf '%s\n' "$1" >&2
    exit 5
}

absent() { # file
    [ ! -e "$1" ] || fail "$1 is there already: remove it, or give another folder."
}

run() { # stage, log, command
    stage=$1 log=$2
    shift 2
    printf '%s\n' "$stage: see $log"
    "$@" >"$log" 2>&1 || fail "The $stage run failed with exit status $?: see $log."
}

written() { # file, log
    [ -s "$1" ] || fail "$1 is missing or empty: see $2."
}
"""


def render_script(plan: Plan) -> str:
    """Return a script for any POSIX shell that runs the commands and stops at the first that fails.

    It overwrites nothing, and ends with status 5 if a run fails or leaves a file missing or empty.
    """
    job = plan.job
    folder = shlex.quote(job.folder)
    lines = [
        "#!/bin/sh",
        f"# Collect a capture of {one_line(job.source)} with trtexec of TensorRT {plan.version}.",
        *(f"# {one_line(note)}" for note in plan.notes),
        "set -u",
        _FUNCTIONS,
        f"mkdir -p -- {folder} || fail 'The folder cannot be made.'",
        *(f"absent {shlex.quote(path)}" for each in plan.commands for path in (*each.writes, each.log)),
    ]
    for command in plan.commands:
        lines += ["", *_run(command)]
    return "\n".join([*lines, "", f"printf '%s %s\\n' 'Done. Next: trexreport report' {folder}", ""])


def _run(command: Command) -> list[str]:
    """Return the lines that run one command and look at what it left, one argument on each line."""
    log = shlex.quote(command.log)
    words = " \\\n    ".join(shlex.quote(word) for word in command.words)
    return [
        f"run {command.stage.value} {log} \\\n    {words}",
        *(f"written {shlex.quote(path)} {log}" for path in command.writes),
    ]
