"""Names of files as others may have given them: made harmless, short, and all different."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from trexreport.regex import regex

#: Letters may have four bytes each, and names of files have 255 at most.
_LONGEST_FOLDER = 60
_MAX_SHOWN = 80
#: What Windows keeps for devices.
_RESERVED = regex(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def plain_name(name: str) -> str:
    """Return the last part of a path of any system, so that no name can lead out of a folder."""
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    return last if last not in ("", ".", "..") else "unnamed"


def short_name(name: str) -> str:
    """Return a name from within a file for a message, shortened: it may have any length."""
    half = _MAX_SHOWN // 2
    return name if len(name) <= _MAX_SHOWN else f"{name[:half]}…{name[-half:]}"


def distinct_names(names: Sequence[str], taken: Iterable[str] = ()) -> list[str]:
    """Return the names with a number before each duplicate; upper and lower case count as equal."""
    used = {name.casefold() for name in taken}
    counts: dict[str, int] = {}
    found = []
    for given in names:
        # Names may be thousands and all the same: those before do not have to be counted once more.
        name, count = given, counts.get(given, 1)
        while name.casefold() in used:
            count += 1
            name = f"{count}.{given}"
        counts[given] = count
        used.add(name.casefold())
        found.append(name)
    return found


def folder_names(titles: Sequence[str]) -> list[str]:
    """Return a name of a folder for each title that every system takes, all of them different."""
    plain = (re.sub(r"[^\w.()+=@,-]+", "_", title)[:_LONGEST_FOLDER].strip("._") for title in titles)
    return distinct_names([f"{name}_" if _RESERVED.match(name) else name or "engine" for name in plain])
