"""Sum up the layers by few sections of the network, such as stem, blocks, neck and heads.

Cut a sequence of times in few runs of similar ones.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from statistics import median

from trexreport.analyzer.analysis import Group, LayerFacts
from trexreport.analyzer.grouping import group_by, sum_known
from trexreport.analyzer.module_paths import Path, stem
from trexreport.regex import regex

#: Maximum number of runs, and the part of all deviations that one more run has to explain.
_MAX_RUNS, _EXPLAINS = 6, 0.06
#: Minimum part of the whole time that a run takes.
_MIN_SHARE = 0.03
#: Longer sequences are divided into this many parts first.
_MAX_PARTS = 100
#: Shorter times count as this one.
_SHORTEST_MS = 1e-6
#: More sections show no more; modules below the second number, in percent, are taken together.
_MAX_SECTIONS, _MIN_PERCENT = 8, 3.0
#: A section below this share is not divided, in percent.
_DIVIDED_PERCENT = 30.0
#: As many modules whose names differ in a number alone are one section, if most of them are alike.
_MIN_REPEATED, _ALIKE = 5, 0.8
#: Maximum factor between times that are similar to the usual one.
_SIMILAR = 2
#: Fewer layers are read one by one.
_MIN_LAYERS = 12
#: Above this part of a section small modules are described by runs of them.
_MOSTLY_SMALL = 0.6
#: What belongs to no module of its own, or to small ones.
_OTHERS = "(others)"
#: What TensorRT puts before the name of the node that a layer serves.
_SERVANT = regex(
    r"^(?:Reformatting CopyNode for (?:In|Out)put Tensor \d+ to |(?:reshape|(?:un)?squeeze)_[a-z]+_)+",
    re.ASCII,
)
_NUMBERS = regex(r"([0-9]{1,30})")
#: A layer with what its path holds below a section.
_Member = tuple[LayerFacts, Path]


@dataclass(eq=False)
class _Section:
    """Layers of one module, or of several whose names differ in a number alone.

    Attributes:
        label: Its path, with a star for each number that differs.
        members: Its layers.
    """

    label: str
    members: list[_Member]

    @cached_property
    def time_ms(self) -> float:
        """The time of its layers."""
        return math.fsum(layer.avg_ms or 0.0 for layer, _ in self.members)

    @cached_property
    def first(self) -> int:
        """The index of its first layer."""
        return min(layer.index for layer, _ in self.members)


def sections_of_modules(
    layers: Sequence[LayerFacts], paths: Sequence[Path], *, in_order: bool = True
) -> list[Group]:
    """Return the time of a few modules, in the order of execution; nothing where these do not divide it.

    Args:
        layers: All layers.
        paths: The module of each layer.
        in_order: The layers are in the order of execution; else modules are in that of their names.
    """
    members = [(layer, paths[layer.index]) for layer in _timed(layers)]
    if not in_order:
        by_name = sorted(members, key=lambda member: [_natural(part) for part in member[1]])
        members = [(replace(layer, index=at), path) for at, (layer, path) in enumerate(by_name)]
    whole = _Section("", members)
    small_ms, divided_ms = (whole.time_ms * share / 100 for share in (_MIN_PERCENT, _DIVIDED_PERCENT))
    found, final = [whole], list[_Section]()
    while found:
        section = max(found, key=lambda each: each.time_ms)
        found.remove(section)
        parts = _parts(section, small_ms, in_order=in_order) if section.time_ms >= divided_ms else []
        if parts and len(parts) + len(found) + len(final) <= _MAX_SECTIONS:
            found += parts
        else:
            final.append(section)
    return _groups(final)


def sections_in_order(layers: Sequence[LayerFacts]) -> list[Group]:
    """Return the time of a few runs of layers, cut where the times of single layers change most."""
    members = [_Section(_node(layer), [(layer, ())]) for layer in _timed(layers)]
    return _groups([_of_run(run) for run in _runs(members)])


def _timed(layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that take time, if they are enough."""
    timed = [layer for layer in layers if layer.avg_ms]
    return timed if len(timed) >= _MIN_LAYERS else []


def _node(layer: LayerFacts) -> str:
    """Return the first node that a layer names, or serves."""
    name = _SERVANT.sub("", layer.name.split(" || ")[0]).split(" + ")[0]
    return name.removeprefix("PWN(").removesuffix(")") if name.startswith("PWN(") else name


def _of_run(run: Sequence[_Section]) -> _Section:
    """Return neighbors as one section, named by the first and the last, which is not divided."""
    ends = " – ".join(dict.fromkeys((run[0].label.split(" – ")[0], run[-1].label.split(" – ")[-1])))
    if len(run) == 1:
        return _Section(ends, run[0].members)
    return _Section(ends, [(layer, ()) for each in run for layer, _ in each.members])


def _natural(part: str) -> list[tuple[int, str]]:
    """Return what names are sorted by so that their numbers count as numbers."""
    texts = _NUMBERS.split(part)
    # Each second text is a number.
    return [(int(text), "") if at % 2 else (0, text) for at, text in enumerate(texts)]


