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
    found = place_hints([entry(place) for place in places], str)
    assert [found[place] for place in places] == hints


def entry(place, date=""):
    return SimpleNamespace(place=place, summary=SimpleNamespace(name="net", date=date))


@pytest.mark.parametrize(
    ("folder", "shown", "hint"),
    [
        ("2026-11-02", "2026-11-02", "a"),
        ("2026-11", "2026-11-02", "a"),
        # Of two runs of one day the column of days shows no difference.
        ("2026-11-02T10", "2026-11-02", "a/2026-11-02T10"),
        ("2026-11-02T10", "2026-11-02T10:31", "a"),
        ("2", "2026-11-02", "a/2"),
    ],
)
def test_no_hint_repeats_the_date_beside_it(folder, shown, hint):
    places = [f"a/{folder}", "a/other", f"b/{folder}"]
    found = place_hints([entry(place, shown) for place in places], str)
    assert [found[place] for place in places] == [hint, "a/other", hint.replace("a", "b", 1)]


def test_the_date_alone_is_no_hint():
    assert place_hints([entry(f"a/2026-11-0{day}", f"2026-11-0{day}") for day in (1, 2)], str) == {}
