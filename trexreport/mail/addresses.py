"""Read mail addresses strictly: what looks odd is refused rather than guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trexreport.errors import UsageError

#: "a@b.c" or "Name <a@b.c>". Quoted local parts, comments and groups are possible in RFC 5322 and used by
#: nobody but attackers.
_MAILBOX = re.compile(r'(?:"?(?P<name>[^"<>]*?)"?\s*<(?P<inner>[^<>]+)>|(?P<plain>[^<>\s]+))')
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LONGEST, _LONGEST_LOCAL = 254, 64


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
        UsageError: Something in it is no address.
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
        or len(address) > _LONGEST
        or len(local) > _LONGEST_LOCAL
    ):
        hint = "Write it as name@example.com."
        if not local.isascii():
            # They are addresses since RFC 6531, which servers are slow to follow.
            hint = "Few servers take letters beyond ASCII before the @: give another address."
        raise UsageError(f"{option}: '{text[:80]}' is no mail address that can be used.", hint)
    return Mailbox(local, ascii_domain, (match["name"] or "").strip())


def _ascii_domain(domain: str) -> str:
    """Return a domain as the network spells it, or an empty text if it can be none."""
    try:
        spelled = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return spelled if spelled and all(map(_LABEL.fullmatch, spelled.split("."))) else ""
