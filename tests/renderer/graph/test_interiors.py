"""The insides of blocks: each distinct shape is laid out once, and many of them quickly."""

from __future__ import annotations

from graph_plans import analysis_of, decoder, random_layers

from trexreport.renderer.graph import interiors
from trexreport.renderer.graph.layout.layered import LayeredEngine


def efforts(monkeypatch, analysis):
    """Return for each layout how many boxes it had and whether it was thorough."""
    found = []
    place = LayeredEngine.place

    def noted(self, nodes, *rest, is_thorough=True, **more):
        found.append((len(nodes), is_thorough))
        return place(self, nodes, *rest, is_thorough=is_thorough, **more)

    monkeypatch.setattr(LayeredEngine, "place", noted)
    interiors.lay_out_interiors(analysis)
    return found


def test_repeated_blocks_are_laid_out_once_and_thoroughly(monkeypatch):
    found = efforts(monkeypatch, analysis_of(decoder(40)))
    assert len(found) < 10
    assert all(is_thorough for _, is_thorough in found)


def test_beyond_a_number_of_boxes_layouts_are_quick(monkeypatch):
    monkeypatch.setattr(interiors, "_MAX_THOROUGH", 60)
    found = efforts(monkeypatch, analysis_of(random_layers(3, 300)))
    assert {is_thorough for _, is_thorough in found} == {True, False}
    first = next(number for number, (_, is_thorough) in enumerate(found) if not is_thorough)
    assert sum(count for count, _ in found[:first]) <= 60
    assert not any(is_thorough for _, is_thorough in found[first:])
