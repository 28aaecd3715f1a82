"""Join layers that are tied into rows, without letting a chain of ties join half of an engine."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.alignment import MATCH_KEYS
from trexreport.analyzer.comparison.items import Row
from trexreport.analyzer.comparison.match import Match, MatchEdge

#: Most layers of one engine in a row in which another engine has several too.
_MAX_LAYERS = 12


class MergedRows:
    """The rows that two lists of rows become.

    Attributes:
        rows: In the order of the left list; what it lacks follows what the right list has before it.
        keys: For each row by what its layers of the right list were matched.
        cut_rows: Positions of the rows at which ties were cut.
        cut: How many ties were cut.
    """

    def __init__(self, match: Match, left: Sequence[Row], right: Sequence[Row]) -> None:
        self._rows = [*left, *right]
        self._root = list(range(len(self._rows)))
        self._sizes = [{engine: len(layers) for engine, layers in row.items()} for row in self._rows]
        self._offset = len(left)
        refused = self._join(match.edges)
        self._collect(match.edges, refused)

    def _find(self, at: int) -> int:
        while self._root[at] != at:
            self._root[at] = self._root[self._root[at]]
            at = self._root[at]
        return at

    def _join(self, ties: Sequence[MatchEdge]) -> list[MatchEdge]:
        refused = []
        for tie in sorted(ties, key=lambda each: (each.key, -each.weight, each.left, each.right)):
            one, other = self._find(tie.left), self._find(self._offset + tie.right)
            if one == other:
                continue
            sizes = dict(self._sizes[one])
            for engine, count in self._sizes[other].items():
                sizes[engine] = sizes.get(engine, 0) + count
            if max(sizes.values()) > _MAX_LAYERS and sum([count > 1 for count in sizes.values()]) > 1:
                refused.append(tie)
                continue
            self._root[other], self._sizes[one] = one, sizes
        return refused

    def _collect(self, ties: Sequence[MatchEdge], refused: Sequence[MatchEdge]) -> None:
        members: dict[int, Row] = {}
        places: dict[int, tuple[int, int]] = {}
        before = -1
        for at, row in enumerate(self._rows):
            root = self._find(at)
            if at < self._offset:
                places.setdefault(root, (at, -1))
            elif root in places:
                before = places[root][0]
            else:
                places[root] = (before, at)
            joined = members.setdefault(root, {})
            for engine, layers in row.items():
                joined[engine] = sorted({*joined[engine], *layers}) if engine in joined else sorted(layers)
        order = sorted(members, key=lambda root: places[root])
        position = {root: at for at, root in enumerate(order)}
        self.rows = [members[root] for root in order]
        keys: list[set[int]] = [set() for _ in order]
        for tie in ties:
            root = self._find(tie.left)
            if root == self._find(self._offset + tie.right):
                keys[position[root]].add(tie.key)
        self.keys = [{MATCH_KEYS[key] for key in sorted(found)} for found in keys]
        self.cut = len(refused)
        self.cut_rows = {position[self._find(tie.left)] for tie in refused}
        self.cut_rows |= {position[self._find(self._offset + tie.right)] for tie in refused}
        #: Position of each row of the left list among the joined ones.
        self.position_of_left = [position[self._find(at)] for at in range(self._offset)]
