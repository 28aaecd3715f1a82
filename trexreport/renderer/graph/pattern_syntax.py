"""The syntax of the regular expressions of `pattern.py`: JavaScript's without what needs backtracking."""

from __future__ import annotations

import re
from typing import Literal

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

PatternFault = Literal["faulty", "not_supported", "too_long"]

_REASONS: dict[PatternFault, str] = {
    "faulty": "not a regular expression",
    "not_supported": "references, lookarounds and flags are not supported",
    "too_long": "the expression is too long",
}
_MAX_DEPTH = 50
#: Ranges of code points; as in JavaScript, digits and letters are those of ASCII.
_CLASSES = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32), (160, 160)),
}
_LINE_ENDS = ((10, 10), (13, 13), (0x2028, 0x2029))
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_LIMITS = regex(r"\{([0-9]{1,4})(,([0-9]{0,4}))?\}")
_HEXADECIMAL_DIGITS = {"x": 2, "u": 4}


class PatternError(Exception):
    """An expression can't be used.

    Attributes:
        fault: Why, as a code.
    """

    def __init__(self, fault: PatternFault) -> None:
        super().__init__(_REASONS[fault])
        self.fault = fault


@dataclass(frozen=True)
class Item:
    """Ranges of code points of a set of characters, or all others."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False


@dataclass(frozen=True)
class CharacterSet:
    """What one character is."""

    items: tuple[Item, ...]
    negated: bool = False

    def contains(self, codes: list[int]) -> bool:
        """Return whether a character is in the set, by the code points of its cases."""
        found = any(
            any(low <= code <= high for code in codes for low, high in item.ranges) != item.negated
            for item in self.items
        )
        return found != self.negated


@dataclass(frozen=True)
class Assertion:
    """What holds between characters: `^`, `$`, `b` or `B`."""

    sign: str


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Choice:
    """Parts of which one fits."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Repeat:
    """A part that fits several times; without a maximum, any number of times."""

    part: Tree
    min: int
    max: int | None


Tree = CharacterSet | Assertion | Sequence | Choice | Repeat


class Parser:
    """Reads an expression, from the outermost choice to single characters."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._depth = 0

    def whole(self) -> Tree:
        """Return what the expression means.

        Raises:
            PatternError: It is faulty, or uses what is not supported.
        """
        tree = self._choice()
        if self._at < len(self._source):
            raise PatternError("faulty")
        return tree

    def _take(self, text: str) -> bool:
        found = self._source.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _one(self) -> str:
        if self._at >= len(self._source):
            raise PatternError("faulty")
        self._at += 1
        return self._source[self._at - 1]

    def _choice(self) -> Tree:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Tree:
        parts = []
        while self._at < len(self._source) and self._source[self._at] not in "|)":
            parts.append(self._repeated())
        return Sequence(tuple(parts))

    def _repeated(self) -> Tree:
        part = self._single()
        limits = self._limits()
        if limits is None:
            return part
        low, high = limits
        if isinstance(part, Assertion) or (high is not None and low > high):
            raise PatternError("faulty")
        # What is matched first does not matter.
        self._take("?")
        if self._limits():
            raise PatternError("faulty")
        return Repeat(part, low, high)

    def _limits(self) -> tuple[int, int | None] | None:
        if self._take("*"):
            return 0, None
        if self._take("+"):
            return 1, None
        if self._take("?"):
            return 0, 1
        found = _LIMITS.match(self._source, self._at)
        if not found:
            return None
        self._at = found.end()
        low, has_comma, high = found.groups()
        return int(low), (int(high) if high else None) if has_comma else int(low)

    def _single(self) -> Tree:
        character = self._one()
        if character == "(":
            return self._group()
        if character == "[":
            return self._set()
        if character == ".":
            return CharacterSet((Item(_LINE_ENDS),), negated=True)
        if character in "^$":
            return Assertion(character)
        if character in "*+?":
            raise PatternError("faulty")
        if character != "\\":
            return CharacterSet((_exactly(ord(character)),))
        for sign in "bB":
            if self._take(sign):
                return Assertion(sign)
        return CharacterSet((self._escaped(),))

    def _group(self) -> Tree:
        if self._take("?") and not self._take(":"):
            raise PatternError("not_supported")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise PatternError("too_long")
        tree = self._choice()
        self._depth -= 1
        if not self._take(")"):
            raise PatternError("faulty")
        return tree

    def _set(self) -> CharacterSet:
        negated = self._take("^")
        items: list[Item] = []
        while not self._take("]"):
            first = self._member()
            if self._source[self._at : self._at + 1] != "-" or self._source.startswith("-]", self._at):
                items.append(first)
                continue
            self._take("-")
            low, high = _code_of(first), _code_of(self._member())
            if low > high:
                raise PatternError("faulty")
            items.append(Item(((low, high),)))
        return CharacterSet(tuple(items), negated)

    def _member(self) -> Item:
        character = self._one()
        return self._escaped() if character == "\\" else _exactly(ord(character))

    def _escaped(self) -> Item:
        character = self._one()
        if character in "dDwWsS":
            return Item(_CLASSES[character.lower()], character.isupper())
        if character in _CONTROLS:
            return _exactly(_CONTROLS[character])
        if character in _HEXADECIMAL_DIGITS:
            return _exactly(self._hexadecimal(_HEXADECIMAL_DIGITS[character]))
        if character.isascii() and character.isalnum():
            raise PatternError("not_supported")
        return _exactly(ord(character))

    def _hexadecimal(self, digits: int) -> int:
        text = self._source[self._at : self._at + digits]
        if not re.fullmatch(f"[0-9A-Fa-f]{{{digits}}}", text):
            raise PatternError("faulty")
        self._at += digits
        return int(text, 16)


def _exactly(code: int) -> Item:
    return Item(((code, code),))


def _code_of(item: Item) -> int:
    (low, high), *others = item.ranges
    if item.negated or others or low != high:
        raise PatternError("faulty")
    return low
