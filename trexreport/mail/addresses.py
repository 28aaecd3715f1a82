"""Read mail addresses strictly: an unusual one is refused rather than guessed."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

#: "a@b.c" or "Name <a@b.c>". RFC 5322 also allows quoted local parts, comments and groups, which
#: only attackers use.
_MAILBOX = regex(r'(?:"?(?P<name>[^"<>]*?)"?\s*<(?P<inner>[^<>]+)>|(?P<plain>[^<>\s]+))')
_LOCAL = regex(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = regex(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_MAX_LENGTH, _MAX_LOCAL_LENGTH = 254, 64


@dataclass(frozen=True)
class Mailbox:
    """An address, perhaps with the name of a person."""

    local: str
    domain: str
    name: str = ""

    @property
    def address(self) -> str:
        """The address alone."""
        return f"{self.local}@{self.domain}"


def parse_mailboxes(values: Iterable[str], option: str) -> tuple[Mailbox, ...]:
    """Return the mailboxes in values of an option, each once; commas separate them.

    Raises:
        UsageError: Something in it is not an address.
    """
    found = [_mailbox(part.strip(), option) for value in values for part in value.split(",") if part.strip()]
    return tuple({mailbox.address.lower(): mailbox for mailbox in reversed(found)}.values())[::-1]


def _mailbox(text: str, option: str) -> Mailbox:
    match = _MAILBOX.fullmatch(text)
    address = ((match["inner"] or match["plain"]) if match else "").strip()
    local, _, domain = address.rpartition("@")
    ascii_domain = _ascii_domain(domain)
    if (
        not match
        or not text.isprintable()
        or not _LOCAL.fullmatch(local)
        or not ascii_domain
        or len(address) > _MAX_LENGTH
        or len(local) > _MAX_LOCAL_LENGTH
    ):
        hint = "Write it as name@example.com."
        if not local.isascii():
            # RFC 6531 allows them, and few servers support it.
            hint = "Few servers accept letters beyond ASCII before the @: give another address."
        raise UsageError(f"{option}: '{text[:80]}' is not a valid mail address.", hint)
    return Mailbox(local, ascii_domain, (match["name"] or "").strip())


def _ascii_domain(domain: str) -> str:
    """Return a domain in ASCII (IDNA), or an empty text if it is not valid."""
    try:
        spelled = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return spelled if spelled and all(map(_LABEL.fullmatch, spelled.split("."))) else ""
