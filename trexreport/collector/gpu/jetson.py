"""State what a Jetson or DRIVE board runs on: its model, its system and its power mode.

Sources: Jetson Linux Developer Guide, "Supported Modes and Power Efficiency" (nvpmodel) and the files that
L4T installs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from trexreport.regex import regex

_MODEL = Path("/proc/device-tree/model")
_RELEASE = Path("/etc/nv_tegra_release")
_RELEASE_TEXT = regex(r"# R(\d+) \(release\), REVISION: ([\d.]+)", re.ASCII)
_MODE_TEXT = regex(r"NV Power Mode: *([^\n]+)", re.ASCII)
_SECONDS = 10
_LONGEST = 200


def describe_board(model: Path = _MODEL, release: Path = _RELEASE) -> tuple[dict[str, str], dict[str, str]]:
    """Return facts of the board and versions of its system; neither has anything on other machines.

    Args:
        model: The file of the device tree that names the board.
        release: The file that states the release of Jetson Linux.
    """
    found = _RELEASE_TEXT.search(_beginning(release))
    facts = {"power_mode": _power_mode()}
    if found:
        facts["board"] = _beginning(model).rstrip("\0 \n")
    versions = {"jetson_linux": f"{found[1]}.{found[2]}"} if found else {}
    return {key: value for key, value in facts.items() if value}, versions


def _power_mode() -> str:
    """Return the power mode, such as "MAXN"; empty where nvpmodel does not state it to this user."""
    program = shutil.which("nvpmodel")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-q"], capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _MODE_TEXT.search(done.stdout.decode("utf-8", "replace"))
    return found[1].strip()[:_LONGEST] if found else ""


def _beginning(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
