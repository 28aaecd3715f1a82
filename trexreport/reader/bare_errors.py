"""Find the errors that no logger wrote: of trtexec past its own, of Python, and of what ends a program."""

from __future__ import annotations

import re

from trexreport.reader.first_cause import first_cause
from trexreport.reader.trtexec_lines import without_prefix
from trexreport.regex import regex

_BARE = regex(
    r"(?:Cuda failure|Cannot find any available devices|terminate called after|Segmentation fault"
    r"|Could not find any implementation for node|what\(\): {1,2}(?!std::exception)\S).*"
    r"|^.{0,400}\bterminated by signal SIG.*"
    r"|(?:^(?:\S{1,200}: line \d{1,6}: +\d{1,9} )?|(?<=\d\d )|(?<=[:|>\]] ))"
    r"(?:Aborted|Killed)(?: +\(core dumped\))?(?:  .*)?$"
    r"|(?<=: )Killed process \d.*|\bexit(?:ed with)? (?:code|status):? (?:137|-9)\b.*"
    r"|\bDUE TO TIME LIMIT\b.*|\btimed out after \d.*"
    r"|(?:trtexec|tensorrt_rtx): .{1,2000}: Assertion .{1,2000} failed\.",
    re.ASCII,
)
#: What lines with such an error have; looking for it first keeps the costly pattern away from others.
_MARKS = (
    *("Cuda failure", "Cannot find any", "terminate", "Segmentation fault", "Could not find any", "what(): "),
    *("Aborted", "Killed", "exit", "DUE TO TIME", "timed out", ": Assertion "),
)
#: The last line of a traceback of Python; what a program does after an error may raise one, too.
_EXCEPTION = regex(r"(?:\w{1,60}\.){0,6}\w{0,60}(?:Error|Exception): .{1,2000}", re.ASCII)


def bare_error(line: str) -> str:
    """Return the error that a line without a logger's prefix is; empty for others.

    Of exceptions of Python those whose cause is known: what fails for lack of an engine raises one, too.
    """
    if any(mark in line for mark in _MARKS) and (found := _BARE.search(line)):
        return found[0]
    alone = without_prefix(line)[0] if "Error: " in line or "Exception: " in line else ""
    return alone if _EXCEPTION.fullmatch(alone) and first_cause([alone]) else ""
