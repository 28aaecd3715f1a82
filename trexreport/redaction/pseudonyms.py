"""Pseudonyms, and the words that need none."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from trexreport.regex import regex

_WORDS_FILE = Path(__file__).with_name("words.txt")
#: Consonants that occur in no operator's name, so that no rule takes a pseudonym for an operator.
_LETTERS = "bcdfghjklpqrtvwx"
_LENGTH = 8
_PSEUDONYMS = regex(f"(?:q[{_LETTERS}]{{{_LENGTH}}})+")


def pseudonym(text: str, key: bytes) -> str:
    """Return eight consonants behind a q that depend on the text and the key alone."""
    digest = hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), key=_key_of_valid_size(key), digest_size=_LENGTH // 2
    )
    return "q" + "".join(_LETTERS[int(digit, 16)] for digit in digest.hexdigest())


def _key_of_valid_size(key: bytes) -> bytes:
    return key if len(key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(key).digest()


@cache
def known_words() -> frozenset[str]:
    """Return the words that stay, in small letters."""
    lines = _WORDS_FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def is_pseudonym(text: str) -> bool:
    """Whether a text is nothing but pseudonyms, as in a capture that was redacted before."""
    return _PSEUDONYMS.fullmatch(text) is not None


def in_case(word: str, like: str) -> str:
    """Return a word in the case of another one: small, capitalized or in capitals."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word
