"""Find code in the texts of rules, which pages set in another font."""

from __future__ import annotations

from trexreport.regex import regex

#: Between backticks, or an option of a command.
_CODE = regex(r"`([^`\n]+)`|(?<![\w-])(--?[A-Za-z](?:[\w-]*\w)?(?:=[\w:,./-]*\w)?)")

#: Parts of a line, and whether each is code.
Line = list[tuple[str, bool]]


def code_parts(line: str) -> Line:
    """Return the parts of a line and whether each is code."""
    parts: Line = []
    end = 0
    for found in _CODE.finditer(line):
        parts += [(line[end : found.start()], False), (found.group(1) or found.group(2), True)]
        end = found.end()
    return [part for part in (*parts, (line[end:], False)) if part[0]]
