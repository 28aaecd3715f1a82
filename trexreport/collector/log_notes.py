"""Find what a user should know in the log of a run that went well."""

from __future__ import annotations

from trexreport.reader.trtexec_lines import Banner, split_log
from trexreport.regex import regex


def warnings_of(log: str) -> list[str]:
    """Return what a log warns of, each once, a warning over several lines as one."""
    found: list[str] = []
    for each in split_log(log):
        if isinstance(each, Banner) or each.severity != "W":
            continue
        if each.text.startswith("  ") and found:
            found[-1] += f" {each.text.strip()}"
        else:
            found.append(each.text.strip().removeprefix("* "))
    return list(dict.fromkeys(found))


#: What trtexec says when it builds, and when it loads an engine; no blank follows the second's name.
_OVERRIDDEN = regex(
    r"(?:Dynamic dimensions required for input: ?(?P<built>.+?), but no shapes were provided.*"
    r"|Shape missing for input with dynamic shape: (?P<loaded>.+?) ?Automatically setting shape to): ?"
    r"(?P<shape>[\dx]+)"
)


def notes_on_log(log: str, *, builds: bool) -> list[str]:
    """Return what the user should know from the log of a run that went well.

    Args:
        log: Its text.
        builds: Whether the engine is built here, so that the ranges of its shapes can be chosen.
    """
    others = ", or --minShapes, --optShapes and --maxShapes" if builds else ""
    found = (_OVERRIDDEN.search(warning) for warning in warnings_of(log))
    taken = ((match["built"] or match["loaded"], match["shape"]) for match in found if match)
    return [
        f"The model has dynamic shapes and none were given: trtexec took {shape} for {name}. "
        f"Give --shapes={name}:…{others}."
        for name, shape in taken
    ]
