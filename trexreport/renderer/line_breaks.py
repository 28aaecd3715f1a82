"""Where texts may end a line: names after a slash, commands between options, and no line within a range."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.renderer.template_output import escaped

if TYPE_CHECKING:
    from markupsafe import Markup

#: Shorter names fit in any column.
_SHORTEST = 24
#: Between two parts of a path. A name without slashes, such as that of a kernel, has other joints.
_SLASHES = regex(r"(?<=[^/\s]/)(?=[^/\s])")
_JOINTS = regex(r"(?<=[^_.\s][_.])(?=[^_.\s])")
#: An option without its value. Browsers would break after its two hyphens.
_OPTION = regex(r"(?<![\w-])--[A-Za-z][\w-]*")
#: A range with its unit, after whose dash browsers would break.
_RANGE = regex(r"\(?[\d.,]*\d–\d[\d.,]*(?:%|\u00a0[A-Za-zµ]{1,3}(?![A-Za-z]))?\)?")


@lru_cache(maxsize=1024)
def breakable(name: str, width: int = 0) -> str:
    """Return a name that may break between its parts, shortened in its middle to a width if one is given.

    `overflow-wrap: anywhere` alone breaks a long path within a word, and may leave two letters in a line.
    """
    text = escaped(middle_ellipsis(name, width) if width else name)
    if len(name) < _SHORTEST:
        return text
    # The text is escaped: what is added to it is the only markup.
    return type(text)((_SLASHES if "/" in text else _JOINTS).sub("<wbr>", str(text)))


def whole_options(text: str) -> str:
    """Return a text in which options such as `--exportProfile` stay in one line."""
    shown = escaped(text)
    if "--" not in shown:
        return shown
    return type(shown)(_OPTION.sub(r'<span class="option">\g<0></span>', str(shown)))


def whole_in_mail(text: Markup) -> Markup:
    """Return an escaped text in which options and ranges stay in one line, stated without a style sheet."""
    whole = str(text)
    for pattern in (_OPTION, _RANGE):
        whole = pattern.sub(r'<span style="white-space: nowrap;">\g<0></span>', whole)
    return type(text)(whole)
