"""Read what a program that starts TensorRT states of its parts at the end: "result=FAIL", "exit code: 3"."""

from __future__ import annotations

import re

from trexreport.regex import regex

_FAILED = regex(
    r"^[ \t]*(?:(?P<what>\w{0,60}(?:result|status))[ \t]*[=:][ \t]*(?P<word>FAIL(?:ED|URE)?|ERROR)"
    r"|(?P<code>(?:\w{1,60}[_ ])?(?:return|exit)[_ ]?(?:code|status))[ \t]*[=:][ \t]*"
    r"(?P<number>[1-9]\d{0,2}))[ \t]*\r?$",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
_MOST = 4


def stated_failures(text: str) -> str:
    """Return the parts that a log states to have failed, as it writes them; an empty text without any."""
    found = (
        f"{match['what'] or match['code']}={match['word'] or match['number']}"
        for match in _FAILED.finditer(text)
    )
    return ", ".join([*dict.fromkeys(found)][:_MOST])
