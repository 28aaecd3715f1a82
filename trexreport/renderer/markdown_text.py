"""Texts from anywhere as Markdown that shows them and does nothing else.

Source: the specifications of CommonMark (backslash escapes, code spans) and of GitHub's dialect (tables,
autolinks).
"""

from __future__ import annotations

import re

from trexreport.regex import regex
from trexreport.visible import one_line

#: What may mean something within a line: emphasis, links, code, HTML, entities, tables, mathematics,
#: mentions, addresses and the names of emoji.
_SPECIAL = regex(r"[\\`*_\[\]<>#|~$&@]|:(?=[\w/+-])|(?<=\bwww)\.", re.IGNORECASE)
#: What calls people or refers to issues on GitHub and GitLab even behind a backslash, as they look for it in
#: the finished HTML; a space of no width keeps it from being one.
_CALL = regex(r"\\@(?=\w)|(?:\\#|\bGH-)(?=\d)", re.IGNORECASE)
#: What may begin a list, a line or a heading.
_FIRST = regex(r"^(\d*)([-+=.)])")
_BACKTICKS = regex(r"`+")


def words(text: str) -> str:
    """Return a text on one line with nothing in it that Markdown or HTML would obey."""
    return begin(escaped(text))


def begin(line: str) -> str:
    """Return an escaped line that begins no list and no heading."""
    return _FIRST.sub(r"\1\\\2", line.strip())


def escaped(text: str) -> str:
    """Return a text escaped for use within a line."""
    shown = _SPECIAL.sub(lambda found: f"\\{found.group()}", one_line(text))
    return _CALL.sub(lambda found: f"{found.group()}&#8203;", shown)


def code(text: str) -> str:
    """Return a text on one line as a code span, with a fence that is longer than any within."""
    shown = one_line(text)
    fence = "`" * (max((len(each) for each in _BACKTICKS.findall(shown)), default=0) + 1)
    padded = f" {shown} " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else shown
    return f"{fence}{padded}{fence}"


def paragraphs_of(text: str) -> str:
    """Return a text of a rule, one paragraph a line, as Markdown's paragraphs; `this` in it is code."""
    return "\n\n".join(map(_with_code, text.split("\n")))


def list_of(text: str) -> str:
    """Return a text of a rule, one paragraph a line, in Markdown: after a space, or as a list below."""
    lines = [_with_code(line) for line in text.split("\n")]
    return f" {lines[0]}" if len(lines) == 1 else "\n\n" + "\n".join(f"- {line}" for line in lines)


def _with_code(line: str) -> str:
    """Return a line in which every second part was in backticks."""
    parts = re.split(r"`([^`]+)`", line)
    if len(parts) == 1:
        return words(line)
    # Spaces beside a part belong to the line and are not stripped.
    marked = [code(part) if number % 2 else escaped(part) for number, part in enumerate(parts)]
    return begin("".join(marked))
