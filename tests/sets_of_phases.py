"""Small sets of phases for tests."""

from __future__ import annotations

import json

from site_captures import write_capture


def write_set(folder, ms, times=None):
    """Write a set into a folder: name of each phase to its time in milliseconds; return the folder.

    Args:
        folder: Is made.
        ms: Name of each phase to its time.
        times: Name of a phase to its runs for a request.
    """
    times = times or {}
    listed = []
    for at, (name, time) in enumerate(ms.items()):
        write_capture(folder / f"phase-{at}", name=f"engine-{at}", ms=time)
        listed.append({"name": name, "path": f"phase-{at}", "times": times.get(name)})
    (folder / "trexreport-phases.json").write_text(
        json.dumps({"schema": "trexreport-phases", "schema_version": 1, "phases": listed})
    )
    return folder
