"""Advice that fits the TensorRT version of an engine, and that its build and its run do not follow already.

The documentation of a rule marks what holds only for some engines, in brackets before a colon::

    Always shown. [8.6..: Shown from TensorRT 8.6 on.] [..10: Shown up to 10.x.] [if typed: Shown if the types
    of the network decide.] [8.6.., unless level-5: Shown unless the engine was built so.]

A text that depends on the places is in braces, with what is there instead where they do not state it::

    Request {Format|such as fp16:hwc8}.

What is known not to hold is left out. Where it is not known, a range and an "if" become words before the
text, as in the documentation of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.conditions import CONDITIONS, STRONGLY_TYPED
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.build_flags import is_strongly_typed
from trexreport.analyzer.rules.exporters import for_torch_tensorrt, is_of_torch_tensorrt
from trexreport.analyzer.rules.layer_tests import AnyLayer, StatedByPlaces
from trexreport.regex import regex

_TERM = rf"(?:[\d.]*\.\.[\d.]*|(?:if|unless) (?:{'|'.join(CONDITIONS)}))"
_EVIDENCE = regex(r"\{([A-Z][^{}|]*)\|([^{}]*)\}")
_PART = regex(rf"\[({_TERM}(?:, {_TERM})*): ([^][]+)\]")


class Advice:
    """Makes the texts of a rule fit an engine and a finding; what they depend on is judged once for all."""

    def __init__(
        self, context: Context, layers: Sequence[LayerFacts], evidence: Collection[str] = ()
    ) -> None:
        """Keep the engine, the layers of the finding, and the labels of what its places state."""
        self._context, self._layers, self._evidence = context, layers, evidence
        self._held: dict[Callable[..., bool | None], bool | None] = {}

    def fitted(self, text: str) -> str:
        """Return a text of a rule's documentation without what does not hold, or is followed already."""
        if not self._context.gives_advice:
            return ""
        lines: list[tuple[str, list[str]]] = []
        end = 0
        for part in _PART.finditer(text):
            _add(lines, "", text[end : part.start()])
            end = part.end()
            if (labels := self._labels(part)) is not None:
                _add(lines, _joined(labels), part[2])
        _add(lines, "", text[end:])
        found = _tidy(" ".join(map(_labeled, lines)))
        return for_torch_tensorrt(found) if self._context.cached(is_of_torch_tensorrt) else found

    def _labels(self, part: re.Match[str]) -> list[str] | None:
        """Return the words for what a part depends on and is not known; None if it does not hold."""
        labels = []
        for term in part[1].split(", "):
            holds, words = self._judge(term)
            if holds is False:
                return None
            if holds is None and words:
                labels.append(words)
        return labels

    def _judge(self, term: str) -> tuple[bool | None, str]:
        """Return whether a term holds for the engine, None if that is not known, and the words for it."""
        kind, _, name = term.partition(" ")
        if not name:
            return _is_in_range(term, self._context.version), _words(term)
        if term == "if typed" and self._context.version is not None:
            # A later version does not matter to an engine of this one.
            return is_strongly_typed(self._context), STRONGLY_TYPED
        condition = CONDITIONS[name]
        if isinstance(condition.holds, StatedByPlaces):
            holds: bool | None = condition.holds.label in self._evidence
        else:
            holds = self._holds(condition.holds)
        if kind == "unless":
            holds = None if holds is None else not holds
        elif holds and isinstance(condition.holds, AnyLayer) and not condition.holds.are_all(self._layers):
            # The words say for which of the layers.
            holds = None
        return holds, condition.words if kind == "if" else ""

    def _holds(self, test: Callable[..., bool | None]) -> bool | None:
        if test not in self._held:
            self._held[test] = test(self._context, self._layers)
        return self._held[test]


def general_advice(text: str) -> str:
    """Return a text of a rule as its documentation states it, for any engine: a line for each condition."""
    lines: list[tuple[str, list[str]]] = []
    end = 0
    for part in _PART.finditer(text):
        _add(lines, "", text[end : part.start()])
        _add(lines, _joined([words for term in part[1].split(", ") if (words := _words(term))]), part[2])
        end = part.end()
    _add(lines, "", text[end:])
    return fill_in_evidence(_tidy("\n".join(map(_labeled, lines))), {})


def _add(lines: list[tuple[str, list[str]]], condition: str, text: str) -> None:
    """Add a text to those of its condition, if that is the last one, which is then stated once."""
    if not text.strip():
        return
    if not lines or lines[-1][0] != condition:
        lines.append((condition, []))
    lines[-1][1].append(text)


def fill_in_evidence(text: str, evidence: Mapping[str, str]) -> str:
    """Return a text with what places state, or with the text beside it.

    Args:
        text: From `Advice`.
        evidence: Label to the values of the places.
    """
    return _EVIDENCE.sub(lambda part: evidence.get(part[1]) or part[2], text)


def _words(term: str) -> str:
    kind, _, name = term.partition(" ")
    if name:
        return CONDITIONS[name].words if kind == "if" else ""
    since, _, until = term.partition("..")
    if since and until:
        return (
            f"TensorRT {until}"
            if until in {since, since.removesuffix(".0")}
            else f"TensorRT {since} to {until}"
        )
    return f"From TensorRT {since} on" if since else f"Up to TensorRT {until}"


def _is_in_range(term: str, version: tuple[int, int] | None) -> bool | None:
    if version is None:
        return None
    since, until = (tuple(map(int, each.split("."))) if each else () for each in term.split("..", 1))
    return since <= version and (not until or version[: len(until)] <= until)


def _labeled(line: tuple[str, list[str]]) -> str:
    condition, texts = line
    return f"{condition}: {' '.join(texts)}" if condition else " ".join(texts)


def _joined(labels: Sequence[str]) -> str:
    # The first label begins the sentence.
    return ", ".join([*labels[:1], *map(_within_sentence, labels[1:])])


def _within_sentence(label: str) -> str:
    return label if label.startswith("TensorRT") else label[0].lower() + label[1:]


def _tidy(text: str) -> str:
    """Return a text without the spaces around what was left out."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
