"""Find the nodes that a layer states itself: in its Metadata, else in its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.onnx import NodeEvidence
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.model import fused_names

#: The parser cuts longer texts: the first and last 2,000 characters stay (importerUtils.cpp).
_CUT = " ... "
_CUT_CHARACTERS = 2000


class Choice(NamedTuple):
    """A name that several nodes have: those of a function that is called several times, or with equal names.

    Attributes:
        name: As the model has it.
        nodes: In the order of the parser.
        counters: What the parser added to the name to make it unique, as the layer spells it: 13 is
            "name_12", and 0 the name itself, which the parser gave to the first of them.
        end: Which end of a region it is; None if it is none.
        possible: Those of the nodes that are in the stated local function; all of them if it is empty.
        times: How many times the layer states it: a node once or several times, and no node less than once.
    """

    name: str
    nodes: tuple[int, ...]
    counters: tuple[int, ...] = ()
    end: int | None = None
    possible: tuple[int, ...] = ()
    times: int = 1


@dataclass(frozen=True, slots=True)
class StatedNodes:
    """What one layer states.

    Attributes:
        nodes: Indices of the nodes of the model that it names, and only they have these names.
        evidence: Where; None if it names none.
        matched, unmatched: Names of nodes that are in the model, and of what is not.
        ends: Nodes of the first and the last name of a region, or of its only one; those between are not
            stated.
        choices: Names of which it is not known yet whose they are.
    """

    nodes: tuple[int, ...] = ()
    evidence: NodeEvidence | None = None
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    ends: tuple[tuple[int, ...], ...] = ()
    choices: tuple[Choice, ...] = ()


def stated_nodes(layer: LayerFacts, names: NodeNames) -> StatedNodes:
    """Return the nodes that a layer states."""
    if layer.origins:
        texts = fused_names.metadata_texts(str(layer.attributes.get("Metadata", ""))) or layer.origins
        return _collected([_metadata_node(text, names) for text in texts], "metadata", layer, names)
    region = fused_names.region_ends(layer.name)
    if region:
        found = [list(_in_name(end, names.end, names)) for end in region]
        parts = [part for end in found for part in end]
        return StatedNodes(
            evidence="name",
            matched=tuple(part.name for part in parts if _is_known(part)),
            unmatched=tuple(part.name for part in parts if not part.nodes),
            ends=tuple(
                tuple(index for part in end if not _is_choice(part, names) for index in part.nodes)
                for end in found
            ),
            choices=tuple(
                part._replace(end=at)
                for at, end in enumerate(found)
                for part in end
                if _is_choice(part, names)
            ),
        )
    if fused_names.is_reformat_name(layer.name):
        return StatedNodes()
    found_here = list(_in_name(layer.name, lambda name: _exact(name, names), names))
    return _collected(found_here, "name", layer, names)


def _is_choice(part: Choice, names: NodeNames) -> bool:
    return bool(part.counters) or (len(part.nodes) > 1 and not names.is_constant(part.name))


def _is_known(part: Choice) -> bool:
    """Return whether a name is in the model; a single node with a counter is not certain to be meant."""
    return bool(part.nodes) and (len(part.nodes) > 1 or not part.counters)


def _collected(
    found: Sequence[Choice], evidence: NodeEvidence, layer: LayerFacts, names: NodeNames
) -> StatedNodes:
    several: dict[tuple[str, tuple[int, ...]], list[Choice]] = {}
    for part in found:
        if _is_choice(part, names):
            several.setdefault((part.name, part.possible[:1]), []).append(part)
    choices = [
        parts[0]._replace(
            times=len(parts), counters=tuple(counter for part in parts for counter in part.counters)
        )
        for parts in several.values()
    ]
    nodes = dict.fromkeys(index for part in found if not _is_choice(part, names) for index in part.nodes)
    if choices and evidence == "metadata":
        spelled: dict[str, list[int]] = {}
        for part in _in_name(layer.name, lambda name: _exact(name, names), names):
            spelled.setdefault(part.name, []).extend(part.counters)
        choices = [part._replace(counters=tuple(spelled.get(part.name, ()))) for part in choices]
    return StatedNodes(
        tuple(nodes),
        evidence if nodes or choices else None,
        tuple(part.name for part in found if _is_known(part)),
        tuple(part.name for part in found if not part.nodes),
        choices=tuple(choices),
    )


def _metadata_node(text: str, names: NodeNames) -> Choice:
    """Return the nodes that an entry of the Metadata states."""
    for name, function in fused_names.metadata_readings(text):
        possible = names.of_function(name, function)
        if possible:
            return Choice(name, names.nodes(name), possible=possible)
    name = fused_names.without_properties(text)
    if found := names.nodes(name):
        return Choice(name, found)
    if len(text) < 2 * _CUT_CHARACTERS - len("[ONNX Layer: ") or _CUT not in text:
        return Choice(name, ())
    # The text is cut around its middle, with the words before and after the name.
    middle = name.find(_CUT, _CUT_CHARACTERS - len("[ONNX Layer: ") - 1)
    found = tuple(names.cut(name[:middle], name[middle + len(_CUT) :])) if middle >= 0 else ()
    return Choice(name, found)


def _in_name(name: str, find: Callable[[str], Sequence[int]], names: NodeNames) -> Iterator[Choice]:
    """Yield the names in the name of a fused layer, each with its nodes; those of weights are left out.

    Args:
        name: Of the layer, or of an end of a region, which may be fused too.
        find: Returns the nodes of one name.
        names: Those of the model.
    """
    for part, nodes in fused_names.name_parts(name, find):
        if nodes:
            first = names.name_of(nodes[0])
            is_first = len(nodes) > 1 and first in fused_names.spellings(part)
            yield Choice(first if is_first else part, tuple(nodes), (0,) if is_first else ())
        elif numbered := _numbered(part, names):
            yield numbered
        elif not (fused_names.is_nameless(part) or any(map(names.is_constant, fused_names.spellings(part)))):
            yield Choice(part, ())


def _numbered(text: str, names: NodeNames) -> Choice | None:
    """Return the nodes of a name that the parser made unique: "name_12".

    Source: weightUtils.cpp of onnx-tensorrt, generateUniqueName.
    """
    for spelling in fused_names.spellings(text):
        name, mark, counter = spelling.rpartition("_")
        if mark and counter.isdecimal() and len(counter) < 10 and (nodes := names.nodes(name)):
            return Choice(name, tuple(nodes), (int(counter) + 1,))
    return None


def _exact(text: str, names: NodeNames) -> Sequence[int]:
    """Return the nodes of a name, also with what TensorRT adds around it."""
    return next(filter(None, map(names.nodes, fused_names.spellings(text))), ())
