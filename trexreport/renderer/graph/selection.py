"""Choose the part of an engine that is drawn: around a layer, what fits a query, a block, blocks as boxes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from trexreport.analyzer.analysis import Analysis, Block, LayerFacts
from trexreport.analyzer.analysis.blocks import full_path
from trexreport.errors import UsageError
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.graph.pattern import compile_pattern
from trexreport.renderer.graph.pattern_syntax import PatternError
from trexreport.renderer.graph.picture import MAX_ARROWS

_MAX_NAMED = 5
_NAME_CHARACTERS = 80


def find_layer(analysis: Analysis, text: str) -> int:
    """Return the index of the layer that a name, a part of a name or a number means.

    Raises:
        UsageError: No layer fits, or several do; the message names some.
    """
    layers = analysis.layers
    for names in ([layer.key for layer in layers], [layer.name for layer in layers]):
        if names.count(text) == 1:
            return names.index(text)
    if text.isdecimal() and text.isascii() and len(text) < 12 and int(text) < len(layers):
        return int(text)
    wanted = text.lower()
    found = [layer for layer in layers if wanted in layer.name.lower()]
    if len(found) == 1:
        return found[0].index
    if found:
        examples = ", ".join(f"{layer.index} {_short(layer.name)}" for layer in found[:_MAX_NAMED])
        raise UsageError(
            f"{len(found)} layers have '{_short(text)}' in their names.",
            f"Give a longer part of the name, or the index of a layer: {examples}.",
        )
    raise UsageError(
        f"No layer has the name '{_short(text)}'.", _suggestion(text, [each.name for each in layers])
    )


def find_block(analysis: Analysis, text: str) -> Block:
    """Return the block that a module path, the end of a path or a label means.

    Raises:
        UsageError: No block fits, or several do; the message names some.
    """
    wanted = text.strip("/")
    named = [(block, full_path(block)) for block in analysis.blocks.items[1:]]
    exact = [(block, path) for block, path in named if path == wanted]
    ending = [pair for pair in named if pair[1].endswith(f"/{wanted}") or pair[0].label == wanted]
    for found in (exact, ending):
        if len(found) == 1:
            return found[0][0]
        if found:
            examples = ", ".join(_short(path) for _, path in found[:_MAX_NAMED])
            raise UsageError(
                f"{len(found)} blocks have the name '{_short(text)}'.", f"Among them: {examples}."
            )
    raise UsageError(
        f"No block has the name '{_short(text)}'.", _suggestion(text, [path for _, path in named])
    )


def layers_around(analysis: Analysis, index: int, radius: int) -> frozenset[int]:
    """Return the layers that are at most `radius` steps away along tensors.

    Steps through no-ops are free, as these are not drawn; tensors with many readers lead nowhere.
    """
    distance = {index: 0}
    waiting = deque([index])
    while waiting:
        here = waiting.popleft()
        for other in _neighbors(analysis, here):
            step = analysis.layers[other].type != "NoOp"
            if distance[here] + step <= radius and distance[here] + step < distance.get(other, radius + 1):
                distance[other] = distance[here] + step
                (waiting.append if step else waiting.appendleft)(other)
    return frozenset(distance)


def layers_matching(analysis: Analysis, pattern: str) -> frozenset[int]:
    """Return the layers of which name, origin, type, tactic or precision fits a regular expression.

    Raises:
        UsageError: The expression is faulty, or nothing fits.
    """
    try:
        fits = compile_pattern(pattern)
    except PatternError as error:
        raise UsageError(f"'{_short(pattern)}': {error}.") from error
    found = frozenset(layer.index for layer in analysis.layers if any(map(fits, _texts(layer))))
    if not found:
        raise UsageError(
            f"Nothing matches '{_short(pattern)}'.",
            "Names, origins, types, tactics and precisions of the layers were searched.",
        )
    return found


def with_neighbors(analysis: Analysis, indices: frozenset[int]) -> frozenset[int]:
    """Return the layers and those that feed them or read from them directly."""
    return indices.union(*(layers_around(analysis, index, 1) for index in sorted(indices)))


def collapse(analysis: Analysis, depth: int, inside: int = 0) -> dict[int, tuple[int, ...]]:
    """Choose the blocks to draw as boxes: those `depth` levels below a block, and leaves above that.

    Groups are not a level of their own, and neighbors of one structure and one series become one box.

    Returns:
        Id of the first block of each box to the ids of all blocks in it.
    """
    items = analysis.blocks.items
    series_of = {
        member: number for number, series in enumerate(analysis.blocks.series) for member in series.members
    }
    chosen: dict[int, tuple[int, ...]] = {}
    first = inside
    for number in _at_depth(items, inside, depth):
        if (
            chosen
            and _is_repetition(items[number], items[first])
            and series_of.get(number) == series_of.get(first) is not None
        ):
            chosen[first] += (number,)
        else:
            chosen[number] = (number,)
            first = number
    return chosen


def _is_repetition(block: Block, first: Block) -> bool:
    """Return whether two blocks have the same structure and none differs from the others of its series."""
    is_same = block.repeat_of is not None and block.repeat_of in (first.id, first.repeat_of)
    return is_same and not block.differs and not first.differs


def _at_depth(items: Sequence[Block], number: int, depth: int) -> Iterator[int]:
    block = items[number]
    if not block.children or (depth <= 0 and block.kind != "group"):
        yield number
        return
    for child in block.children:
        is_group = items[child].kind == "group"
        yield from _at_depth(items, child, depth if is_group else depth - 1)


def _neighbors(analysis: Analysis, index: int) -> Iterator[int]:
    layer = analysis.layers[index]
    for uses, ends in ((layer.inputs, "producers"), (layer.outputs, "consumers")):
        for tensor in (analysis.tensors[use.tensor] for use in uses):
            if len(tensor.consumers) <= MAX_ARROWS:
                yield from getattr(tensor, ends)


def _texts(layer: LayerFacts) -> Iterator[str]:
    yield from (layer.name, layer.type, layer.subtype, layer.tactic, layer.precision, *layer.origins)


def _suggestion(text: str, names: Sequence[str]) -> str:
    """Name what is spelled alike, else a few."""
    unique = list(dict.fromkeys(name[:300] for name in names if name))
    close = get_close_matches(text, unique, n=3, cutoff=0.5)
    if close:
        return f"Similar: {', '.join(_short(name) for name in close)}."
    return f"Examples: {', '.join(_short(name) for name in unique[:_MAX_NAMED])}." if unique else ""


def _short(text: str) -> str:
    return middle_ellipsis(text, _NAME_CHARACTERS)
