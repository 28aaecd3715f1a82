"""Garbage is searched for when much may have come since the last time, and not before."""

from __future__ import annotations

import gc
import weakref

import pytest

from trexreport import garbage
from trexreport.garbage import collect_if_many_are_new, collection_paused


class Ring:
    """Refers to itself, so that only the collector can find it."""

    def __init__(self):
        self.itself = self


@pytest.mark.parametrize(("others", "is_found"), [(10, False), (3000, True)])
def test_it_is_searched_for_after_many_objects(others, is_found, monkeypatch):
    monkeypatch.setattr(garbage, "_MANY_NEW", 2000)
    with collection_paused():
        gc.collect(1)
        ring = weakref.ref(Ring())
        kept = [[] for _ in range(others)]
        collect_if_many_are_new()
        assert (ring() is None) == is_found
        assert len(kept) == others
