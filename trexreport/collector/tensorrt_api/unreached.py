"""Why the program on the Python bindings does not take a flag of trtexec (`unreached.toml`)."""

from __future__ import annotations

from trexreport.resources import packaged_table

_WHY: dict[str, str] = {
    flag: each["why"]
    for each in packaged_table("collector/tensorrt_api/unreached.toml")["reason"]
    for flag in each["flags"].split()
}


def why_unreached(flag: str) -> str:
    """Return why a flag is not taken, as a sentence; an empty text where nothing is known of it."""
    return _WHY.get(flag, "")
