"""Engines that share a name differ by as few parts of their places as possible."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.site.hints import place_hints


@pytest.mark.parametrize(
    ("places", "hints"),
    [
        (["nets/run-1", "nets/run-2"], ["run-1", "run-2"]),
        (["nets/run-1/net", "nets/run-2/net"], ["run-1", "run-2"]),
        (["nets/a/run-1", "nets/a/run-2", "nets/b/run-1"], ["a/run-1", "a/run-2", "b/run-1"]),
        (["nets/a/x/run-1", "nets/b/x/run-1", "nets/b/x/run-2"], ["a/run-1", "b/run-1", "b/run-2"]),
        (["run-1", "nets/b/run-1"], ["run-1", "b"]),
    ],
)
def test_engines_of_one_name(places, hints):
    entries = [SimpleNamespace(place=place, summary=SimpleNamespace(name="net")) for place in places]
    found = place_hints(entries)
    assert [found[place] for place in places] == hints
