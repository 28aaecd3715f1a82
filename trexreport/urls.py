"""URLs in places that users name, and what of them a message or a page may show."""

from __future__ import annotations

from trexreport.regex import regex

_URL = regex(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
#: A password that should have been encoded may hold a slash, where a port can't. `Path` joins the two slashes
#: after the scheme.
_LOGIN = regex(r"((?<![a-zA-Z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]+:/{1,2})(?:[^/\s]*@|[^/\s:@]*:(?!\d*/)[^\s@]*@)")
#: Storages take tokens and signatures there.
_QUERY = regex(r"((?<![a-zA-Z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]+:/{1,2}[^\s?#]*)\?[^\s#]*[^\s#.,:;)]")


def is_url(place: str) -> bool:
    """Whether a place is a URL rather than a path."""
    return bool(_URL.match(place))


def without_secrets(text: str) -> str:
    """Return a text without users, passwords and queries in its URLs, for messages and pages."""
    return _QUERY.sub(r"\1", _LOGIN.sub(r"\1", text)) if ":/" in text else text
