"""What can be redacted, and how a user asks for it."""

from __future__ import annotations

import os

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass

#: What can be redacted, in the order in which it is named.
KINDS = ("names", "paths", "host")
KEY_VARIABLE = "TREXREPORT_REDACTION_KEY"


@dataclass(frozen=True)
class Redaction:
    """What to redact.

    Attributes:
        kinds: Some of `KINDS`.
        key: Prevents that words are found by guessing; an empty key does not.
    """

    kinds: frozenset[str]
    key: bytes = b""


def parse_redaction(kinds: str) -> Redaction:
    """Return what "names,paths" asks for, with the key from the environment.

    Raises:
        UsageError: A kind is unknown, or none is given.
    """
    wanted = [word.strip() for word in kinds.split(",") if word.strip()]
    unknown = [word for word in wanted if word not in KINDS]
    if unknown or not wanted:
        what = f"has no '{unknown[0]}'" if unknown else "is empty"
        raise UsageError(f"--redact {what}.", f"Known: {', '.join(KINDS)}.")
    key = os.environ.get(KEY_VARIABLE, "")
    return Redaction(frozenset(wanted), key.encode("utf-8", "surrogateescape"))
