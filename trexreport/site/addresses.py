"""Give each capture an address that is its own and stays the same, whatever else is in the site."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import PurePosixPath

from trexreport.reader.roles import split_name
from trexreport.regex import regex

#: Hexadecimal digits that distinguish places; with ten, 5,000 captures share one in 90,000 sites.
_DIGITS = 10
_MAX_WORDS_LENGTH = 60
#: What a page of a site may be called: nothing else is ever written or removed.
PAGE = regex(r"(?:(?:engines|history|compare)/)?[a-z0-9][a-z0-9.-]{0,180}\.html", re.ASCII)


def address_of(place: str, taken: Collection[str] = ()) -> str:
    """Return the address of a capture: words of its name, then digits of the hash of its place.

    Args:
        place: Where it was found, such as "captures/2024-05-01/resnet.engine.graph.json".
        taken: Addresses that others have.
    """
    name = PurePosixPath(place).name
    prefix, _ = split_name(name)
    return with_digits(prefix or name, place, taken)


def with_digits(name: str, place: str, taken: Collection[str] = ()) -> str:
    """Return words of a name with digits that distinguish it from all others of that name."""
    digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
    words = re.sub(r"(?:\.(?:engine|json|html?|pdf|tea|trexa|onnx|plan|trt))+$", "", name.lower())
    words = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:_MAX_WORDS_LENGTH].strip("-") or "engine"
    digits = range(_DIGITS, len(digest) + 1)
    return next(found for count in digits if (found := f"{words}-{digest[:count]}") not in taken)
