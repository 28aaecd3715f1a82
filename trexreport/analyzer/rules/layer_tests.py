"""Tests of the layers of a finding, for the conditions of its advice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context

#: Returns whether something holds for an engine and layers; None if it does for some, or is not known.
Test = Callable[[Context, Sequence[LayerFacts]], "bool | None"]


def alike(answers: Iterable[bool]) -> bool | None:
    """Return whether something holds for all, of which there must be some; None if they differ."""
    found = set(answers)
    return None if len(found) > 1 else True in found


def all_layers(is_so: Callable[[Context, LayerFacts], bool]) -> Test:
    """Return a test whether all layers are so; None if some are."""
    return lambda context, layers: alike(is_so(context, each) for each in layers)


def any_layer(is_so: Callable[[Context, LayerFacts], object]) -> Test:
    """Return a test whether any layer is so."""
    return lambda context, layers: any(is_so(context, each) for each in layers)


def of_engine(is_so: Callable[[Context], object]) -> Test:
    """Return a test of the engine alone; None if it is not known."""

    def test(context: Context, _: Sequence[LayerFacts]) -> bool | None:
        found = is_so(context)
        return None if found is None else bool(found)

    return test


class AnyLayer:
    """A test whether any of the layers is so, which knows whether all of them are."""

    def __init__(self, is_so: Callable[[LayerFacts], bool]) -> None:
        """Keep how one layer is tested."""
        self.is_so = is_so

    def __call__(self, _: Context, layers: Sequence[LayerFacts]) -> bool:
        """Return whether any layer is so."""
        return any(map(self.is_so, layers))

    def are_all(self, layers: Sequence[LayerFacts]) -> bool:
        """Return whether all layers are so."""
        return all(map(self.is_so, layers))


class StatedByPlaces:
    """A test whether the places of a finding state something as evidence, which the advice asks them."""

    def __init__(self, label: str) -> None:
        """Keep the label of the evidence."""
        self.label = label

    def __call__(self, _: Context, layers: Sequence[LayerFacts]) -> None:
        """Return that layers do not show it."""