def _parts(section: _Section, small_ms: float, *, in_order: bool) -> list[_Section]:
    """Return what a section is divided into, if it is: modules, or runs of many small ones."""
    by_part = group_by(section.members, lambda member: member[1][0] if member[1] else "")
    own = by_part.pop("", [])
    modules = [
        _Section(part, [(layer, path[1:]) for layer, path in found]) for part, found in by_part.items()
    ]
    joined: list[_Section] = []
    for label, alike in group_by(modules, lambda module: stem(module.label)).items():
        if len(alike) < _MIN_REPEATED:
            joined += alike
        elif runs := [] if _are_alike(alike) else _runs(alike):
            joined += (_of_run(run) for run in runs)
        else:
            joined.append(_Section(label, [member for each in alike for member in each.members]))
    parts = [each for each in joined if each.time_ms >= small_ms]
    others = [*own, *(member for each in joined if each not in parts for member in each.members)]
    rest = _Section(f"{section.label} {_OTHERS}".lstrip(), [(layer, ()) for layer, _ in others])
    if rest.time_ms > _MOSTLY_SMALL * section.time_ms:
        is_divided = in_order and modules and "*" not in section.label
        return _parts_in_order(section, joined, own) if is_divided else []
    for each in parts:
        each.label = _join(section.label, each.label)
    if in_order and len(own) == len(others) and _are_neighbors([layer.index for layer, _ in own], section):
        # What no module has and runs one after the other is named by its ends.
        rest.label = " – ".join(dict.fromkeys(_node(layer) for layer in (own[0][0], own[-1][0])))
    return [*parts, rest] if rest.members and parts else parts


def _are_neighbors(indices: Sequence[int], section: _Section) -> bool:
    """Return whether no other layer of a section runs between some of them, given ascending."""
    if not indices:
        return False
    return sum(indices[0] <= layer.index <= indices[-1] for layer, _ in section.members) == len(indices)


def _parts_in_order(section: _Section, modules: list[_Section], own: Sequence[_Member]) -> list[_Section]:
    """Return runs of many small modules and of nodes outside of modules."""
    for each in modules:
        each.label = _join(section.label, each.label)
    nodes = [_Section(_node(layer), [(layer, ())]) for layer, _ in own]
    return [_of_run(run) for run in _runs(sorted([*modules, *nodes], key=lambda each: each.first))]


def _join(path: str, part: str) -> str:
    return "/".join(filter(None, (path, part)))


def _are_alike(modules: Sequence[_Section]) -> bool:
    """Return whether most modules hold modules of the same names, and take similar times."""
    usual_ms = median(each.time_ms for each in modules)
    similar = sum(usual_ms <= _SIMILAR * each.time_ms <= _SIMILAR**2 * usual_ms for each in modules)
    held = [frozenset("/".join(map(stem, path[:2])) for _, path in each.members if path) for each in modules]
    (usual, _), *_ = Counter(held).most_common(1)
    alike = sum(2 * len(each & usual) >= len(each | usual) for each in held)
    return min(alike, similar) >= _ALIKE * len(modules)


def _runs(items: Sequence[_Section]) -> list[Sequence[_Section]]:
    return [items[start:end] for start, end in runs_of_similar_times([each.time_ms for each in items])]


def _groups(sections: Sequence[_Section]) -> list[Group]:
    """Return sections in the order of execution, if there are several."""
    if len(sections) < 2:
        return []
    return [
        Group(
            each.label,
            len(each.members),
            each.time_ms,
            sum_known([layer.share_percent for layer, _ in each.members]),
        )
        for each in sorted(sections, key=lambda each: (each.label == _OTHERS, each.first))
    ]


def runs_of_similar_times(times_ms: Sequence[float]) -> list[tuple[int, int]]:
    """Return begin and end of each run; nothing where the times do not change from run to run.

    A deviation is the square of how far the logarithm of a time is from the mean of its run.
    """
    count = min(len(times_ms), _MAX_PARTS)
    # Of nearly equal numbers, so that none has an unusual sum.
    starts = [len(times_ms) * part // count for part in range(count)]
    starts.append(len(times_ms))
    parts = [math.fsum(times_ms[start:end]) / (end - start) for start, end in pairwise(starts)]
    deviations, cuts = _best_cuts(parts)
    if not cuts:
        return []
    more = min(range(len(cuts)), key=lambda each: deviations[each] + _EXPLAINS * each * deviations[0])
    bounds = [len(parts)]
    for cut in reversed(cuts[: more + 1]):
        bounds.append(cut[bounds[-1]])
    return list(pairwise([starts[bound] for bound in reversed(bounds)])) if more else []


def _best_cuts(times_ms: Sequence[float]) -> tuple[list[float], list[list[int]]]:
    """Return for each number of runs the sum of deviations, and where the last run up to each end begins."""
    count = len(times_ms)
    logarithms = [math.log(max(time, _SHORTEST_MS)) for time in times_ms]
    sums = [list(accumulate(logarithms, initial=0.0))]
    sums.append(list(accumulate((each * each for each in logarithms), initial=0.0)))
    until_ms = list(accumulate(times_ms, initial=0.0))

    def deviation(start: int, end: int) -> float:
        if until_ms[end] - until_ms[start] < _MIN_SHARE * until_ms[-1]:
            return math.inf
        total, squares = (each[end] - each[start] for each in sums)
        return max(squares - total * total / (end - start), 0.0)

    best = [math.inf, *(deviation(0, end) for end in range(1, count + 1))]
    deviations, cuts = [best[count]], [[0] * (count + 1)]
    while len(cuts) < min(_MAX_RUNS, count):
        ends = [
            min(((best[cut] + deviation(cut, end), cut) for cut in range(1, end)), default=(math.inf, 0))
            for end in range(count + 1)
        ]
        best = [each for each, _ in ends]
        cuts.append([cut for _, cut in ends])
        deviations.append(best[count])
    return (deviations, cuts) if count else ([], [])
