"""Append to the summary of a step of GitHub Actions, which takes all of a file or nothing of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

#: The variable that names the file of the step that runs.
VARIABLE = "GITHUB_STEP_SUMMARY"
#: A larger file is not uploaded at all. Source: GitHub's documentation, "Workflow commands for GitHub
#: Actions", and its runner, which says "supports content up to a size of 1024k".
MAX_BYTES = 1 << 20


def append_step_summary(path: str | Path, render: Callable[[int], bytes]) -> str:
    """Append to a summary what fits, and return a sentence on what went wrong, else an empty text.

    Args:
        path: Of the file; it may be missing or hold what earlier commands of the step wrote.
        render: Returns what to append, given how many bytes it may have.
    """
    try:
        written = Path(path).stat().st_size if os.path.lexists(path) else 0
        gap = b"\n" if written else b""
        room = MAX_BYTES - written - len(gap)
        data = render(room)
        if len(data) > room:
            return "The summary of this step is full; nothing was added to it."
        with Path(path).open("ab") as file:
            file.write(gap + data)
    except (OSError, ValueError) as error:
        return f"The summary of this step can't be written: {getattr(error, 'strerror', None) or error}."
    return ""
