"""The ways in which plans are edited, and how well an alignment finds what they still have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from . import edits
from .edits import RENAMES, Edited

Edit = Callable[[Edited, Random, float, bool], None]
#: Whether metadata stays, is renamed as the layers are, or is absent.
METADATA = ("kept", "renamed", "none")


def _renames(choose: Callable[[Edited, Random, float], Sequence[int]], kind: str) -> Edit:
    def edit(plan: Edited, random: Random, part: float, metadata: bool) -> None:
        edits.rename(plan, choose(plan, random, part), RENAMES[kind], metadata=metadata)

    return edit


def _of(change: Callable[[Edited, Random, float], None]) -> Edit:
    return lambda plan, random, part, _: change(plan, random, part)


def _mixed(kind: str) -> Edit:
    def edit(plan: Edited, random: Random, part: float, metadata: bool) -> None:
        edits.rename(plan, edits.stage(plan, random, part), RENAMES[kind], metadata=metadata)
        for change in (edits.split, edits.merge, edits.reorder, edits.insert):
            change(plan, random, part / 4)

    return edit


EDITS: dict[str, Edit] = {
    **{f"{kind}, one stage": _renames(edits.stage, kind) for kind in RENAMES},
    "stage, anywhere": _renames(edits.some, "stage"),
    "hash, anywhere": _renames(edits.some, "hash"),
    "exporter, anywhere": _renames(edits.some, "exporter"),
    "regrouped": _of(edits.regroup),
    "split": _of(edits.split),
    "merge": _of(edits.merge),
    "reorder": _of(edits.reorder),
    "insert": _of(edits.insert),
    **{f"{kind}, mixed": _mixed(kind) for kind in ("stage", "hash", "exporter")},
}


def score(plan: Edited, rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> tuple[float, int]:
    """Return how well the original plan was aligned with an edited one.

    Args:
        plan: The edited one.
        rows: Positions of the layers that compute, of the original and of the edited plan, in each row.

    Returns:
        The harmonic mean of precision and recall over pairs of layers, and the number of rows of one plan
        alone with a layer that both have.
    """
    found = {(left, right) for lefts, rights in rows for left in lefts for right in rights}
    lefts = {left for each, _ in rows for left in each}
    rights = {right for _, each in rows for right in each}
    true = {(left, right) for left, right in plan.true_pairs() if left in lefts and right in rights}
    both = {left for left, _ in true}, {right for _, right in true}
    alone = sum(
        not (ours and theirs) and not (both[0].isdisjoint(ours) and both[1].isdisjoint(theirs))
        for ours, theirs in rows
    )
    return (2 * len(found & true) / (len(found) + len(true)) if found or true else 1.0), alone
