"""What the head of a document says where the files of a capture contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import contradictions as facts
from trexreport.analyzer.analysis.engine import Note
from trexreport.model import Contradiction
from trexreport.numbers import counted, join_names

_MOST = 8
_GROUPS: dict[facts.FigureGroup, str] = {
    "query-times": "query times",
    "layer-times": "layer times",
    "layers": "layers",
    "engine-size": "engine size",
    "roofline": "roofline",
}


def contradicted_figures(contradictions: Sequence[Contradiction]) -> Mapping[facts.FigureGroup, str]:
    """Return the note beside figures, by what they are about: nothing where files agree."""
    return {
        group: "files contradict it" if facts.contradicted(contradictions, [group]) else ""
        for group in _GROUPS
    }


def not_among(contradictions: Sequence[Contradiction], notes: Iterable[Note]) -> list[Note]:
    """Return notes without those that the sentences on contradictions state."""
    stated = contradiction_sentences(contradictions)
    return [note for note in notes if note.message not in stated]


def contradiction_sentences(contradictions: Sequence[Contradiction]) -> list[str]:
    """Return the contradictions between files, after what follows from them; nothing without any."""
    if not contradictions:
        return []
    return [f"{_consequence(contradictions, 'this capture')} Collect it again.", *_listed(contradictions)]


class ContradictionNotice(NamedTuple):
    """What files of engines contradict each other in: who, what follows, and each message with its engine."""

    names: Sequence[str]
    sentence: str
    messages: Sequence[tuple[str, str]]


def contradiction_notices(
    engines: Iterable[tuple[str, Sequence[Contradiction]]],
) -> list[ContradictionNotice]:
    """Return the contradictions of compared engines, by name, those with one consequence together."""
    alike: dict[str, list[tuple[str, Sequence[Contradiction]]]] = {}
    for name, found in engines:
        if found:
            alike.setdefault(_consequence(found, "{}"), []).append((name, found))
    return [_notice(consequence, concerned) for consequence, concerned in alike.items()]


def _notice(
    consequence: str, concerned: Sequence[tuple[str, Sequence[Contradiction]]]
) -> ContradictionNotice:
    count = len(concerned)
    whose, what = ("this capture", "it") if count == 1 else (f"{count} captures", "them")
    return ContradictionNotice(
        [name for name, _ in concerned],
        f"{consequence.format(whose)} Collect {what} again.",
        [(name, message) for name, found in concerned for message in _listed(found)],
    )


def _consequence(contradictions: Sequence[Contradiction], whose: str) -> str:
    unknown = [name for group, name in _GROUPS.items() if facts.contradicted(contradictions, [group])]
    if facts.of_the_model(contradictions):
        unknown.append("times of ONNX nodes")
    if facts.of_the_accuracy(contradictions):
        unknown.append("accuracy")
    if facts.of_the_trace(contradictions):
        unknown.append("kernels and idle times")
    if facts.of_the_counters(contradictions):
        unknown.append("measured bytes and operations")
    return f"Files of {whose} contradict each other, so {join_names(unknown)} are not known."


def _listed(contradictions: Sequence[Contradiction]) -> list[str]:
    found = [each.message for each in contradictions[:_MOST]]
    more = len(contradictions) - len(found)
    return [*found, *([f"{counted(more, 'more contradiction')}."] if more else [])]
