"""Where the figures of version 0.1's JSON are today: the keys renamed, and the figures changed."""

from __future__ import annotations

import re

#: Patterns of paths in version 0.1's analysis, and where the same figure is now.
RENAMED = ((r"^layers/(\d+)/time_ms$", r"layers/\1/avg_ms"),)

#: Patterns of paths whose figures changed on purpose, each with the reason.
CHANGED = {
    r"^latency/gap_percent$": "total layer time is compared with the median, not the mean",
    r"^lint/": "savings are ranges, causes include their consequences, and rules were added",
    r"^roofline/.*/memory_bound_ms$": "latency-bound layers are a class of their own",
}


def figures(document, path=""):
    """Return path to number for all numbers in a JSON document, without the versions of schemas."""
    if isinstance(document, bool) or document is None or path.endswith("schema_version"):
        return {}
    if isinstance(document, (int, float)):
        return {path: document}
    items = (
        ()
        if isinstance(document, str)
        else document.items()
        if isinstance(document, dict)
        else enumerate(document)
    )
    found = {}
    for key, value in items:
        found |= figures(value, f"{path}/{key}" if path else str(key))
    return found


def today(path):
    """Return where a figure of version 0.1 is today."""
    for old, new in RENAMED:
        path = re.sub(old, new, path)
    return path
