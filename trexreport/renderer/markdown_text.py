"""Texts from anywhere as Markdown that shows them and does nothing else.

Source: the specifications of CommonMark (backslash escapes, code spans) and of GitHub's dialect (tables,
autolinks).
"""

from __future__ import annotations

import re

from trexreport.visible import one_line

#: What may mean something within a line: emphasis, links, code, HTML, entities, tables, mathematics,
#: mentions, addresses and the names of emoji.
_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&@]|:(?=[\w/+-])|(?<=\bwww)\.", re.IGNORECASE)
#: What may begin a list, a line or a heading.
_FIRST = re.compile(r"^(\d*)([-+=.)])")
_BACKTICKS = re.compile(r"`+")


def words(text: str) -> str:
    """Return a text on one line with nothing in it that Markdown or HTML would obey."""
    escaped = _SPECIAL.sub(lambda found: f"\\{found.group()}", one_line(text).strip())
    return _FIRST.sub(r"\1\\\2", escaped)


def code(text: str) -> str:
    """Return a text on one line as a code span, with a fence that is longer than any within."""
    shown = one_line(text)
    fence = "`" * (max((len(each) for each in _BACKTICKS.findall(shown)), default=0) + 1)
    padded = f" {shown} " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else shown
    return f"{fence}{padded}{fence}"


def paragraphs_of(text: str) -> str:
    """Return a text of a rule, one paragraph a line, as Markdown's paragraphs."""
    return "\n\n".join(words(line) for line in text.split("\n"))
