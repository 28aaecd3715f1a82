"""Regular expressions in time linear in the text (Thompson, 1968), with those of the page's filter.

`static/js/query/pattern.js` does the same; `tests/pattern_vectors.json` holds both to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph import pattern_syntax as syntax

#: Each character of a text is tried against at most this number of steps.
_MAX_STEPS = 300
#: Positions that are kept for the next text.
_MAX_POSITIONS = 1000


def compile_pattern(source: str) -> Callable[[str], bool]:
    """Return a function that returns whether a text contains what an expression describes, in either case.

    Args:
        source: The expression.

    Raises:
        PatternError: The expression is faulty, uses what is not supported, or is too long.
    """
    return _Program(syntax.Parser(source).whole()).is_in


@dataclass(frozen=True)
class _Step:
    tree: syntax.CharacterSet | syntax.Assertion | None
    next: list[int]


@dataclass(frozen=True)
class _Position:
    steps: tuple[int, ...]
    before: str
    moves: dict[str, _Position | None] = field(default_factory=dict)


class _Program:
    """The steps of an expression, and the positions in it that texts have led to."""

    def __init__(self, tree: syntax.Tree) -> None:
        self._steps: list[_Step] = []
        self._end = self._add(None, [])
        self._first = self._build(tree, self._end)
        self._forget()

    def is_in(self, text: str) -> bool:
        position = self._start
        for character in text:
            if character not in position.moves:
                position.moves[character] = self._move(position, character)
            following = position.moves[character]
            if following is None:
                return True
            position = following
        return self._end in self._reached(position, "")

    def _forget(self) -> None:
        self._positions: dict[tuple[tuple[int, ...], str], _Position] = {}
        self._start = self._position((), "")

    def _add(self, tree: syntax.CharacterSet | syntax.Assertion | None, following: list[int]) -> int:
        if len(self._steps) >= _MAX_STEPS:
            raise syntax.PatternError("too_long")
        self._steps.append(_Step(tree, following))
        return len(self._steps) - 1

    def _build(self, tree: syntax.Tree, following: int) -> int:
        """Add the steps of a part that comes before others, and return the first."""
        if isinstance(tree, syntax.Sequence):
            for part in reversed(tree.parts):
                following = self._build(part, following)
            return following
        if isinstance(tree, syntax.Choice):
            return self._add(None, [self._build(part, following) for part in tree.parts])
        if not isinstance(tree, syntax.Repeat):
            return self._add(tree, [following])
        first = following
        if tree.max is None:
            first = self._add(None, [following])
            self._steps[first].next.append(self._build(tree.part, first))
        for _ in range(tree.min, tree.max or 0):
            first = self._add(None, [self._build(tree.part, first), following])
        for _ in range(tree.min):
            behind = first
            first = self._build(tree.part, behind)
            # A part without steps is nothing, however often.
            if first == behind:
                break
        return first

    def _move(self, position: _Position, character: str) -> _Position | None:
        """Return where a character leads; None at the end of the expression."""
        reached = self._reached(position, character)
        if self._end in reached:
            return None
        forms = (character, character.lower(), character.upper())
        codes = [ord(form) for form in forms if len(form) == 1]
        following = set()
        for index in reached:
            step = self._steps[index]
            if isinstance(step.tree, syntax.CharacterSet) and step.tree.contains(codes):
                following.add(step.next[0])
        return self._position(tuple(sorted(following)), character)

    def _position(self, steps: tuple[int, ...], before: str) -> _Position:
        kind = "" if before == "" else "w" if _is_word(before) else "."
        found = self._positions.get((steps, kind))
        if found is None:
            if len(self._positions) >= _MAX_POSITIONS:
                self._forget()
            found = self._positions[steps, kind] = _Position(steps, kind)
        return found

    def _reached(self, position: _Position, after: str) -> set[int]:
        """Return the steps at a position before a character, or before the end of the text."""
        is_boundary = (position.before == "w") != _is_word(after)
        holds = {"^": position.before == "", "$": after == "", "b": is_boundary, "B": not is_boundary}
        waiting = [*position.steps, self._first]
        found = set(waiting)
        while waiting:
            step = self._steps[waiting.pop()]
            if isinstance(step.tree, syntax.CharacterSet):
                continue
            if isinstance(step.tree, syntax.Assertion) and not holds[step.tree.sign]:
                continue
            new = [each for each in step.next if each not in found]
            found.update(new)
            waiting += new
        return found


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
