"""Match layers that one engine lacks to those that do their work there."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import FLOW, ORDER, Match

#: What is tied by such evidence alone is joined last.
GUESS = 0.5


def absorb(match: Match) -> None:
    """Match a layer that one side lacks to what does its work there, if that takes its place in the flow.

    A pointwise operation that is fused on the other side has no name or place of its own there; the layer
    before it then hands its result straight to the layer after it, which may begin with the operation if its
    names state one more.
    """
    for otherwise in (False, True):
        for left, item in enumerate(match.left):
            if match.left_partner[left] is not None:
                continue
            chosen = _stand_in(item, match.left_partner, match.right, otherwise=otherwise)
            if chosen is None or not match.may_join(left, chosen):
                continue
            if not otherwise or _states(match.right[chosen], match.found_right[chosen], item):
                match.tie(left, chosen, FLOW, GUESS)
        for right, item in enumerate(match.right):
            if match.right_partner[right] is not None:
                continue
            chosen = _stand_in(item, match.right_partner, match.left, otherwise=otherwise)
            if chosen is None or not match.may_join(chosen, right):
                continue
            if not otherwise or _states(match.left[chosen], match.found_left[chosen], item):
                match.tie(chosen, right, FLOW, GUESS)


def absorb_between_ends(match: Match) -> None:
    """Match with a region, which names its ends, what the other engine runs between them.

    That is the order of execution where the other engine's files state no flow of data.
    """
    for ours, theirs, partners, is_left in (
        (match.left, match.right, match.right_partner, True),
        (match.right, match.left, match.left_partner, False),
    ):
        if any(item.previous or item.following for item in theirs):
            continue
        ends: dict[int, list[int]] = {}
        for edge in match.edges:
            at, end = (edge.left, edge.right) if is_left else (edge.right, edge.left)
            if not ours[at].complete:
                ends.setdefault(at, []).append(end)
        for at, found in ends.items():
            for other in range(min(found) + 1, max(found)):
                pair = (at, other) if is_left else (other, at)
                if partners[other] is None and match.may_join(*pair):
                    match.tie(*pair, ORDER, GUESS)


def _states(fused: Item, found: int, item: Item) -> bool:
    """Return whether a layer names the operations of an item beside those that were found of it."""
    return 0 < item.named <= fused.named - found


def _stand_in(
    item: Item, partners: Sequence[int | None], others: Sequence[Item], *, otherwise: bool
) -> int | None:
    """Return the item of the other side that takes the place of this one, or None.

    Args:
        item: What has no partner.
        partners: Those of the items of its side.
        others: The items of the other side.
        otherwise: Of the two layers between which the item is, return the less likely one.
    """
    writers = [found for at in item.previous if (found := partners[at]) is not None]
    readers = [found for at in item.following if (found := partners[at]) is not None]
    around = set(writers) & set(readers)
    if around:
        return None if otherwise else min(around)
    if item.signature.heavy:
        # The last part of a split layer keeps the name of the tensor; its product is the one before.
        same = [at for at in readers if others[at].signature.rough == item.signature.rough]
        # What is fused behind a product hides its shape.
        hiding = [at for at in readers if others[at].signature.opaque]
        if same or (hiding and not any(others[at].signature.opaque for at in writers)):
            return None if otherwise else min(same or hiding)
    if not writers or (item.signature.heavy and not any(others[at].signature.opaque for at in writers)):
        return None
    latest = max(writers)
    handed_on = [at for at in readers if at in others[latest].following]
    if not handed_on:
        return None if readers or otherwise else latest
    return min(handed_on) if item.signature.before != otherwise else latest
